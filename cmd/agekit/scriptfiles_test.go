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
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/provenance"
	"github.com/cockroachdb/datadriven"
)

// scriptFile is a file of a script, in one of these forms:
//
//	-- NAME --                the lines that follow
//	-- NAME: bytes --         Go strings, as in "a\x00" "b"*1000; the last of them may be long
//	-- NAME: utf16 --         the lines that follow, with a byte-order mark and two bytes a character
//	-- NAME: sparse N --      Go strings and then N zeros, which take no space
//	-- NAME: npy --           an array: type, shape and values, as in <f4 (2, 2) 0*3 NaN; a Go
//	                          string among the values is bytes
//	-- NAME: npy VERSION --   a line of Go strings for the header, one for what follows it
//	-- NAME: npz --           an archive: a name and an array in each line, or a name and bytes; name*3
//	                          stands for name0, name1 and name2
//	-- NAME: npz changed --   the shared archive of this name with other arrays; none leaves one out
//	-- NAME: cut SHARE --     the first part of the shared file of this name
//	-- NAME: flip N --        the shared file with all bits of byte N changed; without N, of the
//	                          byte after a Go string
//	-- NAME: replace --       the shared file with the first of two Go strings replaced by the second
//	-- NAME: copy PATH --     a file of this project
//	-- NAME: folder --        an empty folder
//	-- NAME: run --           the folder of an earlier run, whose files another run may replace
//	-- NAME: pipe --          a named pipe
//	-- NAME: socket --        a socket
//	-- NAME: link TARGET --   a symbolic link
type scriptFile struct {
	name, form string
	arg        string   // what follows the form
	lines      []string // what follows the line that names it
}

// fileLine is the line that names a file: its name, form and arg.
var fileLine = regexp.MustCompile(`^-- (\S+?)(?:: (\S+)(?: (.+))?)? --$`)

// parseFiles returns the files of a command, which the script lists below it.
func parseFiles(t *testing.T, d *datadriven.TestData) (all []scriptFile) {
	t.Helper()
	for line := range strings.Lines(d.Input) {
		line = strings.TrimSuffix(line, "\n")
		if m := fileLine.FindStringSubmatch(line); m != nil {
			all = append(all, scriptFile{name: m[1], form: m[2], arg: m[3]})
		} else if len(all) == 0 {
			d.Fatalf(t, "%q stands in no file", line)
		} else {
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		}
	}
	return all
}

