package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
	"github.com/pkg/errors"
)

// Limits of a page, which is decoded as a whole. Common programs write pages of 1 MiB, and no more than 100 MiB.
const (
	maxPage       = 256 << 20
	maxPageValues = 64 << 20
)

// chunk reads the values of one column of a row group. The library's own reader believes what a page says of itself, reads bytes of an
// older page if LZ4 shrinks one little, and one true of eight in a run. Here the library only decodes, and the numbers are compared.
type chunk struct {
	column int
	typ    parquet.Type
	width  int // bytes of a value if all have the same number; else 0
	codec  format.CompressionCodec
	most   [2]byte           // the greatest repetition and definition level
	pages  *io.SectionReader // of the column
	at     int64             // where the next page begins
	left   int64             // number of values in the next pages

	dictionary parquet.Dictionary
	number     int // of values of the page, nulls included
	next, used int // number of values that are read, with and without nulls
	levels     [2][]byte
	items      parquet.Dictionary // the page's values without nulls, or what indexes count
	indexes    []int32            // of the page's values among the items; nil if the items are the values
}

// newChunk returns the reader of a column whose pages begin at the dictionary, or at the data without one.
func (p *parquetRows) newChunk(i int, m *format.ColumnMetaData) *chunk {
	leaf, begin := p.leaves[i], m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		begin = m.DictionaryPageOffset
	}
	return &chunk{column: i, typ: leaf.Type(), width: int(p.elements[i].TypeLength.V), codec: m.Codec, left: m.NumValues,
		most:  [2]byte{byte(leaf.MaxRepetitionLevel()), byte(leaf.MaxDefinitionLevel())},
		pages: io.NewSectionReader(p.file, begin, min(m.TotalCompressedSize, p.size-begin))}
}

// level returns the repetition level of the next value, which is 0 if it begins a record. The error is io.EOF after the last value.
func (c *chunk) level() (byte, error) {
	for c.next == c.number {
		if c.left == 0 {
			return 0, io.EOF
		}
		_, begin, _ := c.pages.Outer()
		begin += c.at
		if err := c.load(); err != nil {
			return 0, errors.WithMessagef(err, "page at byte %d of column %d", begin, c.column+1)
		}
	}
	if c.most[0] == 0 {
		return 0, nil
	}
	return c.levels[0][c.next], nil
}

// value returns the next value, which level has found.
func (c *chunk) value() parquet.Value {
	c.next++
	if c.most[1] > 0 && c.levels[1][c.next-1] != c.most[1] {
		return parquet.Value{}
	}
	at := int32(c.used)
	if c.used++; c.indexes != nil {
		at = c.indexes[at]
	}
	return c.items.Index(at)
}

