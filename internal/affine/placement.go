package affine

// Placement renumbers the nodes of a batch, for models that encode only these
// nodes.
type Placement struct {
	place []int32 // each node's index in nodes, or −1
	nodes []int32 // the batch's nodes
}

// NewPlacement returns a placement for batches with at most `most` of n nodes.
func NewPlacement(n, most int) *Placement {
	p := &Placement{make([]int32, n), make([]int32, 0, most)}
	for i := range p.place {
		p.place[i] = -1
	}
	return p
}

// Local returns the distinct nodes of a batch, which are valid until the next
// call, and the batch with each node replaced by its index among them.
func (p *Placement) Local(b Batch) (Batch, []int32) {
	p.nodes = p.nodes[:0]
	local := Batch{I: make([]int32, len(b.I)), J: make([]int32, len(b.J)), Labels: b.Labels}
	placeOf := func(node int32) int32 {
		if p.place[node] < 0 {
			p.place[node] = int32(len(p.nodes))
			p.nodes = append(p.nodes, node)
		}
		return p.place[node]
	}
	for k := range b.I {
		local.I[k], local.J[k] = placeOf(b.I[k]), placeOf(b.J[k])
	}
	for _, node := range p.nodes {
		p.place[node] = -1
	}
	return local, p.nodes
}