// make makes the file in the folder dir, in which the shared files have been made. It returns
// [errors.ErrUnsupported] if this system has no files of the form.
func (f scriptFile) make(dir string, shared []scriptFile) error {
	path := filepath.Join(dir, f.name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	windows := runtime.GOOS == "windows"
	switch f.form {
	case "":
		return os.WriteFile(path, []byte(f.text()), 0o644)
	case "utf16":
		data := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(f.text())) {
			data = binary.LittleEndian.AppendUint16(data, unit)
		}
		return os.WriteFile(path, data, 0o644)
	case "bytes":
		return writeLong(path, strings.Join(f.lines, " "))
	case "sparse":
		zeros, err := strconv.ParseInt(f.arg, 10, 64)
		head, parseErr := bytesOf(strings.Join(f.lines, " "))
		return errors.Join(err, parseErr, os.WriteFile(path, head, 0o644), os.Truncate(path, int64(len(head))+zeros))
	case "npy":
		data, err := f.array()
		return errors.Join(err, os.WriteFile(path, data, 0o644))
	case "npz":
		lines := f.lines
		if f.arg == "changed" {
			i := slices.IndexFunc(shared, func(s scriptFile) bool { return s.name == f.name })
			lines = changed(shared[i].lines, f.lines)
		}
		return writeArchive(path, lines)
	case "cut", "flip", "replace":
		return f.edit(path)
	case "copy":
		data, err := os.ReadFile(filepath.Join("../..", f.arg))
		return errors.Join(err, os.WriteFile(path, data, 0o644))
	case "folder":
		return os.MkdirAll(path, 0o755)
	case "run":
		return earlierRun(path)
	case "pipe":
		return fifo(path)
	case "socket":
		if windows {
			return errors.ErrUnsupported
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	case "link":
		if windows { // where links need a privilege
			return errors.ErrUnsupported
		}
		return os.Symlink(f.arg, path)
	}
	return fmt.Errorf("no form %q of files", f.form)
}

// text returns the lines of the file, each with its line break.
func (f scriptFile) text() string {
	if len(f.lines) == 0 {
		return ""
	}
	return strings.Join(f.lines, "\n") + "\n"
}

// array returns the bytes of the .npy file that f, of form npy, describes.
func (f scriptFile) array() ([]byte, error) {
	if f.arg == "" {
		return describedArray(strings.Join(f.lines, " "))
	}
	version, err := strconv.ParseUint(f.arg, 10, 8)
	header, headerErr := bytesOf(f.lines[0])
	data, dataErr := bytesOf(strings.Join(f.lines[1:], " "))
	return npyFile(byte(version), string(header), data), errors.Join(err, headerErr, dataErr)
}

// edit changes the file at path, a shared one that has been made, as f says: of form cut, flip or replace.
func (f scriptFile) edit(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch f.form {
	case "cut":
		share, err := strconv.ParseFloat(f.arg, 64)
		if err != nil {
			return err
		}
		data = data[:int(share*float64(len(data)))]
	case "flip":
		i, err := f.byteToFlip(data)
		if err != nil {
			return err
		}
		data[i] ^= 0xff
	case "replace":
		pattern, err := bytesOf(f.lines[0])
		replacement, replacementErr := bytesOf(f.lines[1])
		if err = errors.Join(err, replacementErr); err != nil {
			return err
		}
		if !bytes.Contains(data, pattern) {
			return fmt.Errorf("has no %q", pattern)
		}
		data = bytes.ReplaceAll(data, pattern, replacement)
	}
	return os.WriteFile(path, data, 0o644)
}

// byteToFlip returns the index of the byte in data that f, of form flip, changes: the number that f names, or
// without one that of the byte after f's Go string.
func (f scriptFile) byteToFlip(data []byte) (int, error) {
	if f.arg != "" {
		return strconv.Atoi(f.arg)
	}
	before, err := bytesOf(f.lines[0])
	return bytes.Index(data, before) + len(before), err
}

// earlierRun makes at path the folder of a run: two files, and the manifest that says that a run wrote them.
func earlierRun(path string) error {
	f, err := atomicfile.LockFolder(path)
	if err != nil {
		return err
	}
	defer f.Close()
	outputs := map[string]func(io.Writer) error{"embeddings.npy": atomicfile.Bytes([]byte("embeddings")), "labels.txt": atomicfile.Bytes([]byte("labels"))}
	return provenance.Manifest{}.Write(context.Background(), f, "run", outputs)
}

// The notations of repetition: ${text*n} in commands, value*n in files.
var (
	repeated       = regexp.MustCompile(`\$\{(.*?)\*(\d+)\}`)
	literalPattern = regexp.MustCompile(`("(?:[^"\\]|\\.)*"|[^\s"*]+)(?:\*(\d+))?`)
)

// literal is a number or a Go string in a script, and how often it is repeated.
type literal struct {
	text    string // the number as it is written, or what the Go string stands for
	isBytes bool   // it is a Go string
	times   int
}

// literals returns the numbers and Go strings in a line, such as 0*3 "a\x00" NaN.
func literals(line string) (all []literal, err error) {
	for _, m := range literalPattern.FindAllStringSubmatch(line, -1) {
		text, times := m[1], m[2]
		v := literal{text: text, isBytes: strings.HasPrefix(text, `"`), times: 1}
		if v.isBytes {
			if v.text, err = strconv.Unquote(text); err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
		}
		if times != "" {
			if v.times, err = strconv.Atoi(times); err != nil {
				return nil, err
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// bytesOf returns the bytes that the Go strings in a line stand for, one after the other.
func bytesOf(line string) (data []byte, err error) {
	all, err := literals(line)
	for _, v := range all {
		if !v.isBytes {
			return nil, fmt.Errorf("%s: want Go strings", v.text)
		}
		data = append(data, strings.Repeat(v.text, v.times)...)
	}
	return data, err
}

// writeLong writes what the Go strings in a line stand for to the file at path, repetitions piece by piece:
// this process must stay small, because the memory of its children counts from its own (see peakMemory).
func writeLong(path, line string) error {
	all, err := literals(line)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for _, v := range all {
		for range v.times {
			_, _ = w.WriteString(v.text) // Flush returns the first error
		}
	}
	return w.Flush()
}

// described is an array: its type, its shape and its values.
var described = regexp.MustCompile(`^(\S+) (\([^)]*\))(.*)$`)

// describedArray returns the .npy file of a line with a type, a shape and values, such as <f4 (2,) 0 NaN.
func describedArray(line string) ([]byte, error) {
	m := described.FindStringSubmatch(line)
	if m == nil {
		return nil, fmt.Errorf("%q: want a type, a shape and values", line)
	}
	all, err := literals(m[3])
	if err != nil {
		return nil, err
	}
	descr := strings.ReplaceAll(m[1], `""`, "") // an empty type
	var data []byte
	for _, v := range all {
		element := []byte(v.text)
		if !v.isBytes {
			if element, err = number(descr, v.text); err != nil {
				return nil, err
			}
		}
		data = append(data, bytes.Repeat(element, v.times)...)
	}
	return npyFile(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, m[2]), data), nil
}

// number returns the little-endian bytes of a number, which text is, of the numpy type descr.
func number(descr, text string) ([]byte, error) {
	switch descr {
	case "<f4":
		v, err := strconv.ParseFloat(text, 32)
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))), err
	case "<f8":
		v, err := strconv.ParseFloat(text, 64)
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)), err
	case "<i8":
		v, err := strconv.ParseInt(text, 10, 64)
		return binary.LittleEndian.AppendUint64(nil, uint64(v)), err
	case "<u8":
		v, err := strconv.ParseUint(text, 10, 64)
		return binary.LittleEndian.AppendUint64(nil, v), err
	}
	return nil, fmt.Errorf("%s: numbers of type %q: want <f4, <f8, <i8 or <u8, or a Go string", text, descr)
}

