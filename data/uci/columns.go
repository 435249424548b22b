package uci

import (
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/files"
)

// Columns holds the kept columns of a data set in memory. Equal items share their text.
type Columns struct {
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
	c, read, err := d.read(source.Files[0], path)
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

// read reads a file of the data set.
func (d Declaration) read(f files.File, path string) (c *Columns, read files.Sum, err error) {
	read, err = f.Read(path, func(path string, content io.Reader) (err error) {
		c, err = d.Parse(path, content)
		return err
	})
	if err != nil {
		return nil, read, err
	}
	return c, read, nil
}

// Parse returns the columns of CSV content, without its checksum. Errors name the path. It stops at the data set's last row.
func (d Declaration) Parse(path string, content io.Reader) (*Columns, error) {
	rows, err := newRowReader(d, path, content)
	if err != nil {
		return nil, err
	}
	c := &Columns{Path: path}
	var keepers []keeper
	for _, k := range rows.kept {
		keepers = append(keepers, c.keep(k, k.Name == d.Incremental))
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
		room := 0
		if c.Rows == column.BlockRows { // the file is not small: expect the declared file
			room = d.CompleteRows
		}
		c.Rows++
		for _, keep := range keepers {
			keep(row, room)
		}
	}
}

// keeper appends a row's value of one column to Columns, and makes room for some more first.
type keeper func(row []cell, room int)

// keep begins a column and returns its keeper.
func (c *Columns) keep(k keptColumn, incremental bool) keeper {
	switch k.Kind {
	case numeric:
		i := len(c.Numbers)
		c.Numbers = append(c.Numbers, column.Numeric{Name: k.Name})
		return func(row []cell, room int) { extend(&c.Numbers[i].Values, room, row[k.first].number) }
	case label:
		return func(row []cell, room int) { extend(&c.Labels, room, int32(row[k.first].number)) }
	case count:
		return func(row []cell, room int) { extend(&c.Counts, room, int32(row[k.first].number)) }
	case moment:
		return func(row []cell, room int) { extend(&c.Moments, room, int32(row[k.first].number)) }
	}
	i, known := len(c.Items), map[string]string{}
	if incremental {
		c.Incremental = i
	}
	c.Items = append(c.Items, column.Categorical{Name: k.Name})
	return func(row []cell, room int) {
		text := row[k.first].text
		item, ok := known[text]
		if !ok {
			item = strings.Clone(text) // a text as read keeps its whole line in memory
			known[item] = item
		}
		extend(&c.Items[i].Values, room, item)
	}
}

// extend appends a value. It makes room for some more first: columns that grow by doubling would leave as much garbage again.
func extend[T any](values *[]T, room int, value T) {
	*values = append(slices.Grow(*values, room), value)
}
