package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var (
	// codeBlock is a fenced block: its language and its lines.
	codeBlock = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	comment   = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	separator = regexp.MustCompile(`\n|&&|;|\|`)
	variable  = regexp.MustCompile(`^[A-Z_]+=`)
)

// shellCommands returns the commands of a block, each as its words, without comments,
// variables in front, and what follows a redirection.
func shellCommands(block string) (all [][]string) {
	block = comment.ReplaceAllString(strings.ReplaceAll(block, "\\\n", " "), "")
	for _, line := range separator.Split(block, -1) {
		line, _, _ = strings.Cut(line, " >")
		words := strings.Fields(line)
		for len(words) > 0 && variable.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 {
			words[0] = strings.TrimPrefix(words[0], ".bin/")
			all = append(all, words)
		}
	}
	return all
}

// TestDocsCommands: the commands in the docs exist as they are written there, with
// their flags. TestYourData runs those that are quick.
func TestDocsCommands(t *testing.T) {
	foreign := []string{"cd", "git", "gpu-bundle/run.sh", "man", "pip", "python", "source", "tar"}
	flags := map[string]bool{"--plugin": true} // of gpu-bundle/run.sh
	addFlags(flags, newParser(io.Discard, io.Discard, func(int) {}).Model.Node)
	count := 0
	for _, page := range docsPages(t) {
		text := string(read(t, page))
		for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
			if !slices.Contains([]string{"", "sh", "text"}, m[1]) {
				continue
			}
			for _, words := range shellCommands(m[2]) {
				ours, err := checkCommand(words, true)
				if err != nil {
					t.Errorf("%s: %s: %v", page, strings.Join(words, " "), err)
				}
				if ours {
					count++
				} else if m[1] == "sh" && !slices.Contains(foreign, words[0]) {
					t.Errorf("%s: %s: no test knows the program", page, strings.Join(words, " "))
				}
			}
		}
		for _, m := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
			for _, words := range shellCommands(m[1]) {
				if _, err := checkCommand(words, false); err != nil {
					t.Errorf("%s: %s: %v", page, m[1], err)
				}
				name, _, _ := strings.Cut(words[0], "=")
				if strings.HasPrefix(name, "--") && !flags[strings.Replace(name, "[no-]", "", 1)] {
					t.Errorf("%s: %s: no command has this flag", page, m[1])
				}
			}
		}
	}
	if count == 0 {
		t.Error("no commands in blocks")
	}
}

// addFlags adds the names of the flags of a command and of those below it.
func addFlags(names map[string]bool, n *kong.Node) {
	for _, f := range n.Flags {
		names["--"+f.Name] = true
		if f.Tag.Negatable != "" {
			names["--no-"+f.Name] = true
		}
	}
	for _, child := range n.Children {
		addFlags(names, child)
	}
}

// checkCommand returns an error for a command of this project that could not be run as
// it is written. One that is not whole, as `agekit fit --out` in a sentence, may lack
// values and have placeholders in their place.
func checkCommand(words []string, whole bool) (ours bool, err error) {
	switch words[0] {
	case "agekit":
		left := false // after --help
		parser := newParser(io.Discard, io.Discard, func(int) { left = true })
		_, err = parser.Parse(words[1:])
		if err != nil && (left || strings.HasPrefix(err.Error(), "--config: ") || // the file is missing here
			!whole && !strings.HasPrefix(err.Error(), "unknown flag") && !strings.HasPrefix(err.Error(), "unexpected argument")) {
			err = nil
		}
		return true, err
	case "make":
		return true, targetsExist(words[1:])
	case "go":
		return true, packagesExist(words[1:])
	}
	return false, nil
}

func targetsExist(args []string) error {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		return err
	}
	for _, target := range args {
		if !strings.Contains(target, "=") && !strings.Contains(string(makefile), "\n"+target+":") {
			return fmt.Errorf("the Makefile has no target %s", target)
		}
	}
	return nil
}

// filesWithTests returns the test files in a folder and, if below, in all folders below it.
func filesWithTests(folder string, below bool) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder && !below:
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// packagesExist returns an error for a folder that does not exist, and for go test
// with -run, if no test in the folders has the name.
func packagesExist(args []string) error {
	var tests []string
	run := ""
	for k, arg := range args {
		if arg == "-run" && k+1 < len(args) {
			run = strings.Trim(args[k+1], "'")
		}
		if !strings.HasPrefix(arg, "./") {
			continue
		}
		dir := filepath.Join("..", "..", strings.TrimSuffix(arg, "/..."))
		if _, err := os.Stat(dir); err != nil {
			return err
		}
		files, err := filesWithTests(dir, strings.HasSuffix(arg, "/..."))
		if err != nil {
			return err
		}
		tests = append(tests, files...)
	}
	if run == "" {
		return nil
	}
	for _, path := range tests {
		if file, err := os.ReadFile(path); err != nil || regexp.MustCompile(`\nfunc \w*`+run).Match(file) {
			return err
		}
	}
	return fmt.Errorf("no test %s in these folders", run)
}
