package ownfile

import (
	"fmt"
	"math"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/tables"
	"gophe/phe/stream/schema"
)

// missing is the item of an empty cell, as in the paper's tables. given is the item of a cell that holds a number.
const missing, given = "<NA>", "yes"

// Memory of a table, as far as this package and the study need it.
const (
	mostBytes = 4 << 30
	cellBytes = 40 // an item's text header and its number, or a number in float64 and float32
	itemBytes = 64 // a distinct item without its text
)

// builder makes a table row by row.
type builder struct {
	table  *Table
	inputs []schema.Input
	items  []itemColumn // in the order of the table's categorical columns; first the inputs' columns
	number []int        // of each input that is a number, the place of its column "given" in items
	bytes  int          // taken so far
	most   int          // bytes
}

// itemColumn is a categorical column in the making. Equal items share their text.
type itemColumn struct {
	name   string
	values []string
	known  map[string]string
	absent bool // an item other than given came
}

func newBuilder(name string, s schema.Schema) (*builder, error) {
	b := &builder{table: &Table{Schema: s, Table: &tables.Table{Name: name, Classes: s.Target.Classes}}, inputs: s.Inputs(), most: mostBytes}
	for _, in := range b.inputs {
		if in.Number {
			b.table.Numeric = append(b.table.Numeric, column.Numeric{Name: in.Name})
		} else {
			b.items = append(b.items, itemColumn{name: in.Name, known: map[string]string{}})
		}
	}
	for _, in := range b.inputs {
		if in.Number {
			b.number = append(b.number, len(b.items))
			b.items = append(b.items, itemColumn{name: strings.TrimSuffix(in.Name, " (number)") + " (given)", known: map[string]string{}})
		}
	}
	seen := map[string]bool{}
	for _, c := range b.items {
		if seen[c.name] {
			return nil, errors.Errorf("two columns of items would be called %q; rename or drop the file's own", c.name)
		}
		seen[c.name] = true
	}
	return b, nil
}

func (b *builder) rows() int { return len(b.table.Labels) }

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
	items, numbers := 0, 0
	for _, in := range b.inputs {
		cell := in.Read(record)
		if !in.Number {
			b.put(items, orMissing(cell.Item))
			items++
			continue
		}
		b.table.Numeric[numbers].Values = append(b.table.Numeric[numbers].Values, cell.Number)
		if cell.IsNumber {
			b.put(b.number[numbers], given)
		} else {
			b.put(b.number[numbers], orMissing(cell.Item))
		}
		numbers++
	}
	b.table.Labels = append(b.table.Labels, int32(class))
	b.bytes += cellBytes * len(b.inputs)
	if b.bytes > b.most {
		return errors.Errorf("the first %d rows take %d MB, and the study holds a table in memory; take fewer by \"rows\", drop columns, or use phe stream, whose memory stays the same",
			b.rows(), b.most>>20)
	}
	return nil
}

func orMissing(item string) string {
	if item == "" {
		return missing
	}
	return item
}

// put appends an item to a column.
func (b *builder) put(column int, item string) {
	c := &b.items[column]
	text, ok := c.known[item]
	if !ok {
		text = strings.Clone(item) // the field shares the memory of its whole line
		c.known[text] = text
		c.absent = c.absent || text != given
		b.bytes += itemBytes + len(text)
	}
	c.values = append(c.values, text)
}

// finish returns the table.
func (b *builder) finish(file string) (*Table, error) {
	t := b.table
	if len(t.Labels) == 0 {
		return nil, errors.Errorf("source.file %q leaves no row: %d do not meet the condition, %d have no target, %d are bad; check source.where and source.target",
			file, t.Left, t.Unlabelled, t.Bad)
	}
	if len(t.Labels) > math.MaxInt32 {
		return nil, errors.Errorf("source.file %q has %d rows, more than can be numbered; take fewer by \"rows\"", file, len(t.Labels))
	}
	for i, c := range b.items {
		if i < len(b.items)-len(b.number) || c.absent {
			t.Categorical = append(t.Categorical, column.Categorical{Name: c.name, Values: c.values})
		}
	}
	t.dropOther()
	came := map[int32]bool{}
	for _, label := range t.Labels {
		came[label] = true
	}
	if len(came) < 2 {
		return nil, errors.Errorf("the target of %q is %q in all %d rows; there is nothing to forecast: check source.target and source.where", file, t.Classes[t.Labels[0]], len(t.Labels))
	}
	return t, nil
}

// dropOther removes the class of labels that are not in the list where no row has it.
func (t *Table) dropOther() {
	last := int32(len(t.Classes) - 1)
	if t.Classes[last] != schema.Other {
		return
	}
	for _, label := range t.Labels {
		if label == last {
			return
		}
	}
	t.Classes = t.Classes[:last:last]
}

// Notes returns lines that tell a person how the file was read.
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
