package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/internal/testutil"
	"github.com/agekit/age/kernels"
)

// kernelAnswers sends cells to the kernel, one after the other, as a notebook does, and returns its answers
// as JSON. The answer to {"run": CELL} is a text, what the cell shows; that to {"complete": CELL}, with the
// cursor at the end, is the list of what the cell could become.
func kernelAnswers(t *testing.T, cells []map[string]string) []json.RawMessage {
	t.Helper()
	root := testutil.Jupyter(t)
	requests := testutil.Value(json.Marshal(cells)).OrFatal(t)
	var stderr bytes.Buffer
	cmd := exec.Command(kernels.PythonPath(root), "-I", "testdata/cells.py", "agekit")
	cmd.Env = append(os.Environ(), "JUPYTER_PATH="+root)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(requests), &stderr
	out, err := cmd.Output()
	var answers []json.RawMessage
	if err != nil || json.Unmarshal(out, &answers) != nil || len(answers) != len(cells) {
		t.Fatalf("%v, %s\n%s", err, out, &stderr)
	}
	return answers
}

// TestCellsCarryOver: two things that notebook 00 says of cells hold. The cell with "change these numbers"
// runs by itself, without the cells before it. And a cell begins with the values of the declarations above
// it, whatever an earlier cell has changed: list[0] is 1 again after a cell that set it to 2.
func TestCellsCarryOver(t *testing.T) {
	var change string // the cell in which readers change something
	for _, cell := range testutil.NotebookCells(t, "../../notebooks/00_*.ipynb", "code") {
		if strings.Contains(cell, "// change these numbers") {
			change = cell
		}
	}
	cells := []struct{ source, prints string }{
		{change, "6 of 60 nodes have more than 0.01 of it."},
		{"var list = []int{1}\n\n%%\nlist[0] = 2\nfmt.Println(list)", "[2]"},
		{"%%\nfmt.Println(list)", "[1]"},
	}
	var requests []map[string]string
	for _, c := range cells {
		requests = append(requests, map[string]string{"run": c.source})
	}
	for i, answer := range kernelAnswers(t, requests) {
		text := shownText(t, answer)
		printed := strings.TrimSuffix(strings.TrimSpace(text), "[display_data]") // a figure
		if strings.TrimSpace(printed) != cells[i].prints {
			t.Errorf("cell %d prints %q, want %q", i+1, text, cells[i].prints)
		}
	}
}

// shownText returns the answer to a cell that was run: what the cell shows.
func shownText(t *testing.T, answer json.RawMessage) (text string) {
	t.Helper()
	testutil.NoError(t, json.Unmarshal(answer, &text))
	return text
}

// TestChangeDataSet: the lines %env AGEKIT_DATASET=NAME that notebook 00 names, one for another data set and
// one for the way back to cora, take effect in the next cell. That a cell has the data set is seen by its
// name and λmax, which are compared with those of the data set loaded by this test.
func TestChangeDataSet(t *testing.T) {
	t.Setenv("AGEKIT_DATASET", "")
	text := strings.Join(testutil.NotebookCells(t, "../../notebooks/00_*.ipynb", "markdown"), "\n")
	changes := regexp.MustCompile("`(%env AGEKIT_DATASET=(\\w+))`").FindAllStringSubmatch(text, -1)
	if len(changes) != 2 || changes[1][2] != "cora" {
		t.Fatalf("notebook 00 names %q: want another data set, and the way back to cora", changes)
	}
	const printGraph = "fmt.Printf(\"%s %.6f\\n\", g.Name, agekit.Must(agekit.LambdaMax(g)))"
	answers := kernelAnswers(t, []map[string]string{
		{"run": "import \"github.com/agekit/age/agekit\"\n\nvar g = agekit.Must(agekit.Load(\"\"))\n\n%%\n" + printGraph},
		{"run": changes[0][1]},
		{"run": "%%\n" + printGraph},
		{"run": changes[1][1]},
		{"run": "%%\n" + printGraph},
	})
	other := changes[0][2] // the name of the other data set
	for cell, name := range map[int]string{0: "cora", 2: other, 4: "cora"} {
		g := testutil.Value(agekit.Load(name)).OrFatal(t)
		lambdaMax := testutil.Value(agekit.LambdaMax(g)).OrFatal(t)
		want := fmt.Sprintf("%s %.6f\n", g.Name, lambdaMax)
		if got := shownText(t, answers[cell]); !strings.Contains(got, want) {
			t.Errorf("cell %d prints %q, want %q", cell+1, got, want)
		}
	}
}

