package provenance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// manifestVersion is the version of a manifest's form: it grows when a field goes away or changes
// its meaning.
const manifestVersion = 1

// Extension ends the name of every manifest.
const Extension = ".manifest.json"

// Manifest describes the files that a command wrote together.
type Manifest struct {
	ManifestVersion int `json:"manifest_version"`
	// Command is that of agekit, such as "fit"; empty for a program of one's own.
	Command string `json:"command,omitempty"`
	// Settings are the command's flags by name, those that were given, and the seed.
	Settings map[string]any `json:"settings,omitempty"`
	// Program wrote the files.
	Program system.Version `json:"program"`
	// Code are the commits of the programs that computed the results, Backends what they ran
	// on, and SIMD the instruction sets of the inner loops: one of each, unless stored
	// results of several runs were put together.
	Code     []string `json:"code"`
	Backends []string `json:"backends"`
	SIMD     []string `json:"simd"`
	Seeds    []uint64 `json:"seeds"`
	// Graphs are the fingerprints of the graphs ([graph.Graph.Fingerprint]) by name.
	Graphs map[string]string `json:"graphs"`
	// Inputs are the files that the graphs were read from, under the names that they were
	// given with; none for data that is part of the program or was generated.
	Inputs []checksum.File `json:"inputs,omitempty"`
	// Outputs are the files beside the manifest, without itself.
	Outputs []checksum.File `json:"outputs"`
	// Own is the SHA-256 of the manifest, with zeros in place of these 64 digits.
	Own string `json:"manifest_sha256"`
}

// Write writes the outputs, by their names, to a folder together as [atomicfile.Folder.Write] does, and with
// them NAME.manifest.json, which is m with the version, the program and the outputs filled in. Files
// that an earlier NAME.manifest.json lists and that are not among the new ones are removed, unless
// they have changed since, may grow or are inputs. A file that [CheckReplaceable] refuses is an error.
func (m Manifest) Write(ctx context.Context, folder *atomicfile.Folder, name string, outputs map[string]func(io.Writer) error) error {
	if err := CheckReplaceable(ctx, folder.Dir(), name, slices.Sorted(maps.Keys(outputs))...); err != nil {
		return err
	}
	var old []string
	if earlier, err := Read(filepath.Join(folder.Dir(), name+Extension)); err == nil {
		for _, written := range earlier.Outputs {
			isInput := atomicfile.CheckDistinct([]string{filepath.Join(folder.Dir(), written.Path)}, checksum.Paths(m.Inputs)) != nil
			isKept := outputs[written.Path] != nil || written.Grows || isInput // what grows, another command writes
			if !isKept && fileUnchanged(ctx, folder.Dir(), written) {
				old = append(old, written.Path)
			}
		}
	}
	list := &atomicfile.Listing{Name: name + Extension, Content: func(written []checksum.File) ([]byte, error) {
		m.Outputs = slices.Concat(m.Outputs, written)
		return Encode(m)
	}}
	return folder.Write(ctx, outputs, list, old...)
}

// CheckReplaceable returns an error if a command cannot write files with the names outputs, and NAME.manifest.json,
// to the folder dir. A file that is there may be replaced only if that manifest lists it and it has not changed
// since: all others are not ours, or belong to other results. Call it before hours of work for the files.
func CheckReplaceable(ctx context.Context, dir, name string, outputs ...string) error {
	manifests, err := readManifests(dir, name+Extension)
	if err != nil {
		return err
	}
	for _, file := range outputs {
		path := filepath.Join(dir, file)
		if !filepath.IsLocal(file) { // on Windows, NUL.csv and the like are devices
			return fmt.Errorf("%s is no name of a file here: want another name", message.ShortPath(path))
		}
		if err := atomicfile.Replaceable(path); err != nil {
			return err
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var listedBy []string // manifests
		for _, m := range manifests {
			if m.lists(ctx, dir, file) {
				listedBy = append(listedBy, m.Name)
			}
		}
		switch {
		case slices.Contains(listedBy, name+Extension):
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case listedBy != nil:
			return fmt.Errorf("%s belongs to the results that %s lists: want another name or folder, or the file moved away", message.ShortPath(path), listedBy[0])
		}
		return fmt.Errorf("%s is there, and is not as a run wrote it: want another name or folder, or the file moved away", message.ShortPath(path))
	}
	return nil
}

// readManifests returns the manifests in the folder dir. One that cannot be read is left out, unless it has the
// given name: then it is an error.
func readManifests(dir, name string) (found []Named, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), Extension) {
			continue
		}
		m, err := Read(filepath.Join(dir, e.Name()))
		switch {
		case err == nil:
			found = append(found, Named{e.Name(), m})
		case e.Name() == name:
			return nil, fmt.Errorf("%w: want another name or folder, or the file moved away", err)
		}
	}
	return found, nil
}

