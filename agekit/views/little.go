package views

import "context"

// Little stub.
func (f *Finder) Little(ctx context.Context, view Name, labels []int, k int) (bool, error) {
	return false, nil
}
