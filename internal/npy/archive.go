package npy

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// Archive is a set of named arrays of numbers: bool, integers of up to 64 bits, float16,
// float32 and float64, in any byte order.
type Archive struct {
	members map[string]*zip.File
}

// OpenArchive opens the archive in r, which has size bytes. It reads no array yet. An archive
// may hold at most 1,024 arrays, each name once, and unpack to at most 1 GB or 100 times
// its size, whichever is more. Errors, here and later, name the array but not the file.
func OpenArchive(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, errors.New("not an .npz archive, or a truncated one")
	}
	if len(z.File) > readfile.MostArrays {
		return nil, fmt.Errorf("archive of %d arrays: want at most %d", len(z.File), readfile.MostArrays)
	}
	a := &Archive{make(map[string]*zip.File, len(z.File))}
	var total uint64
	most := readfile.Unpacked(size)
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if a.Has(name) {
			return nil, fmt.Errorf("array %s is there twice", message.Quote(name))
		}
		a.members[name] = f
		if total += f.UncompressedSize64; f.UncompressedSize64 > most || total > most {
			return nil, fmt.Errorf("array %s: archive of %d bytes unpacks to more than %d", message.Quote(name), size, most)
		}
	}
	return a, nil
}

// Has reports whether the archive has an array of that name.
func (a *Archive) Has(name string) bool { return a.members[name] != nil }

// Names returns the names of the arrays in alphabetical order.
func (a *Archive) Names() []string { return slices.Sorted(maps.Keys(a.members)) }

// Read opens the array of that name and calls do, which reads its values.
func (a *Archive) Read(name string, do func(*Array) error) error {
	return a.member(name, func(r io.Reader, size int64) error {
		array, err := Open(r, size)
		if err != nil {
			return err
		}
		return do(array)
	})
}

// Text returns the text whose UTF-8 bytes are the values of the array of that name.
func (a *Archive) Text(name string) (string, error) {
	text, err := ArchiveValues[uint8](a, name, -1)
	if err == nil && !utf8.Valid(text) {
		err = fmt.Errorf("array %s: want UTF-8 text", name)
	}
	return string(text), err
}

// ArchiveValues returns the values of the array of that name, converted to T. An array that has not
// count values is an error, unless count is negative. To an integer type only integers and bools
// are converted.
func ArchiveValues[T Number](a *Archive, name string, count int) (out []T, err error) {
	err = a.Read(name, func(array *Array) error {
		if n := array.Len(); count >= 0 && n != count {
			return fmt.Errorf("%d values, want %d", n, count)
		}
		out, err = Values[T](array)
		return err
	})
	return out, err
}

// member calls do with the content of the archive's member of that name and its declared size.
func (a *Archive) member(name string, do func(r io.Reader, size int64) error) error {
	f := a.members[name]
	if f == nil {
		return fmt.Errorf("has no array %s", name)
	}
	if f.Flags&encrypted != 0 {
		return fmt.Errorf("array %s: is encrypted: want an archive without a password", name)
	}
	r, err := f.Open()
	if err == nil {
		defer r.Close()
		err = do(r, int64(f.UncompressedSize64))
	}
	if err != nil {
		return fmt.Errorf("array %s: %w", name, plain(err, f))
	}
	return nil
}

// encrypted is the bit of zip's flags that an encrypted member has.
const encrypted = 1

// plain returns err, or an error in plain words if err is one of the packages that unpack the member f.
func plain(err error, f *zip.File) error {
	var corrupt flate.CorruptInputError
	var internal flate.InternalError
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return fmt.Errorf("compression method %d: want 0 (none) or 8 (deflate)", f.Method)
	case errors.Is(err, zip.ErrChecksum):
		return errors.New("damaged: its checksum does not match")
	case errors.Is(err, zip.ErrFormat), errors.As(err, &corrupt), errors.As(err, &internal):
		return errors.New("damaged: it cannot be unpacked")
	}
	return err
}

// Sparse returns the CSR matrix in the arrays data, indices, indptr and shape, whose names begin
// with prefix. Without a prefix, the archive must be one that scipy.sparse.save_npz wrote. Sparse
// compares the arrays' lengths before it reads them.
func (a *Archive) Sparse(prefix string) (*graph.CSR, error) {
	if prefix == "" {
		if err := a.savedCSR(); err != nil {
			return nil, err
		}
	}
	shape, err := ArchiveValues[int64](a, prefix+"shape", 2)
	if err != nil {
		return nil, err
	}
	if shape[0] < 0 || shape[0] > math.MaxInt32 || shape[1] < 0 || shape[1] > system.MostColumns {
		return nil, fmt.Errorf("array %sshape: %d×%d matrix, want at most %d rows and %d columns", prefix, shape[0], shape[1], math.MaxInt32, system.MostColumns)
	}
	indptr, err := ArchiveValues[int](a, prefix+"indptr", int(shape[0])+1)
	if err != nil {
		return nil, err
	}
	entries := indptr[shape[0]]
	if entries < 0 || int64(entries) > shape[0]*shape[1] {
		return nil, fmt.Errorf("array %sindptr: %d entries, want 0 to %d for a %d×%d matrix", prefix, entries, shape[0]*shape[1], shape[0], shape[1])
	}
	indices, err := ArchiveValues[int32](a, prefix+"indices", entries)
	if err != nil {
		return nil, err
	}
	data, err := ArchiveValues[float32](a, prefix+"data", entries)
	if err != nil {
		return nil, err
	}
	m, err := graph.FromArrays(shape, indptr, indices, data)
	if err != nil {
		return nil, fmt.Errorf("arrays %s…: %w", prefix, err)
	}
	return m, nil
}

// savedCSR returns an error unless the array format says that scipy saved a CSR matrix.
func (a *Archive) savedCSR() error {
	if !a.Has("format") {
		return errors.New("has no array format: want an archive of scipy.sparse.save_npz")
	}
	return a.member("format", func(r io.Reader, _ int64) error {
		// The array ends with the format's name, in ASCII or in UTF-32: without zero bytes, they are
		// the same.
		kind, err := io.ReadAll(io.LimitReader(r, longestHeader))
		if err == nil && !strings.HasSuffix(strings.ReplaceAll(string(kind), "\x00", ""), "csr") {
			err = errors.New("not a CSR matrix; convert it with tocsr()")
		}
		return err
	})
}

// Matrix returns the 2-dimensional array of that name, converted to float32.
func (a *Archive) Matrix(name string) (m blas32.General, err error) {
	err = a.Read(name, func(array *Array) error {
		rows, columns, err := array.Matrix()
		if err != nil {
			return err
		}
		m = blas32.General{Rows: rows, Cols: columns, Stride: columns}
		m.Data, err = Values[float32](array)
		return err
	})
	return m, err
}
