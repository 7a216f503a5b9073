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

// dataStates runs agekit data with --json among args, and returns what it prints.
func dataStates(t *testing.T, wantCode int, args ...string) []dataState {
	t.Helper()
	code, out, errs := age(t, append([]string{"data"}, args...)...)
	if code != wantCode {
		t.Fatalf("agekit data %q: exit %d, want %d\n%s", args, code, wantCode, errs)
	}
	return decoded[[]dataState](t, out)
}

// TestDataList: the text and the JSON have all data sets, each with its source and a citation.
func TestDataList(t *testing.T) {
	isolate(t)
	infos := asJSON[[]dataset.Info](t, "data", "list")
	_, text, _ := age(t, "data", "list")
	var names []string
	for _, d := range infos {
		names = append(names, d.Name)
		if !strings.Contains(text, d.Name) || d.Description == "" || d.Source == "" || d.Citation == "" {
			t.Errorf("%+v", d)
		}
	}
	if got, want := strings.Join(names, " "), "citeseer cora debian gostd planted pubmed wiki"; got != want {
		t.Errorf("data sets %s, want %s", got, want)
	}
}

// TestDataVerify: embedded and generated data sets need no file. Missing and
// damaged files are named, with what was expected, and the exit code is 1.
func TestDataVerify(t *testing.T) {
	isolate(t)
	files := map[string]int{"cora": 6, "planted": 0, "gostd": 0} // generated ones have none
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

// TestDataDamagedCopy: a data set is complete if each file has a good copy,
// even if a damaged one comes first. It needs Wiki's files.
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
			if f.State != dataset.OK || !strings.HasPrefix(f.Path, data) || (f.Problem != "") != (f.File == "wiki/group.txt") {
				t.Errorf("%s: %+v", command, f)
			}
		}
	}
}

// TestDataFetch: data sets that need no file succeed at once. A failed
// download names its source and leaves nothing behind that could be taken for
// the file.
func TestDataFetch(t *testing.T) {
	isolate(t)
	if all := dataStates(t, 0, "fetch", "cora", "planted", "--json"); len(all) != 2 {
		t.Errorf("%+v", all)
	}
	all := dataStates(t, 1, "fetch", "wiki", "--json")
	if len(all) != 1 || !strings.Contains(all[0].Error, "wiki/graph.txt: missing") || !strings.Contains(all[0].Error, "no network for https://") {
		t.Errorf("%+v", all)
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
