package uci

import (
	"io"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/files"
)

// Columns holds the kept columns of a data set in memory. Equal items share their text.
type Columns struct {
	Declaration Declaration
	Items       []column.Categorical // the categorical and the optional columns
	Incremental int                  // index into Items of the column that is learned online
	Numbers     []column.Numeric     // as the file says
	Counts      []int32
	Moments     []int32 // minutes since 1970-01-01 00:00
	Labels      []int32 // indices into the declared classes
	Rows        int
	Path        string
	SHA256      string // hexadecimal checksum of the uncompressed file
	Verified    bool   // SHA256 is the declared checksum
}

// Load finds and reads the file of a data set. It is read as a stream, so that memory grows with the columns kept.
func (d Declaration) Load(options files.Options) (*Columns, error) {
	source := d.source()
	path, err := source.Find()
	if err != nil {
		return nil, errors.WithMessagef(err, "data set %q", d.Name)
	}
	c, read, err := files.Parse(source.Files[0], path, d.Parse)
	if err != nil {
		return nil, err
	}
	c.SHA256 = read.SHA256
	c.Verified, err = source.Accept(options, c.Rows, d.CompleteRows, "complete rows", read)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Parse returns the columns of CSV content, without its checksum. Errors name the path. It stops at the data set's last row.
func (d Declaration) Parse(path string, content io.Reader) (*Columns, error) {
	checked, err := files.NewRows(path, content, d.header())
	if err != nil {
		return nil, err
	}
	rows := &rowReader{Declaration: d, Rows: checked, path: path, cells: make([]cell, len(d.Columns))}
	c := &Columns{Declaration: d, Path: path}
	var keepers []keeper
	for i, f := range d.Columns {
		if f.Kind != ignored {
			keepers = append(keepers, d.keep(c, f, i))
		}
	}
	for {
		row, err := rows.next()
		if err == io.EOF && c.Rows == 0 {
			return nil, rows.none()
		}
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		c.Rows++
		for _, keep := range keepers {
			keep(row)
		}
	}
}

// keeper appends a row's value of one column to Columns.
type keeper func(row []cell)

// keep begins a column and returns its keeper, which takes the cell at an index of the row.
func (d Declaration) keep(c *Columns, f Field, at int) keeper {
	switch f.Kind {
	case numeric:
		i := len(c.Numbers)
		c.Numbers = append(c.Numbers, column.Numeric{Name: f.Name})
		return func(row []cell) { column.Append(&c.Numbers[i].Values, row[at].number, d.CompleteRows) }
	case label:
		return d.keepWhole(&c.Labels, at)
	case count:
		return d.keepWhole(&c.Counts, at)
	case moment:
		return d.keepWhole(&c.Moments, at)
	}
	i, known := len(c.Items), map[string]string{}
	if f.Name == d.Incremental {
		c.Incremental = i
	}
	c.Items = append(c.Items, column.Categorical{Name: f.Name})
	return func(row []cell) {
		text := row[at].text
		item, ok := known[text]
		if !ok {
			item = strings.Clone(text) // a text as read keeps its whole line in memory
			known[item] = item
		}
		column.Append(&c.Items[i].Values, item, d.CompleteRows)
	}
}

// keepWhole returns the keeper of a column of whole numbers.
func (d Declaration) keepWhole(values *[]int32, at int) keeper {
	return func(row []cell) { column.Append(values, int32(row[at].number), d.CompleteRows) }
}
