package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// prepared is a stream on disk, in the forms that the contenders read.
type prepared struct {
	known
	delay   int    // rows after which the label of a row comes
	numeric bool   // the target is a number, not a class
	sha256  string // hexadecimal, of the table
	check   string // the beginning of a checksum of all files: results count as long as it is the same
	columns int    // namespaces of Vowpal Wabbit

	table  string // CSV, for phe stream
	inputs string // CSV of the target and the inputs, for river, LightGBM and AdPredictor
	wabbit string // Vowpal Wabbit's text
	truth  []float64
}

// prepare writes a stream's files into a folder. It takes the stream's first rows only, if maxRows is not 0. Labels come delay rows late.
func prepare(s known, folder string, maxRows, delay int) (*prepared, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, errors.Wrap(err, "making the folder for streams; name another with --work")
	}
	file := func(extension string) string { return filepath.Join(folder, s.name+extension) }
	p := &prepared{known: s, delay: delay, table: file(".csv"), inputs: file(".inputs.csv"), wabbit: file(".vw.txt")}
	table, err := s.write(p.table, maxRows)
	if err != nil {
		return nil, err
	}
	inputs, wabbit, err := p.convert()
	if err := cmp.Or(err, os.WriteFile(p.inputs, inputs, 0o644), os.WriteFile(p.wabbit, wabbit, 0o644)); err != nil {
		return nil, errors.WithMessage(err, "writing a stream for its rivals")
	}
	p.sha256 = fmt.Sprintf("%x", sha256.Sum256(table))
	p.check = fmt.Sprintf("%x", sha256.Sum256(slices.Concat(table, inputs, wabbit)))[:12]
	return p, nil
}

// kept is a reader of the records that phe stream learns.
type kept struct {
	*records.Reader
	keep func(record []string) bool // nil for all
}

// Read returns the next record.
func (k *kept) Read() ([]string, error) {
	for {
		record, err := k.Reader.Read()
		if err != nil || k.keep == nil || k.keep(record) {
			return record, err
		}
	}
}

// open returns a stream's records, and a learner that is what phe stream infers from them.
func (p *prepared) open() (*stream.Learner, stream.Reader, func() error, error) {
	r, err := records.Open(p.table, records.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	where, err := schema.Where(p.where, r.Columns())
	if err != nil {
		return nil, nil, nil, err
	}
	h := schema.Hints{Target: p.target, Kinds: map[string]schema.Kind{}}
	for _, name := range p.drop {
		h.Kinds[name] = schema.Dropped
	}
	l, all, err := stream.Begin(&kept{r, where.Holds}, h, stream.Options{})
	return l, all, r.Close, err
}

// convert returns the stream for the rivals, and keeps its targets.
func (p *prepared) convert() (rows, text []byte, err error) {
	l, source, end, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	defer end()
	s := l.Schema
	all := inputs(s)
	p.numeric = s.Target.Kind != schema.Classes
	row := []string{"y"}
	for _, in := range all {
		row = append(row, in.name)
		p.columns = 1 + int(in.space[0]-'a')
	}
	var table, wabbit bytes.Buffer
	var waiting []string // lines of Vowpal Wabbit whose labels are late
	lines := csv.NewWriter(&table)
	for {
		if err := lines.Write(row); err != nil {
			return nil, nil, err
		}
		record, err := source.Read()
		if err == io.EOF {
			lines.Flush()
			return table.Bytes(), wabbit.Bytes(), nil
		}
		if err != nil {
			return nil, nil, err
		}
		y, _, err := s.Target.Parse(record[s.PlaceOf(schema.Label)])
		if err != nil {
			return nil, nil, err
		}
		p.truth = append(p.truth, y)
		row = append(row[:0], strconv.FormatFloat(y, 'g', -1, 64))
		for _, in := range all {
			row = append(row, in.of(record))
		}
		if !p.numeric {
			y = 2*y - 1
		}
		line := wabbitLine(y, all, row[1:])
		if p.delay > 0 { // without its label first
			wabbit.WriteString(line[strings.IndexByte(line, ' '):])
		}
		if waiting = append(waiting, line); len(waiting) > p.delay {
			wabbit.WriteString(waiting[0])
			waiting = waiting[1:]
		}
	}
}

// input is one input of the rivals. It is made of a column as phe stream makes it.
type input struct {
	schema.Input
	name  string // the column's, behind the input's kind
	space string // Vowpal Wabbit's namespace, one for each column; it takes no numbers
}

// Kinds of an input, the beginning of its name.
const (
	category = "c:" // an item
	value    = "v:" // a number as an item: prices come again
	bin      = "b:" // a number's bin as an item
	number   = "n:" // the number itself
)

// inputs lists the inputs of a schema.
func inputs(s schema.Schema) (all []input) {
	spaces := map[string]string{} // of columns
	for _, in := range s.Inputs() {
		name, kinds := in.Column.Name, []string{category}
		switch {
		case in.Number:
			kinds = []string{bin, number}
		case in.Column.Kind == schema.Both:
			kinds = []string{value}
		case in.Derived != "":
			name += " " + in.Derived
		}
		if spaces[name] == "" {
			spaces[name] = string(rune('a' + len(spaces)))
		}
		for _, kind := range kinds {
			all = append(all, input{in, kind + name, spaces[name]})
		}
	}
	return all
}

// of returns the input in a record. A missing input is "". A word among numbers is an item.
func (in input) of(record []string) string {
	item, x, isNumber := in.Read(record)
	edges := in.Column.Edges
	switch {
	case in.Derived == "weekday":
		if t, err := time.Parse(in.Column.Layout, record[in.Place]); err == nil {
			return strconv.Itoa(int(t.Weekday()))
		}
	case isNumber && in.isNumber():
		return record[in.Place]
	case isNumber && len(edges) > 0:
		return strconv.Itoa(sort.Search(len(edges), func(i int) bool { return edges[i] > x }))
	case isNumber: // without edges, a bin is a quarter of an octave
		return strconv.Itoa(int(math.Copysign(math.Floor(4*math.Log2(1+math.Abs(x))), x)))
	case in.isNumber():
		return ""
	}
	return item
}

func (in input) isNumber() bool { return strings.HasPrefix(in.name, number) }

// wabbitWords keeps words whole in Vowpal Wabbit's text.
var wabbitWords = strings.NewReplacer(" ", "_", ":", "_", "|", "_")

// wabbitLine returns a row as Vowpal Wabbit reads it. The letter before each item makes it hash numbers as it hashes words.
func wabbitLine(y float64, all []input, row []string) string {
	var b strings.Builder
	b.WriteString(strconv.FormatFloat(y, 'g', -1, 64))
	last := ""
	for i, in := range all {
		if in.isNumber() || row[i] == "" {
			continue
		}
		if in.space != last {
			last = in.space
			b.WriteString(" |" + last)
		}
		b.WriteString(" " + in.name[:1] + wabbitWords.Replace(row[i]))
	}
	return b.String() + "\n"
}
