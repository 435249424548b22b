package records

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"

	"gophe/phe/disk/filetest"
)

// Each benchmark reads this number of records from memory.
const benchRecords = 100_000

// benchRead reports the number of records that are read in a second from some content. open begins to read it.
func benchRead(b *testing.B, content []byte, open func(*bytes.Reader) (read func() ([]string, error))) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(content)))
	records := 0
	for b.Loop() {
		read, err := open(bytes.NewReader(content)), error(nil)
		for ; err == nil; records++ {
			_, err = read()
		}
		records--
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}

// table returns CSV of eight short columns.
func table() []byte {
	text := bytes.NewBufferString("user,city,age,color,day,price,new,shop\n")
	for i := range benchRecords {
		fmt.Fprintf(text, "u%d,Paris,%d,red,2024-01-%02d,%d.5,yes,s%d\n", i, i%90, i%28+1, i%100, i%7)
	}
	return text.Bytes()
}

// benchText reads records of text.
func benchText(b *testing.B, text []byte) {
	b.Helper()
	benchRead(b, text, func(from *bytes.Reader) func() ([]string, error) {
		return filetest.Must(New(from, "t", Options{}))(b).Read
	})
}

func BenchmarkCSV(b *testing.B) { benchText(b, table()) }

func BenchmarkJSONLines(b *testing.B) {
	var text bytes.Buffer
	for i := range benchRecords {
		const line = `{"user":"u%d","city":"Paris","age":%d,"day":"2024-01-%02d","price":%d.5,"new":true}` + "\n"
		fmt.Fprintf(&text, line, i, i%90, i%28+1, i%100)
	}
	benchText(b, text.Bytes())
}

func BenchmarkParquet(b *testing.B) {
	content := written(b, benchRecords, parquet.MaxRowsPerRowGroup(benchRecords))
	benchRead(b, content, func(from *bytes.Reader) func() ([]string, error) {
		return filetest.Must(newParquet(from, from.Size(), "t"))(b).read
	})
}
