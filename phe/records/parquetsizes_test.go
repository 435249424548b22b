package records

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"gophe/phe/disk/filetest"
)

// number is a place of a Thrift structure that holds a number: the size of a list or string, or a value.
type number struct {
	from, to int
	list     thrift.Type // of the items, if it is the size of a list
	isValue  bool
}

// numbers reads a structure and keeps the places of its numbers.
type numbers struct {
	thrift.BytesReader
	found []number
}

func (n *numbers) ReadList() (thrift.List, error) {
	from := n.BytesRead()
	list, err := n.BytesReader.ReadList()
	n.found = append(n.found, number{from: from, to: n.BytesRead(), list: list.Type})
	return list, err
}

func (n *numbers) ReadBytes() ([]byte, error) {
	from := n.BytesRead()
	b, err := n.BytesReader.ReadBytes()
	n.found = append(n.found, number{from: from, to: n.BytesRead() - len(b)})
	return b, err
}

func (n *numbers) ReadInt64() (int64, error) {
	from := n.BytesRead()
	v, err := n.BytesReader.ReadInt64()
	n.found = append(n.found, number{from: from, to: n.BytesRead(), isValue: true})
	return v, err
}

// changed calls each with copies of a structure, each with one number changed.
func changed(t testing.TB, structure []byte, sizes []int64, each func(what string, n number, structure []byte)) {
	t.Helper()
	n := &numbers{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(structure)}
	filetest.Check(t, (&sized{n, 1 << 20}).pass(1, thrift.STRUCT, 0))
	for _, at := range n.found {
		for _, size := range sizes {
			to := binary.AppendUvarint(nil, uint64(size))
			switch {
			case at.isValue:
				to = binary.AppendVarint(nil, size)
			case at.list > 0:
				to = append([]byte{0xf0 | byte(at.list)}, to...)
			}
			each(fmt.Sprintf("%d in place of bytes %d to %d", size, at.from, at.to), at, slices.Concat(structure[:at.from], to,
				structure[at.to:]))
		}
	}
}

// footed returns the content of a Parquet file with a footer.
func footed(content, footer []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(slices.Concat(content, footer), uint32(len(footer))), parquetMagic...)
}

// changedPages calls each with copies of a file, each with one number of a page's header changed.
func changedPages(t *testing.T, content, footer []byte, sizes []int64, each func(what string, n number, file []byte)) {
	t.Helper()
	decoded := func() (m format.FileMetaData) {
		filetest.Check(t, thrift.Unmarshal(new(thrift.CompactProtocol), footer, &m))
		return m
	}
	for i, c := range decoded().RowGroups[0].Columns {
		from := c.MetaData.DataPageOffset
		if c.MetaData.DictionaryPageOffset > 0 {
			from = c.MetaData.DictionaryPageOffset
		}
		for at := from; at < from+c.MetaData.TotalCompressedSize; {
			header, length, err := readPageHeader(io.NewSectionReader(bytes.NewReader(content), at, int64(len(content))-at), 0)
			filetest.Check(t, err)
			changed(t, content[at:at+length], sizes, func(what string, n number, b []byte) {
				m, more := decoded(), int64(len(b))-length
				for k := range m.RowGroups[0].Columns {
					data := &m.RowGroups[0].Columns[k].MetaData
					for _, offset := range []*int64{&data.DataPageOffset, &data.DictionaryPageOffset} {
						if *offset > at {
							*offset += more
						}
					}
					if k == i {
						data.TotalCompressedSize += more
					}
				}
				file := slices.Concat(content[:at], b, content[at+length:])
				b = filetest.Must(thrift.Marshal(new(thrift.CompactProtocol), &m))(t)
				each(fmt.Sprintf("page at %d of column %d: %s", at, i, what), n, footed(file, b))
			})
			at += length + int64(header.CompressedPageSize)
		}
	}
}

// readsWithin reads a file, and fails if that takes much memory.
func readsWithin(t *testing.T, file []byte, what string) (err error) {
	t.Helper()
	took := filetest.Allocated(func() {
		var p *parquetRows
		for p, err = newParquet(bytes.NewReader(file), int64(len(file)), "t"); err == nil; {
			_, err = p.read()
		}
	})
	filetest.True(t, took <= 32<<20, "%s: %d MB for a file of %d bytes: %v", what, took>>20, len(file), err)
	return err
}

