package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/testutil"
)

// bad is a command line that must fail, with input that is wrong.
type bad struct {
	name  string
	files badFiles // beside or instead of the good ones
	env   string   // NAME=value fields
	args  string   // fields
	code  int      // 1 for a failure, 2 for misuse
	says  string   // pieces of the message, in order, separated by " … "
}

// badFiles makes the files of a current folder by name.
type badFiles map[string]maker

// maker makes one file.
type maker func(path string) error

func text(s string) maker {
	return func(path string) error { return os.WriteFile(path, []byte(s), 0o644) }
}

func folder(path string) error { return os.MkdirAll(path, 0o755) }

// earlierRun makes the folder of a run, whose files another run may replace.
func earlierRun(path string) error {
	f, err := files.LockFolder(path)
	if err != nil {
		return err
	}
	defer f.Close()
	outputs := map[string]func(io.Writer) error{"embeddings.npy": files.Bytes([]byte("embeddings")), "labels.txt": files.Bytes([]byte("labels"))}
	return files.Manifest{}.Write(context.Background(), f, "run", outputs)
}

func socket(path string) error {
	if runtime.GOOS == "windows" {
		return errors.ErrUnsupported
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err == nil {
		l.SetUnlinkOnClose(false)
		err = l.Close()
	}
	return err
}

func link(to string) maker {
	return func(path string) error {
		if runtime.GOOS == "windows" { // where links need a privilege
			return errors.ErrUnsupported
		}
		return os.Symlink(to, path)
	}
}

// The arguments of most cases: a graph of one's own, and a planted one.
const (
	own  = "--edges e.tsv --features x.csv " + for2
	for2 = "--clusters 2 --pos-start 0.2 --pos-end 0.1 --neg-start 0.4 --neg-end 0.6"
	tiny = "--dataset planted:n=60,f=24,classes=3,words=4"
)

// goodFiles are a graph of six nodes in every form.
var goodFiles = badFiles{
	"e.tsv": text("0\t1\n1\t2\n2\t0\n3\t4\n4\t5\n5\t3\n2\t3\n"),
	"x.csv": text("1,0,0\n1,1,0\n1,0,0\n0,0,1\n0,1,1\n0,0,1\n"),
	"l.txt": text("a\na\na\nb\nb\nb\n"),
	"g.npz": graphArrays.changed(nil),
	// The result of an earlier run.
	"earlier": earlierRun,
}

// ofLinux are files that other systems lack or name differently.
var ofLinux = regexp.MustCompile(`/dev/|/proc/`)

// littleMemory is for cases that would take much memory, and time, with a usual budget.
const littleMemory = "AGEKIT_MEMORY=50MB"

// TestBadInput: no input makes the program hang, take memory without bound,
// print a trace of Go, speak of Go's types, or write anything. The message says
// where, what was found and what was wanted, in at most 500 characters.
func TestBadInput(t *testing.T) {
	tables := [][]bad{badFlags, badPlanted, badText, badArrays, badArchives, badGraphs, badSpecial, badEnvironment, badOutputs, badCommands, badRecords}
	for _, table := range tables {
		for _, test := range table {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				if ofLinux.MatchString(test.args + test.env) {
					onlyOn(t, "linux")
				}
				test.run(t)
			})
		}
	}
}

