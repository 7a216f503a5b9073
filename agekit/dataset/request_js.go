package dataset

import (
	"context"
	"fmt"
	"io"
	"os"
)

// request fails: in a browser's page, nothing is downloaded, and net/http would be a fifth
// of the program.
func request(_ context.Context, address string, _ *os.File, _ int64) (io.ReadCloser, int64, error) {
	return nil, 0, fmt.Errorf("%w%s: a page downloads nothing", errFinal, address)
}
