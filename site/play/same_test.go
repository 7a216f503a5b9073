package play

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"testing"

	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testutil"
)

var update = flag.Bool("update", false, "write testdata/same.json")

// same is a list of requests and what the last one replies. The browser test sends the
// same ones to the page.
type same struct {
	Requests []struct {
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args,omitempty"`
		Repeat int             `json:"repeat,omitempty"`
	} `json:"requests"`
	Rows     string  `json:"rows"`     // SHA-256 of the embedding's float32 numbers, little endian
	Clusters string  `json:"clusters"` // and of the clusters'
	Loss     float64 `json:"loss"`
}

// TestSame: the level without SIMD gives the bytes that the page gives, in Chromium. Neither
// has fused multiply-adds; arm64 has, so it differs in the last digits.
func TestSame(t *testing.T) {
	if runtime.GOARCH == "arm64" {
		t.Skip("arm64 fuses multiply-adds")
	}
	level := simd.Level()
	testutil.NoError(t, simd.SetLevel("go"))
	defer simd.SetLevel(level)
	const file = "testdata/same.json"
	text, err := os.ReadFile(file)
	testutil.NoError(t, err)
	var want same
	testutil.NoError(t, json.Unmarshal(text, &want))
	var p Player
	var last Reply
	for _, r := range want.Requests {
		for range max(1, r.Repeat) {
			if last, err = p.Call(t.Context(), Request{Name: r.Name, Args: r.Args}); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := last.Value.(Epoch)
	if !e.Done || e.Learned == nil || e.Learned.ACC == nil || *e.Learned.ACC < 0.5 {
		t.Errorf("the training ends with %+v, want a finished one that found more than half of the classes", e)
	}
	got := want
	got.Rows, got.Clusters, got.Loss = hash(last.Numbers["rows"]), hash(last.Numbers["clusters"]), *e.Loss
	if *update {
		text := testutil.Value(json.MarshalIndent(got, "", "  ")).OrFatal(t)
		testutil.NoError(t, os.WriteFile(file, append(text, '\n'), 0o600))
	} else if got.Rows != want.Rows || got.Clusters != want.Clusters || got.Loss != want.Loss {
		t.Errorf("rows %s, clusters %s, loss %v: want %s, %s, %v", got.Rows, got.Clusters, got.Loss, want.Rows, want.Clusters, want.Loss)
	}
}

func hash(numbers []float32) string {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, numbers) // a buffer takes all
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}