func (test bad) run(t *testing.T) {
	p := newPlace(t)
	p.env = append([]string{"AGEKIT_MEMORY=500MB"}, strings.Fields(test.env)...)
	test.make(t, p.path("cwd"))
	before := untouched(t, p)
	args := strings.Fields(test.args)
	if args[0] == "fit" && !strings.Contains(test.args, "--out") {
		args = append(args, "--out", map[int]string{1: "earlier", 2: "new"}[test.code])
	}
	if args[0] == "fit" { // a training that takes a moment, if it should begin
		short := "--epochs 2 --backend native"
		if !strings.Contains(test.args, "--method") { // other methods have no such flags
			short += " --update 1 --dims 4"
		}
		args = slices.Concat([]string{"fit"}, strings.Fields(short), args[1:])
	}
	e := p.run(t, args...)
	if e.late {
		t.Fatalf("agekit %.300q did not end within %v", args, *timeLimit)
	}
	if e.code != test.code {
		t.Errorf("agekit %.300q: exit %d, want %d", args, e.code, test.code)
	}
	e.checkMessage(t, test.says)
	most := int64(1e9)
	if test.env == littleMemory {
		most = 2e8
	}
	if onWindows := runtime.GOOS == "windows"; e.peak >= most && !onWindows {
		t.Errorf("%d MB of memory", e.peak/1e6)
	}
	for _, file := range untouched(t, p) {
		if !slices.Contains(before, file) {
			t.Errorf("changed or new: %q", file)
		}
	}
	if t.Failed() {
		t.Logf("%v, %d MB; it printed %.300q and\n%.1500s", e.took, e.peak/1e6, e.stdout, e.stderr)
	}
}

// untouched describes the folders in which a command that fails must change
// nothing.
func untouched(t *testing.T, p *place) (all []string) {
	t.Helper()
	for _, dir := range []string{"cwd", "home", "tmp"} {
		all = append(all, listing(t, p.path(dir))...)
	}
	return all
}

// make fills the current folder.
func (test bad) make(t *testing.T, dir string) {
	t.Helper()
	all := maps.Clone(goodFiles)
	maps.Copy(all, test.files)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		path := filepath.Join(dir, name)
		testutil.NoError(t, folder(filepath.Dir(path)))
		if err := all[name](path); errors.Is(err, errors.ErrUnsupported) {
			t.Skip("this system lacks such files")
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// ofGo are signs that a message speaks of the program's inside.
var ofGo = regexp.MustCompile(`goroutine |panic:|runtime error|\.go:\d|\[\](u?int|float)\d|strconv|bufio|map\[|%!|reflect|interface conversion|invalid character|unmarshal|npyio|scanner|kong|0x[0-9a-f]{8}`)

// checkMessage checks the error on standard error.
func (e ended) checkMessage(t *testing.T, says string) {
	t.Helper()
	line := e.errorLine()
	if line == "" {
		t.Error("no message that begins with agekit:")
	}
	if n := utf8.RuneCountInString(line); n > 500+len("\n") {
		t.Errorf("a message of %d characters", n)
	}
	for _, r := range line {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			t.Errorf("the control character %U in the message", r)
			break
		}
	}
	if found := ofGo.FindString(e.stderr + e.stdout); found != "" {
		t.Errorf("%q in what it printed", found)
	}
	rest := line
	for piece := range strings.SplitSeq(says, " … ") {
		_, after, ok := strings.Cut(rest, piece)
		if !ok {
			t.Errorf("the message %.600q lacks %q", line, piece)
		}
		rest = after
	}
}

// npy returns an array in numpy's format: version 1.0, 2.0 or 3.0 by the first
// number, with a header as given and these bytes.
func npy(version byte, header string, data []byte) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY" + string([]byte{version, 0}))
	width := 2
	if version > 1 {
		width = 4
	}
	header += strings.Repeat(" ", 63-(8+width+len(header))%64) + "\n"
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(header)))
	b.Write(length[:width])
	b.WriteString(header)
	b.Write(data)
	return b.Bytes()
}

// array is npy with a usual header.
func array(descr, shape string, data []byte) []byte {
	return npy(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape), data)
}

// floats returns little-endian float32 values.
func floats(values ...float32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// longs returns little-endian int64 values.
func longs(values ...int64) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, uint64(v))
	}
	return data
}

// vector is an array of int64.
func vector(values ...int64) []byte {
	return array("<i8", fmt.Sprintf("(%d,)", len(values)), longs(values...))
}

// member is a file in an archive: some bytes and so many zeros.
type member struct {
	name  string
	data  []byte
	zeros int64
}