// load reads the next page. It compares what the page says with the limits, the column and the file before it takes memory.
func (c *chunk) load() error {
	h, length, err := readPageHeader(c.pages, c.at)
	if err != nil {
		return err
	}
	number := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
	if uint32(h.CompressedPageSize) > maxPage || uint32(h.UncompressedPageSize) > maxPage ||
		int64(number)*int64(max(1, c.width)) > maxPageValues {
		return errors.Errorf("%d bytes, %d after decompression, and %d values are more than is read at once",
			h.CompressedPageSize, h.UncompressedPageSize, number)
	}
	c.at += length + int64(h.CompressedPageSize)
	if h.Type != format.DictionaryPage {
		c.left -= int64(number)
	}
	if c.at > c.pages.Size() || c.left < 0 || h.DictionaryPageHeader.V.NumValues/8 > h.UncompressedPageSize {
		return errors.Errorf("its %d bytes or %d values exceed its column or the file", h.CompressedPageSize, number)
	}
	page := make([]byte, h.CompressedPageSize)
	if _, err := c.pages.ReadAt(page, c.at-int64(len(page))); err != nil {
		return errors.WithStack(err)
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(page) {
		return errors.Errorf("its checksum is not %08x", uint32(h.CRC))
	}
	return c.decode(&h, page, int(number))
}

// decode makes the values of a page the next ones. It panics if a part of the page is longer than the page.
func (c *chunk) decode(h *format.PageHeader, page []byte, number int) (err error) {
	v1, v2 := &h.DataPageHeader.V, &h.DataPageHeaderV2.V
	of, codec, size := v1.Encoding, c.codec, int(h.UncompressedPageSize)
	var levels [2][]byte
	if h.Type == format.DataPageV2 { // its levels are not compressed
		of = v2.Encoding
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			codec = format.Uncompressed
		}
		for k, n := range [2]int32{v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength} {
			levels[k], page, size = page[:n], page[n:], size-int(n)
		}
	}
	if page, err = decompress(codec, page, size); err != nil {
		return err
	}
	if h.Type == format.DictionaryPage && number > 0 {
		c.dictionary, err = c.values(format.Plain, page, number)
	}
	if h.Type == format.DictionaryPage || number == 0 {
		return err
	}
	present := number
	for k, of := range [2]format.Encoding{v1.RepetitionLevelEncoding, v1.DefinitionLevelEncoding} {
		if c.most[k] == 0 {
			continue
		}
		if h.Type == format.DataPage {
			if of != format.RLE {
				return errors.Errorf("levels in the encoding %v are not read", of)
			}
			levels[k], page = prefixed(page)
		}
		width := bits.Len8(c.most[k])
		if err := checkRuns(levels[k], width, number); err != nil {
			return err
		}
		c.levels[k], err = (&rle.Encoding{BitWidth: width}).DecodeLevels(c.levels[k][:0], levels[k])
		if err != nil || len(c.levels[k]) < number {
			return errors.Errorf("it has %d of %d levels", len(c.levels[k]), number)
		}
		c.levels[k] = c.levels[k][:number]
		present = bytes.Count(c.levels[k], c.most[k:k+1]) // of the definition levels, which come last
	}
	c.number, c.next, c.used = number, 0, 0
	return c.open(of, page, present)
}

// prefixed returns the part of a page after its length, and the rest.
func prefixed(page []byte) (part, rest []byte) {
	n := 4 + int(binary.LittleEndian.Uint32(page))
	return page[4:n], page[n:]
}

// open makes the values that are present in a page the next ones.
func (c *chunk) open(of format.Encoding, data []byte, present int) (err error) {
	c.items, c.indexes = c.dictionary, nil
	isBool := c.typ.Kind() == parquet.Boolean
	if isBool { // indexes of one bit
		c.items = c.typ.NewDictionary(c.column, 2, encoding.BooleanValues([]byte{0b10}))
	}
	switch {
	case present == 0:
		return nil
	case isBool && of == format.Plain:
		data = append(binary.AppendUvarint([]byte{1}, uint64(len(data))<<1|1), data...)
	case isBool && of == format.RLE:
		data, _ = prefixed(data)
		data = append([]byte{1}, data...)
	case isBool || of != plainDictionary && of != format.RLEDictionary:
		c.items, err = c.values(of, data, present)
		return err
	}
	if data[0] == 0 { // some programs write no indexes of no bits
		c.indexes = make([]int32, present)
	} else if err := checkRuns(data[1:], int(data[0]), present); err != nil {
		return err
	} else if c.indexes, err = parquet.RLEDictionary.DecodeInt32(nil, slices.Clip(data)); err != nil {
		return errors.WithStack(err)
	}
	if len(c.indexes) < present {
		return errors.Errorf("it has %d of %d indexes", len(c.indexes), present)
	}
	c.indexes = c.indexes[:present]
	if items := c.items.Len(); slices.Min(c.indexes) < 0 || int(slices.Max(c.indexes)) >= items {
		return errors.Errorf("an index goes beyond a dictionary of %d values", items)
	}
	return nil
}

// spare is the number of values beyond a page's that runs and differences may state, since programs write whole groups of bits.
const spare = 1 << 16

