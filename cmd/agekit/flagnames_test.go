package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/testutil"
)

// withoutFlag are options that no flag sets: those of sessions and of the methods' own settings.
var withoutFlag = strings.Fields("members corruption widths components alpha lambda teleport")

// TestOptionFlags: each option that errors and advice in the sources of the packages name has a flag in
// optionFlags, but for those in withoutFlag, and each flag in optionFlags is one of the program's.
func TestOptionFlags(t *testing.T) {
	// In the sources: message.Option("NAME"), a constant of this type, or advice.
	named := regexp.MustCompile(`message\.Option(?:\("|\s+=\s+")([\w.]+)"|Advise\("[^"]*", "(\w+)"`)
	seen := map[string]bool{}
	err := filepath.WalkDir("../../agekit", func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range named.FindAllStringSubmatch(string(read(t, path)), -1) {
			name := m[1] + m[2] // one of them is ""
			seen[name] = true
			if _, ok := optionFlags[message.Option(name)]; !ok && !slices.Contains(withoutFlag, name) {
				t.Errorf("%s names the option %s: no flag is known for it", path, name)
			}
		}
		return nil
	})
	testutil.NoError(t, err)
	for _, name := range withoutFlag {
		if !seen[name] {
			t.Errorf("no error names the option %s: it needs no exception", name)
		}
	}
	flags := map[string]bool{}
	for _, command := range newParser(io.Discard, io.Discard, func(int) {}).Model.Children {
		for _, f := range command.Flags {
			flags[f.Name] = true
			flags["no-"+f.Name] = f.Tag.Negatable != ""
		}
	}
	for name, flag := range optionFlags {
		if word, _, _ := strings.Cut(flag, " "); !flags[strings.TrimPrefix(word, "--")] {
			t.Errorf("%s: no command has the flag %s", name, flag)
		}
	}
}

// TestErrorLines: errorLine names an option by its flag on the command line, and as {"option": NAME} in the
// JSON for another program. It does so for an error that wraps one with options, and for a value of a flag
// that kong cannot read. Other errors stay as they are.
func TestErrorLines(t *testing.T) {
	about := &message.Error{Message: message.Sprintf("%s is %d", message.Option("update_every"), 3).Advise("lower %s", "dims", "")}
	for _, test := range []struct {
		err         error
		flags, json string // the line for a person, and that for a program
	}{
		{fmt.Errorf("before: %w, after", about), "agekit: before: --update is 3; lower --dims, after",
			`{"error": ["before: ", {"option": "update_every"}, " is 3", ", after"], "advice": [{"effect": "lower %s", "option": "dims"}]}`},
		{fmt.Errorf("--clusters: want 2"), "agekit: --clusters: want 2", `{"error": [{"option": "clusters"}, ": want 2"]}`},
		{fmt.Errorf("x.csv:3: want 2"), "agekit: x.csv:3: want 2", `{"error": ["x.csv:3: want 2"]}`},
	} {
		if got := errorLine(test.err); got != test.flags {
			t.Errorf("%q, want %q", got, test.flags)
		}
		t.Setenv(messagesVariable, "json")
		var got, want any
		testutil.NoError(t, json.Unmarshal([]byte(errorLine(test.err)), &got))
		testutil.NoError(t, json.Unmarshal([]byte(test.json), &want))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		t.Setenv(messagesVariable, "")
	}
}
