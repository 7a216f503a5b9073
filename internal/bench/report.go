package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/internal/output"
	"github.com/dustin/go-humanize"
)

// WriteReport writes the tables of all jobs to a folder, as jobs.md, and, if planted
// graphs of at least two sizes were measured with the same settings on one machine, a
// figure of time and memory over the number of nodes, scaling.svg and scaling.png. It
// returns the paths.
func (f File) WriteReport(ctx context.Context, dir string) (paths []string, err error) {
	f.Jobs = slices.Clone(f.Jobs)
	slices.SortStableFunc(f.Jobs, func(a, b Row) int {
		kind := func(r Row) int { // trainings first
			if r.Fit != nil {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(a.Nodes(), b.Nodes()), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Backend, b.Backend))
	})
	series := scalingSeries(f.Jobs)
	var text bytes.Buffer
	f.markdown(&text, series)
	files := map[string]func(io.Writer) error{"jobs.md": output.Bytes(text.Bytes())}
	if len(series) > 0 {
		for _, format := range []string{".svg", ".png"} {
			chart, err := scalingFigure(series).Encode(format)
			if err != nil {
				return nil, err
			}
			files["scaling"+format] = output.Bytes(chart)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths, output.Files(ctx, dir, files)
}

// markdown writes all tables.
func (f File) markdown(w io.Writer, series []scaling) {
	fmt.Fprint(w, "# Whole jobs\n\nWritten by `agekit bench report`. Each job is a separate process, measured from start to end;\n"+
		"processor seconds are those of all cores, user and system; products are the seconds\n"+
		"as multiples of one dense product 2708×1433×500, timed right after the job.\n\n")
	jobs := markdownTable{head: []string{"job", "backend", "kind", "nodes", "seconds", "processor seconds", "products", "peak memory, MB", "product, ms", "measured"}, text: 3}
	stages := markdownTable{head: []string{"seconds", "load", "filter", "select", "train", "cluster", "rest of the process"}, text: 1}
	scores := markdownTable{head: []string{"", "ACC", "NMI", "ARI", "modularity", "conductance", "epoch"}, text: 1}
	places := markdownTable{head: []string{"measured", "commit", "machine", "product on"}, text: 4}
	var known []string
	for _, r := range f.Jobs {
		place := strings.Join([]string{r.Commit, r.Machine.String(), r.Product.Backend}, "|")
		at := slices.Index(known, place)
		if at < 0 {
			at = len(known)
			known = append(known, place)
			places.add(mark(at), fmt.Sprintf("`%.12s`%s", r.Commit, dirty(r.Commit)), r.Machine.String(), r.Product.Backend)
		}
		jobs.add(r.Job, r.Backend, r.Kind, comma(r.Nodes()), seconds(r.Seconds), seconds(r.ProcessorSeconds),
			comma(int(r.Products+0.5)), comma(int(r.PeakRSSBytes>>20)), fmt.Sprintf("%.1f", 1000*r.Product.Seconds),
			r.Time.Format("2006-01-02")+" "+mark(at))
		if fit := r.Fit; fit != nil {
			s := fit.Seconds
			rest := r.Seconds - s.Load - s.Filter - s.Select - s.Train - s.Cluster
			name := r.Job + ", " + r.Backend
			stages.add(name, seconds(s.Load), seconds(s.Filter), seconds(s.Select), seconds(s.Train), seconds(s.Cluster), seconds(rest))
			scores.add(name, score(fit.ACC), score(fit.NMI), score(fit.ARI), score(&fit.Modularity), score(&fit.Conductance), fmt.Sprintf("%d of %d", fit.Epoch, fit.Epochs))
		}
	}
	jobs.write(w)
	places.write(w)
	if len(stages.rows) > 0 {
		fmt.Fprint(w, "## Stages\n\n")
		stages.write(w)
		fmt.Fprint(w, "## Scores\n\nScores of the epoch that the Davies–Bouldin index chose. A planted graph's labels are the\n"+
			"planted classes; `pubmed-standin` has made-up features, so its scores are meaningless.\n\n")
		scores.write(w)
	}
	f.besideNative(w)
	if len(series) == 0 {
		return
	}
	fmt.Fprint(w, "## Growth\n\n![Seconds and memory over the number of nodes](scaling.svg)\n\n"+
		"Per doubling: the factor between two sizes, converted to a doubling of the nodes;\nthe target is at most ×2.3.\n\n")
	growth := markdownTable{head: []string{"planted graphs", "from", "to", "seconds", "processor seconds", "memory", "seconds per doubling", "memory per doubling"}, text: 1}
	for _, s := range series {
		for k := range len(s.rows) - 1 {
			growth.add(s.growth(k)...)
		}
	}
	growth.write(w)
}

// markdownTable is a Markdown table whose first columns are text, the others numbers.
type markdownTable struct {
	head []string
	text int
	rows [][]string
}

func (t *markdownTable) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *markdownTable) write(w io.Writer) {
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	line(slices.Concat(slices.Repeat([]string{"---"}, t.text), slices.Repeat([]string{"---:"}, len(t.head)-t.text)))
	for _, r := range t.rows {
		line(r)
	}
	fmt.Fprintln(w)
}

// mark is a footnote's letter.
func mark(k int) string { return string(rune('a' + k%26)) }

func dirty(commit string) string {
	if strings.HasSuffix(commit, "-dirty") {
		return " and changes"
	}
	return ""
}

func seconds(s float64) string {
	if s < 99.95 {
		return fmt.Sprintf("%.1f", s)
	}
	return comma(int(s + 0.5))
}

func score(s *float64) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *s)
}

// comma writes a number with commas.
func comma(n int) string { return humanize.Comma(int64(n)) }
