package reproduce

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/provenance"
)

// figuresOf returns the folder for the figures of the report at path: its path without the extension.
func figuresOf(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) }

// CheckReport returns an error if [WriteReport] could not write a report at path, or is not to: because the path
// has no extension, so that it would be the folder for the figures too, or a file is there. Call it before hours
// of work for the report.
func CheckReport(ctx context.Context, path string) error {
	folder := figuresOf(path)
	if folder == path || filepath.Base(path) == filepath.Ext(path) {
		return fmt.Errorf("%s: the folder for the figures has this name without its extension: want a name such as report.md", message.ShortPath(path))
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder, which is to have the figures: want another name, or the file moved away", message.ShortPath(folder))
	}
	_, err := provenance.NewFile(ctx, "reproduce", path)
	return err
}

// WriteReport writes the outputs as one Markdown document, between an introduction on
// how to read it and two closing sections, on what the paper says and on what is not reached. The figures are saved as
// PNG in a folder next to it with the document's name. A file there that is not as
// WriteReport wrote it is an error.
func WriteReport(ctx context.Context, path string, outputs []*Output, results *Results) error {
	if err := CheckReport(ctx, path); err != nil {
		return err
	}
	folder := figuresOf(path)
	var b bytes.Buffer
	figures := map[string]func(io.Writer) error{}
	b.WriteString(reportHead)
	fmt.Fprintf(&b, "\n%s\n", origins(results))
	for _, o := range outputs {
		if err := o.drawFigures(figures, ".png"); err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n%s", o.markdown(filepath.Base(folder)))
	}
	b.WriteString("\n" + reportClaims)
	b.WriteString("\n" + reportTail)
	if err := saveFigures(ctx, folder, figures); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // also for a report without figures
		return err
	}
	write, err := provenance.NewFile(ctx, "reproduce", path)
	if err != nil {
		return err
	}
	return write(atomicfile.Bytes(b.Bytes()))
}

// saveFigures writes figures, given by their file names, to the folder dir. If all files are there already
// with the same content, it writes nothing: so it is where Output.Save wrote them to the same folder.
func saveFigures(ctx context.Context, dir string, figures map[string]func(io.Writer) error) error {
	missing := false
	for name, write := range figures {
		var drawn bytes.Buffer
		if err := write(&drawn); err != nil {
			return err
		}
		saved, err := os.ReadFile(filepath.Join(dir, name))
		missing = missing || err != nil || !bytes.Equal(saved, drawn.Bytes())
	}
	if !missing {
		return nil
	}
	folder, err := atomicfile.WaitForFolder(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer folder.Close()
	return provenance.Manifest{Command: "reproduce"}.Write(ctx, folder, "figures", figures)
}

//go:embed report-head.md
var reportHead string

// reportClaims says which of the paper's statements hold for the project's results.
//
//go:embed report-claims.md
var reportClaims string

//go:embed report-tail.md
var reportTail string

// origins returns a sentence with the number of runs, their hours in all, and how many had each code
// version and each backend.
func origins(r *Results) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var total float64
	codes, backends := map[string]int{}, map[string]int{}
	for _, record := range r.records {
		total += record.Seconds
		codes[record.Code[:min(12, len(record.Code))]]++
		backends[record.Backend]++
	}
	return fmt.Sprintf("%d runs, %.1f hours in all; code %s; backend %s.", len(r.records), total/3600, counted(codes), counted(backends))
}

// counted lists names with their numbers of runs, sorted by name: "go (3 runs), native (20 runs)".
func counted(counts map[string]int) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		names = append(names, fmt.Sprintf("%s (%d runs)", name, counts[name]))
	}
	return strings.Join(names, ", ")
}
