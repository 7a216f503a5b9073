package experiment

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/store"
)

// WriteReport writes the outputs as one Markdown document, with their figures
// as PNG in a folder beside it that has the document's name.
func WriteReport(path string, outputs []*Output, results *Results) error {
	folder := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	dir := filepath.Join(filepath.Dir(path), folder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(reportHead)
	fmt.Fprintf(&b, "\n%s\n", provenance(results))
	for _, o := range outputs {
		if _, err := o.saveFigures(dir, ".png"); err != nil {
			return err
		}
		b.WriteString("\n")
		if err := o.WriteMarkdown(&b, folder); err != nil {
			return err
		}
	}
	return store.WriteFileAtomic(path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

const reportHead = `# The paper's tables and figures, as measured

Made by ` + "`age reproduce all --stored --report FILE`" + ` from the results file; every figure of a run is there. The paper is Cui, Zhou, Yang and Liu, "Adaptive Graph Encoder for Attributed Graph Embedding", KDD 2020.

Figures are means ± standard deviations (by n−1) over seeds; *best* is the highest of the seeds, each score by itself. Labels touch nothing but the scores: a run gets its graph without them, and the epoch is chosen by the Davies–Bouldin index or, for links, by validation edges.

Modes: *paper* follows the paper's text and, where that is silent, the published code: the cross entropy takes the cosine s itself as a probability, spectral embeddings are scaled as in a random walk. *Code* follows the published code to the letter: s is a logit, spectral embeddings are multiplied by √degree, as scikit-learn 0.21 did. Both take k = 2/3, table 6's t and thresholds, 400 epochs, 500 dimensions, Adam with a step of 0.001 and batches of 10,000 positive pairs.
`

// provenance says how many runs there are, and of which code and backend.
func provenance(r *Results) string {
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

// counted lists names with their counts, in order.
func counted(counts map[string]int) string {
	var names []string
	for name, count := range counts {
		names = append(names, fmt.Sprintf("%s (%d runs)", name, count))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
