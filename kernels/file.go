package kernels

// This part runs notebooks with the project's Jupyter and writes them as
// pages: HTML without a network, and slides. The pages themselves are made by
// scripts/run_notebook.py.

import (
	"encoding/json"
	"fmt"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

// maxNotebook is the size of the largest notebook that is read, in bytes.
const maxNotebook = 100 << 20

// Notebook is what must be known of a notebook before it is converted.
type Notebook struct { // the fields are those of Jupyter's format
	path     string
	NBFormat int `json:"nbformat"`
	Metadata struct {
		Kernelspec struct {
			Name string `json:"name"`
		} `json:"kernelspec"`
	} `json:"metadata"`
	Cells      []cell     `json:"cells"`
	Worksheets []struct { // up to nbformat 3
		Cells []cell `json:"cells"`
	} `json:"worksheets"`
}

// cell is a cell of a notebook. One that was run has a number, outputs, or both.
type cell struct {
	CellType       string            `json:"cell_type"`
	ExecutionCount *int              `json:"execution_count"`
	PromptNumber   *int              `json:"prompt_number"` // up to nbformat 3
	Outputs        []json.RawMessage `json:"outputs"`
}

// OpenNotebook reads a notebook. It must be one of nbformat 4 or older.
func OpenNotebook(path string) (*Notebook, error) {
	data, err := readfile.All(path, maxNotebook)
	if err != nil {
		return nil, err
	}
	nb := &Notebook{path: path}
	if json.Unmarshal(data, nb) != nil || nb.NBFormat < 1 {
		return nil, fmt.Errorf("%s is not a notebook: want JSON with nbformat and cells", message.ShortPath(path))
	}
	if nb.NBFormat > 4 {
		return nil, fmt.Errorf("%s: nbformat %d, want 4 or older", message.ShortPath(path), nb.NBFormat)
	}
	return nb, nil
}

// Kernel returns the name of the kernel that the notebook asks for, or an error if it names none.
func (nb *Notebook) Kernel() (string, error) {
	name := nb.Metadata.Kernelspec.Name
	if name == "" {
		return "", fmt.Errorf("%s names no kernel to run it with: choose one in Jupyter and save it", message.ShortPath(nb.path))
	}
	return name, nil
}

// Note returns what a reader of the page should know about the notebook's format: that it is an
// old one, or "".
func (nb *Notebook) Note() string {
	if nb.NBFormat < 4 {
		return fmt.Sprintf("nbformat %d, read as nbformat 4; jupyter nbconvert --to notebook --inplace upgrades the file", nb.NBFormat)
	}
	return ""
}

// CellsRun returns the number of code cells in the notebook, and the number of them that have been run.
func (nb *Notebook) CellsRun() (code, ran int) {
	cells := nb.Cells
	for _, sheet := range nb.Worksheets {
		cells = append(cells, sheet.Cells...)
	}
	for _, cell := range cells {
		if cell.CellType != "code" {
			continue
		}
		code++
		if cell.ExecutionCount != nil || cell.PromptNumber != nil || len(cell.Outputs) > 0 {
			ran++
		}
	}
	return code, ran
}
