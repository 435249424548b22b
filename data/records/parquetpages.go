package records

import (
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
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
func checkPages(file io.ReaderAt, group *format.RowGroup) error {
	for i := range group.Columns {
		column := &group.Columns[i].MetaData
		offset := column.DataPageOffset
		if column.DictionaryPageOffset != 0 {
			offset = column.DictionaryPageOffset
		}
		pages := io.NewSectionReader(file, offset, column.TotalCompressedSize)
		for at := int64(0); at < column.TotalCompressedSize; {
			page, length, err := readPageHeader(pages, at)
			if err != nil {
				return errors.WithMessagef(err, "page at byte %d of column %d", offset+at, i+1)
			}
			values := max(page.DataPageHeader.V.NumValues, page.DataPageHeaderV2.V.NumValues, page.DictionaryPageHeader.V.NumValues)
			if page.CompressedPageSize < 0 || page.CompressedPageSize > maxPage || page.UncompressedPageSize > maxPage || values > maxPageValues {
				return errors.Errorf("page at byte %d of column %d: %d bytes, %d after decompression, and %d values are more than is read at once",
					offset+at, i+1, page.CompressedPageSize, page.UncompressedPageSize, values)
			}
			at += length + int64(page.CompressedPageSize)
		}
	}
	return nil
}

// readPageHeader returns the header at an offset and its length. A header can hold the least and greatest values of its page.
func readPageHeader(pages *io.SectionReader, at int64) (header format.PageHeader, length int64, err error) {
	var protocol thrift.CompactProtocol
	for _, size := range []int64{1 << 10, 1 << 20} {
		held := make([]byte, min(size, pages.Size()-at))
		if n, err := pages.ReadAt(held, at); err != nil && err != io.EOF {
			return header, 0, errors.WithStack(err)
		} else {
			held = held[:n]
		}
		header = format.PageHeader{}
		reader := protocol.NewReaderFromBytes(held)
		if err = thrift.NewDecoder(reader).Decode(&header); err == nil {
			return header, int64(reader.BytesRead()), nil
		}
	}
	return header, 0, errors.WithStack(err)
}
