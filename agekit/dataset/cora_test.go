package dataset

import (
	"context"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite cora.bin.gz from the original files")

// TestEmbeddedCora compares the embedded copy with the original files.
func TestEmbeddedCora(t *testing.T) {
	s, err := find("cora")
	if err != nil {
		t.Fatal(err)
	}
	contents, _, err := s.gather(context.Background(), Options{Offline: true})
	if err != nil {
		t.Skipf("the original files are not on this machine: set AGEKIT_DATA (%v)", err)
	}
	want, err := readPlanetoid(s.files, contents)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := packCora(want)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("cora.bin.gz", packed, 0o644); err != nil {
			t.Fatal(err)
		}
		coraCompact = packed
	}
	got, err := unpackCora(coraCompact)
	if err != nil {
		t.Fatal(err)
	}
	if got.Fingerprint() != want.Fingerprint() || got.ListedEdges != want.ListedEdges {
		t.Errorf("embedded Cora differs from the original files: run go generate")
	}
	t.Logf("%d bytes", len(coraCompact))
}