// npyFile returns a .npy file of version 1.0, 2.0 or 3.0 (the argument has the first number) with this
// header, which need not be right, and with data as the bytes of the array.
func npyFile(version byte, header string, data []byte) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY" + string([]byte{version, 0}))
	lengthBytes := 2 // of the header's length
	if version > 1 {
		lengthBytes = 4
	}
	const alignment = 64 // the array begins at a multiple of it
	header += strings.Repeat(" ", alignment-1-(b.Len()+lengthBytes+len(header))%alignment) + "\n"
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(header)))
	b.Write(length[:lengthBytes])
	b.WriteString(header)
	b.Write(data)
	return b.Bytes()
}

// changed returns the lines of an archive with changes, which are lines too: one with the name of an array in
// lines replaces its line, or removes it if it says "NAME none"; one with another name is added.
func changed(lines, changes []string) (all []string) {
	replaced := map[string]bool{}
	for _, line := range changes {
		name, rest, _ := strings.Cut(line, " ")
		replaced[name] = true
		if rest != "none" {
			all = append(all, line)
		}
	}
	for _, line := range lines {
		if name, _, _ := strings.Cut(line, " "); !replaced[name] {
			all = append(all, line)
		}
	}
	return all
}

// manyNames is a line about n members of an archive: name*n, and what they hold.
var manyNames = regexp.MustCompile(`^(\S+)\*(\d+)( .*)$`)

// numbered returns lines, each of which that has a name*n replaced by n lines with the names name0, name1 and
// so on.
func numbered(lines []string) (all []string) {
	for _, line := range lines {
		m := manyNames.FindStringSubmatch(line)
		if m == nil {
			all = append(all, line)
			continue
		}
		n, _ := strconv.Atoi(m[2])
		for i := range n {
			all = append(all, m[1]+strconv.Itoa(i)+m[3])
		}
	}
	return all
}

// zerosAtEnd is an array, and how many million zeros follow it in its file, if there are any.
var zerosAtEnd = regexp.MustCompile(`^(.*) "\\x00"\*(\d+)000000$`)

// writeArchive writes an archive of arrays, .npz, to the file at path. Each line has the name of a member, and
// an array or Go strings for its bytes. Zeros by the million are compressed without making them all.
func writeArchive(path string, lines []string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, line := range numbered(lines) {
		name, content, _ := strings.Cut(line, " ")
		millions := 0
		if m := zerosAtEnd.FindStringSubmatch(content); m != nil {
			content = m[1]
			if millions, err = strconv.Atoi(m[2]); err != nil {
				return err
			}
		}
		parse := describedArray
		if strings.HasPrefix(content, `"`) {
			parse = bytesOf
		}
		data, err := parse(content)
		if err != nil {
			return err
		}
		create := z.Create
		if millions > 0 {
			header := &zip.FileHeader{Name: name, Method: zip.Deflate, UncompressedSize64: uint64(len(data)) + uint64(millions)*1e6}
			data, header.CRC32 = deflated(data, millions)
			header.CompressedSize64 = uint64(len(data))
			create = func(string) (io.Writer, error) { return z.CreateRaw(header) }
		}
		w, err := create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

// deflated returns the compressed stream (DEFLATE) of data and as many million zero bytes as millions says,
// and the checksum of what it holds (CRC-32). It compresses a million zeros only once: parts of a stream
// that end with a flush can be joined.
func deflated(data []byte, millions int) (stream []byte, checksum uint32) {
	part := func(data []byte) []byte {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.DefaultCompression)
		if _, writeErr := w.Write(data); errors.Join(err, writeErr, w.Flush()) != nil {
			panic("a buffer cannot be written")
		}
		return b.Bytes()
	}
	million := make([]byte, 1e6) // zeros
	checksum = crc32.ChecksumIEEE(data)
	for range millions {
		checksum = crc32.Update(checksum, crc32.IEEETable, million)
	}
	const lastBlock = "\x03\x00" // which is empty
	return slices.Concat(part(data), bytes.Repeat(part(million), millions), []byte(lastBlock)), checksum
}
