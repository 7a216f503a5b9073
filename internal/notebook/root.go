package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/trust"
)

var moduleLine = regexp.MustCompile(`(?m)^module github\.com/agekit/age$`)

// maxModFile is the largest go.mod that is read, in bytes.
const maxModFile = 1 << 20

// projectRoot returns dir or the nearest parent folder that contains this
// project's go.mod. Commands run programs of that folder, so a parent folder must
// have the same owner as dir, or belong to the user and be safe from others.
func projectRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	start := dir
	for {
		if data, err := limit.ReadFile(filepath.Join(dir, "go.mod"), maxModFile); err == nil && moduleLine.Match(data) {
			// The user chose the folder to start from, but not what is above it.
			if err := trust.Check(dir); err != nil && !trust.SameOwner(start, dir) {
				return "", fmt.Errorf("%s has this project's go.mod, but %w; to use it nevertheless, run this in that folder", dir, err)
			}
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the current folder is not in the project's folder: run this where go.mod says github.com/agekit/age")
		}
		dir = parent
	}
}
