package records

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/pkg/errors"
)

// cells reads the objects in the cells of CSV and Parquet as JSON lines are read, and adds the columns of the file's path.
type cells struct {
	Object
	own    []string       // names of the file's columns
	holds  []bool         // which of them hold objects
	at     []int          // their places among the names; -1 if all of the column is objects
	names  []string       // of all columns
	places map[string]int // of the names
	path   []string       // values of the last names
	lists  []string       // columns that came as lists
	marks  []byte         // by Reader.Typed, for the decimals of numbers in objects
	fields []string
}

// widen finds the columns of objects in cells, and of the path.
func (r *Reader) widen(o Options) error {
	r.own = r.rows.columns()
	c := &cells{own: r.own, holds: make([]bool, len(r.own)), places: map[string]int{}}
	_, isJSON := r.rows.(*jsonRows)
	inside, texts := newFound(), make([]bool, len(r.own))
	switch {
	case isJSON || o.OneLevel:
	case o.Columns == nil:
		if err := r.look(c, inside, texts); err != nil {
			return err
		}
	default:
		c.Nested = Nest(o.Columns)
		for i, name := range r.own {
			inner := c.Nested[name]
			isOwn := func(n string) bool { return n != name && slices.Contains(r.own, n) }
			if inner != nil && r.mayHold(i) && !slices.ContainsFunc(inner, isOwn) {
				c.holds[i], texts[i] = true, slices.Contains(o.Columns, name)
				inside.all = append(inside.all, inner...)
			}
		}
	}
	add := func(name string) (at int, isNew bool) {
		if at, known := c.places[name]; known {
			return at, false
		}
		c.places[name], c.names = len(c.names), append(c.names, name)
		return len(c.names) - 1, true
	}
	for i, name := range r.own {
		if c.at = append(c.at, -1); !c.holds[i] || texts[i] {
			c.at[i], _ = add(name)
		}
	}
	for _, name := range inside.all {
		add(name)
	}
	for _, of := range o.Partition {
		if _, isNew := add(of[0]); isNew {
			c.path = append(c.path, of[1])
		}
	}
	if slices.Contains(c.holds, true) || len(c.path) > 0 {
		c.lists, c.Nested = inside.lists(), Nest(c.names)
		r.cells, r.own, c.fields = c, c.names, make([]string, len(c.names))
	}
	return nil
}

// mayHold tells whether a column may hold objects: the table's first lines do, or it is text. Another table lacks the columns inside.
func (r *Reader) mayHold(column int) bool {
	switch rows := r.rows.(type) {
	case *csvRows:
		return rows.braces
	case *parquetRows:
		return rows.leaves[column].Type().Kind() == parquet.ByteArray
	}
	return false
}

// look notes which columns hold objects in the first records, with the fields inside, and which hold other text.
func (r *Reader) look(c *cells, inside *found, texts []bool) error {
	c.Nested, c.looks = Nested{}, true
	defer func() { c.looks = false }()
	return r.peek(func(fields []string) {
		for i, text := range fields {
			switch {
			case c.objectIn(i, text, inside.add):
				c.holds[i] = true
			case text != "" && text != "null" && text != "[]":
				texts[i] = true
			}
		}
	}, inside)
}

// peek calls do with the first records that may hold objects, as many as show the columns, and goes back.
func (r *Reader) peek(do func([]string), inside *found) error {
	most := columnRecords
	switch rows := r.rows.(type) {
	case *csvRows:
		if !rows.braces {
			return nil
		}
		if !r.Seekable() {
			most = pipeRecords
		}
		for n := 0; n < most && len(inside.all) <= maxColumns; n++ {
			fields, err := rows.parse()
			if err == nil && len(fields) == len(r.own) {
				do(fields)
			} else if err != nil && !errors.As(err, new(*RecordError)) {
				break
			}
		}
		rows.rewind()
		rows.lines.line = nil
	case *parquetRows:
		for n := 0; n < most && len(inside.all) <= maxColumns && (n < sampleLines || len(inside.all) > 0); n++ {
			fields, err := rows.read()
			if err != nil {
				break // Read returns the error
			}
			do(fields)
		}
		if err := rows.seek(Position{}); err != nil {
			return err
		}
	}
	err := inside.check(r.in.name)
	inside.all = inside.names()
	return err
}

// objectIn calls field for each field of the object in a column's cell. It returns false if the cell holds no object.
func (c *cells) objectIn(column int, text string, field func(name, value []byte)) bool {
	if !strings.HasPrefix(text, "{") || c.line.check([]byte(text)) != nil {
		return false
	}
	_ = c.flatten(c.own[column]+".", []byte(text), field) // its text was checked
	return true
}

// expand returns the fields of all columns.
func (c *cells) expand(fields []string) []string {
	clear(c.fields)
	field := func(name, value []byte) {
		at, known := c.places[string(name)]
		if !known || c.fields[at] != "" {
			return
		}
		mark := byte(0)
		if c.marks != nil {
			mark = c.marks[at]
		}
		c.fields[at] = string(c.Text(value, mark))
	}
	for i, text := range fields {
		if (!c.holds[i] || !c.objectIn(i, text, field)) && c.at[i] >= 0 {
			c.fields[c.at[i]] = text
		}
	}
	copy(c.fields[len(c.fields)-len(c.path):], c.path)
	return c.fields
}

// Lists names the columns that came as lists in the first records, which have bars in their texts; none with Options.Columns or OneLevel.
func (r *Reader) Lists() (names []string) {
	if r.wanted.OneLevel || r.wanted.Columns != nil {
		return nil
	}
	switch rows := r.rows.(type) {
	case *jsonRows:
		return rows.lists
	case *parquetRows:
		for i, leaf := range rows.leaves {
			if leaf.MaxRepetitionLevel() > 0 {
				names = append(names, rows.names[i])
			}
		}
	}
	if r.cells != nil {
		names = append(names, r.cells.lists...)
	}
	return names
}
