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

// benchRead reports the number of records that are read in a second.
func benchRead(b *testing.B, text []byte, options Options) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	records := 0
	for b.Loop() {
		r := filetest.Must(New(bytes.NewReader(text), "t", options))(b)
		var err error
		for ; err == nil; records++ {
			_, err = r.Read()
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

func BenchmarkCSV(b *testing.B) { benchRead(b, table(), Options{}) }

func BenchmarkJSONLines(b *testing.B) {
	var text bytes.Buffer
	for i := range benchRecords {
		fmt.Fprintf(&text, `{"user":"u%d","city":"Paris","age":%d,"day":"2024-01-%02d","price":%d.5,"new":true}`+"\n", i, i%90, i%28+1, i%100)
	}
	benchRead(b, text.Bytes(), Options{})
}

func BenchmarkParquet(b *testing.B) {
	content := written(b, benchRecords, parquet.MaxRowsPerRowGroup(benchRecords))
	records := 0
	b.ReportAllocs()
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		p := filetest.Must(newParquet(bytes.NewReader(content), int64(len(content)), "t"))(b)
		var err error
		for ; err == nil; records++ {
			_, err = p.read()
		}
		records--
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}
