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

// sameReplies is a list of requests and what is in the reply to the last one. The browser test sends the same
// requests to the page.
type sameReplies struct {
	Requests []struct {
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args,omitempty"`
		Repeat int             `json:"repeat,omitempty"` // how often it is sent; 0 is once
	} `json:"requests"`
	Rows     string  `json:"rows"`     // SHA-256 of the embedding's float32 numbers, little endian
	Clusters string  `json:"clusters"` // and of the clusters'
	Loss     float64 `json:"loss"`
}

// TestSame: the requests in testdata/same.json, a training, have the reply that is in the file, byte for byte,
// at the level without SIMD. The browser test compares the page's reply in Chromium with the same file. Both
// compute without fused multiply-adds; arm64 has them, and differs in the last digits. With -update, the
// file is written.
func TestSame(t *testing.T) {
	if runtime.GOARCH == "arm64" {
		t.Skip("arm64 fuses multiply-adds")
	}
	level := simd.Level()
	testutil.NoError(t, simd.SetLevel("go"))
	defer simd.SetLevel(level)
	const file = "testdata/same.json"
	var want sameReplies
	testutil.NoError(t, json.Unmarshal(testutil.Value(os.ReadFile(file)).OrFatal(t), &want))
	var p Player
	var last Reply
	for _, r := range want.Requests {
		for range max(1, r.Repeat) {
			last = ask(t, &p, r.Name, string(r.Args))
		}
	}
	e := last.Value.(Epoch)
	if !e.Done || e.Learned == nil || e.Learned.ACC == nil || *e.Learned.ACC < 0.5 {
		t.Errorf("the training ends with %+v, want a finished one that found more than half of the classes", e)
	}
	got := sameReplies{Requests: want.Requests, Rows: hash(last.Numbers["rows"]), Clusters: hash(last.Numbers["clusters"]), Loss: *e.Loss}
	if *update {
		text := testutil.Value(json.MarshalIndent(got, "", "  ")).OrFatal(t)
		testutil.NoError(t, os.WriteFile(file, append(text, '\n'), 0o600))
	} else if got.Rows != want.Rows || got.Clusters != want.Clusters || got.Loss != want.Loss {
		t.Errorf("rows %s, clusters %s, loss %v: want %s, %s, %v", got.Rows, got.Clusters, got.Loss, want.Rows, want.Clusters, want.Loss)
	}
}

// hash returns the SHA-256 of float32 numbers, in hexadecimal digits.
func hash(numbers []float32) string {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, numbers) // a buffer takes all
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}
