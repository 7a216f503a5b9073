package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agekit/age/internal/message"
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
	// Others are the names of files that end as an entry does and are none. They are never removed.
	Others []string `json:"others,omitempty"`
}

// newCacheContent returns the content of a store in a folder, of which entries are listed, and the names of
// others that are none.
func newCacheContent(folder string, entries []store.Entry, others []string) cacheContent {
	c := cacheContent{Folder: folder, Entries: append([]store.Entry{}, entries...), Others: others} // not null in JSON
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
	all, others, err := store.Entries(dir)
	if err != nil {
		return err
	}
	content := newCacheContent(dir, all, others)
	return c.emit(rt, content, func(w io.Writer) { printCache(w, content) })
}

// cacheKind sums up the entries of one kind.
type cacheKind struct {
	name           string
	entries        int
	bytes          int64
	oldest, latest time.Time // when entries were last used
}

// cacheKinds sums up entries by kind. The entries are in the order of their last use, the latest first; the
// kinds are in the order of their size, the largest first.
func cacheKinds(entries []store.Entry) (kinds []cacheKind) {
	for _, e := range entries {
		i := slices.IndexFunc(kinds, func(k cacheKind) bool { return k.name == e.Kind })
		if i < 0 {
			i = len(kinds)
			kinds = append(kinds, cacheKind{name: e.Kind, latest: e.Used})
		}
		kinds[i].entries++
		kinds[i].bytes += e.Size
		kinds[i].oldest = e.Used // so far
	}
	slices.SortStableFunc(kinds, func(a, b cacheKind) int { return cmp.Compare(b.bytes, a.bytes) })
	return kinds
}

// printCache writes a line about the store, and one for each kind of entries.
func printCache(w io.Writer, c cacheContent) {
	fmt.Fprintf(w, "%s: %s, %s\n", c.Folder, english.Plural(len(c.Entries), "entry", ""), size(c.Bytes))
	printOthers(w, c.Others)
	if len(c.Entries) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kind\tentries\tsize\tlast used\toldest")
	for _, k := range cacheKinds(c.Entries) {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", k.name, k.entries, size(k.bytes), humanize.Time(k.latest), humanize.Time(k.oldest))
	}
	t.Flush()
}

// printOthers writes a line about the files that are no entries of the store, if there are some.
func printOthers(w io.Writer, names []string) {
	if len(names) > 0 {
		fmt.Fprintf(w, "not of this program, or damaged, and left as they are: %s, the first is %s\n",
			english.Plural(len(names), "file", ""), message.Quote(names[0]))
	}
}

// size returns bytes as text, such as 1.2 MB.
func size(bytes int64) string { return humanize.Bytes(uint64(bytes)) }

type cachePruneCmd struct {
	Older days `placeholder:"30d" help:"Remove what has not been used for so long: days (30d), or hours and minutes (12h, 90m)."`
	All   bool `help:"Remove all entries. Files that this program did not write stay."`
	jsonFlag
}

func (c *cachePruneCmd) Run(rt *Runtime) error {
	if hasAge := c.Older > 0; c.All == hasAge { // both, or none
		return misused("want --older with an age, or --all")
	}
	dir, err := store.Folder("")
	if err != nil {
		return err
	}
	before := time.Now().Add(-time.Duration(c.Older))
	if c.All {
		before = time.Now().AddDate(100, 0, 0) // far ahead, as clocks of other machines may be
	}
	removed, others, err := store.Prune(dir, before)
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w: try again when it has ended; nothing was removed", err)
	}
	if err != nil {
		return err
	}
	gone := newCacheContent(dir, removed, others)
	return c.emit(rt, gone, func(w io.Writer) {
		fmt.Fprintf(w, "%s: removed %s, %s\n", dir, english.Plural(len(removed), "entry", ""), size(gone.Bytes))
		printOthers(w, others)
	})
}

// days is an age, such as 30d or 12h.
type days time.Duration

// UnmarshalText parses a number of days, or what [time.ParseDuration] takes.
func (d *days) UnmarshalText(text []byte) error {
	number, inDays := strings.CutSuffix(string(text), "d")
	n, err := strconv.ParseFloat(number, 64)
	age := time.Duration(n * float64(24*time.Hour))
	if !inDays {
		age, err = time.ParseDuration(string(text))
	}
	const most = 36500 // days, a hundred years; a time.Duration holds less than three hundred
	if err != nil || age <= 0 || inDays && n > most {
		return fmt.Errorf("%s: want an age such as 30d or 12h", text)
	}
	*d = days(age)
	return nil
}
