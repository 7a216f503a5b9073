package input

import (
	"context"
	"errors"

	"github.com/agekit/age/agekit/table"
)

// Ends says how [Open] reads the rows of a table of edges. Columns are given by their indices; −1 says that there
// is none.
type Ends struct {
	Source int `json:"source"`
	Target int `json:"target"`
	Weight int `json:"weight"`
	// Named says that both ends have the names of ends, such as source and target.
	Named bool `json:"named"`
	// SourceList and TargetList are what stands between the members of lists, each of which is an end: one of ; | ,
	// and a space, or "[" for lists in brackets. They are "" if each cell is one end.
	SourceList string `json:"source_list"`
	TargetList string `json:"target_list"`
	// Kind is the column of the kind that stands between both ends, "a (kind) b", if Source is Target.
	Kind int `json:"kind"`
	// Matrix says that the table is an adjacency matrix, and Names is its column with the ids of the rows.
	Matrix        bool `json:"matrix"`
	Names         int  `json:"names"`
	table.Remarks `json:"-"`
}

// FindEnds returns how Open reads the table s.Edges, by its first rows and by those of s.Nodes.
func FindEnds(ctx context.Context, s Source) (*Ends, error) {
	r := edgeReader{EdgeColumns: s.EdgeColumns, list: s.isPlain()}
	if s.Nodes != "" {
		r.isNode = s.nodeValues(ctx)
	}
	var found *edgeInfo
	_, err := table.Scan(table.WithSums(ctx, nil), s.Edges, table.Options{Header: s.Header}, func(head table.Head) (chosen table.Chosen, err error) {
		if found, err = r.findEdges(s.Edges, head); err == nil {
			err = errSeen
		}
		return chosen, err
	}, nil)
	if !errors.Is(err, errSeen) {
		return nil, err
	}
	e := &Ends{Source: found.source, Target: found.target, Weight: found.weight, Named: found.named, Kind: found.kind, Names: noColumn, Remarks: found.Remarks}
	if found.matrix != nil {
		e.Matrix, e.Names = true, found.matrix.names
	}
	if list := found.lists[0]; list != nil {
		e.SourceList = list.Separator
	}
	if list := found.lists[1]; list != nil {
		e.TargetList = list.Separator
	}
	return e, nil
}
