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
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	if !rawError { // somebody may press Tab
		go warm(e)
	}
	dispatcher.RunKernel(k, e)
	err = e.Stop()
	k.ExitWait()
	return err
}

// warm takes the seconds that gopls needs for its first completion before
// somebody asks for it. As GoNB does then, it opens all files of the module. A
// cell may run meanwhile: go build ignores a test.
func warm(e *goexec.State) {
	gopls, err := unexported[*goplsclient.Client](e, "gopls")
	if err != nil || gopls == nil {
		return // gopls is not installed
	}
	const source = "package main\n\nimport \"github.com/agekit/age/agekit\"\n\nvar _ = agekit.S\n"
	path, ctx := filepath.Join(e.TempDir, "warm_test.go"), context.Background()
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		return
	}
	open := func(path string) error { return gopls.NotifyDidOpenOrChange(ctx, path) }
	err = errors.Join(open(filepath.Join(e.TempDir, "go.mod")), open(filepath.Join(e.TempDir, "go.work")), e.EnumerateUpdatedFiles(open))
	if err == nil {
		_, _, err = gopls.Complete(ctx, path, 4, len("var _ = agekit.S"))
	}
	klog.Infof("gopls is warm, error: %v", err)
	os.Remove(path)
	open(path) // tells gopls that it is gone
}

// listen makes k send its messages through rewrite.
func listen(k *kernel.Kernel) error {
	sockets, err := unexported[*kernel.SocketGroup](k, "sockets")
	if err != nil {
		return err
	}
	for _, s := range []*kernel.SyncSocket{&sockets.IOPubSocket, &sockets.ShellSocket} {
		s.Socket = rewriter{s.Socket, sockets.Key}
	}
	return nil
}

// unexported returns a field that GoNB does not export, although it exports the
// field's type.
func unexported[T any](of any, name string) (T, error) {
	field := reflect.ValueOf(of).Elem().FieldByName(name)
	if !field.IsValid() || field.Type() != reflect.TypeFor[T]() {
		var none T
		return none, fmt.Errorf("this version of GoNB has no field %s of type %v in %T", name, reflect.TypeFor[T](), of)
	}
	return *(*T)(unsafe.Pointer(field.UnsafeAddr())), nil
}