// lists reports whether the manifest lists the file, also in other case where the file system doesn't tell the
// two apart, and the file in dir is as it says.
func (m *Manifest) lists(ctx context.Context, dir, file string) bool {
	return slices.ContainsFunc(m.Outputs, func(f checksum.File) bool {
		return sameName(dir, f.Path, file) && fileUnchanged(ctx, dir, f)
	})
}

// sameName reports whether two names lead to one file of the folder dir: they are equal, or differ in case
// where the file system doesn't tell case.
func sameName(dir, a, b string) bool {
	if a == b || !strings.EqualFold(a, b) {
		return a == b
	}
	first, err := os.Lstat(filepath.Join(dir, a))
	if err != nil {
		return false
	}
	second, err := os.Lstat(filepath.Join(dir, b))
	return err == nil && os.SameFile(first, second)
}

// NewFile returns a function that writes the file at path, which a user names for a command, with what content
// writes, and PATH.manifest.json beside it: both or neither, as [Manifest.Write] does. It creates the folder if
// necessary. Processes that write to
// one folder take turns. A file that is there is an error of NewFile itself if it is one of the inputs or
// [CheckReplaceable] refuses it, and so is a folder in which another process writes for more than ten seconds;
// the function checks the file again.
func NewFile(ctx context.Context, command, path string, inputs ...string) (write func(content func(io.Writer) error) error, err error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	check := func() error {
		if err := atomicfile.CheckDistinct([]string{path}, inputs); err != nil {
			return err
		}
		return CheckReplaceable(ctx, dir, name, name)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		folder, err := atomicfile.WaitBriefly(ctx, dir) // which finishes what a killed process began
		if err != nil {
			return nil, err
		}
		defer folder.Close()
	}
	return func(content func(io.Writer) error) error {
		folder, err := atomicfile.WaitForFolder(ctx, dir, nil)
		if err != nil {
			return err
		}
		defer folder.Close()
		if err := check(); err != nil { // somebody may have written it in the meantime
			return err
		}
		return Manifest{Command: command}.Write(ctx, folder, name, map[string]func(io.Writer) error{name: content})
	}, check()
}

// fileUnchanged reports whether a file in the folder dir is as f, from a manifest, says.
func fileUnchanged(ctx context.Context, dir string, f checksum.File) bool {
	found, err := checkFile(ctx, dir, f)
	return err == nil && found.State == FileOK
}

// zeros take the place of a manifest's own checksum in the text of which that is the checksum.
var zeros = strings.Repeat("0", 2*sha256.Size)

// Encode returns the text of a manifest, with its version, this program and its own
// checksum.
func Encode(m Manifest) ([]byte, error) {
	m.ManifestVersion, m.Program, m.Own = manifestVersion, system.ProgramVersion(), zeros
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	text := b.Bytes()
	sum := sha256.Sum256(text)
	start := bytes.LastIndex(text, []byte(zeros))
	return slices.Concat(text[:start], []byte(hex.EncodeToString(sum[:])), text[start+len(zeros):]), nil
}

// Read reads the manifest at path. The error for one that does not end in its own checksum, or whose own
// checksum is wrong, wraps errChanged.
func Read(path string) (*Manifest, error) {
	text, err := readfile.All(path, readfile.MostRecords)
	if err != nil {
		return nil, err
	}
	const before, after = `"manifest_sha256": "`, "\"\n}\n"
	start := len(text) - len(after) - len(zeros) // of the checksum
	end := start + len(zeros)
	if start < len(before) || string(text[start-len(before):start]) != before || string(text[end:]) != after {
		return nil, fmt.Errorf("%s: %w: it does not end in its own checksum", message.ShortPath(path), errChanged)
	}
	found := string(text[start:end])
	sum := sha256.Sum256(slices.Concat(text[:start], []byte(zeros), text[end:]))
	if hex.EncodeToString(sum[:]) != found {
		return nil, fmt.Errorf("%s: %w: its own checksum is wrong", message.ShortPath(path), errChanged)
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", message.ShortPath(path), err)
	}
	if m.ManifestVersion != manifestVersion {
		return nil, fmt.Errorf("%s: manifest_version is %d: want %d", message.ShortPath(path), m.ManifestVersion, manifestVersion)
	}
	return m, nil
}

// findManifests returns the names of the manifests in a folder, of which there must be one. Before, it moves
// the files into place that a killed process left.
func findManifests(dir string) ([]string, error) {
	if err := atomicfile.FinishFolder(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Extension) && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if names == nil {
		return nil, fmt.Errorf("%s has no file *%s: want the folder of agekit fit --out or agekit reproduce", message.ShortPath(dir), Extension)
	}
	return names, nil
}

// outputPath returns the path of the output f of a manifest in the folder dir, or an error if f is in another
// folder.
func outputPath(dir string, f checksum.File) (string, error) {
	if f.Path == "" || f.Path != filepath.Base(f.Path) || f.Path == ".." {
		return "", fmt.Errorf("output %s: want a name without a folder", message.Quote(f.Path))
	}
	return filepath.Join(dir, f.Path), nil
}
