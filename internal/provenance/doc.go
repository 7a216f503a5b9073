// Package provenance says where the files of a run come from, in a file beside them, and checks
// that they are still the files that were written: inputs, settings, program and outputs,
// with checksums of the bytes.
package provenance
