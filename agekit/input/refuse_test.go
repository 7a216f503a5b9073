package input

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/system"
)

// textFiles is a graph in text files, with each part in every text format.
var textFiles = map[string]string{
	"e.tsv": "0\t1\n1\t2\n", "e.txt": "0\t1\n1\t2\n", "e.edges": "0\t1\n1\t2\n", "e.edgelist": "0\t1\n1\t2\n", "e": "0\t1\n1\t2\n",
	"l.txt": "3\n5\n3\n", "l.tsv": "3\n5\n3\n", "l.csv": "3\n5\n3\n", "l": "3\n5\n3\n",
	"x.csv": "1,0\n0,2\n1,1\n", "header.csv": "a,b\n1,0\n0,2\n1,1\n",
}

// TestEncodings reads each part of a graph in every text format: with a byte-order mark in UTF-8 and
// UTF-16, and with the line ends of Windows and of old Macs, the graph is the same. Other contents are
// errors, by hand, that say where.
func TestEncodings(t *testing.T) {
	readWith := func(name, text string) (*graph.Graph, error) {
		t.Helper()
		dir := t.TempDir()
		for file, content := range textFiles {
			if file == name {
				content = text
			}
			inputtest.Write(t, filepath.Join(dir, file), []byte(content))
		}
		files := Source{Edges: dir + "/e.tsv", Labels: dir + "/l.txt", Features: dir + "/x.csv", Name: "g"}
		switch name[0] {
		case 'e':
			files.Edges = filepath.Join(dir, name)
		case 'l':
			files.Labels = filepath.Join(dir, name)
		default:
			files.Features = filepath.Join(dir, name)
		}
		return openGraphOf(t.Context(), files)
	}
	for name, text := range textFiles {
		plain, err := readWith(name, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		marked, err := readWith(name, "\ufeff"+strings.ReplaceAll(text, "\n", "\r\n"))
		if err != nil || marked.Fingerprint() != plain.Fingerprint() || strings.Join(marked.ClassNames, " ") != "3 5" {
			t.Errorf("%s with a byte-order mark: %+v (%v), want %+v", name, marked, err, plain)
		}
		var little, big []byte
		for _, c := range utf16.Encode([]rune(text)) {
			little, big = append(little, byte(c), byte(c>>8)), append(big, byte(c>>8), byte(c))
		}
		for _, other := range []string{"\xff\xfe" + string(little), "\xfe\xff" + string(big), strings.ReplaceAll(text, "\n", "\r")} {
			if got, err := readWith(name, other); err != nil || got.Fingerprint() != plain.Fingerprint() {
				t.Errorf("%s as %.10q: %+v (%v), want %+v", name, other, got, err, plain)
			}
		}
		const nul = ": line %d contains a NUL byte, as in UTF-16 text or a binary file: want UTF-8 text"
		for content, want := range map[string]string{
			string(little):                 fmt.Sprintf(nul, 1),
			string(big):                    fmt.Sprintf(nul, 1),
			text + "\x00":                  fmt.Sprintf(nul, 1+strings.Count(text, "\n")),
			strings.Repeat("\x00", 1e6):    fmt.Sprintf(nul, 1),
			strings.Repeat("\u00e4x", 1e6): "",
		} {
			if _, err := readWith(name, content); err == nil || !strings.Contains(err.Error(), name+want) || len(err.Error()) > 500 {
				t.Errorf("%s as %.10q: error %.600v, want %q", name, content, err, want)
			}
		}
	}
}

// TestTextRefuses: texts that would silently shift rows or labels, or split a class, are errors,
// written by hand. Missing labels, and spellings of the same integer, are not.
func TestTextRefuses(t *testing.T) {
	const edges, csv = "0\t1\n", "1,2\n3,4\n"
	for _, test := range []struct{ name, edges, features, labels, want string }{
		{"1-based edges", "1 2\n", csv, "", `edges.tsv:1: node "2", want 0 to 1: nodes are numbered from 0`},
		{"hexadecimal weight", "0 1 0x1p3\n", csv, "", `edges.tsv: 3 columns without names: want two`},
		{"blank row", edges, "1\n\n3\n", "", "x.csv:2: blank line: want one line for each node"},
		{"row numbers", edges, ",a,b\n0,1,1\n1,2,2\n", "", "x.csv: column 1 has no name"},
		{"quoted row numbers", edges, "\"\",\"a\"\n0,1\n1,2\n", "", "x.csv: column 1 has no name"},
		{"empty last row", edges, "1,2\n3,4\n,\n", "", "x.csv: 1 rows at the end have nothing in them: want one for each node"},
		{"header of other length", edges, "a,b,c\n1,2\n3,4\n", "", "x.csv:2: 2 fields, want 3 as in the first line"},
		{"NaN first", edges, "nan,nan\n1,2\n", "", `x.csv:1: column 1: NaN, want a finite number`},
		{"infinity", edges, "1,2\n3,Infinity\n", "", `x.csv:2: column 2: +Inf, want a finite number`},
		{"underscores", edges, "1,2\n3,1_000\n", "", `x.csv:2: column 2: "1_000", want a number`},
		{"too large", edges, "1,2\n3,1e39\n", "", `x.csv:2: column 2: "1e39", want at most 3.4028235e+38`},
		{"zeros", edges, "0,0\n0,0\n", "", "x.csv: all features are 0"},
		{"empty field", edges, "1,2\n3,\n", "", `x.csv:2: column 2: "", want a number`},
		{"blank label", edges, csv, "a\n\nb\n", "labels.txt:2: blank line"},
		{"label of a space", edges, csv, "a\n \nb\n", "labels.txt:2: blank line"},
		{"blank first label", edges, csv, "\na\nb\n", "labels.txt:1: blank line"},
		{"label as a comment", edges, csv, "ml\n# ir\n", "and no header; 1 lines that begin with # were read as comments"},
		{"header", edges, csv, "label\na\nb\n", "labels.txt: 3 labels: want 2, one for each row of features"},
		{"two columns", edges, csv, "0\ta\n1\tb\n", `labels.txt: 2 columns: want one label per line`},
		{"numbers that are not integers", edges, csv, "1.5\n2\n", `labels.txt:1: column 1: label 1.5: want words or integers`},
		{"long edge", strings.Repeat("x", 5e6), csv, "", "edges.tsv: 1 columns: want two"},
		{"long field", edges, strings.Repeat("x", 5e6) + ",1\n1,2\n", "", "x.csv:1: column 1: \"xx"},
	} {
		g, err := openGraphOf(t.Context(), folder(t, test.edges, "x.csv", []byte(test.features), test.labels))
		if err == nil || !strings.Contains(err.Error(), test.want) || g != nil || len(err.Error()) > 500 {
			t.Errorf("%s: error %.600v, want one with %q", test.name, err, test.want)
		}
	}
	// In .csv files, labels are a single column too.
	files := folder(t, edges, "x.csv", []byte(csv), "0,a\n1,b\n")
	path := filepath.Join(filepath.Dir(files.Labels), "labels.csv")
	if err := os.Rename(files.Labels, path); err != nil {
		t.Fatal(err)
	}
	files.Labels = path
	if _, err := openGraphOf(t.Context(), files); err == nil || !strings.Contains(err.Error(), `labels.csv: 2 columns: want one label per line`) {
		t.Errorf("error %v", err)
	}
	// A missing label is an unknown class, and a mark within a text is seen.
	d, err := Open(t.Context(), folder(t, edges, "x.csv", []byte("1\n2\n3\n4\n"), "ml\n?\n#ir\n\ufeffml\n"))
	if err != nil {
		t.Fatal(err)
	}
	if g := d.Graph; !slices.Equal(g.Labels, []int{1, -1, 0, 2}) || !slices.Equal(g.ClassNames, []string{"#ir", "ml", "\ufffdml"}) || !strings.Contains(strings.Join(inputtest.Texts(d.Warnings), "\n"), "1 labels are missing") {
		t.Errorf("%v of %q, warnings %q", g.Labels, g.ClassNames, inputtest.Texts(d.Warnings))
	}
	// Spellings of the same integer are one class.
	g, err := openGraphOf(t.Context(), folder(t, edges, "x.csv", []byte("1\n2\n3\n4\n"), "1\n01\n+1\n 1 \n"))
	if err != nil || g.Classes != 1 || g.ClassNames[0] != "1" {
		t.Errorf("%+v (%v), want one class", g, err)
	}
}

// TestRegularFiles: a folder or a device in place of a file is an error in every reader, and is not
// waited for. The error about a very long name is short.
func TestRegularFiles(t *testing.T) {
	dir := t.TempDir()
	irregular := map[string]string{}
	for _, ext := range []string{"", ".tsv", ".txt", ".edges", ".csv", ".npy", ".npz"} {
		path := filepath.Join(dir, "folder"+ext)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		irregular[path] = "is a folder: want a regular file"
		if runtime.GOOS != "windows" {
			path := filepath.Join(dir, "device"+ext)
			if err := os.Symlink(os.DevNull, path); err != nil {
				t.Fatal(err)
			}
			irregular[path] = "is a device: want a regular file"
		}
	}
	whole := folder(t, "0\t1\n", "x.csv", []byte("1,2\n3,4\n"), "a\nb\n")
	for path, want := range irregular {
		for what, files := range map[string]Source{
			"edges":    {Edges: path, Features: whole.Features},
			"features": {Edges: whole.Edges, Features: path},
			"labels":   {Edges: whole.Edges, Features: whole.Features, Labels: path},
		} {
			_, err := openGraphOf(t.Context(), files)
			if err == nil || !strings.Contains(err.Error(), path+" "+want) && !strings.Contains(err.Error(), what+" of type") && !strings.Contains(err.Error(), "table of type") {
				t.Errorf("%s %s: error %v, want %q", what, path, err, want)
			}
		}
		if _, err := readWhole(t.Context(), path); filepath.Ext(path) == ".npz" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("graph %s: error %v, want %q", path, err, want)
		}
	}
	if _, err := readWhole(t.Context(), "x."+strings.Repeat("y", 1e6)); err == nil || len(err.Error()) > 600 {
		t.Errorf("error of %d bytes, want a short one", len(err.Error()))
	}
}

// TestMemory: where only 6 kB may be used, each part of a graph that needs more is an error, written by
// hand, before it takes them.
func TestMemory(t *testing.T) {
	rows := strings.Repeat("1,0,2,3\n", 500)
	big := folder(t, strings.Repeat("0\t1\n", 2000), "x.csv", []byte("1,2\n3,4\n"), "")
	features := folder(t, "0\t1\n", "x.csv", []byte(rows), "")
	array := folder(t, "0\t1\n", "x.npy", inputtest.RawNPY("|i1", "False", "(100, 100)", bytes.Repeat([]byte{1}, 10_000)), "")
	t.Setenv(system.MemoryVariable, "6000B")
	for want, files := range map[string]Source{
		"edges.tsv:1: 65536 edges: 2.1 MB of memory, want at most the 6.0 kB": big,
		"x.csv:167: 501×4 features: 8.0 kB":                                   features,
		"x.npy: 100×100 features: 20 kB":                                      array,
	} {
		if _, err := openGraphOf(t.Context(), files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
