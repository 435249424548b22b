package records

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"gophe/phe/disk/filetest"
)

// TestParquetTypes reads a file that pyarrow has written: see testdata/write_parquet.py.
func TestParquetTypes(t *testing.T) {
	r := filetest.Must(Open("testdata/types.parquet", Options{}))(t)
	defer r.Close()
	all, final := readAll(t, r, 3)
	if len(all) != 3 || final != io.EOF || r.format != Parquet {
		t.Fatalf("%d records, %v", len(all), final)
	}
	want := [][]string{
		{"text", "01234", "", ""},
		{"dictionary", "red", "blue", "red"},
		{"binary", "x", "y", ""},
		{"int8", "-1", "2", ""},
		{"uint8", "255", "0", ""},
		{"int32", "-5", "6", "7"},
		{"uint32", "4294967295", "0", "1"},
		{"int64", "9007199254740993", "-1", ""},
		{"uint64", "18446744073709551615", "0", ""},
		{"float", "0.1", "1000000", ""},
		{"double", "0.1", "1e+21", ""},
		{"bool", "true", "false", ""},
		{"date", "2024-02-29", "1969-12-31", ""},
		{"time_ms", "01:02:03.004", "", "23:59:59"},
		{"time_us", "01:02:03.000004", "", "23:59:59"},
		{"time_ns", "00:00:00.000000001", "", "23:59:59.999999999"},
		{"ms", "1970-01-01T00:00:00Z", "2024-02-29T12:34:56.789Z", ""},
		{"us", "1969-12-31T23:59:59.999999Z", "2024-02-29T12:34:56.789012Z", ""},
		{"ns", "1970-01-01T00:00:00.000000001Z", "2024-02-29T12:34:56.789012345Z", ""},
		{"decimal", "12.30", "-0.05", ""},
		{"decimal38", "-123456789012345678901234567890.12345678", "0.00000001", ""},
		{"tags", "a|b", "", ""},
		{"numbers", "1||3", "", ""},
		{"nested.at.x", "1", "", ""},
		{"nested.at.y", "2", "", ""},
		{"nested.city", "Paris", "", ""},
		{"map.key", "k1|k2", "", ""},
		{"map.value", "1|2", "", ""},
		{"items.n", "1|", "", ""},
		{"items.sku", "s1|s2", "", ""},
		{"fixed", "00ff", "6162", ""},
	}
	filetest.Want(t, len(r.Columns()), len(want), "columns")
	for i, name := range r.Columns() {
		got := []string{name, all[0].fields[i], all[1].fields[i], all[2].fields[i]}
		filetest.Want(t, got, want[i], "a column")
	}
}

func TestParquetInt96(t *testing.T) {
	all := checkResume(t, func() (*Reader, error) {
		return Open("testdata/int96.parquet", Options{Columns: []string{"us", "text"}})
	}, 3)
	want := []string{"1969-12-31T23:59:59.999999Z/01234", "2024-02-29T12:34:56.789012Z/", "/"}
	filetest.Want(t, joined(all), want, "the records")
}

// A row group without rows has no page of data, wherever it stands.
func TestParquetEmptyGroups(t *testing.T) {
	all := checkResume(t, func() (*Reader, error) { return Open("testdata/groups.parquet", Options{}) }, 2)
	filetest.Want(t, joined(all), []string{"x/1", "y/2"}, "the records")
}

// visit is a row of written files.
type visit struct {
	ID   int64    `parquet:"id"`
	City string   `parquet:"city,dict"`
	Tags []string `parquet:"tags,list"`
	UUID [16]byte `parquet:"uuid,uuid"`
	Old  []int32  `parquet:"old"` // a repeated field that is not marked as a list
}

// written returns a file of n rows in row groups of 100.
func written(t testing.TB, n int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var file bytes.Buffer
	w := parquet.NewGenericWriter[visit](&file, append([]parquet.WriterOption{parquet.MaxRowsPerRowGroup(100)}, options...)...)
	for i := range n {
		v := visit{ID: int64(i), City: []string{"Paris", "Lyon", ""}[i%3], UUID: [16]byte{15: byte(i)}}
		v.Tags, v.Old = slices.Repeat([]string{"x"}, i%4), slices.Repeat([]int32{7}, i%3)
		filetest.Must(w.Write([]visit{v}))(t)
	}
	filetest.Check(t, w.Close())
	return file.Bytes()
}

func TestParquetSeek(t *testing.T) {
	for _, version := range []int{1, 2} {
		path := write(t, "visits", written(t, 1234, parquet.DataPageVersion(version), parquet.PageBufferSize(200)))
		all := checkResume(t, func() (*Reader, error) { return Open(path, Options{}) }, 1234)
		filetest.Want(t, len(all), 1234, "records")
		for i, o := range all {
			fields := []string{strconv.Itoa(i), []string{"Paris", "Lyon", ""}[i%3], strings.TrimSuffix(strings.Repeat("x|", i%4), "|"),
				fmt.Sprintf("00000000-0000-0000-0000-0000000000%02x", i%256), strings.TrimSuffix(strings.Repeat("7|", i%3), "|")}
			filetest.Want(t, o.fields, fields, "record %d", i)
		}
		r := filetest.Must(Open(path, Options{}))(t)
		for _, record := range []int64{1234, 99, 100, 101, 0, 1233} {
			r.Seek(Position{})
			r.Read() // more rows of the first batch are ready
			filetest.Check(t, r.Seek(Position{Record: record, Offset: record}))
			rest, _ := readAll(t, r, 1234)
			filetest.Want(t, int64(len(rest)), 1234-record, "records from %d on", record)
			if len(rest) > 0 {
				filetest.Want(t, rest[0].fields[0], strconv.FormatInt(record, 10), "the first record")
			}
		}
		filetest.Check(t, r.Seek(Position{Record: 617, Offset: 617}))
		read, size := r.Progress()
		filetest.Want(t, read, size/2, "bytes read in the middle")
		filetest.True(t, r.Seek(Position{Record: 1235, Offset: 1235}) != nil, "sought behind the end")
		r.Close()
	}
}

