package gomlx

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/files"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
	"github.com/gomlx/gomlx/core/tensors"
)

// plugin returns an XLA backend with four devices, as the CPU's has, or skips the test.
func plugin(t *testing.T) backend.Choice {
	t.Helper()
	for _, c := range choices(t) {
		if c.Plugin != "" && has(t, c, 4) {
			return c
		}
	}
	t.Skip("SEVERAL DEVICES ARE NOT TESTED: no XLA plugin with four")
	panic("skipped")
}

// TestDevicesAgree trains on one and four devices, encoding all nodes and only those of
// a share, with batches whose pairs cannot be divided evenly. The losses of ten epochs agree
// to 1e-5: sums have another order.
func TestDevicesAgree(t *testing.T) {
	choice, g := plugin(t), SmallGraph(t)
	for mode, batch := range map[pairs.Ranking]int{pairs.Exact: 301, pairs.Sampled: 41} { // the latter gathers
		c := Small()
		c.Ranking, c.BatchSize, c.EpochPairs, c.Anchors, c.Epochs = mode, batch, 205, 100, 10
		var want []float64
		for _, devices := range []int{1, 4} { // two: TestResumeOnOtherDevices
			r := MustTrain(t, g, c, Options{Backend: several(t, choice, devices)})
			if r.Devices != devices {
				t.Errorf("%v: %d devices, want %d", mode, r.Devices, devices)
			}
			losses := r.Members[0].Loss
			if want == nil {
				want = losses
				continue
			}
			t.Logf("%v on %d devices: losses differ by %.2g of their norm", mode, devices, distance(losses, want))
			for e := range want {
				near(t, "loss", losses[e], want[e], 1e-5)
			}
		}
	}
}

// TestDeviceShares takes steps on four devices with batches of 1 to 9 pairs, some of which
// leave devices without a pair. Losses and gradients are one device's, to 1e-6 and 1e-5 of
// their norm, all devices keep the same bits, and a step adds up one number per weight, one
// per bias and the loss.
func TestDeviceShares(t *testing.T) {
	choice, g := plugin(t), SmallGraph(t)
	_, in := inputs(t, g, Small().Filter)
	const d = 33
	f := in.Smoothed.Cols
	start := affine.InitialState(f, d, rand.New(rand.NewPCG(1, 1)))
	for _, most := range []int{9, 1000} { // the first gathers
		models := map[int]*model{}
		for _, devices := range []int{1, 4} {
			made := testutil.Value(several(t, choice, devices).NewModel(in, start, Probability, 0.001, most)).OrFatal(t)
			defer made.Close()
			if each, ok := made.(*gathered); ok {
				models[devices] = each.model
			} else {
				models[devices] = made.(*model)
			}
		}
		one, four := models[1], models[4]
		rnd := rand.New(rand.NewPCG(2, 2))
		for _, count := range []int{1, 2, 3, 4, 7, 9} {
			b := randomBatch(g.N(), count, rnd)
			wantLoss, want, err := one.Gradients(b)
			testutil.NoError(t, err)
			loss, got, err := four.Gradients(b)
			testutil.NoError(t, err)
			near(t, "loss", loss, wantLoss, 1e-6)
			if by := distance(append(got.W.Data, got.B...), append(want.W.Data, want.B...)); !(by < 1e-5) {
				t.Errorf("%d pairs: gradients differ by %v of their norm", count, by)
			}
			if _, err = four.Step(b); err != nil {
				t.Fatal(err)
			}
			// The next gradients are of the same weights.
			state := testutil.Value(four.State()).OrFatal(t)
			for k, w := range []affine.Weights{state.Weights, state.First, state.Second} {
				one.state(0)[2*k], one.state(0)[2*k+1] = weightTensors(w)
			}
		}
		for device := range 4 {
			for k := range 3 {
				first := testutil.Value(four.weights(four.state(0)[2*k], four.state(0)[2*k+1])).OrFatal(t)
				own := testutil.Value(four.weights(four.state(device)[2*k], four.state(device)[2*k+1])).OrFatal(t)
				if !slices.Equal(own.W.Data, first.W.Data) || !slices.Equal(own.B, first.B) {
					t.Errorf("part %d of the state on device %d differs from device 0", k, device)
				}
			}
		}
		if got, want := four.Usage().Summed, int64(4*(f*d+d+1)); got != want {
			t.Errorf("a step adds up %d bytes, want %d", got, want)
		}
		if got := one.Usage().Summed; got != 0 {
			t.Errorf("a step on one device adds up %d bytes", got)
		}
	}
}

func (m *model) state(device int) []*tensors.Tensor { return m.replicas[device].state[:] }

// TestResumeOnOtherDevices stops a training on four devices and goes on with four, two and
// one: with four it ends with the same bytes; with others, epochs that are done stay, the
// others' losses agree to 1e-5, and the log says that the number has changed.
func TestResumeOnOtherDevices(t *testing.T) {
	choice, g, c := plugin(t), SmallGraph(t), Small()
	c.Epochs = 10
	const stop = 7
	four := Options{Backend: several(t, choice, 4)}
	want := MustTrain(t, g, c, four)
	checkpoints := StopAfter(t, g, c, four, stop)
	for devices, line := range map[int]string{
		4: "resumed after epoch 7 of 10",
		2: "resumed after epoch 7 of 10; devices: 2 instead of 4, so sums are rounded differently from here on",
		1: "resumed after epoch 7 of 10; devices: 1 instead of 4, so sums are rounded differently from here on",
	} {
		copied := testutil.Value(files.OpenStore(t.TempDir())).OrFatal(t)
		testutil.NoError(t, os.CopyFS(copied.Dir, os.DirFS(checkpoints.Dir)))
		var log []string
		r := MustTrain(t, g, c, Options{Backend: several(t, choice, devices), Checkpoints: copied, Progress: func(e Event) { log = append(log, e.Message) }})
		if !slices.Contains(log, line) {
			t.Errorf("%d devices: log %q, want %q", devices, log, line)
		}
		if shared := slices.ContainsFunc(log, func(s string) bool { return strings.Contains(s, "devices shared the pairs") }); shared != (devices > 1) || r.Devices != devices {
			t.Errorf("%d devices in the result, want %d; log %q", r.Devices, devices, log)
		}
		if devices == 4 {
			SameResult(t, "resumed", r, want)
			continue
		}
		got, want := r.Members[0].Loss, want.Members[0].Loss
		if !slices.Equal(got[:stop], want[:stop]) {
			t.Errorf("losses %v before the checkpoint, want %v", got[:stop], want[:stop])
		}
		for e := stop; e < c.Epochs; e++ {
			near(t, "loss", got[e], want[e], 1e-5)
		}
	}
}

// TestTooManyDevices: the error says how many there are, also on backends that have one.
func TestTooManyDevices(t *testing.T) {
	g, c := SmallGraph(t), Small()
	for _, choice := range append(choices(t), backend.Choice{Name: backend.Native}) {
		_, err := Train(t.Context(), g, c, Options{Backend: several(t, choice, 64)})
		if err == nil || !strings.Contains(err.Error(), "64 devices wanted, found ") {
			t.Errorf("%s: error %v", choice.Name, err)
		}
	}
}
