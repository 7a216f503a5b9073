package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
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
	connection := flag.String("kernel", "", "serve Jupyter with this connection `file`")
	warm := flag.String("warm", "", "complete this `cell`, so that gopls has in its cache what it needs, and exit")
	project := flag.String("go_work", "", "the `folder` of the module that cells import")
	flag.Parse()
	var err error
	if *warm != "" {
		err = fillCache(*project, *warm)
	} else {
		err = serve(*connection, *project)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gonb:", err)
		os.Exit(1)
	}
}

// serve runs the kernel until Jupyter ends it.
func serve(connection, project string) error {
	k, err := kernel.New(connection)
	if err != nil {
		return err
	}
	k.HandleInterrupt()
	e, err := newState(k, project)
	if err != nil {
		return err
	}
	if err := interceptMessages(k, e, project); err != nil {
		return errors.Join(err, e.Stop())
	}
	if err := endWithUs(e.TempDir); err != nil {
		return errors.Join(err, e.Stop())
	}
	dispatcher.RunKernel(k, e)
	err = e.Stop()
	k.ExitWait()
	return err
}

// newState prepares the folder in which the cells of k are built, and starts gopls. Cells import packages
// of the module in the folder project.
func newState(k *kernel.Kernel, project string) (*goexec.State, error) {
	// GoNB tries to connect to gopls at this interval. It is the time limit of a
	// try, too, so it can't be much shorter: a busy machine would never connect.
	// After StartTimeout, it gives up and ends gopls.
	goplsclient.ConnectTimeout, goplsclient.StartTimeout = 500*time.Millisecond, 2*time.Minute
	// The last argument makes GoNB report an error as text, which is rewritten
	// here, and not as a page of HTML as well.
	e, err := goexec.New(k, rand.Text()[:8], false, true)
	if err != nil {
		return nil, err
	}
	if err := e.InitializeGoWork([]string{project, "."}); err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	// Cells get what they import from the project's module, and nothing from the
	// network, so each would run "go get" in vain.
	e.AutoGet = false
	// All files of the project now count as changed, and GoNB would open each of
	// them in gopls. gopls reads them faster by itself. Later changes are sent.
	return e, e.EnumerateUpdatedFiles(func(string) error { return nil })
}

// fillCache completes the text of a cell at its end, as Tab would, so that gopls keeps in its cache what
// it learns. The first time, gopls type-checks all that the cell imports, and that takes longer than a
// kernel waits. project is the folder of the module that the cell imports.
func fillCache(project, cell string) error {
	goplsclient.CommunicationTimeout = 5 * time.Minute
	klog.LogToStderr(false) // only errors
	klog.SetOutput(io.Discard)
	e, err := newState(nil, project)
	if err != nil {
		return err
	}
	lines := strings.Split(cell, "\n")
	last := len(lines) - 1 // where the cursor is, after its last letter
	var reply kernel.CompleteReply
	err = e.AutoCompleteOptionsInCell(lines, nil, last, len(lines[last]), &reply)
	if err == nil && len(reply.Matches) == 0 {
		err = errors.New("gopls completes nothing in this cell: " + cell)
	}
	return errors.Join(err, e.Stop())
}

// interceptMessages makes k send its messages through an outbox, which knows the cells of the program
// that e runs. These import packages of the module in the folder project. GoNB has
// no hook for that, so the sockets in an unexported field of k are replaced.
func interceptMessages(k *kernel.Kernel, e *goexec.State, project string) error {
	field := reflect.ValueOf(k).Elem().FieldByName("sockets")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*kernel.SocketGroup]() {
		return fmt.Errorf("this version of GoNB has no field kernel.Kernel.sockets of type *kernel.SocketGroup")
	}
	sockets := *(**kernel.SocketGroup)(unsafe.Pointer(field.UnsafeAddr()))
	cells := &program{folder: e.TempDir, project: project}
	for _, s := range []*kernel.SyncSocket{&sockets.IOPubSocket, &sockets.ShellSocket} {
		s.Socket = &outbox{
			Socket:  s.Socket,
			key:     sockets.Key,
			program: cells,
			stderr:  newLines(e.TempDir, func() cellOf { return runningCells(e) }),
		}
	}
	return nil
}

// runningCells returns where the lines of the program that e runs now come from, or nil if e runs none
// that is known. GoNB has the table of these places only in unexported fields. What a program prints
// arrives after GoNB has set them, and before it resets them.
func runningCells(e *goexec.State) cellOf {
	program := e.Comms.ProgramExecutor
	if program == nil {
		return nil
	}
	marker := reflect.ValueOf(program).Elem().FieldByName("stderrWriter")
	for marker.Kind() == reflect.Interface || marker.Kind() == reflect.Pointer {
		marker = marker.Elem()
	}
	if marker.Kind() != reflect.Struct {
		return nil
	}
	table := marker.FieldByName("fileToCellIdAndLine")
	if !table.IsValid() || table.Type() != reflect.TypeFor[[]goexec.CellIdAndLine]() {
		return nil // with %capture, for one
	}
	return func(line int) string {
		if line < 1 || line > table.Len() {
			return ""
		}
		entry := table.Index(line - 1)
		id, inCell := entry.FieldByName("Id").Int(), entry.FieldByName("Line").Int()+1 // GoNB counts from 0
		if id == -1 {                                                                  // a cell without a number
			return fmt.Sprintf("Cell Line %d", inCell)
		}
		return fmt.Sprintf("Cell [%d] Line %d", id, inCell)
	}
}
