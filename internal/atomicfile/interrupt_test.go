package atomicfile_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/testutil"
)

// TestFolderInterrupt: Folder.Write checks its context at least four times, and an interrupt at any
// check leaves the old files; the call that succeeds leaves the new ones. Nothing else is left.
func TestFolderInterrupt(t *testing.T) {
	dir, names := t.TempDir(), []string{"a", "b", "c"}
	folder := testutil.Value(atomicfile.LockFolder(dir)).OrFatal(t)
	defer folder.Close()
	write := func(ctx context.Context, text string) error {
		contents := map[string]func(io.Writer) error{}
		for _, name := range names {
			contents[name] = atomicfile.Bytes([]byte(text))
		}
		return folder.Write(ctx, contents, nil)
	}
	testutil.NoError(t, write(t.Context(), "old"))
	testutil.Interrupt(t, "folder", 4, func(ctx context.Context) error {
		err := write(ctx, "new")
		want := "old"
		if err == nil {
			want = "new"
		}
		for _, name := range names {
			if found := string(testutil.Value(os.ReadFile(filepath.Join(dir, name))).OrFatal(t)); found != want {
				t.Errorf("%s is %q, want %q", name, found, want)
			}
		}
		if entries := testutil.Value(os.ReadDir(dir)).OrFatal(t); len(entries) != len(names) {
			t.Errorf("%d files are left, want %d", len(entries), len(names))
		}
		testutil.NoError(t, write(t.Context(), "old")) // for the next interrupt
		return err
	})
}
