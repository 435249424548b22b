package ownfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/labelled"
	"gophe/phe/stream/schema"
)

// missing is the item of an empty cell, as in the paper's tables. given is the item of a cell that holds a number.
const missing, given = "<NA>", "yes"

// maxNumber is the largest number that float32 holds, about. A larger one is an item.
const maxNumber = 1e30

// Memory of a table, as far as this package and the study need it.
const (
	maxBytes  = 4 << 30
	cellBytes = 40 // an item's text header and its number, or a number in float64 and float32
	itemBytes = 64 // a distinct item without its text
)

// builder makes a table row by row.
type builder struct {
	table    *Table
	inputs   []inputColumn
	bytes    int // of memory taken so far
	maxBytes int
}

// inputColumn is a column in the making. The items of a number say where it is given. Equal items share their text.
type inputColumn struct {
	schema.Input
	name    string // of the items
	items   []string
	known   map[string]string
	absent  bool // an item other than given came
	numbers []float64
}

func newBuilder(name string, s schema.Schema) (*builder, error) {
	b := &builder{table: &Table{Schema: s, Table: &labelled.Table{Name: name, Classes: s.Target.Classes}}, maxBytes: maxBytes}
	seen := map[string]bool{}
	for _, in := range s.Inputs() {
		c := inputColumn{Input: in, name: in.Name, known: map[string]string{}}
		if in.Number {
			c.name = strings.TrimSuffix(in.Name, " (number)") + " (given)"
		}
		if seen[c.name] {
			return nil, errors.Errorf("two columns of items would be called %q; rename or drop the file's own", c.name)
		}
		seen[c.name] = true
		b.inputs = append(b.inputs, c)
	}
	return b, nil
}

// add adds a record. A record without a target is counted and left out.
func (b *builder) add(record []string) error {
	class, known, err := b.table.Schema.Target.Parse(record[b.table.Schema.PlaceOf(schema.Label)])
	if err != nil {
		return err
	}
	if !known {
		b.table.Unlabelled++
		return nil
	}
	for i := range b.inputs {
		c := &b.inputs[i]
		item, x, isNumber := c.Read(record)
		if math.Abs(x) > maxNumber {
			item, _ = c.Column.Value(record[c.Place])
			x, isNumber = 0, false
		}
		item = cmp.Or(item, missing)
		if c.Number {
			c.numbers = append(c.numbers, x)
			if isNumber {
				item = given
			}
		}
		text, ok := c.known[item]
		if !ok {
			text = strings.Clone(item) // the field shares the memory of its whole line
			c.known[text] = text
			c.absent = c.absent || text != given
			b.bytes += itemBytes + len(text)
		}
		c.items = append(c.items, text)
	}
	b.table.Labels = append(b.table.Labels, int32(class))
	b.bytes += cellBytes * len(b.inputs)
	if b.bytes > b.maxBytes {
		return errors.Errorf("the first %d rows take %d MB, and the study holds a table in memory; "+
			"take fewer by \"rows\", drop columns, or use phe stream, whose memory stays the same",
			b.table.NumRows(), b.maxBytes>>20)
	}
	return nil
}

// finish returns the table.
func (b *builder) finish(file string) (*Table, error) {
	t := b.table
	if len(t.Labels) == 0 {
		return nil, errors.Errorf("source.file %q leaves no row: %d do not meet the condition, %d have no target, %d are bad; "+
			"check source.where and source.target",
			file, t.Left, t.Unlabelled, t.Bad)
	}
	for _, numbers := range []bool{false, true} { // the items of numbers come last
		for _, c := range b.inputs {
			if c.Number == numbers && (!numbers || c.absent) {
				t.Categorical = append(t.Categorical, column.Categorical{Name: c.name, Values: c.items})
			}
			if c.Number && numbers {
				t.Numeric = append(t.Numeric, column.Numeric{Name: c.Name, Values: c.numbers})
			}
		}
	}
	if last := len(t.Classes) - 1; t.Classes[last] == schema.Other && !slices.Contains(t.Labels, int32(last)) {
		t.Classes = t.Classes[:last:last]
	}
	if first := t.Labels[0]; !slices.ContainsFunc(t.Labels, func(label int32) bool { return label != first }) {
		return nil, errors.Errorf("the target of %q is %q in all %d rows; "+
			"there is nothing to forecast: check source.target and source.where", file, t.Classes[first], len(t.Labels))
	}
	return t, nil
}

// Notes returns lines that say how the file was read.
func (t *Table) Notes() []string {
	notes := strings.Split(strings.TrimRight(t.Schema.Summary(), "\n"), "\n")
	column := t.Categorical[t.Incremental]
	how := ""
	if t.Chosen {
		how = ", which has the most items in the first rows; name another one in source.incremental"
	}
	notes = append(notes, fmt.Sprintf("items keep coming in the column %q%s", column.Name, how))
	rows := fmt.Sprintf("%d rows", t.NumRows())
	for _, part := range []struct {
		n    int
		text string
	}{{t.Left, "do not meet the condition"}, {t.Unlabelled, "have no target"}, {t.Bad, "are bad"}} {
		if part.n > 0 {
			rows += fmt.Sprintf(", and %d left out that %s", part.n, part.text)
		}
	}
	if t.Cut {
		rows += "; the file has more, which source.rows leaves out"
	}
	return append(notes, rows)
}
