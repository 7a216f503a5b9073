//go:build !(cgo && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && !noxla)

package backend

const xlaLinked = false

func prepareXLA(string) {}

func xlaOptions(string) string { return "" }