func archive(members ...member) maker {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		z := zip.NewWriter(f)
		for _, m := range members {
			create, data := z.Create, m.data
			if m.zeros > 0 {
				header := &zip.FileHeader{Name: m.name, Method: zip.Deflate, UncompressedSize64: uint64(len(m.data)) + uint64(m.zeros)}
				data, header.CRC32 = deflated(m.data, m.zeros)
				header.CompressedSize64 = uint64(len(data))
				create = func(string) (io.Writer, error) { return z.CreateRaw(header) }
			}
			w, err := create(m.name)
			if err != nil {
				return err
			}
			if _, err := w.Write(data); err != nil {
				return err
			}
		}
		return z.Close()
	}
}

// deflated compresses data and then some million zeros, at once: parts of a compressed
// stream that end with a flush can be joined.
func deflated(data []byte, zeros int64) (stream []byte, checksum uint32) {
	part := func(data []byte) []byte {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.DefaultCompression)
		if _, writeErr := w.Write(data); errors.Join(err, writeErr, w.Flush()) != nil {
			panic("a buffer cannot be written")
		}
		return b.Bytes()
	}
	million := make([]byte, 1e6)
	checksum = crc32.ChecksumIEEE(data)
	for range zeros / 1e6 {
		checksum = crc32.Update(checksum, crc32.IEEETable, million)
	}
	const lastBlock = "\x03\x00" // which is empty
	return slices.Concat(part(data), bytes.Repeat(part(million), int(zeros/1e6)), []byte(lastBlock)), checksum
}

// repeat writes the same bytes again and again: this process must stay small,
// because its children's memory counts from its own.
func repeat(w io.Writer, piece []byte, times int64) error {
	b := bufio.NewWriterSize(w, 1<<20)
	for range times {
		if _, err := b.Write(piece); err != nil {
			return err
		}
	}
	return b.Flush()
}

// long makes a file of some bytes and n times the same ones.
func long(head, piece string, n int64) maker {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		_, err = f.WriteString(head)
		return errors.Join(err, repeat(f, []byte(piece), n), f.Close())
	}
}

// arrays are those of an archive, by name without .npy.
type arrays map[string][]byte

// changed returns an archive of the arrays, with some of them changed, added
// or, if nil, left out, and with members instead of them.
func (a arrays) changed(by arrays, members ...member) maker {
	all := maps.Clone(a)
	maps.Copy(all, by)
	for _, m := range members {
		delete(all, strings.TrimSuffix(m.name, ".npy"))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != nil {
			members = append(members, member{name + ".npy", all[name], 0})
		}
	}
	return archive(members...)
}

// graphArrays are the graph of goodFiles, and saved its features as scipy saves
// them.
var (
	graphArrays = arrays{
		"adj_data":    array("<f4", "(14,)", floats(slices.Repeat([]float32{1}, 14)...)),
		"adj_indices": vector(1, 2, 0, 2, 0, 1, 3, 2, 4, 5, 3, 5, 3, 4),
		"adj_indptr":  vector(0, 2, 4, 7, 10, 12, 14), "adj_shape": vector(6, 6), "labels": vector(0, 0, 0, 1, 1, 1),
		"attr_matrix": array("<f4", "(6, 3)", floats(1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1)),
	}
	saved = arrays{
		"data": array("<f4", "(8,)", floats(1, 1, 1, 1, 1, 1, 1, 1)), "indices": vector(0, 0, 1, 0, 2, 1, 2, 2),
		"indptr": vector(0, 1, 3, 4, 5, 7, 8), "shape": vector(6, 3), "format": array("|S3", "()", []byte("csr")),
	}
)

// of returns files with one more.
func of(name string, m maker) badFiles { return badFiles{name: m} }

// raw is a file of these bytes.
func raw(data []byte) maker { return text(string(data)) }

// and returns the files with one more.
func (f badFiles) and(name string, m maker) badFiles {
	f[name] = m
	return f
}
