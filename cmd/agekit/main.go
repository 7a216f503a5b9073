// command agekit runs the Adaptive Graph Encoder (AGE, KDD 2020) from the command line
// and sets up what its notebooks need: a thin layer over the packages under agekit.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"github.com/alecthomas/kong"
)

// cli is the whole command line.
type cli struct {
	Fit         fitCmd         `cmd:"" help:"Train on a graph and report embeddings, clusters and scores."`
	Compare     compareCmd     `cmd:"" help:"Compare two runs of agekit fit: settings, scores, clusters."`
	Verify      verifyCmd      `cmd:"" help:"Check that the files of a run are those that it wrote."`
	Predict     predictCmd     `cmd:"" help:"Find the clusters of new nodes with a model of agekit fit."`
	Embed       embedCmd       `cmd:"" help:"Embed new nodes with a model of agekit fit."`
	Sweep       sweepCmd       `cmd:"" help:"Compare numbers of clusters over seeds, with a table and a picture."`
	Reproduce   reproduceCmd   `cmd:"" help:"Reproduce the paper's tables and figures next to the printed values."`
	Spectrum    spectrumCmd    `cmd:"" help:"Report λmax and the eigenvalues of a graph's Laplacian."`
	Cache       cacheCmd       `cmd:"" help:"List and prune what the program keeps: checkpoints, settings, results."`
	Data        dataCmd        `cmd:"" help:"List, download and check the data sets."`
	Graph       graphCmd       `cmd:"" more:"" help:"Build and check folders with graphs that may be larger than memory."`
	Worker      workerCmd      `cmd:"" more:"" help:"Do one task of a large run, which another program plans."`
	Doctor      doctorCmd      `cmd:"" help:"Check what this machine has and lacks, and say how to fix it."`
	Kernel      kernelCmd      `cmd:"" help:"Install, list and remove the Jupyter kernels."`
	Backend     backendCmd     `cmd:"" help:"List the backends and install XLA plugins."`
	Walkthrough walkthroughCmd `cmd:"" help:"Run the notebooks without a browser and write HTML reports."`
	Report      reportCmd      `cmd:"" help:"Write a run of agekit fit, or any notebook, as an offline HTML page."`
	Site        siteCmd        `cmd:"" help:"Serve the pages that run agekit in a browser."`
	Settings    settingsCmd    `cmd:"" hidden:"" help:"Print the settings for other languages."`
	Copy        copyCmd        `cmd:"" hidden:"" help:"Copy a run to another folder, for the Python package."`
	Ends        endsCmd        `cmd:"" hidden:"" help:"Say which columns of a table of edges hold what, for the Python package."`
	Version     versionCmd     `cmd:"" help:"Print the version of this program and what it runs on."`

	HelpAll     helpAllFlag      `key:"-" help:"Show help with all flags and commands, and exit."`
	VersionFlag kong.VersionFlag `name:"version" key:"-" help:"Print the version and exit."`
}

// main ends with exit code 0 for success, 1 for failure and 2 for a mistake on the command line.
func main() { os.Exit(execute(start(), os.Args[1:], os.Stdout, os.Stderr)) }

// start sets up the garbage collector of this process, and returns a context that Ctrl-C and SIGTERM end.
// If the program goes on nevertheless, it is ended after a moment, patience, with exit code 1.
func start() context.Context {
	// What lives is a few large matrices. Collecting when the heap has grown by half takes
	// no noticeable time and saves a fifth of the memory.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		keepWithin(system.TotalMemory()) // a job or a container may have less than the machine
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second Ctrl-C kills the program
		time.Sleep(patience)
		os.Exit(1)
	})
	return ctx
}

// keepWithin makes the garbage collector keep this process within a number of bytes, as far as it can,
// and returns a function that restores the limit of before. The collector gets nine tenths of the bytes:
// the rest is for memory that it does not manage, such as mapped files.
func keepWithin(bytes int64) (restore func()) {
	const leastHeap = 256 << 20 // a smaller limit would cost the collector much time
	limit := max(bytes/10*9, leastHeap)
	before := debug.SetMemoryLimit(limit)
	return func() { debug.SetMemoryLimit(before) }
}

