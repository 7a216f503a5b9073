package provenance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/internal/checksum"
)

// errChanged means that a manifest is not what was written.
var errChanged = errors.New("changed since it was written")

// The states of a file.
const (
	FileOK       = "ok"       // as it was written
	fileChanged  = "changed"  // other bytes
	fileMissing  = "missing"  // not there
	fileUnlisted = "unlisted" // in the folder, but in no manifest, as a report that was made later
)

// Finding is what became of a file.
type Finding struct {
	File   string `json:"file"`
	State  string `json:"state"`
	Detail string `json:"detail,omitempty"` // what is other than it was
}

// Folder is what [Verify] found.
type Folder struct {
	Manifests []Named   `json:"manifests"`
	Files     []Finding `json:"files"` // manifests and outputs, by name
}

// Named is a manifest with the name of its file.
type Named struct {
	Name string `json:"name"`
	*Manifest
}

// Bad lists the files that are not as they were written.
func (v *Folder) Bad() []string {
	var names []string
	for _, f := range v.Files {
		if f.State == fileChanged || f.State == fileMissing {
			names = append(names, f.File)
		}
	}
	return names
}

// Verify compares the files of the folder dir with its manifests. A file that has changed or is missing is a
// finding and no error. Errors are a folder without a manifest, and a file that cannot be read.
func Verify(ctx context.Context, dir string) (*Folder, error) {
	names, err := findManifests(dir)
	if err != nil {
		return nil, err
	}
	v := &Folder{}
	listed := map[string]bool{}
	for _, name := range names {
		listed[name] = true // by itself
		m, err := Read(filepath.Join(dir, name))
		switch {
		case errors.Is(err, errChanged):
			v.Files = append(v.Files, Finding{name, fileChanged, err.Error()})
			continue
		case err != nil:
			return nil, err
		}
		v.Files = append(v.Files, Finding{File: name, State: FileOK})
		v.Manifests = append(v.Manifests, Named{name, m})
		for _, want := range m.Outputs {
			f, err := checkFile(ctx, dir, want)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			v.add(f)
			listed[want.Path] = true
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !listed[e.Name()] && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			v.Files = append(v.Files, Finding{File: e.Name(), State: fileUnlisted})
		}
	}
	slices.SortFunc(v.Files, func(a, b Finding) int { return strings.Compare(a.File, b.File) })
	return v, nil
}

// add adds the finding f. Where several manifests list a file, a finding that it is not as it was written takes
// the place of one that it is.
func (v *Folder) add(f Finding) {
	k := slices.IndexFunc(v.Files, func(other Finding) bool { return other.File == f.File })
	switch {
	case k < 0:
		v.Files = append(v.Files, f)
	case v.Files[k].State == FileOK:
		v.Files[k] = f
	}
}

// checkFile returns how the file in the folder dir that want, from a manifest, names compares with want.
func checkFile(ctx context.Context, dir string, want checksum.File) (Finding, error) {
	path, err := outputPath(dir, want)
	if err != nil {
		return Finding{}, err
	}
	most := int64(-1) // all bytes
	if want.Grows {
		most = want.Bytes
	}
	got, err := checksum.Beginning(ctx, path, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Finding{want.Path, fileMissing, ""}, nil
	case err != nil:
		return Finding{}, err
	case got.Bytes != want.Bytes:
		return Finding{want.Path, fileChanged, fmt.Sprintf("%d bytes, want %d", got.Bytes, want.Bytes)}, nil
	case got.SHA256 != want.SHA256:
		return Finding{want.Path, fileChanged, fmt.Sprintf("SHA-256 %s, want %s", got.SHA256, want.SHA256)}, nil
	}
	return Finding{File: want.Path, State: FileOK}, nil
}
