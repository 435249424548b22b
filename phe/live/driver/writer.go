package driver

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Forecasts returns a function that writes the forecast of a record with its number as a line of CSV. It writes the names of the fields.
func Forecasts(w io.Writer, s schema.Schema) func(int64, schema.Record, stream.Forecast) error {
	o := newWriter(w, s)
	failed := o.put(o.line) // now, for an input without records
	return func(record int64, r schema.Record, f stream.Forecast) error {
		return cmp.Or(failed, o.write(record, r, f))
	}
}

// JSONForecasts is Forecasts as lines of JSON.
func JSONForecasts(w io.Writer, s schema.Schema) func(int64, schema.Record, stream.Forecast) error {
	o := newWriter(w, s)
	for _, name := range o.names {
		key, _ := text.String(strings.ToValidUTF8(name, "\ufffd")).MarshalJSON() // of UTF-8 it is no object
		o.keys = append(o.keys, append(bytes.TrimSpace(key), ':'))
	}
	o.line = nil
	return o.write
}

const leastDigits, mostDigits = 6, 15

// writer writes the forecasts of a schema's target.
type writer struct {
	w      io.Writer
	length int64 // bytes written so far
	id     int   // place of the id in a record; −1 without it
	target schema.Target
	names  []string // of the fields
	keys   [][]byte // of JSON; nil for CSV
	field  int      // number of the next
	line   []byte   // of the names, until it is written
	digits int      // of a number
}

func newWriter(w io.Writer, s schema.Schema) *writer {
	o := &writer{w: w, target: s.Target, id: s.PlaceOf(schema.ID), names: []string{"record"}, digits: leastDigits}
	if o.id >= 0 {
		o.names = append(o.names, s.Columns[o.id].Name)
	}
	switch t := s.Target; {
	case t.Kind != schema.Classes:
		o.names = append(o.names, "forecast", "low", "high")
	case len(t.Classes) == 2:
		o.names = append(o.names, "p("+t.Classes[1]+")")
	default:
		o.names = append(o.names, "forecast")
		for _, class := range t.Classes {
			o.names = append(o.names, "p("+class+")")
		}
	}
	o.names = append(o.names, "novelty")
	for _, name := range o.names {
		o.line = append(appendField(o.line, name), ',')
	}
	o.line[len(o.line)-1] = '\n'
	return o
}

// next begins a field of the line.
func (o *writer) next() {
	switch {
	case o.keys != nil:
		o.line = append(append(o.line, "{,"[min(o.field, 1)]), o.keys[o.field]...)
	case o.field > 0:
		o.line = append(o.line, ',')
	}
	o.field++
}

func (o *writer) number(v float64) {
	if o.next(); o.keys != nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		o.line = append(o.line, "null"...)
		return
	}
	o.line = strconv.AppendFloat(o.line, v, 'g', o.digits, 64)
}

func (o *writer) word(v string) {
	if o.next(); o.keys == nil {
		o.line = appendField(o.line, v)
		return
	}
	b, _ := text.String(v).MarshalJSON() // any text can be written
	o.line = append(o.line, bytes.TrimSpace(b)...)
}

// write writes the number of a record and its forecast.
func (o *writer) write(record int64, r schema.Record, f stream.Forecast) error {
	if o.length == 0 && o.keys == nil {
		if err := o.put(o.line); err != nil {
			return err
		}
	}
	o.line, o.field = o.line[:0], 0
	o.next()
	o.line = strconv.AppendInt(o.line, record, 10)
	if o.id >= 0 {
		o.word(r[o.id])
	}
	switch t := &o.target; {
	case t.Kind != schema.Classes:
		largest := max(math.Abs(f.Low), math.Abs(f.High))
		o.digits = leastDigits
		for step := 1000 * (f.High - f.Low); step < largest && o.digits < mostDigits; step *= 10 { // else an interval shows no width
			o.digits++
		}
		o.number(f.Value)
		o.number(f.Low)
		o.number(f.High)
	case len(t.Classes) == 2:
		o.number(f.Probability)
	default:
		o.word(t.Classes[int(f.Value)])
		for _, p := range f.Classes {
			o.number(p)
		}
	}
	o.next()
	if o.line = strconv.AppendInt(o.line, f.Novelty, 10); o.keys != nil {
		o.line = append(o.line, '}')
	}
	o.line = append(o.line, '\n')
	return o.put(o.line)
}

func (o *writer) put(line []byte) error {
	n, err := o.w.Write(line)
	o.length += int64(n)
	return errors.Wrap(err, "writing forecasts; free some space on the disk")
}

// appendField appends a field of a CSV file, quoted if it needs quotes.
func appendField(line []byte, field string) []byte {
	if strings.ContainsAny(field, ",\"\n\r") {
		field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
	}
	return append(line, field...)
}
