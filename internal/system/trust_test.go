//go:build unix

package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck: a file is trusted unless another user could put something at its path: by the mode of the file,
// of its folder or of a folder that a link leads to, or as the owner. Links that lead in a circle, and a
// file that is not there, are errors.
func TestCheck(t *testing.T) {
	user, group := os.Getuid(), os.Getgid()
	for _, test := range []struct {
		about   string
		prepare func(dir, file string) error
		user    int    // 0: this user
		group   int    // 0: this user's
		want    string // a part of the error; empty: no error
	}{
		{about: "as it should be"},
		{about: "file for all", prepare: func(_, file string) error { return os.Chmod(file, 0o666) },
			want: "plugin.so can be written by everybody (mode 0666): want mode 0644"},
		{about: "folder for all", prepare: func(dir, _ string) error { return os.Chmod(dir, 0o777) },
			want: "folder can be written by everybody (mode 0777): want mode 0755"},
		{about: "sticky folder", prepare: func(dir, _ string) error { return os.Chmod(dir, 0o777|os.ModeSticky) }},
		{about: "the user's group", prepare: func(dir, _ string) error { return os.Chmod(dir, 0o775) }},
		{about: "another group", prepare: func(dir, _ string) error { return os.Chmod(dir, 0o775) }, group: group + 1,
			want: "folder can be written by group "},
		{about: "another owner", user: user + 1, want: "belongs to user "},
		{about: "link into a folder for all", prepare: func(dir, file string) error {
			open := filepath.Join(dir, "open")
			if err := os.Mkdir(open, 0o777); err != nil {
				return err
			}
			return firstError(os.Chmod(open, 0o777), os.Rename(file, filepath.Join(open, "real.so")), os.Symlink("open/real.so", file))
		}, want: "open can be written by everybody"},
		{about: "link in good order", prepare: func(dir, file string) error {
			return firstError(os.Rename(file, filepath.Join(dir, "real.so")), os.Symlink("real.so", file))
		}},
		{about: "link to itself", prepare: func(_, file string) error {
			return firstError(os.Remove(file), os.Symlink("plugin.so", file))
		}, want: "want at most 40 symbolic links"},
		{about: "nothing there", prepare: func(_, file string) error { return os.Remove(file) }, want: "no such file"},
	} {
		t.Run(test.about, func(t *testing.T) {
			if user == 0 && test.user != 0 {
				// Everything belongs to root, which is fine for everybody.
				t.Skip("root owns its files for all users")
			}
			dir := filepath.Join(t.TempDir(), "folder")
			file := filepath.Join(dir, "plugin.so")
			if err := firstError(os.Mkdir(dir, 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
				t.Fatal(err)
			}
			if test.prepare != nil {
				if err := test.prepare(dir, file); err != nil {
					t.Fatal(err)
				}
			}
			asUser, asGroup := user, group
			if test.user != 0 {
				asUser = test.user
			}
			if test.group != 0 {
				asGroup = test.group
			}
			err := check(file, asUser, asGroup)
			if test.want == "" && err != nil {
				t.Error(err)
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestOwner: a file of another user is refused, and is trusted for that user. Only root can give files away.
func TestOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	const otherUser = 12345
	file := filepath.Join(t.TempDir(), "plugin.so")
	if err := firstError(os.WriteFile(file, nil, 0o644), os.Lchown(file, otherUser, 0)); err != nil {
		t.Fatal(err)
	}
	if err := CheckTrusted(file); err == nil || !strings.Contains(err.Error(), "plugin.so belongs to user 12345: want user 0 or root") {
		t.Errorf("error %v", err)
	}
	if err := check(file, otherUser, otherUser); err != nil {
		t.Error(err)
	}
}

// firstError returns the first of errs that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