// TestParquetSizes sets each number of the footer and of the page headers of small files to a large one. Each list and string that is
// too long is an error, and no file takes memory for what it lacks.
func TestParquetSizes(t *testing.T) {
	files := [][]byte{filetest.Must(os.ReadFile("testdata/int96.parquet"))(t),
		written(t, 3, parquet.DataPageVersion(2), parquet.Compression(&parquet.Snappy))}
	sizes := []int64{math.MaxInt32, 1 << 16}
	if filetest.Long() {
		sizes = append(sizes, math.MaxUint32, math.MaxInt64, -1, math.MinInt32, 1<<22)
		files = append(files, filetest.Must(os.ReadFile("testdata/types.parquet"))(t))
		for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli, &parquet.Lz4Raw} {
			files = append(files, written(t, 3, parquet.Compression(codec)), written(t, 3, parquet.DataPageVersion(2),
				parquet.Compression(codec)))
		}
	}
	for i, file := range files {
		end := len(file) - 8
		begin := end - int(binary.LittleEndian.Uint32(file[end:]))
		check := func(what string, n number, file []byte) {
			err := readsWithin(t, file, fmt.Sprintf("file %d, %s", i, what))
			filetest.True(t, err != io.EOF || n.isValue, "file %d, %s: no error", i, what)
		}
		changed(t, file[begin:end], sizes, func(what string, n number, footer []byte) {
			check("footer: "+what, n, footed(file[:begin], footer))
		})
		changedPages(t, file[:begin], file[begin:end], sizes, check)
	}
}

// A page has the number of bytes and values that its header says, or it is an error.
func TestPageCounts(t *testing.T) {
	text := bytes.Repeat([]byte("ab"), 300)
	filetest.WantError(t, filetest.Failure(decompress(format.LZO, text, 9)), "compression LZO is not read")
	for _, id := range []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd,
		format.Lz4Raw} {
		codec := parquet.LookupCompressionCodec(id)
		page := filetest.Must(codec.Encode(nil, text))(t)
		for size := len(text) - 1; size <= len(text)+1; size++ {
			got, err := decompress(id, page, size)
			isRight := err == nil && bytes.Equal(got, text)
			filetest.True(t, isRight == (size == len(text)) && isRight == (err == nil), "%v, %d bytes: %v", codec, size, err)
		}
	}
	c := &chunk{typ: parquet.Int32Type}
	c.dictionary = filetest.Must(c.values(format.Plain, make([]byte, 8), 2))(t)
	for of, data := range map[format.Encoding][]byte{format.Plain: make([]byte, 12), format.ByteStreamSplit: make([]byte, 12),
		format.DeltaBinaryPacked: filetest.Must(parquet.DeltaBinaryPacked.EncodeInt32(nil, []int32{7, 8, 9}))(t),
		format.RLEDictionary:     {2, 3 << 1, 1}} {
		for number := 2; number <= 4; number++ {
			err := c.open(of, data, number)
			cut := of == format.RLEDictionary || of == format.Plain // as it may have more
			filetest.True(t, err == nil == (number == 3 || cut && number == 2), "%v, %d values: %v", of, number, err)
		}
	}
	filetest.WantError(t, c.open(format.RLEDictionary, []byte{2, 3 << 1, 2}, 3), "an index goes beyond a dictionary of 2 values")
	for _, of := range []format.Encoding{format.DeltaByteArray, format.RLE} {
		err := c.open(of, text, 9)
		filetest.WantError(t, err, "values of INT32 in the encoding "+of.String()+" are not read: ")
		filetest.WantNone(t, err.Error(), "nil")
	}
	most := slices.Clip(binary.AppendUvarint(nil, (11+spare)<<1))
	for _, test := range []struct {
		runs  []byte
		width int
		few   bool
	}{
		{[]byte("\x06\x01\x05\x07\x03"), 1, true}, {[]byte("\x06\xff\xff\xfe\xff\x07\x01\x01"), 9, true},
		{append(bytes.Repeat([]byte{0xff}, 18), 6, 1, 1), 9, false}, {slices.Concat([]byte{5}, bytes.Repeat([]byte{0xff}, 18), []byte{6,
			1, 1}), 9, true},
		{append(most, 1), 1, true}, {append(most, 1, 2, 1), 1, false}, {append(most, 1, 3, 1), 1, false}, {[]byte("\xff"), 1, false},
		{binary.AppendUvarint(nil, math.MaxUint64), 1, false}, {binary.AppendUvarint(nil, spare<<1|1), 1, false},
	} {
		err := checkRuns(test.runs, test.width, 11)
		filetest.True(t, err == nil == test.few, "runs %x of width %d: %v", test.runs, test.width, err)
	}
	long := binary.AppendUvarint(nil, 1<<31)
	short := &format.PageHeader{Type: format.DataPage, UncompressedPageSize: 9}
	short.DataPageHeader.V.DefinitionLevelEncoding = format.RLE
	took := filetest.Allocated(func() {
		for of, data := range map[format.Encoding][]byte{format.RLEDictionary: append([]byte{1}, long...),
			format.DeltaBinaryPacked: slices.Concat([]byte{1, 1}, long), format.DeltaLengthByteArray: slices.Concat([]byte{1, 1}, long)} {
			filetest.WantError(t, c.open(of, data, 9), "its header says")
		}
		c.most = [2]byte{0, 1}
		filetest.WantError(t, c.decode(short, append([]byte{5, 0, 0, 0}, long...), 9), "its header says")
	})
	filetest.True(t, took < 1<<20, "pages of ten bytes take %d", took)
	short.UncompressedPageSize = 6
	filetest.WantError(t, c.decode(short, []byte{2, 0, 0, 0, 8 << 1, 1}, 9), "it has 8 of 9 levels")
}

