package reproduce

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/provenance"
)

// Output is an item rendered from results.
type Output struct {
	Name, Title string
	Tables      []table
	Figures     []drawing
	Maps        []figure.MapView // of methods, for [figure.MapExplorer]
	Data        [][]string       // the CSV file: values in full precision, with a header row
	Notes       []string         // what a reader must know, such as which results are missing
	// Manifest says where the results come from.
	Manifest provenance.Manifest
}

// table is a table of text.
type table struct {
	Caption string
	Header  []string
	Rows    [][]string
	Ranked  []int // columns whose highest number is bold, and the second highest underlined
}

// Fragment returns the table without its caption, for a notebook or a terminal.
func (t table) Fragment() figure.Fragment { return figure.Table(t.Header, t.Rows, t.Ranked...) }

// drawing is a named figure.
type drawing struct {
	Name    string
	Caption string
	*figure.Figure
}

func (o *Output) draw(name, caption string, f *figure.Figure) {
	o.Figures = append(o.Figures, drawing{name, caption, f})
}

// addData adds a line of words and a summary to the data.
func (o *Output) addData(s summary, words ...string) {
	o.Data = append(o.Data, append(words, s.numbers()...))
}

// addTable adds a table unless it is empty.
func (o *Output) addTable(t table) {
	if t.Rows != nil {
		o.Tables = append(o.Tables, t)
	}
}

// WriteText prints the tables for a terminal.
func (o *Output) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", o.Name, o.Title)
	for _, t := range o.Tables {
		fmt.Fprintf(&b, "\n%s\n%s", t.Caption, t.Fragment().Text)
	}
	for _, n := range o.Notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown returns a section of a document, whose image links point into the folder figures.
func (o *Output) markdown(figures string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s\n", o.Title)
	for _, t := range o.Tables {
		fmt.Fprintf(&b, "\n%s\n\n", t.Caption)
		writeRow(&b, t.Header)
		b.WriteString("|" + strings.Repeat("---|", len(t.Header)) + "\n")
		ranks := make(map[int][]int)
		for _, j := range t.Ranked {
			ranks[j] = figure.Ranks(t.Rows, j)
		}
		for i, row := range t.Rows {
			row = slices.Clone(row)
			for j := range ranks {
				byRank := []string{"%s", "**%s**", "<u>%s</u>"} // 0: neither the highest nor the second
				row[j] = fmt.Sprintf(byRank[ranks[j][i]], t.Rows[i][j])
			}
			writeRow(&b, row)
		}
	}
	for _, f := range o.Figures {
		fmt.Fprintf(&b, "\n![%s](%s)\n", f.Caption, strings.TrimPrefix(figures+"/"+f.Name+".png", "/"))
	}
	for _, n := range o.Notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	return b.Bytes()
}

// writeRow writes a row of a Markdown table.
func writeRow(b *bytes.Buffer, cells []string) {
	b.WriteString("|")
	for _, c := range cells {
		b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`) + " |")
	}
	b.WriteString("\n")
}

// Save writes NAME.md, NAME.csv, each figure as .svg and .png, and NAME.manifest.json to a
// folder: all of them or, on an error, none.
func (o *Output) Save(ctx context.Context, dir string) error {
	outputs := map[string]func(io.Writer) error{
		o.Name + ".md":  atomicfile.Bytes(o.markdown("")),
		o.Name + ".csv": func(w io.Writer) error { return csv.NewWriter(w).WriteAll(o.Data) },
	}
	if err := o.drawFigures(outputs, ".svg", ".png"); err != nil {
		return err
	}
	folder, err := atomicfile.WaitForFolder(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer folder.Close()
	return o.Manifest.Write(ctx, folder, o.Name, outputs)
}

// drawFigures encodes each figure in each format, and adds it to outputs by its file name.
func (o *Output) drawFigures(outputs map[string]func(io.Writer) error, formats ...string) error {
	for _, f := range o.Figures {
		for _, format := range formats {
			data, err := f.Encode(format)
			if err != nil {
				return err
			}
			outputs[f.Name+format] = atomicfile.Bytes(data)
		}
	}
	return nil
}

// fileName is a data set's name as used in file names.
func fileName(dataset string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' {
			return r
		}
		return '_'
	}, dataset)
}