// checkRuns returns an error if runs of levels or indexes state many more values than their page. The decoder would take memory for them.
func checkRuns(runs []byte, width, number int) error {
	for left := uint64(number) + spare; len(runs) > 0; {
		head, n := binary.Uvarint(runs)
		count, size := head>>1, (width+7)/8
		if count <= left && head&1 == 1 {
			count, size = 8*count, int(count)*width
		}
		if n <= 0 || count > left {
			return errors.Errorf("its runs have more values than the %d that its header says", number)
		}
		left, runs = left-count, runs[min(len(runs), n+size):]
	}
	return nil
}

// plainDictionary is the former name of indexes in a data page, which many writers still use.
const plainDictionary format.Encoding = 2

// values decodes a number of values. It is an error if the data has another number.
func (c *chunk) values(of format.Encoding, data []byte, number int) (parquet.Dictionary, error) {
	size := map[parquet.Kind]int{parquet.Int32: 4, parquet.Float: 4, parquet.Int64: 8, parquet.Double: 8, parquet.Int96: 12,
		parquet.FixedLenByteArray: c.width}[c.typ.Kind()]
	var memory []byte
	if of == format.Plain {
		if size > 0 { // fastparquet writes bytes after the last value
			data = data[:min(len(data), number*size)]
		}
		memory = data
	}
	for head, n, k := bytes.NewReader(data), uint64(0), 0; format.DeltaBinaryPacked <= of && of <= format.DeltaByteArray && k < 3; k++ {
		if n, _ = binary.ReadUvarint(head); k == 2 && n > uint64(number)+spare { // the decoder would take memory for them
			return nil, errors.Errorf("its values of %v in the encoding %v are %d, and its header says %d", c.typ, of, n, number)
		}
	}
	typ, narrow := c.typ, []int32(nil)
	isWide := of == format.DeltaBinaryPacked && typ.Kind() == parquet.Int32
	if isWide { // DuckDB writes differences of more than 32 bits
		typ = parquet.Int64Type
	}
	values, err := typ.Decode(typ.NewValues(memory, nil), data, parquet.LookupEncoding(of))
	if isWide && err == nil {
		for _, v := range values.Int64() {
			narrow = append(narrow, int32(v))
		}
		values = encoding.Int32Values(narrow)
	}
	if of == format.RLE || c.typ.Kind() < 0 {
		err = cmp.Or(err, encoding.ErrNotSupported)
	}
	if err != nil {
		return nil, errors.Errorf("values of %v in the encoding %v are not read: %v", c.typ, of, err)
	}
	if content, offsets := values.Data(); size > 0 && len(content) != number*size || size == 0 && len(offsets) <= number {
		return nil, errors.Errorf("its values of %v in the encoding %v are not %d, as its header says", c.typ, of, number)
	}
	return c.typ.NewDictionary(c.column, number, values), nil
}

// decompress returns the content of a page, which must have the size that the page's header says. It takes no memory for another size.
func decompress(codec format.CompressionCodec, page []byte, size int) (content []byte, err error) {
	if codec == format.Uncompressed && len(page) == size || size == 0 {
		return page[:size], nil
	}
	most := min(size, 256*len(page)) // LZ4 cannot have more
	content = make([]byte, most, most+bytes.MinRead)
	n, stream := size, io.Reader(nil)
	switch codec {
	case format.Uncompressed:
		n = len(page)
	case format.Snappy:
		if n, err = snappy.DecodedLen(page); err == nil && n == size {
			content, err = snappy.Decode(content, page)
		}
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(page, content)
	case format.Zstd:
		stream, err = zstd.NewReader(bytes.NewReader(page), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
			zstd.WithDecoderLowmem(true))
	case format.Gzip:
		stream, err = gzip.NewReader(bytes.NewReader(page))
	case format.Brotli:
		stream = brotli.NewReader(bytes.NewReader(page))
	default:
		return nil, errors.Errorf("compression %v is not read; write the table again, compressed by zstd", codec)
	}
	if stream != nil && err == nil {
		b := bytes.NewBuffer(content[:0])
		_, err = b.ReadFrom(io.LimitReader(stream, int64(size)+1))
		content, n = b.Bytes(), b.Len()
	}
	if err == nil && n != size {
		err = errors.Errorf("its content has %d bytes, and its header says %d", n, size)
	}
	return content, errors.Wrapf(err, "%v", codec)
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
