package uci

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/files"
)

// Columns holds the kept columns of a data set in memory. Equal items share their text.
type Columns struct {
	Items       []column.Categorical // the categorical and the optional columns
	Incremental int                  // index into Items of the column that is learned online
	Numbers     []column.Numeric     // as the file says
	Counts      [][]int32
	Moments     [][]int32 // minutes since 1970-01-01 00:00
	Labels      []int32   // indices into the declared classes
	Rows        int
	Path        string
	SHA256      string // hexadecimal checksum of the uncompressed file
	Verified    bool   // SHA256 is the declared checksum

	interned []map[string]string // distinct items of each kept column
}

// Load finds and reads the file of a data set. It is read as a stream, so that memory grows with the columns kept.
func (d Declaration) Load(options files.Options) (*Columns, error) {
	source := d.source()
	path, err := source.Find()
	if err != nil {
		return nil, errors.WithMessagef(err, "data set %q", d.Name)
	}
	c, read, err := d.Read(source.Files[0], path)
	if err != nil {
		return nil, err
	}
	c.Verified, err = source.Accept(options, c.Rows, d.CompleteRows, "complete rows", read)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Read reads a file of the data set. Its Verified is not set.
func (d Declaration) Read(f files.File, path string) (c *Columns, read files.Sum, err error) {
	read, err = f.Read(path, func(path string, content io.Reader) (err error) {
		c, err = d.Parse(path, content)
		return err
	})
	if err != nil {
		return nil, read, err
	}
	c.SHA256 = read.SHA256
	return c, read, nil
}

// Parse returns the columns of CSV content, without its checksum. Errors name the path. It stops at the data set's last row.
func (d Declaration) Parse(path string, content io.Reader) (*Columns, error) {
	rows, err := newRowReader(d, path, content)
	if err != nil {
		return nil, err
	}
	c := &Columns{Path: path}
	for _, k := range rows.kept {
		c.interned = append(c.interned, map[string]string{})
		switch k.Kind {
		case Categorical, Optional:
			if k.Name == d.Incremental {
				c.Incremental = len(c.Items)
			}
			c.Items = append(c.Items, column.Categorical{Name: k.Name})
		case Numeric:
			c.Numbers = append(c.Numbers, column.Numeric{Name: k.Name})
		case count:
			c.Counts = append(c.Counts, nil)
		case moment:
			c.Moments = append(c.Moments, nil)
		}
	}
	for {
		row, err := rows.next()
		if err == io.EOF {
			return c, rows.none()
		}
		if err != nil {
			return nil, err
		}
		c.add(d, rows.kept, row)
	}
}

// add appends a row of the kept columns, whose cells were checked. It copies the texts that it keeps.
func (c *Columns) add(d Declaration, kept []Column, row []string) {
	room := 0
	if c.Rows == column.BlockRows { // the file is not small: expect the declared file
		room = d.CompleteRows
	}
	c.Rows++
	items, numbers, counts, moments := c.Items, c.Numbers, c.Counts, c.Moments
	for i, k := range kept {
		text := row[i]
		switch k.Kind {
		case Categorical, Optional:
			items[0].Values = extend(items[0].Values, room, c.intern(i, text))
			items = items[1:]
		case Numeric:
			number, _ := strconv.ParseFloat(text, 64)
			numbers[0].Values = extend(numbers[0].Values, room, number)
			numbers = numbers[1:]
		case Label:
			c.Labels = extend(c.Labels, room, int32(slices.Index(d.Classes, text)))
		case count:
			n, _ := strconv.Atoi(text)
			counts[0] = extend(counts[0], room, int32(n))
			counts = counts[1:]
		case moment:
			at, _ := time.Parse(momentLayout, text)
			moments[0] = extend(moments[0], room, int32(at.Unix()/60))
			moments = moments[1:]
		}
	}
}

// extend appends a value. It makes room for some more first: columns that grow by doubling would leave as much garbage again.
func extend[T any](values []T, room int, value T) []T {
	return append(slices.Grow(values, room), value)
}

// intern returns an item of a column. Equal items share their text. A text as read keeps its whole line in memory.
func (c *Columns) intern(column int, text string) string {
	item, ok := c.interned[column][text]
	if !ok {
		item = strings.Clone(text)
		c.interned[column][item] = item
	}
	return item
}
