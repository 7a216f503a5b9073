//go:build !(cgo && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && !noxla)

package backend

const xlaLinked = false

func environment(string) map[string]string { return nil }

func prepareXLA(string) (options string, err error) { return "", nil }
