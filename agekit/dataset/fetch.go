package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/agekit/age/internal/output"
)

const downloadTries = 3

// stallTimeout is how long a server may go without sending anything.
var stallTimeout = 30 * time.Second

// errFinal marks a failure that a retry cannot fix.
var errFinal = errors.New("")

// download fetches a file into the user's cache directory and returns its path
// and content. It resumes from FILE.part, which an interrupted download leaves
// behind; FILE itself appears only after its hash has been verified. Processes
// that download to the same folder take turns.
func (s *source) download(ctx context.Context, want file, opts Options) (string, []byte, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", nil, err
	}
	target := filepath.Join(cache, filepath.FromSlash(want.name))
	dir := filepath.Dir(target)
	folder, err := output.Wait(ctx, dir, func() { opts.note("waiting for another download to %s", dir) })
	if err != nil {
		return "", nil, err
	}
	defer folder.Close()
	if data, _, err := want.read(target); err == nil {
		return target, data, nil // the other process was after the same file
	}
	base := s.url
	if opts.baseURL != "" {
		base = opts.baseURL
	}
	part := target + ".part"
	if err := errors.Join(output.Replaceable(target), output.Replaceable(part)); err != nil {
		return "", nil, err
	}
	data, err := fetch(ctx, base+path.Base(want.name), part, want, opts)
	if err != nil {
		return "", nil, err
	}
	return target, data, output.Rename(part, target)
}

// fetch completes a partial file and returns its content. If that is not what
// the pin wants, the earlier part may be to blame: then fetch starts over, once.
func fetch(ctx context.Context, address, part string, want file, opts Options) ([]byte, error) {
	for {
		info, err := os.Stat(part)
		resumed := err == nil && info.Size() > 0
		if err := fetchPart(ctx, address, part, want, opts); err != nil {
			return nil, err
		}
		data, _, err := want.read(part)
		if err == nil {
			return data, nil
		}
		if err := os.Remove(part); err != nil {
			return nil, err
		}
		if !resumed {
			return nil, fmt.Errorf("%s: %w: deleted", address, err)
		}
		opts.note("%v: starting over", err)
	}
}

// fetchPart downloads what a partial file lacks, and tries again after failures
// that may pass.
func fetchPart(ctx context.Context, address, part string, want file, opts Options) error {
	for try := 1; ; try++ {
		err := downloadPart(ctx, address, part, want, opts)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case try == downloadTries || errors.Is(err, errFinal):
			return err
		}
	}
}

// downloadPart appends the missing rest of address to the file part. The
// complete file has the size that the pin gives, if it does.
func downloadPart(ctx context.Context, address, part string, want file, opts Options) (err error) {
	size := want.bytes
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("%w%w", errFinal, err)
	}
	defer f.Close()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have == size {
		return nil
	}
	if size >= 0 && have > size {
		if err := restart(f, ""); err != nil {
			return err
		}
		have = 0
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(stallTimeout, func() { cancel(fmt.Errorf("%s sent nothing for %v", address, stallTimeout)) })
	defer stall.Stop()
	defer func() {
		if err != nil && context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
	}()
	resp, err := request(ctx, address, have)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if have, err = position(f, resp, have); err != nil {
		return err
	}
	body := &watched{resp.Body, stall, Progress{File: path.Base(address), Have: have, Size: size}, opts.Progress}
	body.report()
	// Read one byte more than expected, so that a file that is too long fails
	// its check.
	n, err := io.Copy(f, io.LimitReader(body, want.most()-have+1))
	if err == nil && have+n < size {
		err = fmt.Errorf("%s ended after %d bytes, want %d: %w", address, have+n, size, io.ErrUnexpectedEOF)
	}
	return errors.Join(err, f.Sync())
}

// position prepares f, which has have bytes, for the response body, and
// returns the offset at which the body begins.
func position(f *os.File, resp *http.Response, have int64) (int64, error) {
	address := resp.Request.URL
	switch resp.StatusCode {
	case http.StatusPartialContent:
		if got := resp.Header.Get("Content-Range"); !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", have)) {
			return 0, restart(f, "%s answered with range %q, want one from byte %d", address, got, have)
		}
		return have, nil
	case http.StatusOK: // the whole file
		return 0, restart(f, "")
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, restart(f, "%s has no bytes from offset %d", address, have)
	}
	err := fmt.Errorf("%s: %s", address, resp.Status)
	if resp.StatusCode < 500 {
		err = fmt.Errorf("%w%w", errFinal, err)
	}
	return 0, err
}

func request(ctx context.Context, address string, from int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%w%w", errFinal, err)
	}
	if from > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	return http.DefaultClient.Do(req)
}

// restart empties the partial file. It returns an error with the given
// message, or nil if format is empty.
func restart(f *os.File, format string, args ...any) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if format == "" {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// watched is a response body that tells of each read and resets the stall timer.
type watched struct {
	io.Reader
	timer *time.Timer
	state Progress
	tell  func(Progress)
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.timer.Reset(stallTimeout)
		w.state.Have += int64(n)
		w.report()
	}
	return n, err
}

func (w *watched) report() {
	if w.tell != nil {
		w.tell(w.state)
	}
}
