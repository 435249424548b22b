package records

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n", "a;b\r\n1,5;2\r\n\r\n3;4", "\xef\xbb\xbfa\tb\n\"x\ny\"\tz\n", "a,b\n\"x\n1,2\n3,\"4\"5\n",
		"1,2\n3\n4,5,6\n", "a,a\n1,2\n", "x\x00\n", "a,b\n\"{\"\"c\"\":[1,{\"\"d\"\":2}]}\",x\n{,1\n", "#Fields: a b\n1 2\n#close\n",
	} {
		f.Add([]byte(text), byte(0), false)
		f.Add([]byte(text), byte(254), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, how byte, growing bool) {
		o := Options{Format: CSV, Growing: growing}
		o.Header = []Header{headerDetected, HeaderYes, HeaderNo}[how%3]
		o.Comma = []rune{0, ',', '\t', '¦'}[how/3%4]
		all := checkResume(t, func() (*Reader, error) { return New(bytes.NewReader(text), "t.csv", o) }, len(text))
		if growing || how < 128 { // compressing takes much longer than reading
			return
		}
		for _, packed := range compressed(t, text) {
			r, err := New(bytes.NewReader(packed), "t.csv", o)
			if err != nil {
				filetest.True(t, len(all) == 0, "compressed: %v", err)
				continue
			}
			again, _ := readAll(t, r, len(text))
			filetest.Want(t, len(again), len(all), "compressed records")
		}
	})
}

// FuzzWrittenCSV reads back what encoding/csv writes.
func FuzzWrittenCSV(f *testing.F) {
	f.Add("a\x1fb\x1e1\x1f2", byte(0))
	f.Add("a\"b\x1fc,d\x1ee\nf\x1f", byte(1))
	f.Fuzz(func(t *testing.T, text string, comma byte) {
		if strings.ContainsAny(text, "\r\x00") {
			t.Skip("a carriage return before a line feed is lost by encoding/csv, and a zero byte is refused")
		}
		var want [][]string
		for record := range strings.SplitSeq(text, "\x1e") {
			fields := strings.Split(record, "\x1f")
			if len(want) > 0 && len(fields) != len(want[0]) || len(fields) == 1 && fields[0] == "" {
				t.Skip("not a table, or a line that would be empty")
			}
			want = append(want, fields)
		}
		var written bytes.Buffer
		w := csv.NewWriter(&written)
		w.Comma = []rune{',', ';', '\t', '|'}[comma%4]
		filetest.Check(t, w.WriteAll(want))
		if all := written.Bytes(); bytes.Contains(all, byteOrderMark) || separatorLine.Match(all) || bytes.HasPrefix(all, []byte("| ")) {
			t.Skip("a mark or a line that is no record")
		}
		r, err := New(&written, "t.csv", Options{Format: CSV, Comma: w.Comma, Header: HeaderNo})
		if err != nil {
			first := want[0][0]
			isPacked := strings.HasPrefix(first, "\x1f\x8b") || strings.HasPrefix(first, "\x28\xb5\x2f\xfd")
			if isPacked || refuse([]byte(first), "t") != nil || strings.TrimSpace(text) == "" {
				t.Skip("the first field begins as another format does")
			}
			t.Fatal(err)
		}
		for _, fields := range want {
			filetest.Want(t, filetest.Must(r.Read())(t), fields, "read")
		}
		filetest.Want(t, filetest.Failure(r.Read()), io.EOF, "the end")
	})
}

// FuzzAuto reads anything, with everything found out from the content.
func FuzzAuto(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", `{"a":1}`, "PK\x03\x04", "\xff\xfea\x00", "PAR1", "\x1f\x8b", "\x28\xb5\x2f\xfd",
		"[{", "\r", "", "a\rb"} {
		f.Add([]byte(text))
	}
	for _, packed := range compressed(f, []byte("a,b\n1,2\n3,4\n")) {
		f.Add(packed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := New(bytes.NewReader(text), "t", Options{})
		if err != nil {
			return
		}
		for range 1 << 20 { // a compressed text can be long
			if _, err := r.Read(); err != nil && !errors.As(err, new(*RecordError)) {
				return
			}
		}
	})
}

func FuzzHeader(f *testing.F) {
	f.Add("a,b", "1,2")
	f.Add(",a,a,c4", "NA,?,x,y")
	f.Fuzz(func(t *testing.T, first, later string) {
		fields := strings.Split(first, ",")
		isName := !isHeader(fields, [][]string{strings.Split(later, ",")}) || !slices.ContainsFunc(fields, isNumber)
		filetest.True(t, isName, "%q is taken for a header", first)
		names, err := headerNames(fields, "t", 1)
		if err != nil {
			return
		}
		_, j := duplicate(names)
		filetest.True(t, j == 0 && !slices.Contains(names, "") && len(names) == len(fields), "%q are the names of %q", names, first)
	})
}

func FuzzParquet(f *testing.F) {
	files := filetest.Must(filepath.Glob("testdata/*.parquet"))(f)
	for _, path := range files {
		content := filetest.Must(os.ReadFile(path))(f)
		f.Add(content)
	}
	for i, codec := range []compress.Codec{&parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli, &parquet.Lz4Raw} {
		f.Add(written(f, 2, parquet.Compression(codec), parquet.DataPageVersion(1+i%2)))
	}
	f.Add([]byte("PAR1\x52\x31\x02\x19\xfc\xff\xff\xff\xff\x07\x09\x00\x00\x00PAR1")) // asked for 206 GB
	f.Fuzz(func(t *testing.T, content []byte) {
		p, err := newParquet(bytes.NewReader(content), int64(len(content)), "t.parquet")
		if err != nil {
			return
		}
		for range 1 << 16 {
			if _, err := p.read(); err != nil {
				break
			}
		}
		if err := p.seek(Position{Record: p.total / 2}); err == nil {
			p.read()
		}
	})
}

