package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/npz"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/output"
)

// ModelFlags name a model and new nodes.
type ModelFlags struct {
	Model    string `required:"" placeholder:"FILE" help:"model.npz of agekit fit --out."`
	Nodes    string `placeholder:"FILE" help:"Table of the new nodes, with the columns of the training's (.csv, .tsv, .txt, .parquet)."`
	Features string `placeholder:"FILE" help:"Their features, one row per node, if the training had --features: .npz, .npy or .csv."`
	Edges    string `placeholder:"FILE" help:"Table of their edges, among each other and to nodes of the training."`
	Alone    bool   `help:"The new nodes are a graph of their own, without edges to the training's."`
	ID       string `name:"id" placeholder:"COLUMN" help:"Column of --nodes with the ids (default: the first)."`
	Source   string `placeholder:"COLUMN" help:"Column of --edges with one end (default: source, from, …, or the first)."`
	Target   string `placeholder:"COLUMN" help:"Column of --edges with the other end (default: target, to, …, or the second)."`
	Weight   string `placeholder:"COLUMN" help:"Column of --edges with weights (default: weight, …, or a third without a name)."`
	Header   *bool  `negatable:"" help:"Whether the first line of a table names its columns (default: detected)."`
}

// predict reads the model and the new nodes, and applies it to them.
func (f ModelFlags) predict(ctx context.Context, progress io.Writer) (*run.Predicted, error) {
	if f.Nodes == "" && f.Features == "" {
		return nil, misused("no new nodes: want --nodes with their table, or --features if the training had them")
	}
	if f.ID != "" && f.Nodes == "" {
		return nil, misused("--id is a column of --nodes: want --nodes too")
	}
	m, err := run.LoadModel(ctx, f.Model)
	if err != nil {
		return nil, err
	}
	new := input.Source{
		Nodes: f.Nodes, Features: f.Features, Edges: f.Edges, ID: f.ID, Header: f.Header,
		Ends: input.Ends{Source: f.Source, Target: f.Target, Weight: f.Weight},
	}
	found, err := m.Predict(ctx, new, f.Alone)
	if err != nil {
		return nil, withFlags(err)
	}
	for _, note := range found.Notes {
		fmt.Fprintln(progress, sourceFlags(note))
	}
	return found, nil
}

// PredictCmd is `agekit predict`.
type PredictCmd struct {
	ModelFlags
	Out string `placeholder:"FILE" help:"Table to write: .csv, .tsv or .parquet (default: CSV to standard output)."`
}

// Help is the second part of `agekit predict --help`.
func (PredictCmd) Help() string {
	return `Finds the clusters of nodes that were not there in the training: their columns become features in the same way, which are smoothed over their edges into the old graph and encoded; the cluster is that of the nearest center. Without ids, as after a training from --features or a data set, nodes are numbered from 0, the old ones first. The old nodes keep their clusters. The confidence is (b − a)/max(a, b) for the distances a to the nearest center and b to the second, 1 − cosine: near 1 in the middle of a cluster, 0 between two.

Examples:
  agekit predict --model run1/model.npz --nodes new.csv --edges new-edges.csv
  agekit predict --model run1/model.npz --nodes other.csv --edges other-edges.csv --alone --out clusters.parquet
  agekit predict --model run2/model.npz --features new.npy --edges new-edges.csv`
}

// Run finds the clusters.
func (c *PredictCmd) Run(rt *Runtime) error {
	write, err := input.TableWriter(cmp.Or(c.Out, ".csv"))
	if err != nil {
		return usageError{err}
	}
	found, err := c.predict(rt.Context, rt.Stderr)
	if err != nil {
		return err
	}
	t := &input.Table{Rows: len(found.IDs), Columns: []input.Column{input.NewWords("id", found.IDs), input.NewNumbers("cluster", found.Clusters), input.NewNumbers("confidence", found.Confidence)}}
	if c.Out == "" {
		return write(rt.Stdout, t)
	}
	return output.File(c.Out, func(w io.Writer) error { return write(w, t) })
}

// EmbedCmd is `agekit embed`.
type EmbedCmd struct {
	ModelFlags
	Out string `required:"" placeholder:"FILE.npy" help:"Array to write, one row for each new node, in the order of --nodes."`
}

// Help is the second part of `agekit embed --help`.
func (EmbedCmd) Help() string {
	return `Embeds nodes that were not there in the training, as agekit predict does.

Examples:
  agekit embed --model run1/model.npz --nodes new.csv --edges new-edges.csv --out new.npy`
}

// Run embeds the nodes.
func (c *EmbedCmd) Run(rt *Runtime) error {
	found, err := c.predict(rt.Context, rt.Stderr)
	if err != nil {
		return err
	}
	return output.File(c.Out, func(w io.Writer) error { return npz.WriteMatrix(w, found.Embedding) })
}
