package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

var moduleLine = regexp.MustCompile(`(?m)^module github\.com/agekit/age$`)

// projectRoot returns dir or the nearest parent folder that contains this
// project's go.mod.
func projectRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if data, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && moduleLine.Match(data) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the current folder is not in the project's folder: run this where go.mod says github.com/agekit/age")
		}
		dir = parent
	}
}
