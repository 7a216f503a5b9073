package provenance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/testutil"
)

// TestPage: a page that WritePage wrote is replaced by another one, of any length. One that differs in any byte,
// that is cut or longer, or that somebody else wrote, is refused and stays.
func TestPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	write := func(content string) error {
		return provenance.WritePage(t.Context(), path, atomicfile.Bytes([]byte(content)))
	}
	for _, content := range []string{"", "<p>page", "<p>another page\n", "x"} {
		testutil.NoError(t, write(content))
		if got := testutil.Value(os.ReadFile(path)).OrFatal(t); !bytes.HasPrefix(got, []byte(content)) {
			t.Errorf("%q, want %q and a mark", got, content)
		}
	}
	ours := testutil.Value(os.ReadFile(path)).OrFatal(t)
	others := map[string][]byte{
		"another": []byte("<p>my own page\n"), "empty": {}, "cut": ours[1:], "shorter": ours[:len(ours)-1],
		"longer": append(bytes.Clone(ours), '\n'), "mark alone": bytes.ReplaceAll(ours, []byte("x\n"), nil),
	}
	for k := range ours {
		flipped := bytes.Clone(ours)
		flipped[k] ^= 1
		others["byte "+string(rune('0'+k%10))+string(ours[k:k+1])] = flipped
	}
	for name, content := range others {
		testutil.NoError(t, os.WriteFile(path, content, 0o666))
		testutil.Fails(t, write("new"), "report.html is there, and is not as agekit report wrote it")
		if got := testutil.Value(os.ReadFile(path)).OrFatal(t); !bytes.Equal(got, content) {
			t.Errorf("%s: the page is %q now", name, got)
		}
	}
	testutil.NoError(t, os.WriteFile(path, ours, 0o666))
	testutil.NoError(t, write("new"))
}
