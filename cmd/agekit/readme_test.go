package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// notRun says why commands in the blocks of sh of README.md and docs/README.md are not run by TestReadme.
var notRun = map[string]string{
	"git clone":        "needs the network",
	"cd age":           "enters the clone",
	"go install":       "writes to the user's folder of programs",
	"make lab":         "does not end",
	"make test":        "runs this test",
	"make walkthrough": "takes a quarter of an hour; CI runs it",
}

// TestReadme runs the blocks of README.md and docs/README.md, each page in a folder with the example graphs of the
// project. The commands of agekit in a block of sh must succeed, and a block without a language after it must be what
// they print. Python's must end without an error. Cells in Go are those of TestStartPageCells. With -update, the
// pages get what is printed.
func TestReadme(t *testing.T) {
	python := pythonWith("networkx", "pandas", "scipy", "sklearn")
	isolate(t)
	root := testutil.Value(filepath.Abs("../..")).OrFatal(t)
	for _, page := range []string{"README.md", "docs/README.md"} {
		t.Run(page, func(t *testing.T) {
			path := filepath.Join(root, page)
			text := string(read(t, path))
			dir := t.TempDir()
			t.Chdir(dir)
			testutil.NoError(t, os.CopyFS(filepath.Join(dir, "assets", "examples"), os.DirFS(filepath.Join(root, "assets", "examples"))))
			printed := ""            // by the block before
			var said strings.Builder // the page, with what is printed
			end := 0                 // of the block before
			for _, m := range codeBlock.FindAllStringSubmatchIndex(text, -1) {
				language, block := text[m[2]:m[3]], text[m[4]:m[5]]
				said.WriteString(text[end:m[4]])
				end = m[5]
				shown := block
				switch language {
				case "sh":
					printed = runBlock(t, block)
				case "":
					if shown = printed; masked(shown) != masked(block) && !*update {
						t.Errorf("%s shows\n%s\nbut printed is\n%s", page, block, shown)
					}
					if masked(shown) == masked(block) {
						shown = block
					}
				case "python":
					t.Run("python", func(t *testing.T) { runPython(t, python, root, block) })
				case "go":
				default:
					t.Errorf("%s: no test knows how to run a block of %s", page, language)
				}
				said.WriteString(shown)
			}
			said.WriteString(text[end:])
			if *update && said.String() != text {
				put(t, path, said.String())
			}
		})
	}
}

// seconds are how long a run took.
var seconds = regexp.MustCompile(`in [0-9.]+ s: `)

// masked returns what a command printed, without how long it took.
func masked(printed string) string { return seconds.ReplaceAllString(printed, "in $$SECONDS: ") }

// runBlock runs the commands of agekit in a block of sh, and returns what they print. Others must be in notRun.
func runBlock(t *testing.T, block string) (printed string) {
	t.Helper()
	for _, words := range shellCommands(block) {
		if words[0] == "agekit" {
			code, stdout, stderr := age(t, words[1:]...)
			if printed += stdout; code != 0 {
				t.Errorf("%q: exit %d: %s", words, code, stderr)
			}
		} else if notRun[strings.Join(words[:min(2, len(words))], " ")] == "" {
			t.Errorf("%q is not run", words)
		}
	}
	return printed
}

// runPython runs a block of Python with the package of this project and this program.
func runPython(t *testing.T, python, root, block string) {
	t.Helper()
	if python == "" {
		t.Skip("no python3 with networkx, pandas, scipy and scikit-learn: the block is not run")
	}
	cmd := exec.Command(python, "-c", block)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(root, "python"), "AGEKIT="+testutil.Value(os.Executable()).OrFatal(t), asProgram+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, block, out)
	}
}

// pythonWith returns the path of a python3 that can import the modules; "" if there is none.
func pythonWith(modules ...string) string {
	path, err := exec.LookPath("python3")
	if err != nil || exec.Command(path, "-c", "import "+strings.Join(modules, ", ")).Run() != nil {
		return ""
	}
	return path
}
