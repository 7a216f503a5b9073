package input

import (
	"fmt"
	"hash/maphash"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/agekit/age/internal/option"
)

// idTable numbers ids in the order in which they come. A map of strings would take three
// times its memory: the ids lie end to end, and a slot of the hash table has 4 bytes.
type idTable struct {
	text  []byte
	ends  []int // of each id in text
	slots []int32
	seed  maphash.Seed
	most  int64 // bytes
}

// newIDTable returns a table that takes about the given bytes at most.
func newIDTable(most int64) *idTable {
	return &idTable{slots: make([]int32, 1<<10), seed: maphash.MakeSeed(), most: most}
}

// node returns the node with an id, a new one if none has it.
func (t *idTable) node(id string) (int, error) {
	k := t.find(id)
	if node := t.slots[k]; node > 0 {
		return int(node - 1), nil
	}
	node := len(t.ends)
	if node == math.MaxInt32 {
		return 0, fmt.Errorf("more than %d nodes", math.MaxInt32)
	}
	if t.bytes() > t.most {
		return 0, option.Errorf("the ids of %d nodes take %s: want more memory, or nodes that are numbered from 0, with %s", node, humanize.Bytes(uint64(t.bytes())), sourceFeatures)
	}
	t.text = append(t.text, id...)
	t.ends = append(t.ends, len(t.text))
	t.slots[k] = int32(node + 1)
	if 2*len(t.ends) > len(t.slots) {
		t.slots = make([]int32, 2*len(t.slots))
		for node := range t.ends {
			t.slots[t.find(t.id(node))] = int32(node + 1)
		}
	}
	return node, nil
}

// bytes returns the memory of the table after it grows once more.
func (t *idTable) bytes() int64 {
	return int64(5*len(t.text)/4) + 8*int64(5*len(t.ends)/4) + 4*int64(len(t.slots))
}

func (t *idTable) id(node int) string {
	from := 0
	if node > 0 {
		from = t.ends[node-1]
	}
	return string(t.text[from:t.ends[node]])
}

// find returns the slot of an id, or the empty one where it belongs.
func (t *idTable) find(id string) int {
	mask := len(t.slots) - 1
	for k := int(maphash.String(t.seed, id)) & mask; ; k = (k + 1) & mask {
		if node := t.slots[k]; node == 0 || t.id(int(node-1)) == id {
			return k
		}
	}
}
