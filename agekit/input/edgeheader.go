package input

// hasEdgeAsHeader reports whether the header of a table of edges turns out to be an edge: nothing but the lines
// of the text says that it is a header, and the names of both ends are ids of nodes.
func (s Source) hasEdgeAsHeader(edges *edgeTable, nodes *idTable) bool {
	isGiven := s.Header != nil || s.EdgeColumns != EdgeColumns{}
	if isGiven || edges.headless || !edges.isText || edges.path != s.Edges {
		return false
	}
	for _, name := range edges.endNames {
		if _, ok := nodes.find(name); !ok {
			return false
		}
	}
	return true
}
