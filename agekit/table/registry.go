package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
)

// Registry maps the extensions of files to their formats. Extensions are in lower case and begin
// with a dot; "" is for names without one.
type Registry[F any] map[string]F

// Add adds a format. Call it in init. It panics if an extension has a format already.
func (r Registry[F]) Add(f F, extensions ...string) {
	for _, ext := range extensions {
		if _, taken := r[ext]; taken {
			panic(fmt.Sprintf("extension %q registered twice", ext))
		}
		r[ext] = f
	}
}

// Of returns the format of the file at path, or the zero value if none has the path's extension.
func (r Registry[F]) Of(path string) F { return r[Extension(path)] }

// Find returns the format of the file at path, if has reports true for the format: that it can do what
// the caller needs. Otherwise the error lists the extensions whose formats can, and calls what the file
// should hold by the noun part, such as "table".
func (r Registry[F]) Find(path, part string, has func(F) bool) (f F, err error) {
	if f, ok := r[Extension(path)]; ok && has(f) {
		return f, nil
	}
	known := strings.Join(r.Extensions(has), " or ")
	return f, errors.New(message.Shorten(fmt.Sprintf("%s: %s of type %s, want %s", path, part, message.Quote(Extension(path)), known)))
}

// Extensions returns the extensions of the formats for which has reports true, sorted and without "".
func (r Registry[F]) Extensions(has func(F) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r)), func(ext string) bool { return ext == "" || !has(r[ext]) })
}

// Extension returns the extension of path in lower case, as formats are registered, such as .csv.
func Extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Format describes the files of tables with certain extensions. Read, Scan or Write is nil if the format
// cannot be read as a whole, read by row or written. Errors of readers name the file and the line or row at
// fault, what was found and what was expected.
type Format struct {
	// Extensions are in lower case and begin with a dot; "" is for names without one.
	Extensions []string

	// Read reads a table from a regular file.
	Read func(ctx context.Context, f *File, o Options) (*Table, error)
	// Scan reads a table row by row, in little memory: it calls choose, and then do with each row
	// of the columns that this returns, whose fields are those that Read gives. It adds the file
	// and the row to do's errors. The table that it returns has columns without values.
	Scan func(ctx context.Context, f *File, o Options, choose Choose, do func(*Row) error) (*Table, error)
	// Write writes t in the form that Read reads.
	Write func(w io.Writer, t *Table) error

	// Text says that the files are text in lines, a row of which takes 4 bytes at least.
	Text bool
	// List says that a file may be a plain list of pairs of numbers, without names.
	List bool
}

var registered = Registry[Format]{}

// Register adds a format. If it can be read, its files may be packed by gzip. Call Register in init. It
// panics if one of the extensions has a format already.
func Register(f Format) {
	registered.Add(f, f.Extensions...)
	if f.Read != nil {
		Packable(f.Extensions...)
	}
}

// ScanFormat returns the format of the table in the file at path, which may be packed. It returns an
// error if Scan does not read the format; contents, such as "edges", is what the error calls the table.
func ScanFormat(path, contents string) (Format, error) {
	return registered.Find(Unpacked(path), contents, func(f Format) bool { return f.Scan != nil })
}

// IsList reports whether the file at path may be a plain list of pairs of numbers, without names.
func IsList(path string) bool { return registered.Of(Unpacked(path)).List }

// Read reads the table in a regular file, whose extension selects the format.
func Read(ctx context.Context, path string, o Options) (*Table, error) {
	format, err := registered.Find(Unpacked(path), "table", func(f Format) bool { return f.Read != nil })
	if err != nil {
		return nil, err
	}
	f, err := OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := format.Read(ctx, f, o)
	if err != nil {
		return nil, err
	}
	t.Path = path
	t.leaveOutTotal(o, format.Text)
	t.Finish()
	return t, ctx.Err()
}

// Scan reads the table in a regular file row by row ([Format].Scan). The extension
// selects the format.
func Scan(ctx context.Context, path string, o Options, choose Choose, do func(*Row) error) (*Table, error) {
	format, err := registered.Find(Unpacked(path), "table", func(f Format) bool { return f.Scan != nil })
	if err != nil {
		return nil, err
	}
	f, err := OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return format.Scan(ctx, f, o, choose, do)
}

// Writer returns the function that writes a table in the format of path's extension.
func Writer(path string) (func(w io.Writer, t *Table) error, error) {
	f, err := registered.Find(path, "table", func(f Format) bool { return f.Write != nil })
	return f.Write, err
}
