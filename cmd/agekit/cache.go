package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agekit/age/internal/store"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

type cacheCmd struct {
	List  cacheListCmd  `cmd:"" help:"Say what the store holds."`
	Prune cachePruneCmd `cmd:"" help:"Remove what has not been used for long."`
}

type cacheListCmd struct{ jsonFlag }

// cacheContent is what `agekit cache list --json` prints.
type cacheContent struct {
	Folder  string        `json:"folder"`
	Bytes   int64         `json:"bytes"`
	Entries []store.Entry `json:"entries"`
}

func newCacheContent(folder string, entries []store.Entry) cacheContent {
	c := cacheContent{Folder: folder, Entries: append([]store.Entry{}, entries...)}
	for _, e := range entries {
		c.Bytes += e.Size
	}
	return c
}

func (c *cacheListCmd) Run(rt *Runtime) error {
	dir, err := store.Folder("")
	if err != nil {
		return err
	}
	all, err := store.Entries(dir)
	if err != nil {
		return err
	}
	content := newCacheContent(dir, all)
	return c.emit(rt, content, func(w io.Writer) { printCache(w, content) })
}

// printCache writes a line for each kind, the largest first.
func printCache(w io.Writer, c cacheContent) {
	fmt.Fprintf(w, "%s: %s, %s\n", c.Folder, english.Plural(len(c.Entries), "entry", ""), size(c.Bytes))
	if len(c.Entries) == 0 {
		return
	}
	type kind struct {
		name          string
		entries       int
		bytes         int64
		first, latest time.Time // when entries were last used
	}
	var kinds []kind
	for _, e := range c.Entries { // the latest first
		k := slices.IndexFunc(kinds, func(k kind) bool { return k.name == e.Kind })
		if k < 0 {
			k, kinds = len(kinds), append(kinds, kind{name: e.Kind, latest: e.Used})
		}
		kinds[k].entries++
		kinds[k].bytes += e.Size
		kinds[k].first = e.Used
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return int(min(1, max(-1, b.bytes-a.bytes))) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kind\tentries\tsize\tlast used\toldest")
	for _, k := range kinds {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", k.name, k.entries, size(k.bytes), humanize.Time(k.latest), humanize.Time(k.first))
	}
	t.Flush()
}

func size(bytes int64) string { return humanize.Bytes(uint64(bytes)) }

type cachePruneCmd struct {
	Older days `placeholder:"30d" help:"Remove what has not been used for so long: days (30d), or hours and minutes (12h, 90m)."`
	All   bool `help:"Remove everything."`
	jsonFlag
}

func (c *cachePruneCmd) Run(rt *Runtime) error {
	if c.All == (c.Older > 0) {
		return misused("want --older with an age, or --all")
	}
	dir, err := store.Folder("")
	if err != nil {
		return err
	}
	before := time.Now().Add(-time.Duration(c.Older))
	if c.All {
		before = time.Now().AddDate(100, 0, 0) // clocks of other machines may be ahead
	}
	removed, err := store.Prune(dir, before)
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w: try again when it has ended; nothing was removed", err)
	}
	if err != nil {
		return err
	}
	content := newCacheContent(dir, removed)
	return c.emit(rt, content, func(w io.Writer) {
		fmt.Fprintf(w, "%s: removed %s, %s\n", dir, english.Plural(len(removed), "entry", ""), size(content.Bytes))
	})
}

// days is a time, such as 30d or 12h.
type days time.Duration

// UnmarshalText parses a number of days, or what [time.ParseDuration] takes.
func (d *days) UnmarshalText(text []byte) error {
	count, inDays := strings.CutSuffix(string(text), "d")
	n, err := strconv.ParseFloat(count, 64)
	took := time.Duration(n * float64(24*time.Hour))
	if !inDays {
		took, err = time.ParseDuration(string(text))
	}
	const longest = 36500 // days
	if err != nil || took <= 0 || n > longest {
		return fmt.Errorf("%s: want an age such as 30d or 12h", text)
	}
	*d = days(took)
	return nil
}
