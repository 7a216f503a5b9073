package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/agekit/age/internal/atomicfile"
)

// downloadTries is how often a download is tried before its error is returned.
const downloadTries = 3

// stallTimeout is how long a server may go without sending anything.
var stallTimeout = 30 * time.Second

// errFinal marks a failure that a retry cannot fix. Its text is empty, since it is wrapped beside
// the error that says what failed.
var errFinal = errors.New("")

// download downloads the file want into the user's cache directory and returns its path there and
// its content. It goes on from FILE.part, which an interrupted download leaves; FILE appears
// only once its hash is right. Processes that download to the same folder take turns.
func (s *source) download(ctx context.Context, want file, opts Options) (string, []byte, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", nil, err
	}
	target := filepath.Join(cache, filepath.FromSlash(want.name))
	dir := filepath.Dir(target)
	folder, err := atomicfile.WaitForFolder(ctx, dir, func() { opts.Progress.Linef("waiting for another download to %s", dir) })
	if err != nil {
		return "", nil, err
	}
	defer folder.Close()
	if data, _, err := want.read(target); err == nil {
		return target, data, nil // another process has downloaded it while this one waited
	}
	part := target + ".part"
	if err := errors.Join(atomicfile.Replaceable(target), atomicfile.Replaceable(part)); err != nil {
		return "", nil, err
	}
	data, err := fetch(ctx, cmp.Or(opts.baseURL, s.url)+path.Base(want.name), part, want, opts)
	if err != nil {
		return "", nil, err
	}
	return target, data, atomicfile.Rename(part, target)
}

// fetch completes the file at the path part, which may have the beginning of the file at address
// from an earlier download, and returns its content once that matches the pin of want. It tries
// again after failures that may pass. If the content does not match, it deletes the file, and
// starts over if the earlier download may be the reason.
func fetch(ctx context.Context, address, part string, want file, opts Options) ([]byte, error) {
	for {
		info, err := os.Stat(part)
		resumed := err == nil && info.Size() > 0
		for try := 1; ; try++ {
			err := downloadPart(ctx, address, part, want, opts)
			if err == nil {
				break
			}
			if ctx.Err() != nil || try == downloadTries || errors.Is(err, errFinal) {
				return nil, cmp.Or(ctx.Err(), err)
			}
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
		opts.Progress.Linef("%v: starting over", err)
	}
}

// downloadPart appends to the file at the path part what it lacks of the file at address, up to
// the size of want. It returns an error if the rest does not arrive; what has arrived stays.
func downloadPart(ctx context.Context, address, part string, want file, opts Options) (err error) {
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("%w%w", errFinal, err)
	}
	defer f.Close()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil || have == want.bytes {
		return err
	}
	if have > want.bytes {
		if err := truncate(f); err != nil {
			return err
		}
		have = 0
	}
	// The context ends when the caller's does, or when the server sends nothing for too long.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(stallTimeout, func() { cancel(fmt.Errorf("%s sent nothing for %v", address, stallTimeout)) })
	defer stall.Stop()
	defer func() { // an error of the request says less than the cause of its end
		if err != nil && context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
	}()
	body, have, err := request(ctx, address, f, have)
	if err != nil {
		return err
	}
	defer body.Close()
	report := opts.Progress.Downloading(path.Base(address))
	arrived := have // bytes of the file that are here
	report(arrived, want.bytes)
	// One byte more than expected: a file that is too long fails its check.
	n, err := io.Copy(io.MultiWriter(f, writerFunc(func(p []byte) {
		stall.Reset(stallTimeout)
		arrived += int64(len(p))
		report(min(arrived, want.bytes), want.bytes)
	})), io.LimitReader(body, want.bytes-have+1))
	if err == nil && have+n < want.bytes {
		err = fmt.Errorf("%s ended after %d bytes, want %d: %w", address, have+n, want.bytes, io.ErrUnexpectedEOF)
	}
	return errors.Join(err, f.Sync())
}

// truncate empties a file, so that what is written next is at its beginning.
func truncate(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return errors.Join(err, f.Truncate(0))
}

// writerFunc is a writer that is called with each piece that is written to it.
type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
