package parquet

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/agekit/age/internal/limit"
)

// checkPages returns an error if the header of a page claims more bytes or values than the
// footer says that its column has. The library allocates what a header claims, while the
// memory that a file may take is checked by the footer.
func checkPages(ctx context.Context, f io.ReaderAt, groups []format.RowGroup) error {
	reader, protocol := bufio.NewReader(nil), thrift.CompactProtocol{}
	for _, g := range groups {
		for k := range g.Columns {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c := &g.Columns[k].MetaData
			start := c.DataPageOffset
			if d := c.DictionaryPageOffset; d > 0 && d < start {
				start = d
			}
			reader.Reset(io.NewSectionReader(f, start, c.TotalCompressedSize))
			for values := int64(0); values < c.NumValues; {
				var h format.PageHeader
				if err := thrift.NewDecoder(protocol.NewReader(reader)).Decode(&h); err != nil {
					break // the library says what is wrong
				}
				n := max(int64(h.DataPageHeader.V.NumValues), int64(h.DataPageHeaderV2.V.NumValues))
				values += n
				for _, claim := range []struct {
					what       string
					found, has int64
				}{
					{"values", values, c.NumValues},
					{"values in its dictionary", int64(h.DictionaryPageHeader.V.NumValues), max(c.NumValues, c.TotalUncompressedSize)},
					{"bytes", int64(h.CompressedPageSize), c.TotalCompressedSize},
					{"bytes, decompressed,", int64(h.UncompressedPageSize), c.TotalUncompressedSize},
				} {
					if claim.found > claim.has {
						return fmt.Errorf("damaged: pages of column %s claim %d %s: want %d at most, as its footer says", limit.Quote(lastOf(c.PathInSchema)), claim.found, claim.what, claim.has)
					}
				}
				if _, err := reader.Discard(max(0, int(h.CompressedPageSize))); err != nil || n <= 0 && h.Type != format.DictionaryPage {
					break
				}
			}
		}
	}
	return nil
}

// lastOf returns the name of a column.
func lastOf(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}
