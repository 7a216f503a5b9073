package backend

import (
	"strings"
	"testing"
)

func TestDeviceMemory(t *testing.T) {
	for _, test := range []struct {
		backend, variable string
		gpu, want         int64
		failed            string
	}{
		{backend: XLACPU, want: 0},
		{backend: Go, gpu: 8 << 30, want: 0},
		{backend: XLACUDA, gpu: 8 << 30, want: 6 << 30},
		{backend: XLACUDA, gpu: 0, want: 0}, // nvidia-smi does not tell
		{backend: XLACUDA, gpu: 8 << 30, variable: "1000000", want: 1000000},
		{backend: XLACPU, variable: "8GB", want: 8e9},
		{backend: Go, variable: "512 MiB", want: 512 << 20},
		{backend: Go, variable: "1.5gb", want: 15e8},
		{backend: Go, variable: "much", failed: `$AGE_DEVICE_MEMORY is "much": want a number of bytes`},
		{backend: Go, variable: "0", failed: "want a number of bytes"},
		{backend: Go, variable: "-1", failed: "want a number of bytes"},
	} {
		got, err := deviceMemory(Choice{Name: test.backend}, test.variable, func() int64 { return test.gpu })
		if test.failed != "" {
			if err == nil || !strings.Contains(err.Error(), test.failed) {
				t.Errorf("%+v: error %v, want one with %q", test, err, test.failed)
			}
			continue
		}
		if err != nil || got.Bytes != test.want {
			t.Errorf("%+v: %d bytes (%v)", test, got.Bytes, err)
		}
	}
}

// The answers are what nvidia-smi prints for two GPUs, and where the driver
// does not answer.
func TestFirstMiB(t *testing.T) {
	for answer, want := range map[string]int64{"81559\n40960\n": 81559 << 20, " 15360 \n": 15360 << 20, "[N/A]\n": 0, "": 0} {
		if got := firstMiB(answer); got != want {
			t.Errorf("%q: %d, want %d", answer, got, want)
		}
	}
}
