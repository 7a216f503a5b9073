package input

import "github.com/agekit/age/internal/option"

// Names of the fields of [Source], in errors and warnings.
const (
	sourceGraph          option.Name = "Source.Graph"
	sourceEdges          option.Name = "Source.Edges"
	sourceNeighbors      option.Name = "Source.Neighbors"
	sourceNodes          option.Name = "Source.Nodes"
	sourceFeatures       option.Name = "Source.Features"
	sourceLabels         option.Name = "Source.Labels"
	sourceID             option.Name = "Source.ID"
	sourceLabel          option.Name = "Source.Label"
	sourceRefuseDirected option.Name = "Source.RefuseDirected"
	columnsText          option.Name = "Source.Columns.Text"
	columnsCategory      option.Name = "Source.Columns.Category"
	columnsNumber        option.Name = "Source.Columns.Number"
	columnsDrop          option.Name = "Source.Columns.Drop"
	edgeSource           option.Name = "Source.EdgeColumns.Source"
	edgeTarget           option.Name = "Source.EdgeColumns.Target"
	edgeWeight           option.Name = "Source.EdgeColumns.Weight"
)

// BadWeight returns an error about the column of an edge's weights, for formats.
func BadWeight(format string, args ...any) error {
	return &option.Error{Message: option.Sprintf(format, args...).Advise("%s names another column", edgeWeight, "")}
}