// TestKernelErrors: after a mistake in a cell, a notebook shows advice, if there is some for the mistake,
// and below it the whole error, each line once. In the texts that are wanted, written by hand, [N] stands
// for the cell's number, and … for other parts that differ between runs.
func TestKernelErrors(t *testing.T) {
	const (
		hint    = "Put a line with only %% above the first statement: above it, a cell can only declare (import, func, type, const, var).\n"
		unknown = "This name is unknown here. What a cell computes ends with it: compute it again. What cells declare above %% stays: after a restart, run them first.\n"
		capital = "What a package offers begins with a capital letter: fmt.Printf, math.Sqrt.\n"
		fails   = "This function can fail, and returns an error, too: write agekit.Must(…) around the call.\n"
		closed  = "A { has no }: each block and each function must be closed, those above %% too.\n"
		above   = "Functions and imports stand above the line %%: move this one there.\n"
		power   = "Go has no operator for powers: write x*x, or math.Pow(x, 2) for float64.\n"
		small   = "In Go, true, false and nil have small letters.\n"
		sizes   = "Sizes do not fit: look at the lengths in the line of your cell that is named below.\n"
	)
	cases := []struct{ name, source, want string }{
		{
			"no line with %%",
			"g := 1\nfmt.Println(g)",
			hint + "Cell [N] Line 1:  g := 1\n    expected declaration, found g\n",
		},
		{
			"no line with %% below an import",
			"import \"github.com/agekit/age/agekit\"\n\nfor range 3 {\n\tagekit.Check(nil)\n}",
			hint + "Cell [N] Line 3:  for range 3 {\n    expected declaration, found 'for'\n",
		},
		{
			"a syntax error",
			"%%\nfmt.Println(3",
			"Cell [N] Line 2:  fmt.Println(3\n    missing ',' before newline in argument list (and 1 more errors)\n",
		},
		{
			"compile errors",
			"%%\nfmt.Println(x)\nvar y int = \"s\"\nfmt.Println(strings.Repeat(\"a\"))",
			unknown + "Cell [N] Line 2:  fmt.Println(x)\n    undefined: x\n" +
				"Cell [N] Line 3:  var y int = \"s\"\n    declared and not used: y\n" +
				"    cannot use \"s\" (untyped string constant) as int value in variable declaration\n" +
				"Cell [N] Line 4:  fmt.Println(strings.Repeat(\"a\"))\n    not enough arguments in call to strings.Repeat\n" +
				"\thave (string)\n\twant (string, int)\n",
		},
		{
			"a panic in a function",
			"//go:noinline\nfunc third(list []int) int {\n\treturn list[3]\n}\n%%\nfmt.Println(third(nil))",
			"panic: runtime error: index out of range [3] with length 0\n\ngoroutine 1 [running]:\n" +
				"main.third(...)\n\tCell [N] Line 3\nmain.main()\n\tCell [N] Line 6\nexit status 2\n",
		},
		{
			"os.Exit",
			"%%\nfmt.Println(\"first\")\nos.Exit(3)",
			"first\nexit status 3\n",
		},
		{
			"agekit.Check",
			"import \"github.com/agekit/age/agekit\"\n\n%%\nagekit.Check(errors.New(\"no such graph\"))",
			"no such graph\n\tCell [N] Line 4\nexit status 1\n",
		},
		{
			"agekit.Must",
			"import \"github.com/agekit/age/agekit\"\n\n%%\nlist := agekit.Must(os.ReadDir(\"nosuch\"))\nfmt.Println(list)",
			"open nosuch: no such file or directory\n\tCell [N] Line 4\nexit status 1\n",
		},
		{
			"agekit.Scores of lists that do not fit",
			"import \"github.com/agekit/age/agekit\"\n\n%%\nfmt.Println(agekit.Scores([]int{0, 1}, []int{0, 1, 1}))",
			"2 classes and 3 clusters: want as many, one of each for a node; leave the same nodes out of both\n" +
				"\tCell [N] Line 4\nexit status 1\n",
		},
		{
			"a failing shell command, which ends no cell",
			"!exit 4\n%%\nfmt.Println(\"next\")",
			"exit status 4\nnext\n",
		},
		{"a name that another cell computed", "%%\nfmt.Println(result)", unknown + "Cell [N] Line 2:  fmt.Println(result)\n    undefined: result\n"},
		{"a function with a small letter", "%%\nfmt.printf(\"x\")", capital + "Cell [N] Line 2:  fmt.printf(\"x\")\n    undefined: fmt\n"},
		{"another one", "%%\nfmt.Println(math.sqrt(2))", capital + "Cell [N] Line 2:  fmt.Println(math.sqrt(2))\n    undefined: math\n"},
		{
			"a space before %%", " %%\nfmt.Println(3)",
			"Write %% at the beginning of its line, without a space before it.\nCell [N] Line 1:  %%\n    expected declaration, found '%'\n",
		},
		{
			"text in single quotes", "%%\nfmt.Println('hello')",
			"Text stands in double quotes: \"hello\".\nCell [N] Line 2:  fmt.Println('hello')\n    illegal rune literal\n",
		},
		{"a block that is not closed", "%%\nfor i := range 3 {\n\tfmt.Println(i)", closed + "expected '}', found 'EOF'\n"},
		{
			"a function that is not closed", "func f() {\n\tfmt.Println(1)\n\n%%\nf()",
			closed + "Cell [N] Line 4:  func main() {\n    expected '(', found main (and 1 more errors)\n",
		},
		{
			"no Must", "import \"github.com/agekit/age/agekit\"\n\n%%\ng := agekit.Load(\"\")\nfmt.Println(g.N())",
			fails + "Cell [N] Line 4:  g := agekit.Load(\"\")\n    assignment mismatch: 1 variable but agekit.Load returns 2 values\n",
		},
		{
			"a loop as in Python", "%%\nfor x in []int{1, 2} {\n\tfmt.Println(x)\n}",
			"Go goes through a list with range: for i, v := range list { … }\nCell [N] Line 2:  for x in []int{1, 2} {\n    expected '{', found in (and 1 more errors)\n",
		},
		{
			"vectors that do not fit", "import \"gonum.org/v1/gonum/mat\"\n\n%%\nx := mat.NewVecDense(3, nil)\nfmt.Println(mat.Dot(x, mat.NewVecDense(2, nil)))",
			sizes + "panic: mat: dimension mismatch\n\ngoroutine 1 [running]:\ngonum.org/v1/gonum/mat.Dot(...)\n\tmat/matrix.go\nmain.main()\n\tCell [N] Line 5\nexit status 2\n",
		},
		{
			"a capital letter in a data set", "import \"github.com/agekit/age/agekit\"\n\n%%\nfmt.Println(agekit.Must(agekit.Load(\"Cora\")).N())",
			"Names of data sets have small letters: agekit.Load(\"cora\").\nunknown data set \"Cora\": want one of …\n\tCell [N] Line 4\nexit status 1\n",
		},
		{"a letter is missing", "%%\nfmt.Printn(\"x\")", "The package fmt has no Printn. Do you mean fmt.Print, fmt.Printf or fmt.Println?\nCell [N] Line 2:  fmt.Printn(\"x\")\n    undefined: fmt\n"},
		{"the last letter is missing", "%%\nfmt.Println(math.Sqr(2))", "The package math has no Sqr. Do you mean math.Sqrt?\nCell [N] Line 2:  fmt.Println(math.Sqr(2))\n    undefined: math\n"},
		{
			"the wrong name is not in the first line", "%%\nfmt.Println(1)\nfmt.Prinln(2)",
			"The package fmt has no Prinln. Do you mean fmt.Println?\nCell [N] Line 2:  fmt.Println(1)\n    undefined: fmt\nCell [N] Line 3:  fmt.Prinln(2)\n    undefined: fmt\n",
		},
		{
			"letters swapped", "import \"github.com/agekit/age/agekit\"\n\n%%\ng := agekit.Must(agekit.Laod(\"cora\"))\nfmt.Println(g.N())",
			"The package agekit has no Laod. Do you mean agekit.Load?\nCell [N] Line 4:  g := agekit.Must(agekit.Laod(\"cora\"))\n" +
				"    not enough arguments in call to agekit.Must\n\thave (unknown type)\n\twant (T, error)\n    undefined: agekit.Laod\n",
		},
		{
			"a name without a similar one", "import \"github.com/agekit/age/agekit/figure\"\n\n%%\nfigure.Plot(1)",
			"The package figure has no Plot. What it has: !*go doc github.com/agekit/age/agekit/figure\nCell [N] Line 4:  figure.Plot(1)\n    undefined: figure.Plot\n",
		},
		{"what the line says that the kernel names", "!*go doc github.com/agekit/age/agekit/figure | grep -o 'package figure'", "package figure\n"},
		{
			"a name of another package", "import \"github.com/agekit/age/agekit\"\n\n%%\nfmt.Println(agekit.Corner(nil, 3))",
			"The package agekit has no Corner. Do you mean lab.Corner?\nCell [N] Line 4:  fmt.Println(agekit.Corner(nil, 3))\n    undefined: agekit.Corner\n",
		},
		{
			"a field", "import \"github.com/agekit/age/agekit\"\n\n%%\ng := agekit.Must(agekit.Load(\"\"))\nfmt.Println(g.Featres)",
			"g has no Featres. Do you mean g.Features?\nCell [N] Line 5:  fmt.Println(g.Featres)\n    g.Featres undefined (type *\"github.com/agekit/age/agekit/graph\".Graph has no field or method Featres)\n",
		},
		{
			"a field of a type of the cell", "type pair struct{ first int }\n\n%%\np := pair{3}\nfmt.Println(p.first, p.second)",
			"Cell [N] Line 5:  fmt.Println(p.first, p.second)\n    p.second undefined (type pair has no field or method second)\n",
		},
		{"True", "%%\nx := True\nfmt.Println(x)", small + "Cell [N] Line 2:  x := True\n    undefined: True\n"},
		{
			"a variable", "%%\nvalues := []int{1}\nfmt.Println(len(vaules), values)",
			strings.TrimSuffix(unknown, "\n") + " Or do you mean values?\nCell [N] Line 3:  fmt.Println(len(vaules), values)\n    undefined: vaules\n",
		},
		{
			"two results and no error", "import (\n\t\"github.com/agekit/age/agekit\"\n\t\"github.com/agekit/age/agekit/lab\"\n)\n\n%%\ncorner := lab.Corner(agekit.Must(agekit.Load(\"\")), 9)\nfmt.Println(corner)",
			"This function returns 2 values, (*graph.Graph, []int): write as many names before the =, and _ for a value that you do not need.\n" +
				"Cell [N] Line 7:  corner := lab.Corner(agekit.Must(agekit.Load(\"\")), 9)\n    assignment mismatch: 1 variable but lab.Corner returns 2 values\n",
		},
		{
			"Must without an error", "import \"github.com/agekit/age/agekit\"\n\n%%\nfmt.Println(agekit.Must(agekit.Settings(nil)))",
			"This function returns no error: leave agekit.Must out.\nCell [N] Line 4:  fmt.Println(agekit.Must(agekit.Settings(nil)))\n    not enough arguments in call to agekit.Must\n\thave (encoder.Options)\n\twant (T, error)\n",
		},
		{
			"a package that is not there", "import \"github.com/foo/bar\"\n\n%%\nbar.Do()",
			"There is no package \"github.com/foo/bar\" here, and cells download nothing: they can import agekit's packages, Go's own and gonum's.\n" +
				"Cell [N] Line 1:  \"github.com/foo/bar\"\n    no required module provides package github.com/foo/bar\n",
		},
		{
			"a package of Go with another name", "import \"maths\"\n\n%%\nfmt.Println(maths.Sqrt(2))",
			"There is no package \"maths\". Do you mean \"math\"?\nCell [N] Line 1:  \"maths\"\n    package maths is not in std (…)\n",
		},
		{"a power as in Python", "%%\nx := 2.0\nfmt.Println(x**2)", power + "Cell [N] Line 3:  fmt.Println(x**2)\n    invalid operation: cannot indirect 2 (untyped int constant)\n"},
		{"a power as in mathematics", "%%\nx := 2.0\nfmt.Println(x^2)", power + "Cell [N] Line 3:  fmt.Println(x^2)\n    invalid operation: operator ^ not defined on x (variable of type float64)\n"},
		{"a function below %%", "%%\nfunc f() int { return 1 }\nfmt.Println(f())", above + "Cell [N] Line 2:  func f() int { return 1 }\n    expected '(', found f (and 2 more errors)\n"},
		{"an import below %%", "%%\nimport \"math\"\nfmt.Println(math.Sqrt(2))", above + "Cell [N] Line 2:  import \"math\"\n    expected statement, found 'import' (and 1 more errors)\n"},
		{
			"a table", "import \"github.com/agekit/age/agekit\"\n\n%%\nfmt.Println(agekit.Must(agekit.Load(\"mine.csv\")).N())",
			"mine.csv is a table, and Load reads data sets and whole graphs: want agekit.Open(input.Source{Edges: \"mine.csv\"}), or Nodes and Neighbors for a table without edges\n\tCell [N] Line 4\nexit status 1\n",
		},
		{
			"memory used up: the system kills", "import \"syscall\"\n\n%%\nagekit.Check(syscall.Kill(os.Getpid(), syscall.SIGKILL))\nselect {}",
			"The system ended this program, most likely because the memory was used up. Close other programs, or use a smaller graph or less of it at once.\nsignal: killed\n",
		},
		{
			"much output", "%env AGEKIT_OUTPUT=200B\n%%\nfor range 1000 {\n\tfmt.Println(strings.Repeat(\"0\", 59))\n}",
			"Set: AGEKIT_OUTPUT=\"200B\"\n" + strings.Repeat(strings.Repeat("0", 59)+"\n", 2) + strings.Repeat("0", 54) +
				"\n… The rest is not shown: a cell shows the first 200 B of what it prints. For more, write %env AGEKIT_OUTPUT=2kB at the top of the cell.\n",
		},
		{"more of it", "%env AGEKIT_OUTPUT=1kB\n%%\nfmt.Println(strings.Repeat(\"0\", 50))", "Set: AGEKIT_OUTPUT=\"1kB\"\n" + strings.Repeat("0", 50) + "\n"},
		{"no mistake", "%%\nfmt.Println(\"fine\")", "fine\n"},
	}
	var cells []map[string]string
	for _, c := range cases {
		cells = append(cells, map[string]string{"run": c.source})
	}
	answers := kernelAnswers(t, cells)
	for i, c := range cases {
		shown := shownText(t, answers[i])
		for _, m := range maskedInErrors {
			shown = m.differs.ReplaceAllString(shown, m.mask)
		}
		if shown != c.want {
			t.Errorf("%s: a notebook shows\n%s\nwant\n%s", c.name, shown, c.want)
		}
	}
}

