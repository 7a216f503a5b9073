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

var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd}

// TestDecompressed: a page is counted to its end, or to where it is too large.
func TestDecompressed(t *testing.T) {
	const size = 1 << 20
	for _, codec := range codecs[1:] {
		page, err := codec.Encode(nil, make([]byte, size))
		if err != nil {
			t.Fatal(err)
		}
		v1 := &format.PageHeader{Type: format.DataPage}
		v2 := &format.PageHeader{Type: format.DataPageV2}
		v2.DataPageHeaderV2.V.DefinitionLevelsByteLength = 3
		plain := &format.PageHeader{Type: format.DataPageV2}
		plain.DataPageHeaderV2.V.IsCompressed = thrift.New(false)
		for name, test := range map[string]struct {
			header     *format.PageHeader
			page       []byte
			most, want int64
		}{
			"as claimed":           {v1, page, size, size},
			"more":                 {v1, page, 1000, 1001},
			"after levels":         {v2, slices.Concat([]byte("abc"), page), size, size},
			"more, after levels":   {v2, slices.Concat([]byte("abc"), page), 1000, 1001},
			"shorter than levels":  {v2, []byte("a"), size, 1},
			"marked as not packed": {plain, page, size, int64(len(page))},
		} {
			got := decompressed(test.header, test.page, codec.CompressionCodec(), test.most)
			if codec == codecs[1] && test.want == test.most+1 {
				test.want = size // Snappy states it
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

// TestCodecs: files of every codec and both versions of pages are read, but for LZ4, which
// is refused, also where edges are read row by row.
func TestCodecs(t *testing.T) {
	type edge struct {
		Source int64  `parquet:"source"`
		Target int64  `parquet:"target"`
		Kind   string `parquet:"kind,dict,optional"`
	}
	var edges []edge
	var want []float64
	for i := range int64(3000) {
		edges, want = append(edges, edge{i % 50, (i*i + 1) % 50, strings.Repeat("a", int(i%3))}), append(want, float64(i%50))
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
				for _, err := range []error{err, building} {
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
