package tables

import (
	"io"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/uci"
)

// parse returns the Table in CSV content, without its checksum; errors name the path. It stops at the data set's last row.
func parse(d uci.Declaration, path string, content io.Reader) (*Table, error) {
	columns := newColumns(d)
	if err := d.Frames(path, content, columns.add); err != nil {
		return nil, err
	}
	columns.table.Path = path
	return columns.finish(), nil
}

// columns builds a Table from blocks of rows.
type columns struct {
	table    *Table
	kept     []uci.Column
	interned []map[string]string // distinct values of each kept column
	expected int                 // number of rows of the declared file
}

func newColumns(d uci.Declaration) *columns {
	c := &columns{
		table: &Table{Name: d.Name, Classes: slices.Clone(d.Classes)},
		kept:  d.Kept(), expected: d.CompleteRows,
	}
	c.interned = make([]map[string]string, len(c.kept))
	for i, k := range c.kept {
		c.interned[i] = make(map[string]string)
		switch k.Kind {
		case uci.Categorical:
			if k.Name == d.Incremental {
				c.table.Incremental = len(c.table.Categorical)
			}
			c.table.Categorical = append(c.table.Categorical, column.Categorical{Name: k.Name})
		case uci.Numeric:
			c.table.Numeric = append(c.table.Numeric, column.Numeric{Name: k.Name})
		}
	}
	return c
}

// add appends a block of the kept columns and copies all that it keeps. On the whole Covertype gota takes 0.8 s of 2.7 s; the rest is
// reading, hashing and checking.
func (c *columns) add(frame dataframe.DataFrame) error {
	if frame.Nrow() == column.BlockRows && c.table.NumRows() == 0 { // the file is not small: expect the declared file
		c.grow(c.expected)
	}
	category, number := 0, 0
	for i, k := range c.kept {
		values := frame.Col(k.Name)
		if err := values.Error(); err != nil {
			return errors.Wrapf(err, "column %q", k.Name)
		}
		switch k.Kind {
		case uci.Categorical:
			items := &c.table.Categorical[category]
			items.Values = append(items.Values, column.Intern(c.interned[i], values.Records())...)
			category++
		case uci.Numeric:
			numbers := &c.table.Numeric[number]
			numbers.Values = append(numbers.Values, values.Float()...)
			number++
		case uci.Label:
			for _, class := range values.Records() {
				c.table.Labels = append(c.table.Labels, int32(slices.Index(c.table.Classes, class)))
			}
		}
	}
	return nil
}

// grow makes room for n rows. Columns that grow by doubling would leave as much garbage again.
func (c *columns) grow(n int) {
	for i := range c.table.Categorical {
		c.table.Categorical[i].Values = slices.Grow(c.table.Categorical[i].Values, n)
	}
	for i := range c.table.Numeric {
		c.table.Numeric[i].Values = slices.Grow(c.table.Numeric[i].Values, n)
	}
	c.table.Labels = slices.Grow(c.table.Labels, n)
}

// finish divides each numeric column by its maximum, as column.Numeric says, and returns the table.
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