// TestDocumentation: the command that notebook 00 names for the documentation of a function works in a cell, and
// without ! in a terminal, in each folder of the project.
func TestDocumentation(t *testing.T) {
	text := strings.Join(testutil.NotebookCells(t, "../../notebooks/00_*.ipynb", "markdown"), "\n")
	command := regexp.MustCompile("`!(go doc (agekit)\\.(\\w+))`").FindStringSubmatch(text)
	if command == nil {
		t.Fatal("notebook 00 names no !go doc")
	}
	want := "func " + command[3] + "("
	if shown := shownText(t, kernelAnswers(t, []map[string]string{{"run": "!" + command[1]}})[0]); !strings.Contains(shown, want) {
		t.Errorf("a cell shows %q, want %q in it", shown, want)
	}
	for _, folder := range []string{"../..", "../../notebooks", "../../notebooks/figures"} {
		terminal := exec.Command("sh", "-c", command[1])
		terminal.Dir = folder
		if out, err := terminal.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("a terminal in %s shows %q (%v), want %q in it", folder, out, err, want)
		}
	}
}

// maskedInErrors are the parts of errors that differ between runs, and what replaces each in a comparison.
// They are replaced in this order.
var maskedInErrors = []struct {
	differs *regexp.Regexp
	mask    string
}{
	{regexp.MustCompile(`\x1b\[[0-9;]*m`), ""}, // colors
	{regexp.MustCompile(`Cell \[\d+\]`), "Cell [N]"},
	{regexp.MustCompile(`\t\S*/(mat/matrix\.go):\d+ \+0x[0-9a-f]+`), "\t$1"},
	{regexp.MustCompile(`want one of .*`), "want one of …"},                                   // data sets
	{regexp.MustCompile(`is not in std \(.*\)`), "is not in std (…)"},                         // Go's folder
	{regexp.MustCompile(`(?m)^(main\.third|gonum\.org/v1/gonum/mat\.Dot)\(.*\)$`), "$1(...)"}, // addresses
}

