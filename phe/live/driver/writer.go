package driver

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Forecasts returns a function that writes forecasts as CSV, one line for each record. It takes the number of the record, the record and
// its forecast. The first line names the fields.
func Forecasts(w io.Writer, s schema.Schema) func(int64, schema.Record, stream.Forecast) error {
	return newWriter(w, s).write
}

// writer writes the forecasts of a schema's target.
type writer struct {
	w      io.Writer
	length int64 // bytes written so far
	id     int   // place of the id in a record; −1 without it
	target schema.Target
	line   []byte
}

func newWriter(w io.Writer, s schema.Schema) *writer {
	id := slices.IndexFunc(s.Columns, func(c schema.Column) bool { return c.Kind == schema.ID })
	o := &writer{w: w, target: s.Target, id: id}
	o.line = o.header(s)
	return o
}

// header returns the line that names the fields.
func (o *writer) header(s schema.Schema) []byte {
	line := []byte("record")
	if o.id >= 0 {
		line = appendField(append(line, ','), s.Columns[o.id].Name)
	}
	switch t := s.Target; {
	case t.Kind != schema.Classes:
		line = append(line, ",forecast,low,high"...)
	case len(t.Classes) == 2:
		line = appendField(append(line, ','), "p("+t.Classes[1]+")")
	default:
		line = append(line, ",forecast"...)
		for _, class := range t.Classes {
			line = appendField(append(line, ','), "p("+class+")")
		}
	}
	return append(line, ",novelty\n"...)
}

// write writes the number of a record and its forecast.
func (o *writer) write(record int64, r schema.Record, f stream.Forecast) error {
	if o.length == 0 {
		if err := o.put(o.line); err != nil {
			return err
		}
	}
	line := strconv.AppendInt(o.line[:0], record, 10)
	if o.id >= 0 {
		line = appendField(append(line, ','), r[o.id])
	}
	number := func(v float64) { line = strconv.AppendFloat(append(line, ','), v, 'g', 6, 64) }
	switch t := &o.target; {
	case t.Kind != schema.Classes:
		number(f.Value)
		number(f.Low)
		number(f.High)
	case len(t.Classes) == 2:
		number(f.Probability)
	default:
		line = appendField(append(line, ','), t.Classes[int(f.Value)])
		for _, p := range f.Classes {
			number(p)
		}
	}
	o.line = append(strconv.AppendInt(append(line, ','), f.Novelty, 10), '\n')
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
