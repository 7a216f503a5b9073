package agekit

import (
	"path/filepath"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/engine"
	"github.com/agekit/age/internal/files"
)

// TaskStage is a part of a run whose tasks do not depend on each other.
type TaskStage = engine.Done

// InTasks trains on a sample of g's nodes and clusters all of them, as `agekit fit --engine`
// does: smoothing, and the passes over all nodes, are stages of tasks that write a file each
// to a folder. Called again with the same folder, it makes nothing again. Here the tasks are
// done one after the other; on a cluster each may be done anywhere. The result has no
// embedding: it was computed where it was needed.
func InTasks(g *graph.Graph, o encoder.Options, folder string) (*encoder.Result, []TaskStage, error) {
	e := &engine.Engine{
		Folder: filepath.Join(folder, "graph"), Dir: filepath.Join(folder, "stages"), Memory: 1 << 30, Workers: 4,
		Runner: engine.InProcess{}, Log: func(string) {}, Progress: func(string, int, int) {},
	}
	defer e.Close()
	if err := files.WriteGraph(interrupt(), e.Folder, g); err != nil {
		return nil, nil, err
	}
	o.Engine, o.InBlocks = e, true
	r, err := encoder.Fit(interrupt(), g, o)
	return r, e.Done, err
}

// Tasks draws how long the stages of two runs took.
func Tasks(title string, names [2]string, runs [2][]TaskStage) *figure.Figure {
	var labels []string
	series := []figure.Series{{Name: names[0]}, {Name: names[1]}}
	for i, stage := range runs[0] {
		labels = append(labels, stage.Name)
		for r, run := range runs {
			series[r].Y = append(series[r].Y, run[i].Seconds)
		}
	}
	return figure.Bars(title, "seconds", labels, series...)
}
