package engine

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/message"
)

// Spark does tasks by processes that Apache Spark's executors start. One spark-sql session
// serves all stages of a run: it reads a statement for each from its input, and only numbers
// of tasks and reports pass through Spark. A task whose process or executor was killed is
// done again by another, as Spark does by itself.
type Spark struct {
	// SQL is the user's spark-sql, and Arguments what it is started with, such as --master.
	SQL       string
	Arguments []string
	// Program is this program, at a path that all workers see.
	Program string
	// Log is a file for what spark-sql says.
	Log string

	command *exec.Cmd      // nil: there is no session
	scripts string         // the folder in which the session runs, and reads its statements
	remove  func()         // removes that folder
	input   io.WriteCloser // takes statements
	lines   chan string    // what the session prints
	ended   chan struct{}  // is closed when the session has ended
	failure error          // why it ended, once ended is closed
	count   int            // statements
}

// Statement returns the SQL that does the tasks of the stage in file, by the program at a path that all
// workers see. Range makes a partition of the number of each task, and TRANSFORM starts a process for
// each partition, which reads the number and prints the report.
func Statement(program, file string, tasks int) string {
	command := "exec " + word(program) + " worker run " + word(file)
	return fmt.Sprintf(`SELECT TRANSFORM(CAST(id AS STRING)) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
USING %s AS (mark STRING, task STRING, state STRING, error STRING)
FROM range(0, %d, 1, %d);
`, literal(command), tasks, tasks)
}

// Run implements [Runner] by one statement. The processor time of Spark's workers is unknown: 0.
func (s *Spark) Run(ctx context.Context, file string, tasks int, report func(Report)) (time.Duration, error) {
	if s.command == nil {
		if err := s.start(); err != nil {
			return 0, err
		}
	}
	s.count++
	end := fmt.Sprintf("agekit-stage-end-%d", s.count)
	// A session that reads statements from its input takes some characters for keys, such
	// as tab; from a file it takes them as they are. The file's name has no folder: spark-sql would run
	// what follows a semicolon and an exclamation mark in one.
	sql := fmt.Sprintf("stage%d.sql", s.count)
	if err := os.WriteFile(filepath.Join(s.scripts, sql), []byte(Statement(s.Program, file, tasks)), 0o666); err != nil {
		return 0, err
	}
	logBefore := s.logSize()
	_, gone := fmt.Fprintf(s.input, "source %s;\nSELECT '%s';\n", sql, end) // an error: the session is gone
	reported := 0
	for {
		select {
		case line := <-s.lines:
			if gone != nil { // the session ends, and this is of an earlier statement
				continue
			}
			if r, ok := parseReport(line); ok {
				report(r)
				reported++
			}
			switch {
			case strings.TrimSpace(line) != end: // not the end, also where a line repeats the statement
			case reported < tasks:
				return 0, fmt.Errorf("%d of %d tasks reported: %s", reported, tasks, s.cause(logBefore))
			default:
				return 0, nil
			}
		case <-s.ended:
			return 0, s.failure
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// logSize returns the number of bytes in the log.
func (s *Spark) logSize() int64 {
	info, err := os.Stat(s.Log)
	if err != nil {
		return 0
	}
	return info.Size()
}

// cause returns why the session failed, for a message: of the log from byte `from` on, the first line
// that is about an error, or the last line if none is; and the path of the log.
func (s *Spark) cause(from int64) string {
	text, err := os.ReadFile(s.Log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text[min(from, int64(len(text))):])), "\n")
	cause := lines[len(lines)-1]
	for _, line := range lines {
		if strings.Contains(line, "Error: ") || strings.Contains(line, "Exception: ") {
			cause = line
			break
		}
	}
	return fmt.Sprintf("%s (all of it is in %s)", strings.TrimSpace(cause), s.Log)
}

// start starts the session, and a goroutine that passes on what it prints until it ends.
func (s *Spark) start() error {
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer log.Close() // the session's process keeps it open
	if s.scripts, s.remove, err = atomicfile.ScratchFolder("agekit-spark-"); err != nil {
		return err
	}
	c := exec.Command(s.SQL, s.Arguments...)
	c.Dir = s.scripts
	c.Stderr = log
	if s.input, err = c.StdinPipe(); err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		s.remove()
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: not found: want Apache Spark's spark-sql, in PATH, in $SPARK_HOME/bin or given by --spark-sql", s.SQL)
		}
		return err
	}
	s.command, s.lines, s.ended = c, make(chan string), make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, longestLine)
		for lines.Scan() {
			s.lines <- lines.Text()
		}
		err := c.Wait()
		s.failure = fmt.Errorf("spark-sql ended (%v): %s", err, s.cause(0))
		close(s.ended)
	}()
	return nil
}

// Close ends the session: by the end of its input or, after half a minute, by killing it.
func (s *Spark) Close() error {
	if s.command == nil {
		return nil
	}
	_ = s.input.Close()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case <-s.lines: // what nobody reads would keep the session from ending
			continue
		case <-timeout:
			_ = s.command.Process.Kill()
			continue
		case <-s.ended:
		}
		s.command = nil
		s.remove()
		return nil
	}
}

// SparkArguments returns the arguments of spark-sql for a master, such as "local[4]" or "" for Spark's
// own choice, and for settings, "key=value" each. The catalog is in memory, because the statements
// read no tables, and Spark tries a task that fails up to eight times.
func SparkArguments(master string, settings []string) []string {
	all := []string{"--name", "agekit", "--conf", "spark.sql.catalogImplementation=in-memory", "--conf", "spark.task.maxFailures=8"}
	if master != "" {
		all = append(all, "--master", master)
	}
	for _, s := range settings {
		all = append(all, "--conf", s)
	}
	return all
}

// FindSparkSQL returns the absolute path of spark-sql: the one that is given unless it is "", that of
// $SPARK_HOME if it is set, or the one in PATH. A SPARK_HOME or an entry of PATH that depends on the current
// folder does not count: that folder may be anybody's.
func FindSparkSQL(given string) (string, error) {
	home := os.Getenv("SPARK_HOME")
	switch {
	case given != "" && given == filepath.Base(given):
	case given != "":
		return filepath.Abs(given)
	case home != "" && !filepath.IsAbs(home):
		return "", fmt.Errorf("SPARK_HOME is %s: want an absolute path", message.Quote(home))
	case home != "":
		return filepath.Join(home, "bin", "spark-sql"), nil
	}
	name := cmp.Or(given, "spark-sql")
	path, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s: not found: want Apache Spark's spark-sql, in an absolute folder of the PATH, in $SPARK_HOME/bin or given by --spark-sql", name)
	}
	return path, nil
}
