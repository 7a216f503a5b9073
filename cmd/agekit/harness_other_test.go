//go:build !linux

package main

import "errors"

func limitFiles() {}

func fifo(string) error { return errors.ErrUnsupported }