// FuzzSizes: the decoder needs no more memory than the measured bytes account for, and reads exactly them.
func FuzzSizes(f *testing.F) {
	file := written(f, 1, parquet.Compression(&parquet.Zstd))
	end := len(file) - 8
	f.Add(file[end-int(binary.LittleEndian.Uint32(file[end:])) : end])
	f.Add(file[4:])
	f.Add([]byte("\x15\x00\x19\x1c\x48\x01a\x00\x16\x00\x19\x0c\x00"))
	f.Add([]byte("\x1b\x01\x88\x01a\x01b\x1a\x15\x02\x1d\x01\x13\x02\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := measure(text)
		if err != nil {
			return
		}
		for _, into := range []any{new(format.FileMetaData), new(format.PageHeader)} {
			r := new(thrift.CompactProtocol).NewReaderFromBytes(text)
			took := filetest.Allocated(func() { err = thrift.NewDecoder(r).Decode(into) })
			filetest.True(t, err != nil || r.BytesRead() == n, "measured %d bytes, and %d were read", n, r.BytesRead())
			filetest.True(t, took <= uint64(1<<20+600*len(text)), "%d MB for %d bytes", took>>20, len(text))
		}
	})
}

// FuzzJSONLines compares with the standard library's decoder.
func FuzzJSONLines(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":"x"}`, `{"a":{"b":[1,null,"c"]},"d":{"e":{"f":1}}}`,
		`{"\u00e9\"":"\ud83d\ude00","\xff":"\xff"}`, `{"a":1,"a":2} `, ` {"a" : [ [ ] , { } ] }`,
		`{"a":tru}`, `{"a":{"b":[{"c":1},{"d":[{}]}]},"e":"{\"f\":null}"}`, `[1]`,
		"{\"a\":\"\xe9\"}", `{"a\ud83d":"\\ud83d"}`, `{"a":"\ude00\ud83d\ude00"}`, `{"a":"\ud83d\ud83d\ude00"}`,
	} {
		f.Add([]byte(text + "\n" + `{"a":1e3}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o := Options{Format: JSONLines}
		open := func() (*Reader, error) { return New(bytes.NewReader(text), "t.jsonl", o) }
		checkResume(t, open, len(text))
		o.OneLevel = true // as the oracle reads
		all := checkResume(t, open, len(text))
		if len(all) == 0 {
			return
		}
		r := filetest.Must(open())(t)
		columns := r.Columns()
		text = bytes.TrimPrefix(text, byteOrderMark)
		i := 0
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			if line = bytes.Trim(line, " \t\r\n\v\f\u0085\u00a0"); len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			want, ok := expected(line)
			filetest.Want(t, all[i].err == "", ok, "%q is an object: %v", line, all[i])
			for c, name := range columns {
				filetest.True(t, !ok || all[i].fields[c] == want[name], "%q, %q: %+v, want %q", line, name, all[i], want[name])
			}
			i++
		}
		filetest.Want(t, i, len(all), "records of the lines")
	})
}

// halfPair finds the escape of half a surrogate pair where escaped backslashes and whole pairs are gone.
var (
	backslash = regexp.MustCompile(`\\\\`)
	wholePair = regexp.MustCompile(`(?i)\\ud[89ab]..\\ud[c-f]..`)
	halfPair  = regexp.MustCompile(`(?i)\\ud[89a-f]`)
)

// expected returns the fields of an object as the standard library's decoder finds them. It returns false if the line is not an object,
// or names a field twice.
func expected(line []byte) (map[string]string, bool) {
	half := halfPair.Match(wholePair.ReplaceAll(backslash.ReplaceAll(line, []byte("-")), []byte("-")))
	if !json.Valid(line) || line[0] != '{' || !utf8.Valid(line) || half {
		return nil, false
	}
	fields, once := map[string]string{}, jsontext.Value(line).IsValid()
	add := func(name string, value json.RawMessage) {
		once = once && fields[name] == ""
		fields[name] = expectedText(value)
	}
	eachMember(line, func(outer string, value json.RawMessage) {
		if value[0] != '{' {
			add(outer, value)
			return
		}
		eachMember(value, func(inner string, value json.RawMessage) { add(outer+"."+inner, value) })
	})
	return fields, once
}

func eachMember(object []byte, do func(string, json.RawMessage)) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.Token()
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			panic(err)
		}
		do(name.(string), value)
	}
}

func expectedText(value json.RawMessage) string {
	var text string
	var items []json.RawMessage
	switch {
	case string(value) == "null":
		return ""
	case value[0] == '"':
		json.Unmarshal(value, &text)
		return text
	case value[0] == '[':
		json.Unmarshal(value, &items)
		texts := make([]string, len(items))
		for i, item := range items {
			if item[0] == '{' || item[0] == '[' {
				return string(value)
			}
			texts[i] = expectedText(item)
		}
		return strings.Join(texts, "|")
	}
	return string(value)
}
