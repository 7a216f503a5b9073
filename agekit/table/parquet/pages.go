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

// checkPages returns an error if the header of a page claims more bytes or values than the
// footer says that its column has, or if the page has more when decompressed: the library
// allocates all of it, while the memory that a file may take is checked by the footer. It
// looks at some columns, by their number, or at all, and refuses LZ4, which the library
// (0.32) reads wrongly (its issue 608), and from a damaged page until memory is full.
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
			// The library reads from the dictionary on, or moves to the data pages.
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

// decode reads a header.
func decode(r io.Reader, into any) error {
	protocol := thrift.CompactProtocol{}
	return thrift.NewDecoder(protocol.NewReader(r)).Decode(into)
}

// ending panics if it is read again and again after its end. The library (0.32) does so for
// a list of decimals: it takes the end for a number, up to two billion times.
type ending struct {
	io.Reader
	ends int
}

func (e *ending) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if n == 0 && err == io.EOF {
		if e.ends++; e.ends > 100 {
			panic("a list goes on after the end")
		}
	}
	return n, err
}

// pageCheck looks at pages one after the other.
type pageCheck struct {
	f      io.ReaderAt
	reader *bufio.Reader
	page   bytes.Buffer
}

// pages checks the pages of a column in some bytes of the file, from a place on, and returns
// the place of the second one.
func (p *pageCheck) pages(ctx context.Context, c *format.ColumnMetaData, start, size int64) (second int64, err error) {
	section := io.NewSectionReader(p.f, start, size)
	p.reader.Reset(&ending{Reader: section})
	most := min(c.TotalUncompressedSize, math.MaxInt32) // bytes of a page, which the format counts with 32 bits
	for values := int64(0); ; {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		var h format.PageHeader
		if err := decode(p.reader, &h); err != nil {
			return second, nil // the end, or the library says what is wrong
		}
		values += max(0, int64(h.DataPageHeader.V.NumValues), int64(h.DataPageHeaderV2.V.NumValues))
		p.page.Reset()
		_, cut := io.CopyN(&p.page, p.reader, min(max(0, int64(h.CompressedPageSize)), c.TotalCompressedSize))
		for _, claim := range []struct {
			what       string
			found, has int64
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

// decompressed returns how many bytes a page has when decompressed, or one more than most
// if there are more. Of damaged pages it counts those before the damage.
func decompressed(h *format.PageHeader, page []byte, codec format.CompressionCodec, most int64) int64 {
	if h.Type == format.DataPageV2 { // its levels, in front, are not compressed
		v2 := &h.DataPageHeaderV2.V
		levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
		if levels < 0 || levels > int64(len(page)) || v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return int64(len(page))
		}
		page = page[levels:]
	}
	var r io.Reader
	var err error
	switch codec {
	case format.Snappy: // states it
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
