package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/internal/testutil"
)

// dataStates runs agekit data with args, among which is --json, and returns what it prints. The test fails
// if the exit code is not wantCode.
func dataStates(t *testing.T, wantCode int, args ...string) []dataState {
	t.Helper()
	code, out, errs := age(t, append([]string{"data"}, args...)...)
	if code != wantCode {
		t.Fatalf("agekit data %q: exit %d, want %d\n%s", args, code, wantCode, errs)
	}
	return decoded[[]dataState](t, out)
}

// TestDataList: agekit data list has all data sets: with --json, each with a description, a source and a
// citation, and as text, each by its name.
func TestDataList(t *testing.T) {
	isolate(t)
	infos := asJSON[[]dataset.Info](t, "data", "list")
	_, text, _ := age(t, "data", "list")
	var names []string
	for _, d := range infos {
		names = append(names, d.Name)
		if d.Description == "" || d.Source == "" || d.Citation == "" {
			t.Errorf("%+v: want a description, a source and a citation", d)
		}
		if !strings.Contains(text, d.Name) {
			t.Errorf("%s is not in the text\n%s", d.Name, text)
		}
	}
	if got, want := strings.Join(names, " "), "citeseer cora debian gostd planted pubmed wiki"; got != want {
		t.Errorf("data sets %s, want %s", got, want)
	}
}

// TestDataVerify: agekit data verify is content with data sets that are embedded in the program or
// generated. Of a published data set that is not here, it names the files that are missing and one that is
// damaged, with what was expected, and the exit code is 1. An unknown data set is an error.
func TestDataVerify(t *testing.T) {
	isolate(t)
	files := map[string]int{"cora": 6, "planted": 0, "gostd": 0} // how many; generated data sets have none
	for _, s := range dataStates(t, 0, "verify", "cora", "planted", "gostd", "--json") {
		if len(s.Files) != files[s.Name] || s.Error != "" {
			t.Errorf("%+v, want %d files", s, files[s.Name])
		}
		for _, f := range s.Files {
			if f.State != dataset.Embedded {
				t.Errorf("%s: %+v", s.Name, f)
			}
		}
	}

	dir := t.TempDir()
	damaged := filepath.Join(dir, "wiki", "group.txt")
	put(t, damaged, "damaged")
	all := dataStates(t, 1, "verify", "wiki", "--data", dir, "--json")
	if len(all) != 1 || len(all[0].Files) != 3 {
		t.Fatalf("%+v", all)
	}
	problem := regexp.MustCompile(`group\.txt has 7 bytes, want \d+; not used`)
	for _, f := range all[0].Files {
		isDamaged := f.File == "wiki/group.txt"
		if isDamaged && (f.State != dataset.Damaged || f.Path != damaged || !problem.MatchString(f.Problem)) {
			t.Errorf("%+v, want a damaged file", f)
		}
		if !isDamaged && (f.State != dataset.Missing || !strings.Contains(f.Problem, "not in "+dir)) {
			t.Errorf("%+v, want a missing file", f)
		}
	}
	code, text, errs := age(t, "data", "verify", "wiki", "--data", dir)
	if code != 1 || !strings.Contains(errs, "1 of 1 data sets are incomplete") || strings.Count(text, damaged) != 1 {
		t.Errorf("exit %d, printed %s%s", code, text, errs)
	}
	if code, text, errs := age(t, "data", "verify", "coral"); code != 1 || !strings.Contains(text+errs, `unknown data set "coral"`) {
		t.Errorf("exit %d, printed %s%s", code, text, errs)
	}
}

// TestDataDamagedCopy: a data set is complete if each file has a good copy in one of the folders that are
// searched, here AGEKIT_DATA, even if the folder before it, --data, has a damaged one. The state of the
// file then names that problem, and no other file has one. The test needs Wiki's files.
func TestDataDamagedCopy(t *testing.T) {
	data := os.Getenv("AGEKIT_DATA")
	if _, err := os.Stat(filepath.Join(data, "wiki", "group.txt")); err != nil {
		t.Skipf("Wiki is not embedded and not in AGEKIT_DATA: %v", err)
	}
	isolate(t)
	t.Setenv("AGEKIT_DATA", data)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "wiki", "group.txt"), "damaged")
	for _, command := range []string{"verify", "fetch"} {
		all := dataStates(t, 0, command, "wiki", "--data", dir, "--json")
		if len(all) != 1 || len(all[0].Files) != 3 || all[0].Error != "" {
			t.Fatalf("%s: %+v", command, all)
		}
		for _, f := range all[0].Files {
			if f.State != dataset.OK || !strings.HasPrefix(f.Path, data) {
				t.Errorf("%s: %+v, want a good file in %s", command, f, data)
			}
			if hasProblem := f.Problem != ""; hasProblem != (f.File == "wiki/group.txt") {
				t.Errorf("%s: %+v, want a problem of wiki/group.txt alone", command, f)
			}
		}
	}
}

// TestDataFetch: agekit data fetch of data sets that need no download succeeds without a network. A
// download that fails is an error with the address, and leaves no file behind but unfinished ones, *.part,
// that nobody takes for the file.
func TestDataFetch(t *testing.T) {
	isolate(t)
	if all := dataStates(t, 0, "fetch", "cora", "planted", "--json"); len(all) != 2 {
		t.Errorf("%+v", all)
	}
	all := dataStates(t, 1, "fetch", "wiki", "--json")
	if len(all) != 1 {
		t.Fatalf("%+v, want the state of wiki", all)
	}
	for _, want := range []string{"wiki/graph.txt: missing", "no network for https://"} { // the latter by noNetwork
		if !strings.Contains(all[0].Error, want) {
			t.Errorf("no %q in the error %s", want, all[0].Error)
		}
	}
	cache, err := os.UserCacheDir()
	testutil.NoError(t, err)
	err = filepath.WalkDir(filepath.Join(cache, "agekit", "data"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".part") {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
