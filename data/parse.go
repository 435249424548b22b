package data

import (
	"io"
	"slices"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"
)

// blockRows is how many rows are handed to gota at a time. The frame that gota makes of them, several times as large as
// the columns kept, is thus held for one block only.
const blockRows = 8192

// parse turns CSV content into a Table, all but its checksum; path names the file in errors. It reads no further than
// the data set's last row.
func (d declaration) parse(path string, content io.Reader) (*Table, error) {
	columns := newColumns(d)
	if err := d.frames(path, content, columns.add); err != nil {
		return nil, err
	}
	columns.table.Path = path
	return columns.finish(), nil
}

// frames hands the kept columns of CSV content to add, typed, in blocks of 1 to blockRows rows.
//
// Every cell is checked while its line is still known (rows.go), then gota makes the typed columns, block by block:
// gota itself reports neither lines nor unreadable numbers, which it turns into NaN.
func (d declaration) frames(path string, content io.Reader, add func(dataframe.DataFrame) error) error {
	rows, err := newRowReader(d, path, content)
	if err != nil {
		return err
	}
	columnTypes := types(rows.kept)
	block := make([][]string, 1, 1+blockRows)
	for _, c := range rows.kept {
		block[0] = append(block[0], c.name)
	}
	for done := false; !done; {
		if block, err = rows.fill(block); err != nil {
			return err
		}
		if done = len(block) < cap(block); len(block) == 1 {
			continue
		}
		// The types leave nothing to guess, and no text is NaN: rows with missing cells are gone, and "NA" is an item.
		frame := dataframe.LoadRecords(block, dataframe.HasHeader(true), dataframe.DetectTypes(false),
			dataframe.WithTypes(columnTypes), dataframe.NaNValues(nil))
		if err := frame.Error(); err != nil {
			return errors.Wrap(err, path)
		}
		if err := add(frame); err != nil {
			return errors.Wrap(err, path)
		}
	}
	return rows.none()
}

// columns is a Table in the making.
type columns struct {
	table    *Table
	kept     []keptColumn
	interned []map[string]string // distinct values of each kept column
	expected int                 // rows in all, if the file is the declared one
}

func newColumns(d declaration) *columns {
	c := &columns{
		table: &Table{Name: d.name, Classes: slices.Clone(d.classes)},
		kept:  d.kept(), expected: d.completeRows,
	}
	c.interned = make([]map[string]string, len(c.kept))
	for i, k := range c.kept {
		c.interned[i] = make(map[string]string)
		switch k.kind {
		case categorical:
			if k.name == d.incremental {
				c.table.Incremental = len(c.table.Categorical)
			}
			c.table.Categorical = append(c.table.Categorical, CategoricalColumn{Name: k.name})
		case numeric:
			c.table.Numeric = append(c.table.Numeric, NumericColumn{Name: k.name})
		}
	}
	return c
}

// add appends a block of the kept columns. It keeps nothing of the block's memory.
//
// Measured on the whole Covertype: gota takes 0.8 s of 2.7 s; the rest is reading, hashing and checking.
func (c *columns) add(frame dataframe.DataFrame) error {
	if frame.Nrow() == blockRows && c.table.NumRows() == 0 { // it is not a small file: expect the declared one
		c.grow(c.expected)
	}
	category, number := 0, 0
	for i, k := range c.kept {
		values := frame.Col(k.name)
		if err := values.Error(); err != nil {
			return errors.Wrapf(err, "column %q", k.name)
		}
		switch k.kind {
		case categorical:
			column := &c.table.Categorical[category]
			column.Values = append(column.Values, intern(c.interned[i], values.Records())...)
			category++
		case numeric:
			column := &c.table.Numeric[number]
			column.Values = append(column.Values, values.Float()...)
			number++
		case label:
			for _, class := range values.Records() {
				c.table.Labels = append(c.table.Labels, int32(slices.Index(c.table.Classes, class)))
			}
		}
	}
	return nil
}

// grow makes room for n rows: columns that grow by doubling would leave as much garbage again.
func (c *columns) grow(n int) {
	for i := range c.table.Categorical {
		c.table.Categorical[i].Values = slices.Grow(c.table.Categorical[i].Values, n)
	}
	for i := range c.table.Numeric {
		c.table.Numeric[i].Values = slices.Grow(c.table.Numeric[i].Values, n)
	}
	c.table.Labels = slices.Grow(c.table.Labels, n)
}

// finish returns the table, its numeric columns divided by their maximum: see NumericColumn.
func (c *columns) finish() *Table {
	for _, column := range c.table.Numeric {
		if largest := slices.Max(column.Values); largest > 0 {
			for i := range column.Values {
				column.Values[i] /= largest
			}
		}
	}
	return c.table
}

// intern makes equal values share memory, in place. As read, each value keeps its whole line alive.
func intern(shared map[string]string, values []string) []string {
	for i, v := range values {
		s, ok := shared[v]
		if !ok {
			s = strings.Clone(v)
			shared[s] = s
		}
		values[i] = s
	}
	return values
}
