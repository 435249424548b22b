package records

import (
	"io"
	"math"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
	"github.com/pkg/errors"
)

// A page is decoded as a whole, so these limits bound the memory for each column. Common programs write pages of 1 MiB, and
// no more than 100 MiB.
const (
	maxPage       = 256 << 20
	maxPageValues = 64 << 20
)

// checkPages reads the headers of the pages of a row group. The decoder would take the memory that a header asks for, even
// if the header is damaged.
func (p *parquetRows) checkPages(group *format.RowGroup) error {
	for i := range group.Columns {
		chunk := &group.Columns[i]
		column := &chunk.MetaData
		offset := column.DataPageOffset
		if column.DictionaryPageOffset != 0 {
			offset = column.DictionaryPageOffset
		}
		for _, part := range [][2]int64{{0, group.TotalCompressedSize}, {chunk.ColumnIndexOffset, int64(chunk.ColumnIndexLength)},
			{chunk.OffsetIndexOffset, int64(chunk.OffsetIndexLength)}, {column.BloomFilterOffset, int64(column.BloomFilterLength)}} {
			if part[0] > p.size-part[1] {
				return errors.Errorf("column %d: %d bytes from byte %d on go beyond the end of the file", i+1, part[1], part[0])
			}
		}
		pages := io.NewSectionReader(p.file, offset, column.TotalCompressedSize)
		isStart := column.TotalCompressedSize <= 0
		for at := int64(0); at < column.TotalCompressedSize; {
			page, length, err := readPageHeader(pages, at)
			if err != nil {
				return errors.WithMessagef(err, "page at byte %d of column %d", offset+at, i+1)
			}
			values := max(page.DataPageHeader.V.NumValues, page.DataPageHeaderV2.V.NumValues, page.DictionaryPageHeader.V.NumValues)
			if uint32(page.CompressedPageSize) > maxPage || uint32(page.UncompressedPageSize) > maxPage ||
				int64(values)*p.widths[i] > maxPageValues {
				return errors.Errorf("page at byte %d of column %d: %d bytes, %d after decompression, and %d values are "+
					"more than is read at once", offset+at, i+1, page.CompressedPageSize, page.UncompressedPageSize, values)
			}
			isStart = isStart || offset+at == column.DataPageOffset
			body := io.NewSectionReader(pages, at+length, int64(page.CompressedPageSize))
			inData := max(page.DataPageHeader.V.NumValues, page.DataPageHeaderV2.V.NumValues)
			if at += length + body.Size(); at > column.TotalCompressedSize || offset+at > p.size ||
				int64(inData) > column.NumValues || page.DictionaryPageHeader.V.NumValues/8 > page.UncompressedPageSize {
				return errors.Errorf("page before byte %d of column %d: its %d bytes or %d values exceed its column or the file",
					offset+at, i+1, body.Size(), values)
			}
			if err := checkContent(body, &page, p.pages[0].Columns[i].MetaData.Codec); err != nil {
				return errors.WithMessagef(err, "page before byte %d of column %d", offset+at, i+1)
			}
		}
		if !isStart { // the decoder begins there
			return errors.Errorf("no page of column %d begins at byte %d, where the footer has its data", i+1, column.DataPageOffset)
		}
	}
	return nil
}

// checkContent returns an error if a compressed page states a size that is not its header's. The decompressors for Snappy and zstd take
// memory for the stated size, and the one for LZ4 doubles its memory until damaged content fits.
func checkContent(page *io.SectionReader, header *format.PageHeader, codec format.CompressionCodec) (err error) {
	var v2 format.DataPageHeaderV2
	if header.Type == format.DataPageV2 && !header.DictionaryPageHeader.Valid {
		v2 = header.DataPageHeaderV2.V
	}
	levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength) // which are not compressed
	size, stored := int64(header.UncompressedPageSize), page.Size()-levels
	if levels < 0 || stored <= 0 || v2.IsCompressed.Valid && !v2.IsCompressed.V {
		return nil // the decoder compares them
	}
	if codec != format.Lz4Raw {
		stored = min(stored, zstd.HeaderMaxSize)
	}
	content, stated := make([]byte, stored), size
	if _, err = page.ReadAt(content, levels); err != nil {
		return errors.WithStack(err)
	}
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(content); err == nil {
			stated = int64(n)
		}
	case format.Zstd:
		var frame zstd.Header
		if frame.Decode(content) == nil && frame.HasFCS {
			stated = int64(min(frame.FrameContentSize, math.MaxInt64))
		}
	case format.Lz4Raw:
		_, err = lz4.UncompressBlock(content, make([]byte, min(size, 256*stored)))
	}
	if stated > size || stated < size-levels {
		return errors.Errorf("its content says that it has %d bytes, and its header says %d", stated, size)
	}
	return errors.WithStack(err)
}

// readPageHeader returns the header at an offset and its length. A header can hold the least and greatest values of its page.
func readPageHeader(pages *io.SectionReader, at int64) (header format.PageHeader, length int64, err error) {
	for _, size := range []int64{1 << 10, 1 << 20} {
		held := make([]byte, min(size, pages.Size()-at))
		if n, err := pages.ReadAt(held, at); err != nil && err != io.EOF {
			return header, 0, errors.WithStack(err)
		} else {
			held = held[:n]
		}
		var n int
		if n, err = measure(held); err == nil {
			return header, int64(n), errors.WithStack(thrift.Unmarshal(new(thrift.CompactProtocol), held[:n], &header))
		}
	}
	return header, 0, err
}
