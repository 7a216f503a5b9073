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
	// codeBlock is a fenced block of Markdown: its language and its lines.
	codeBlock = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	// codeSpan is code within a sentence of Markdown. The others are parts of shell scripts.
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	comment   = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	separator = regexp.MustCompile(`\n|&&|;|\|`)
	variable  = regexp.MustCompile(`^[A-Z_]+=`)
)

// shellCommands returns the commands of a shell script, each as its words. It leaves out comments, settings
// of variables in front of a command, redirections and what follows them, and .bin/ before a program.
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

// foreign are the programs that are not of this project and that the docs call in blocks of sh.
var foreign = []string{"cd", "git", "gpu-bundle/run.sh", "man", "pip", "python", "source", "tar"}

// TestDocsCommands: each command of agekit in the docs is accepted by the program's own parser, each target
// of make is in the Makefile, and the folders and tests of each go command exist. Nothing is run:
// TestYourData runs the commands that are quick.
func TestDocsCommands(t *testing.T) {
	flags := map[string]bool{"--plugin": true} // of gpu-bundle/run.sh
	addFlags(flags, newParser(io.Discard, io.Discard, func(int) {}).Model.Node)
	count := 0
	for _, page := range docsPages(t) {
		text := string(read(t, page))
		for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
			language, block := m[1], m[2]
			if slices.Contains([]string{"", "sh", "text"}, language) {
				count += checkBlock(t, page, language, block)
			}
		}
		for _, m := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
			checkSpan(t, page, m[1], flags)
		}
	}
	if count == 0 {
		t.Error("no commands in blocks")
	}
}

// checkBlock checks the commands of a block of code in a language, on a page, and returns how many are of
// this project. In a block of sh, the others must be foreign.
func checkBlock(t *testing.T, page, language, block string) (count int) {
	t.Helper()
	for _, words := range shellCommands(block) {
		line := strings.Join(words, " ")
		ours, err := checkCommand(words, true)
		if err != nil {
			t.Errorf("%s: %s: %v", page, line, err)
		}
		if ours {
			count++
		} else if language == "sh" && !slices.Contains(foreign, words[0]) {
			t.Errorf("%s: %s: no test knows the program", page, line)
		}
	}
	return count
}

// checkSpan checks code within a sentence of a page: a command that may lack values, or a flag alone, which
// must be one of flags.
func checkSpan(t *testing.T, page, span string, flags map[string]bool) {
	t.Helper()
	for _, words := range shellCommands(span) {
		if _, err := checkCommand(words, false); err != nil {
			t.Errorf("%s: %s: %v", page, span, err)
		}
		name, _, _ := strings.Cut(words[0], "=")
		if strings.HasPrefix(name, "--") && !flags[strings.Replace(name, "[no-]", "", 1)] {
			t.Errorf("%s: %s: no command has this flag", page, span)
		}
	}
}

// addFlags adds to names the flags of the command n, with their dashes, and of the commands below it.
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

// checkCommand reports whether a command, given as its words, is one of this project (ours), and returns an
// error if it could not be run as it is written. If whole is false, as for `agekit fit --out` in a
// sentence, the command may lack values or have placeholders in their place.
func checkCommand(words []string, whole bool) (ours bool, err error) {
	switch words[0] {
	case "agekit":
		return true, checkAgekit(words[1:], whole)
	case "make":
		return true, targetsExist(words[1:])
	case "go":
		return true, packagesExist(words[1:])
	}
	return false, nil
}

// checkAgekit returns the parser's error for the arguments of agekit. If whole is false, it returns only an
// error about an unknown flag or command.
func checkAgekit(args []string, whole bool) error {
	exited := false // after --help
	parser := newParser(io.Discard, io.Discard, func(int) { exited = true })
	_, err := parser.Parse(args)
	if err == nil || exited {
		return nil
	}
	if strings.HasPrefix(err.Error(), "--config: ") { // the parser reads its file, which is missing here
		return nil
	}
	isUnknown := strings.HasPrefix(err.Error(), "unknown flag") || strings.HasPrefix(err.Error(), "unexpected argument")
	if !whole && !isUnknown {
		return nil
	}
	return err
}

// targetsExist returns an error if one of make's arguments is a target that the Makefile does not have.
// Arguments such as VERSION=1.2.3 are no targets.
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

// packagesExist returns an error if one of the arguments of a go command is a folder that does not exist,
// or if there is a -run and no test in the folders has a name that it matches.
func packagesExist(args []string) error {
	var testFiles []string
	run := "" // of -run
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
		testFiles = append(testFiles, files...)
	}
	if run == "" {
		return nil
	}
	test := regexp.MustCompile(`\nfunc \w*` + run)
	for _, path := range testFiles {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if test.Match(text) {
			return nil
		}
	}
	return fmt.Errorf("no test %s in these folders", run)
}
