//go:build !windows

package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestEndWithUs: after a hard kill of a kernel that has called endWithUs, the program that listens on a socket
// in the kernel's folder ends; one with another kernel's folder does not. The kernel is this test, run as a
// process of its own, which $GONB_TEST_DIR tells.
func TestEndWithUs(t *testing.T) {
	if dir := os.Getenv("GONB_TEST_DIR"); dir != "" { // this process is the kernel
		if err := endWithUs(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stdout.WriteString("ready\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		return
	}
	// listen starts a program whose command line is that of gopls with its socket in dir. It returns a channel
	// that gets a value when the program has ended, and a function that ends it.
	listen := func(dir string) (ended chan error, end func() error) {
		server := exec.Command("sh", "-c", "read line; true", "gopls", "-listen", "unix;"+dir+"/gopls_socket")
		input, err := server.StdinPipe() // it waits for a line
		if err == nil {
			err = server.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = input.Close() })
		ended = make(chan error, 1)
		go func() { ended <- server.Wait() }()
		return ended, server.Process.Kill
	}
	dir := t.TempDir()
	ours, end := listen(dir)
	others, endOthers := listen(t.TempDir())
	defer func() { _ = end(); _ = endOthers() }()
	kernel := exec.Command(os.Args[0], "-test.run=TestEndWithUs")
	kernel.Env = append(os.Environ(), "GONB_TEST_DIR="+dir)
	out, err := kernel.StdoutPipe()
	if err == nil {
		err = kernel.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, len("ready\n")))
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-ours:
		t.Fatal("the server ends before the kernel")
	case <-time.After(200 * time.Millisecond):
	}
	if err := kernel.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ours:
	case <-time.After(20 * time.Second):
		t.Error("the server outlives its kernel")
	}
	select {
	case <-others:
		t.Error("another kernel's server has ended, too")
	default:
	}
}
