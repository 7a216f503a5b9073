package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// checkPages returns an error if a page in some groups of rows is larger than the footer says: if its header
// claims more bytes or values than its column has, or if it has more bytes when decompressed. The library
// would allocate all of them, while the memory for a file is checked by what the footer says. Columns are
// the indices of the columns whose pages are checked; if there are none, all are. A column that is
// compressed by LZ4 is an error too: the library (0.32) reads LZ4 wrongly (its issue 608), and a damaged
// page of it until memory is full.
func checkPages(ctx context.Context, f io.ReaderAt, groups []format.RowGroup, columns ...int) error {
	check := pageCheck{f: f, reader: bufio.NewReader(nil)}
	for _, g := range groups {
		for k := range g.Columns {
			if len(columns) > 0 && !slices.Contains(columns, k) {
				continue
			}
			c := &g.Columns[k].MetaData
			if c.Codec == format.Lz4Raw {
				return fmt.Errorf("column %s is compressed by LZ4: want Snappy, gzip, Brotli, Zstandard or no compression", message.Quote(strings.Join(c.PathInSchema, ".")))
			}
			// The library reads the pages from the dictionary on, if there is one. If the page after the
			// dictionary is not where the footer says that the data begins, it may read from there too.
			start := c.DataPageOffset
			if c.DictionaryPageOffset != 0 {
				start = c.DictionaryPageOffset
			}
			second, err := check.pages(ctx, c, start, c.TotalCompressedSize)
			if err == nil && start != c.DataPageOffset && second != c.DataPageOffset {
				_, err = check.pages(ctx, c, c.DataPageOffset, c.TotalCompressedSize+start-c.DataPageOffset)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// decode reads a structure of the format, such as the header of a page, from r into the pointer into.
func decode(r io.Reader, into any) error {
	protocol := thrift.CompactProtocol{}
	return thrift.NewDecoder(protocol.NewReader(r)).Decode(into)
}

// ending is a reader that panics if it is read again and again after its end. The library (0.32) does so
// for a list of decimals: it takes the end for a number, up to two billion times.
type ending struct {
	io.Reader
	ends int // how many reads came after the end
}

// Read implements [io.Reader].
func (e *ending) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if n == 0 && err == io.EOF {
		const most = 100 // far more than any reader needs to notice the end
		if e.ends++; e.ends > most {
			panic("a list goes on after the end")
		}
	}
	return n, err
}

// pageCheck checks pages one after the other, with buffers that are used again.
type pageCheck struct {
	f      io.ReaderAt
	reader *bufio.Reader // reads the pages of a column
	page   bytes.Buffer  // the page that is checked
}

// pages checks the pages of a column c that are in size bytes of the file from start on, up to the first
// whose header cannot be decoded. It returns where in the file the second page begins, 0 if there is no
// first page.
func (p *pageCheck) pages(ctx context.Context, c *format.ColumnMetaData, start, size int64) (second int64, err error) {
	section := io.NewSectionReader(p.f, start, size)
	p.reader.Reset(&ending{Reader: section})
	most := min(c.TotalUncompressedSize, math.MaxInt32) // bytes in one page, which the format counts with 32 bits
	for values := int64(0); ; {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		var h format.PageHeader
		if err := decode(p.reader, &h); err != nil {
			return second, nil // the end; or the page is damaged, and the library will say so
		}
		values += max(0, int64(h.DataPageHeader.V.NumValues), int64(h.DataPageHeaderV2.V.NumValues))
		p.page.Reset()
		// The claimed size is not trusted: no more than the whole column is copied. An error means that the
		// file ends within the page.
		_, cut := io.CopyN(&p.page, p.reader, min(max(0, int64(h.CompressedPageSize)), c.TotalCompressedSize))
		for _, claim := range []struct {
			what       string
			found, has int64 // what the page claims or has so far, and what it may have at most
		}{
			{"values", values, c.NumValues},
			{"values in its dictionary", int64(h.DictionaryPageHeader.V.NumValues), max(c.NumValues, c.TotalUncompressedSize)},
			{"bytes", int64(h.CompressedPageSize), c.TotalCompressedSize},
			{"decompressed bytes", int64(h.UncompressedPageSize), most},
			{"decompressed bytes", decompressed(&h, p.page.Bytes(), c.Codec, most), most},
		} {
			if claim.found > claim.has {
				return 0, fmt.Errorf("damaged: pages of column %s claim %d %s: want %d at most, by the footer and the format", message.Quote(strings.Join(c.PathInSchema, ".")), claim.found, claim.what, claim.has)
			}
		}
		if second == 0 {
			offset, _ := section.Seek(0, io.SeekCurrent)
			second = start + offset - int64(p.reader.Buffered())
		}
		if cut != nil {
			return second, nil
		}
	}
}

// decompressed returns how many bytes a page with a header h has when decompressed by a codec. If there are
// more than most bytes, it returns some number above most. Of a damaged page it counts the bytes before the
// damage. Bytes that are not compressed, such as the levels of a second version's page, do not count unless
// the whole page is so.
func decompressed(h *format.PageHeader, page []byte, codec format.CompressionCodec, most int64) int64 {
	if h.Type == format.DataPageV2 { // whose levels, at its beginning, are never compressed
		v2 := &h.DataPageHeaderV2.V
		levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return int64(len(page))
		}
		if levels < 0 || levels > int64(len(page)) { // damaged
			return int64(len(page))
		}
		page = page[levels:]
	}
	var r io.Reader
	var err error
	switch codec {
	case format.Snappy: // which states the decompressed size at its beginning
		n, _ := binary.Uvarint(page)
		return int64(min(n, math.MaxInt64))
	case format.Gzip:
		r, err = gzip.NewReader(bytes.NewReader(page))
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(page))
	case format.Zstd:
		z, damaged := zstd.NewReader(bytes.NewReader(page), zstd.WithDecoderConcurrency(1))
		if r, err = z, damaged; err == nil {
			defer z.Close()
		}
	default:
		return int64(len(page))
	}
	if err != nil {
		return 0
	}
	n, _ := io.CopyN(io.Discard, r, most+1)
	return n
}