func TestParquetErrors(t *testing.T) {
	content := written(t, 300)
	damaged := bytes.Clone(content)
	for i := range 2000 {
		damaged[100+i] ^= 0x55
	}
	for _, test := range []struct {
		name    string
		content []byte
		options Options
		want    string // a part of the error
	}{
		{"cut off", content[:len(content)-1], Options{},
			"is cut off: Parquet ends with its columns and PAR1; copy or download the file again"},
		{"magic alone", []byte("PAR1"), Options{}, "is cut off"},
		{"large footer", append([]byte("PAR1"), "\xff\xff\xff\x7fPAR1"...), Options{}, "is cut off"},
		{"empty footer", append([]byte("PAR1"), "\x00\x00\x00\x00PAR1"...), Options{},
			"cannot be read; write or download the file again: reading parquet file metadata"},
		{"damaged pages", damaged, Options{}, "cannot be read; write or download the file again: page at byte"},
		{"other columns", content, Options{Columns: []string{"shop"}},
			`has no column "shop"; its columns are ["id" "city" "tags" "uuid" "old"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Open(write(t, "t", test.content), test.options)
			if err == nil {
				defer r.Close()
				_, err = readAll(t, r, 300)
			}
			filetest.WantError(t, err, test.want)
		})
	}
}

func TestParquetEqualNames(t *testing.T) {
	var file bytes.Buffer
	type inner struct {
		B int32 `parquet:"b"`
	}
	type row struct {
		Dotted int32 `parquet:"a.b"`
		A      inner `parquet:"a"`
	}
	filetest.Check(t, parquet.Write(&file, []row{{1, inner{2}}}))
	_, err := newParquet(bytes.NewReader(file.Bytes()), int64(file.Len()), "t")
	filetest.Want(t, fmt.Sprint(err), `columns 1 and 2 of t are both named "a.b"; rename one of them`, "the error")
}

func TestDecimalText(t *testing.T) {
	for _, test := range []struct {
		name  string
		value parquet.Value
		scale int
		want  string
	}{
		{"no digits after the point", parquet.Int32Value(-12), 0, "-12"},
		{"32 bits", parquet.Int32Value(1234), 2, "12.34"},
		{"64 bits", parquet.Int64Value(-1234), 3, "-1.234"},
		{"as many digits as after the point", parquet.Int32Value(123), 3, "0.123"},
		{"fewer digits", parquet.Int32Value(-5), 3, "-0.005"},
		{"zero", parquet.Int32Value(0), 2, "0.00"},
		{"bytes", parquet.ByteArrayValue([]byte{1, 0}), 2, "2.56"},
		{"negative bytes", parquet.FixedLenByteArrayValue([]byte{0xff, 0xfe}), 0, "-2"},
		{"no bytes", parquet.ByteArrayValue([]byte{}), 1, "0.0"},
		{"more bytes than a database has", parquet.ByteArrayValue(make([]byte, 65)), 0, strings.Repeat("00", 65)},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := filetest.Must(decimalText(test.scale))(t)
			filetest.Want(t, string(text([]byte("|"), test.value)), "|"+test.want, "the text")
		})
	}
	filetest.True(t, filetest.Failure(decimalText(1001)) != nil, "1001 digits after the point are accepted")
}

// A row group can have fewer rows than the footer says.
func TestParquetMissingRows(t *testing.T) {
	content := written(t, 150)
	p := filetest.Must(newParquet(bytes.NewReader(content), int64(len(content)), "t"))(t)
	for range 101 {
		filetest.Must(p.read())(t)
	}
	p.left = 54
	var err error
	for err == nil {
		_, err = p.read()
	}
	filetest.WantError(t, err, "row group 2 ends 5 rows too early;")
}

func TestParquetGuard(t *testing.T) {
	p := &parquetRows{name: "t"}
	err := p.guard(func() error { panic("index out of range") })
	filetest.WantError(t, err, "t has damaged Parquet data: index out of range; write or download the file again;")
}

// A page that would need too much memory is refused before it is decoded.
func TestPageLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		header format.PageHeader
		want   string
	}{
		{"small", format.PageHeader{CompressedPageSize: 3, UncompressedPageSize: 5},
			"page at byte 2 of column 1: UNCOMPRESSED: its content has 3 bytes, and its header says 5"},
		{"stored", format.PageHeader{CompressedPageSize: maxPage + 1},
			"page at byte 2 of column 1: 268435457 bytes, 0 after decompression, and 0 values are more than is read at once"},
		{"decompressed", format.PageHeader{UncompressedPageSize: maxPage + 1},
			"page at byte 2 of column 1: 0 bytes, 268435457 after decompression, and 0 values are more than is read at once"},
		{"negative", format.PageHeader{CompressedPageSize: -1},
			"page at byte 2 of column 1: -1 bytes, 0 after decompression, and 0 values are more than is read at once"},
		{"values", format.PageHeader{DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: maxPageValues + 1})},
			"page at byte 2 of column 1: 0 bytes, 0 after decompression, and 67108865 values are more than is read at once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := filetest.Must(thrift.Marshal(new(thrift.CompactProtocol), &test.header))(t)
			file := append([]byte("::"), header...)
			file = append(file, "abc"...)
			c := &chunk{left: 1, pages: io.NewSectionReader(bytes.NewReader(file), 2, int64(len(header))+3)}
			filetest.Want(t, filetest.Failure(c.level()).Error(), test.want, "the error")
		})
	}
}