// TestParquetContent damages what a page says of itself, and where the footer looks for pages.
func TestParquetContent(t *testing.T) {
	deep := footed([]byte(parquetMagic), bytes.Repeat([]byte{0x1c}, 1<<20))
	column := format.ColumnChunk{MetaData: format.ColumnMetaData{EncodingStats: make([]format.PageEncodingStats, 9)}}
	wide := format.FileMetaData{RowGroups: []format.RowGroup{{Columns: slices.Repeat([]format.ColumnChunk{column}, 1<<15)}}}
	_, err := measure(filetest.Must(thrift.Marshal(new(thrift.CompactProtocol), &wide))(t))
	filetest.True(t, err == nil, "many columns with statistics, as pyarrow writes them: %v", err)
	many := footed([]byte(parquetMagic), append([]byte{0x19, 0xfc, 0x80, 0x80, 0x10}, make([]byte, 1<<18)...))
	for _, test := range []struct {
		name   string
		codec  compress.Codec
		damage func(page []byte, column *format.ColumnMetaData)
		file   []byte
		want   string
	}{
		{name: "a deep footer", file: deep, want: "metadata: byte 33 of its structure: 1 items at level 33 are too many, or too deep"},
		{name: "many structures", file: many, want: "262144 items at level 2 are too many"},
		{name: "a long footer", file: footed([]byte(parquetMagic), make([]byte, maxFooter+1)),
			want: "has a footer of 16777217 bytes, and at"},
		{name: "a page's bytes", codec: &parquet.Snappy, want: "page at byte 4 of column 1: its checksum is not ",
			damage: func(page []byte, _ *format.ColumnMetaData) { page[0] ^= 1 }},
		{name: "values", codec: &parquet.Gzip, want: "exceed its column or the file",
			damage: func(_ []byte, c *format.ColumnMetaData) { c.NumValues = 1 }},
		{name: "more values", codec: &parquet.Gzip, want: "column 1 has more values than row group 1 has rows",
			damage: func(_ []byte, c *format.ColumnMetaData) { c.NumValues = 4 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := test.file
			if file == nil {
				file = written(t, 3, parquet.Compression(test.codec))
				end := len(file) - 8
				begin := end - int(binary.LittleEndian.Uint32(file[end:]))
				var m format.FileMetaData
				filetest.Check(t, thrift.Unmarshal(new(thrift.CompactProtocol), file[begin:end], &m))
				column := &m.RowGroups[0].Columns[0].MetaData
				_, length, err := readPageHeader(io.NewSectionReader(bytes.NewReader(file), 4, int64(len(file))), 0)
				filetest.Check(t, err)
				test.damage(file[4+length:], column)
				file = footed(file[:begin], filetest.Must(thrift.Marshal(new(thrift.CompactProtocol), &m))(t))
			}
			filetest.WantError(t, readsWithin(t, file, test.name), test.want)
		})
	}
}
