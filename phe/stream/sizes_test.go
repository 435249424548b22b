package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// wide is a table of many columns and rows that are all alike.
type wide struct {
	names  []string
	record []string
	rows   int
}

func newWide(columns, rows int) *wide {
	w := &wide{rows: rows}
	for i := range columns {
		w.names, w.record = append(w.names, fmt.Sprint("c", i)), append(w.record, "a")
	}
	return w
}

func (w *wide) Columns() []string { return w.names }

func (w *wide) Read() ([]string, error) {
	w.rows--
	w.record[0], w.record[1] = fmt.Sprint(w.rows%2), fmt.Sprint("item ", w.rows%3)
	return w.record, nil
}

// A table of 8,000 columns is learned without their 32 million pairs, and one of 100,000 is refused before memory is taken.
func TestColumnsAreBounded(t *testing.T) {
	hints := schema.Hints{Target: "c0", Classes: []string{"0", "1"}}
	bytes := filetest.Allocated(func() {
		in := newWide(8000, 1000)
		s := filetest.Must(schema.Infer(in.names, [][]string{filetest.Must(in.Read())(t)}, hints))(t)
		l := filetest.Must(stream.New(s, stream.Options{}))(t)
		for range 8 {
			filetest.Check(t, l.Learn(filetest.Must(in.Read())(t)))
		}
		if in := l.Inspect(); len(in.Models) != 1 || in.Models[0].Name != "without interactions" { // it took 8 GB
			t.Errorf("models %+v", in.Models)
		}
	})
	t.Logf("8,000 columns take %d MB", bytes>>20)
	filetest.True(t, bytes <= 256<<20, "8,000 columns take %d MB", bytes>>20)
	in := newWide(100_000, 1)
	_, err := schema.Infer(in.names, [][]string{in.record}, hints)
	filetest.WantError(t, err, "100000 columns", "columns are limited to 10000")
	s := schema.Schema{Target: schema.Target{Column: "c0", Kind: schema.Amount}, Columns: []schema.Column{{Name: "c0", Kind: schema.Label}}}
	for _, name := range newWide(3000, 0).names[1:] {
		s.Columns = append(s.Columns, schema.Column{Name: name, Kind: schema.Category})
	}
	_, err = stream.New(s, stream.Options{Interactions: "fm"})
	filetest.WantError(t, err, "a factorization machine is limited to 4194304", "remedy: no interactions")
}

// The rows that tell the kinds of the columns are bounded in bytes too: not every row is small.
func TestSampleIsBounded(t *testing.T) {
	in := newWide(2, 1<<20)
	in.names, in.record = append(in.names, "text"), append(in.record, strings.Repeat("x", 16<<20))
	_, again, err := stream.Begin(in, schema.Hints{Target: "nothing", Classes: []string{"0", "1"}}, stream.Options{})
	filetest.WantError(t, err, "is no column")
	filetest.True(t, again == nil && 1<<20-in.rows <= 20, "%d rows of 16 MiB were read before the first was learned", 1<<20-in.rows)
}

// A very long name is compared with no other: the comparison takes the product of their lengths.
func TestLongNameIsNotCompared(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	names := []string{long, "a"}
	got := nearest.Column(long[1:]+"y", names)
	filetest.True(t, strings.HasPrefix(got, "; the columns are "), "%.100q", got)
}