// TestKernelCompletes: the first Tab after the kernel's start completes a function of a package. Later ones
// complete a function that an earlier cell declared, also after a cell with a mistake, and a field of a
// value.
func TestKernelCompletes(t *testing.T) {
	needGopls(t)
	const above = "import \"github.com/agekit/age/agekit\"\n\n%%\n"
	answers := kernelAnswers(t, []map[string]string{
		{"complete": above + "agekit.Sm"},
		{"run": "g := 1"}, // a mistake: no line with %%
		{"run": "func twiceAsMuch(x int) int { return 2 * x }"},
		{"complete": "%%\nx := twiceA"},
		{"complete": above + "g := agekit.Must(agekit.Load(\"cora\"))\ng.Adj"},
	})
	for i, want := range map[int]string{ // by the number of the request
		0: above + "agekit.Smooth",
		3: "%%\nx := twiceAsMuch",
		4: above + "g := agekit.Must(agekit.Load(\"cora\"))\ng.Adjacency",
	} {
		var got []string
		testutil.NoError(t, json.Unmarshal(answers[i], &got))
		// The name itself comes first, then longer ones that begin with it.
		isOther := func(s string) bool { return !strings.HasPrefix(s, want) }
		if len(got) == 0 || got[0] != want || slices.ContainsFunc(got, isOther) {
			t.Errorf("completion %d offers %q, want %q", i, got, want)
		}
	}
}

