package experiment

import "time"

// clock estimates how long runs will take from the finished ones: those with
// the same method and data set, or if there are none, all of them.
type clock struct {
	kinds map[Run]seconds
	all   seconds
}

// seconds is the total time of some runs and their number.
type seconds struct {
	sum   float64
	count int
}

func (s seconds) mean() float64 { return s.sum / float64(max(1, s.count)) }

func (s seconds) plus(v float64) seconds { return seconds{s.sum + v, s.count + 1} }

func newClock(results *Results) *clock {
	c := &clock{kinds: map[Run]seconds{}}
	if results == nil {
		return c
	}
	for _, record := range results.records {
		c.add(record)
	}
	return c
}

// kind is r without the fields that hardly affect its time.
func kind(r Run) Run {
	r.Seed, r.Mode, r.K, r.Layers = 0, "", 0, 0
	return r
}

func (c *clock) add(record Record) {
	k := kind(record.Run)
	c.kinds[k] = c.kinds[k].plus(record.Seconds)
	c.all = c.all.plus(record.Seconds)
}

// estimate returns the time to execute the runs one after another.
func (c *clock) estimate(runs []Run) time.Duration {
	total := 0.0
	for _, r := range runs {
		if s := c.kinds[kind(r)]; s.count > 0 {
			total += s.mean()
		} else {
			total += c.all.mean()
		}
	}
	return time.Duration(total * float64(time.Second))
}
