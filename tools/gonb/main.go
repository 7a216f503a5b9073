// Command gonb is the GoNB kernel with two changes that GoNB has no flags for:
// Tab completion is ready in seconds, and errors say what to do.
//
// GoNB connects to gopls only 12 seconds after starting it, and until then a
// completion blocks the notebook. That time is a variable. What GoNB tells
// Jupyter passes through messages, which rewrites it (see rewrite).
//
// GoNB's packages are internal to its module. Go lets a package import them
// whose path begins with GoNB's, so go.mod names this module accordingly.
package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"reflect"
	"time"
	"unsafe"

	"github.com/janpfeifer/gonb/internal/dispatcher"
	"github.com/janpfeifer/gonb/internal/goexec"
	"github.com/janpfeifer/gonb/internal/goexec/goplsclient"
	"github.com/janpfeifer/gonb/internal/kernel"
	"k8s.io/klog/v2"
)

func main() {
	klog.InitFlags(nil)
	connection := flag.String("kernel", "", "Jupyter's `connection file`")
	goWork := flag.String("go_work", "", "the `folder` of the module that cells import")
	rawError := flag.Bool("raw_error", false, "report compile errors as text, not as HTML")
	flag.Parse()
	if err := run(*connection, *goWork, *rawError); err != nil {
		fmt.Fprintln(os.Stderr, "gonb:", err)
		os.Exit(1)
	}
}

func run(connection, goWork string, rawError bool) error {
	goplsclient.ConnectTimeout = 500 * time.Millisecond
	k, err := kernel.New(connection)
	if err != nil {
		return err
	}
	if err := listen(k); err != nil {
		return err
	}
	k.HandleInterrupt()
	e, err := goexec.New(k, rand.Text()[:8], false, rawError)
	if err != nil {
		return err
	}
	if err := e.InitializeGoWork([]string{goWork, "."}); err != nil {
		return err
	}
	dispatcher.RunKernel(k, e)
	err = e.Stop()
	k.ExitWait()
	return err
}

// listen makes k send its messages through rewrite. The field with k's sockets
// is not exported, but their type is.
func listen(k *kernel.Kernel) error {
	field := reflect.ValueOf(k).Elem().FieldByName("sockets")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*kernel.SocketGroup]() {
		return fmt.Errorf("this version of GoNB keeps its sockets elsewhere")
	}
	sockets := *(**kernel.SocketGroup)(unsafe.Pointer(field.UnsafeAddr()))
	for _, s := range []*kernel.SyncSocket{&sockets.IOPubSocket, &sockets.ShellSocket} {
		s.Socket = rewriter{s.Socket, sockets.Key}
	}
	return nil
}
