package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/readfile"
)

// pythonFile is what the Python package keeps with a run.
const pythonFile = "python.npz"

// Copy writes the files of the run in the folder from, but for its exports, to the folder to, with a manifest of
// them, all or none: it replaces only files that a run wrote, and waits ten seconds at most for another process
// that writes to the folder. It first finishes what a killed process began in either folder. A file that is not
// as the manifest in from says is an error, so that no files of two runs are copied, unless changed is true: then
// all that are there are copied as they are. That is for a folder that the caller has just filled.
func Copy(ctx context.Context, from, to string, changed bool) error {
	if err := atomicfile.FinishFolder(from); err != nil {
		return err
	}
	const manifestFile = manifestName + provenance.Extension
	m, err := provenance.Read(filepath.Join(from, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no %s: want the folder that agekit fit --out or AGE.save wrote", message.ShortPath(from), manifestFile)
	}
	if err != nil {
		return err
	}
	listed := m.Outputs
	m.Outputs = nil // those of the copy are filled in
	copies := map[string]func(io.Writer) error{}
	for _, name := range append(fileNames(nil), pythonFile) {
		path := filepath.Join(from, name)
		k := slices.IndexFunc(listed, func(f checksum.File) bool { return f.Path == name })
		if _, err := os.Stat(path); changed && err != nil || !changed && k < 0 {
			continue
		}
		copies[name] = func(w io.Writer) error {
			f, _, err := readfile.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			sum := checksum.NewSummed(w)
			if _, err := io.Copy(sum, f); err != nil {
				return err
			}
			if !changed && sum.Sum() != listed[k].Sum {
				return fmt.Errorf("%s is not as the run of %s wrote it: want the files of one run", message.ShortPath(path), manifestFile)
			}
			return nil
		}
	}
	folder, err := atomicfile.WaitBriefly(ctx, to)
	if err != nil {
		return err
	}
	defer folder.Close()
	return m.Write(ctx, folder, manifestName, copies)
}
