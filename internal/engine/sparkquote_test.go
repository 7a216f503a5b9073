package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// hostileNames are names of folders in which spark-sql, a shell or Java could see something of their own.
var hostileNames = []string{"a;!touch ran;b", "it's", `back\slash`, "two\nlines", "a\n--b", "--master", "$(touch ran)", "${env:HOME}", "`touch ran`", `"`, "ü", "\xfc"}

// TestStatement: the statement of a stage, read as Spark and bash read it, starts the program in a folder with a
// hostile name on the stage in it. Nothing in the statement has a character of the name that could mean
// something on the way. A name of plain words is written as it is.
func TestStatement(t *testing.T) {
	const tasks = 7
	plain := Statement("/shared/agekit", "/shared/run-1.work/stages/01-smooth.json", tasks)
	for _, want := range []string{"USING 'exec /shared/agekit worker run /shared/run-1.work/stages/01-smooth.json' AS", "FROM range(0, 7, 1, 7);"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%s\nwant %s", plain, want)
		}
	}
	literals := regexp.MustCompile(`(?s)USING '(.*)' AS`)
	for _, name := range hostileNames {
		dir := filepath.Join(t.TempDir(), name)
		testutil.NoError(t, os.MkdirAll(dir, 0o755))
		program, stage := filepath.Join(dir, "program"), filepath.Join(dir, "stage.json")
		testutil.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\n"), 0o755))
		statement := Statement(program, stage, tasks)
		quoted := literals.FindStringSubmatch(statement)[1]
		if rest := strings.NewReplacer(`\\x`, "", `$\'`, "", `\'`, "").Replace(quoted); !regexp.MustCompile(`^[A-Za-z0-9/._ -]+$`).MatchString(rest) || strings.Contains(rest, "--") {
			t.Errorf("%q: the statement has %s", name, quoted)
		}
		command := strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(quoted) // as Spark reads a literal
		bash := exec.Command("/bin/bash", "-c", command)                     // as Spark starts a TRANSFORM
		bash.Dir = t.TempDir()
		printed, err := bash.CombinedOutput()
		if want := "worker|run|" + stage + "|"; err != nil || string(printed) != want {
			t.Errorf("%q: %q (%v), want %q", name, printed, err, want)
		}
		if ran, _ := os.ReadDir(bash.Dir); len(ran) > 0 {
			t.Errorf("%q: a command of the name was run", name)
		}
	}
}

// TestSparkFolders: what a session of spark-sql is told to read has no part of the name of the folder of the
// stages, whatever that is, and the statement lies in the folder in which the session runs.
func TestSparkFolders(t *testing.T) {
	for _, name := range hostileNames {
		dir := t.TempDir()
		stages := filepath.Join(dir, name)
		testutil.NoError(t, os.MkdirAll(stages, 0o755))
		script := `#!/bin/sh
while read -r line; do
	echo "$line" >>` + dir + `/told
	case "$line" in
	source*)
		file=${line#source }
		cat "./${file%;}" >` + dir + `/statement ;;
	SELECT*)
		echo '` + Report{State: Made}.String() + `'
		echo agekit-stage-end-1
	esac
done
`
		session := filepath.Join(dir, "spark-sql")
		testutil.NoError(t, os.WriteFile(session, []byte(script), 0o700))
		spark := &Spark{SQL: session, Program: "/agekit", Log: filepath.Join(stages, "spark.log")}
		stage := filepath.Join(stages, "1.json")
		testutil.Value(spark.Run(t.Context(), stage, 1, func(Report) {})).OrFatal(t)
		testutil.NoError(t, spark.Close())
		told := string(testutil.Value(os.ReadFile(filepath.Join(dir, "told"))).OrFatal(t))
		if want := "source stage1.sql;\nSELECT 'agekit-stage-end-1';\n"; told != want {
			t.Errorf("%q: the session is told %q, want %q", name, told, want)
		}
		statement := string(testutil.Value(os.ReadFile(filepath.Join(dir, "statement"))).OrFatal(t))
		if want := Statement("/agekit", stage, 1); statement != want {
			t.Errorf("%q: the session reads %q, want %q", name, statement, want)
		}
	}
}

// TestFindSparkSQL: a spark-sql that the current folder has is found neither by a SPARK_HOME nor by an entry of
// PATH that depends on that folder. The one that is given counts, and gets an absolute path.
func TestFindSparkSQL(t *testing.T) {
	dir := testutil.Value(filepath.EvalSymlinks(t.TempDir())).OrFatal(t)
	bin := filepath.Join(dir, "bin")
	testutil.NoError(t, os.Mkdir(bin, 0o755))
	program := filepath.Join(bin, "spark-sql")
	testutil.NoError(t, os.WriteFile(program, nil, 0o755))
	t.Chdir(dir)
	for _, test := range []struct{ given, home, path, want string }{
		{"", "", "bin", "not found"},
		{"", "", ".:bin", "not found"},
		{"", "", bin, program},
		{"spark-sql", "", bin, program},
		{"", ".", bin, `SPARK_HOME is ".": want an absolute path`},
		{"", dir, "", program},
		{"bin/spark-sql", "", "", program},
		{"./bin/spark-sql", dir, "", program},
	} {
		t.Setenv("SPARK_HOME", test.home)
		t.Setenv("PATH", test.path)
		got, err := FindSparkSQL(test.given)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
