package parquet

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/table"
)

// codecs are those that are read.
var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd}

// TestDecompressed compresses a MB of zeros by each codec: decompressed counts all bytes of the page,
// or one more than it may have. Levels before the data of a page of version 2 do not count, and pages
// that are damaged or not compressed count as they are.
func TestDecompressed(t *testing.T) {
	const size = 1 << 20
	for _, codec := range codecs[1:] {
		page, err := codec.Encode(nil, make([]byte, size))
		if err != nil {
			t.Fatal(err)
		}
		v1 := &format.PageHeader{Type: format.DataPage}
		v2 := &format.PageHeader{Type: format.DataPageV2}
		const levels = "abc" // before the data
		v2.DataPageHeaderV2.V.DefinitionLevelsByteLength = int32(len(levels))
		plain := &format.PageHeader{Type: format.DataPageV2}
		plain.DataPageHeaderV2.V.IsCompressed = thrift.New(false)
		for name, test := range map[string]struct {
			header     *format.PageHeader
			page       []byte
			most, want int64 // bytes that the page may have, and those that are counted
		}{
			"as claimed":           {v1, page, size, size},
			"more":                 {v1, page, 1000, 1001},
			"after levels":         {v2, slices.Concat([]byte(levels), page), size, size},
			"more, after levels":   {v2, slices.Concat([]byte(levels), page), 1000, 1001},
			"shorter than levels":  {v2, []byte("a"), size, 1},
			"marked as not packed": {plain, page, size, int64(len(page))},
		} {
			got := decompressed(test.header, test.page, codec.CompressionCodec(), test.most)
			if codec == codecs[1] && test.want == test.most+1 {
				test.want = size // Snappy states the size, which need not be counted
			}
			if got != test.want {
				t.Errorf("%v, %s: %d bytes, want %d", codec, name, got, test.want)
			}
		}
		if got := decompressed(v1, page[:len(page)/2], codec.CompressionCodec(), size); got > size {
			t.Errorf("%v, damaged: %d bytes", codec, got)
		}
	}
}

// TestCodecs writes a table by each codec and in both versions of pages, and reads it as a whole and,
// as edges, row by row. The numbers and the first words are those that were written; LZ4 is refused
// both ways.
func TestCodecs(t *testing.T) {
	type edge struct {
		Source int64  `parquet:"source"`
		Target int64  `parquet:"target"`
		Kind   string `parquet:"kind,dict,optional"`
	}
	var edges []edge
	var want []float64 // the sources
	for i := range int64(3000) {
		edges = append(edges, edge{Source: i % 50, Target: (i*i + 1) % 50, Kind: strings.Repeat("a", int(i%3))}) // the kind "" is a gap
		want = append(want, float64(i%50))
	}
	for _, version := range []int{1, 2} {
		for _, codec := range append(slices.Clone(codecs), &parquet.Lz4Raw) {
			path := filepath.Join(t.TempDir(), "e.parquet")
			if err := parquet.WriteFile(path, edges, parquet.Compression(codec), parquet.DataPageVersion(version)); err != nil {
				t.Fatal(err)
			}
			got, err := table.Read(t.Context(), path, table.Options{})
			_, building := input.Build(context.Background(), input.Source{Edges: path}, input.Building{Folder: filepath.Join(t.TempDir(), "g")})
			if codec == compress.Codec(&parquet.Lz4Raw) {
				for _, err := range []error{err, building} { // of reading as a whole, and by row
					if err == nil || !strings.Contains(err.Error(), `e.parquet: column "source" is compressed by LZ4: want Snappy`) {
						t.Errorf("LZ4: error %v", err)
					}
				}
				continue
			}
			if err != nil || building != nil {
				t.Errorf("%v, version %d: %v, %v", codec, version, err, building)
			} else if !slices.Equal(got.Columns[0].Numbers, want) || len(got.Columns) != 3 || fmt.Sprint(got.Columns[2].Codes[:4]) != "[-1 0 1 -1]" {
				t.Errorf("%v, version %d: %d columns, %v", codec, version, len(got.Columns), got.Columns[2].Codes[:4])
			}
		}
	}
}