// needGopls skips the test if there is no gopls, as before `make tools`: `make walkthrough` installs the
// kernel without it. With $AGEKIT_REQUIRE_JUPYTER set, the test fails instead.
func needGopls(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("../../.bin/gopls"); err != nil {
		if os.Getenv("AGEKIT_REQUIRE_JUPYTER") != "" {
			t.Fatalf("AGEKIT_REQUIRE_JUPYTER is set: %v", err)
		}
		t.Skipf("NOTHING IS COMPLETED: %v: run make tools", err)
	}
}

// TestStartPageCells: the four cells of docs/README.md run in the kernel, one after the other, and the last
// that each shows is a figure or a page, not text.
func TestStartPageCells(t *testing.T) {
	t.Setenv("AGEKIT_STORE", t.TempDir())
	examples := t.TempDir()
	fewPenguins(t, examples)
	var cells []map[string]string
	for _, m := range codeBlock.FindAllStringSubmatch(string(read(t, "../../docs/README.md")), -1) {
		if m[1] == "go" { // with other paths, since the kernel is not in the folder of the notebooks here
			cells = append(cells, map[string]string{"run": strings.ReplaceAll(m[2], "../assets/examples", examples)})
		}
	}
	if len(cells) != 4 {
		t.Errorf("%d cells, want 4", len(cells))
	}
	for i, answer := range kernelAnswers(t, cells) {
		if shown := shownText(t, answer); !strings.HasSuffix(shown, "[display_data]\n") {
			t.Errorf("cell %d shows no figure or page in the end:\n%s", i+1, shown)
		}
	}
}
