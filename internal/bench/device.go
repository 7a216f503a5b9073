package bench

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/rss"
)

// watchGPU samples the memory in use on the first NVIDIA GPU until stop is called. Stop
// returns the peak minus what other programs used before, or 0 without such a GPU. XLA
// holds its memory until its process ends, so a few samples per second find the peak.
func watchGPU() (stop func() int64) {
	used := func() int64 {
		_, bytes := device.GPU()
		return bytes
	}
	before := used()
	if before == 0 {
		return func() int64 { return 0 }
	}
	return rss.Watch(300*time.Millisecond, before, used)
}

var lossInLog = regexp.MustCompile(`\bloss ([0-9]+\.[0-9]+),`)

// lastLoss returns the mean loss of the last epoch in a training's log, nil if there is none.
func lastLoss(log []byte) *float64 {
	found := lossInLog.FindAllSubmatch(log, -1)
	if found == nil {
		return nil
	}
	loss, _ := strconv.ParseFloat(string(found[len(found)-1][1]), 64)
	return &loss
}

// besideNative writes tables of the trainings that ran both on native and on another
// backend of the same machine.
func (f File) besideNative(w io.Writer) {
	times := markdownTable{head: []string{"job", "backend", "whole run", "speedup", "compile", "speedup without it", "filter", "select", "train", "cluster", "device memory, MB"}, text: 2}
	scores := markdownTable{head: []string{"job", "backend", "loss", "Davies–Bouldin", "ACC", "NMI", "ARI", "epoch"}, text: 2}
	for _, r := range f.Jobs {
		k := slices.IndexFunc(f.Jobs, func(n Row) bool {
			return n.Backend == backend.Native && r.Backend != backend.Native && n.Job == r.Job && n.Kind == r.Kind &&
				n.Machine == r.Machine && n.Fit != nil && r.Fit != nil
		})
		if k < 0 {
			continue
		}
		native := f.Jobs[k]
		a, b := native.Fit, r.Fit
		both := func(a, b float64) string { return seconds(a) + " → " + seconds(b) }
		memory := "–"
		if r.DeviceMemoryBytes > 0 {
			memory = comma(int(r.DeviceMemoryBytes >> 20))
		}
		times.add(r.Job, r.Backend, both(native.Seconds, r.Seconds), speedup(native.Seconds, r.Seconds),
			seconds(b.Seconds.Compile), speedup(native.Seconds, r.Seconds-b.Seconds.Compile),
			both(a.Seconds.Filter, b.Seconds.Filter), both(a.Seconds.Select, b.Seconds.Select),
			both(a.Seconds.Train, b.Seconds.Train), both(a.Seconds.Cluster, b.Seconds.Cluster), memory)
		scores.add(r.Job, r.Backend, difference(native.FinalLoss, r.FinalLoss), difference(&a.DBI, &b.DBI),
			difference(a.ACC, b.ACC), difference(a.NMI, b.NMI), difference(a.ARI, b.ARI), fmt.Sprintf("%d → %d", a.Epoch, b.Epoch))
	}
	if len(times.rows) == 0 {
		return
	}
	fmt.Fprint(w, "## Native and other backends\n\nTrainings that ran both on native and on another backend of the same machine, in seconds,\n"+
		"native → backend. Compilation, including the first run of each program, is part of the\n"+
		"stages. Device memory is the peak use on the first NVIDIA GPU, minus the use\n"+
		"before the run.\n\n")
	times.write(w)
	fmt.Fprint(w, "The backend's loss in the last epoch and its scores at the chosen epoch, with the\ndifference from native in parentheses.\n\n")
	scores.write(w)
}

func speedup(native, other float64) string { return fmt.Sprintf("×%.2f", native/other) }

// difference formats a value of another backend with its difference from native's.
func difference(native, other *float64) string {
	if native == nil || other == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f (%+.4f)", *other, *other-*native)
}
