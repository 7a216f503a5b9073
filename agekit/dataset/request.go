//go:build !js

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// request asks the server for the rest of the file at address, of which f has the first have
// bytes. It returns the answer's body and the number of bytes that come before it: have, or 0 if
// the server sends the whole file. In that case, and after an answer that does not continue f,
// request empties f. An error that wraps errFinal is one that a retry cannot fix.
func request(ctx context.Context, address string, f *os.File, have int64) (body io.ReadCloser, before int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("%w%w", errFinal, err)
	}
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	sent := resp.Header.Get("Content-Range") // such as "bytes 100-199/200"
	switch status := resp.StatusCode; {
	case status == http.StatusPartialContent && strings.HasPrefix(sent, fmt.Sprintf("bytes %d-", have)):
		return resp.Body, have, nil
	case status == http.StatusOK:
		err = truncate(f)
		return resp.Body, 0, err
	case status == http.StatusPartialContent || status == http.StatusRequestedRangeNotSatisfiable:
		err = errors.Join(fmt.Errorf("%s: %s with range %q, want one from byte %d", address, resp.Status, sent, have), truncate(f))
	case status < http.StatusInternalServerError:
		err = fmt.Errorf("%w%s: %s", errFinal, address, resp.Status)
	default: // the server's own failure, which may pass
		err = fmt.Errorf("%s: %s", address, resp.Status)
	}
	resp.Body.Close()
	return nil, 0, err
}