// patience is how long a command may take to stop once it is interrupted: a system call may hang, and
// files survive a sudden end.
const patience = 1700 * time.Millisecond

// execute runs the command line agekit ARGS, prints its error, if there is one, as the last line on
// stderr, and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	printed := &standardOutput{w: stdout}
	code, err := parseAndRun(ctx, args, printed, stderr)
	if printed.err != nil { // the result was lost
		code, err = 1, printed.err
	}
	if err != nil {
		fmt.Fprintln(stderr, message.Printable(errorLine(err)))
	}
	return code
}

// parseAndRun parses the arguments and runs the command that they name. It returns the exit code, and the
// error of the parser or the command, which is not printed yet.
func parseAndRun(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	const noExit = -1
	helpCode := noExit // the exit code with which kong ends after --help or --version
	parser := newParser(stdout, stderr, func(code int) { helpCode = code })
	if isGroup(parser.Model.Node, args) { // such as agekit data
		args = append(slices.Clone(args), "--help")
	}
	command, err := parser.Parse(asTexts(args))
	switch {
	case helpCode != noExit:
		return helpCode, nil
	case err != nil:
		err = parseError(err)
	case simd.Err() != nil && command.Command() != "doctor": // the doctor reports it
		err = usageError{simd.Err()} // results would name another level than was asked for
	default:
		err = runGuarded(command, &Runtime{Context: ctx, Stdout: stdout, Stderr: stderr, Flags: command.Flags()})
	}
	return exitCode(err), err
}

// runGuarded runs a command. That a mapped file is cut meanwhile is an error.
func runGuarded(command *kong.Context, rt *Runtime) (err error) {
	defer mapped.Guard(&err)()
	return command.Run(rt)
}

// parseError returns an error of kong's parser as a usageError, with advice if a person reads it.
func parseError(err error) error {
	var ours *message.Error
	if errors.As(err, &ours) { // it names its flag by itself, and kong has put the flag before it once more
		err = ours
	}
	if !forProgram() {
		err = fmt.Errorf("%w (see agekit --help)", err)
	}
	return usageError{err}
}

// isGroup reports whether the arguments are the path from n to a group of commands, such as "data", and
// nothing else. Without arguments, the group is n itself: all commands.
func isGroup(n *kong.Node, args []string) bool {
	for _, arg := range args {
		k := slices.IndexFunc(n.Children, func(child *kong.Node) bool { return child.Name == arg })
		if k < 0 {
			return false
		}
		n = n.Children[k]
	}
	return len(n.Children) > 0 && n.DefaultCmd == nil
}

// newParser returns the parser of the command line. After --help or --version, which print to stdout, it
// calls exit.
func newParser(stdout, stderr io.Writer, exit func(code int)) *kong.Kong {
	help := &firstPage{}
	return kong.Must(&cli{},
		kong.Name("agekit"),
		kong.Description("The Adaptive Graph Encoder (AGE, KDD 2020): embeddings, clusters and figures of attributed graphs."),
		kong.ExplicitGroups(helpGroups),
		kong.Help(help.print),
		kong.Bind(help),
		kong.Vars{"fit_methods": strings.Join(method.Names(), ", "), "backends": backend.Names(), "version": system.ProgramVersion().String()},
		reproduceVars(),
		graphVars(),
		kong.KindMapper(reflect.String, textBytes(kong.MapperFunc(parseText))),
		kong.PostBuild(addPaths),
		kong.PostBuild(addDetails),
		kong.PostBuild(addSettings),
		kong.Writers(stdout, stderr),
		kong.Exit(exit),
	)
}

// details has the second part of the help of each command, below a line "# COMMAND".
//
//go:embed help.txt
var details string

// addDetails sets the second part of each command's help, its Detail, from details.
func addDetails(k *kong.Kong) error {
	texts := map[string]string{}
	for section := range strings.SplitSeq("\n"+details, "\n# ") {
		command, text, _ := strings.Cut(section, "\n")
		texts[command] = strings.TrimSuffix(text, "\n")
	}
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		if n, ok := v.(*kong.Node); ok {
			n.Detail = texts[n.Path()]
		}
		return next(nil)
	})
}
