package experiment

import "time"

// clock estimates how long runs will take from the finished ones of the same kind or, if
// there are none, from all, whose kind is Run{}.
type clock map[Run]seconds

// seconds is the total time of some runs and their number.
type seconds struct {
	sum   float64
	count int
}

// kind is r without the fields that hardly affect its time.
func kind(r Run) Run {
	r.Seed, r.Mode, r.K, r.Layers = 0, "", 0, 0
	return r
}

func (c clock) add(record Record) {
	for _, k := range []Run{kind(record.Run), {}} {
		c[k] = seconds{c[k].sum + record.Seconds, c[k].count + 1}
	}
}

// estimate returns the time to execute the runs one after another.
func (c clock) estimate(runs ...Run) time.Duration {
	total := 0.0
	for _, r := range runs {
		s := c[kind(r)]
		if s.count == 0 {
			s = c[Run{}]
		}
		total += s.sum / float64(max(1, s.count))
	}
	return time.Duration(total * float64(time.Second))
}
