package schema

// Input is one input that a schema makes of its columns. Most columns make one input. A column of kind Both makes an item and a number. A
// time makes one category for each of its derived categories. A column that is no input makes none.
type Input struct {
	Name    string
	Column  Column
	Place   int    // of the column in a record
	Number  bool   // the input is a number; otherwise it is an item
	Derived string // the category that a time gives: hour or weekday
}

// Cell is the value of an input in one record.
type Cell struct {
	Item     string  // the item, or the text of a field that should be a number and is not; "" if it is missing
	Number   float64 // the number
	IsNumber bool    // Number is known
}

// Inputs lists the inputs of a schema in the order of its columns.
func (s Schema) Inputs() (list []Input) {
	for place, c := range s.Columns {
		in := Input{Name: c.Name, Column: c, Place: place, Number: c.Kind == Number}
		switch c.Kind {
		case Category, Number:
			list = append(list, in)
		case Both:
			list = append(list, in, Input{Name: c.Name + " (number)", Column: c, Place: place, Number: true})
		case Time:
			for _, d := range c.Derived {
				list = append(list, Input{Name: c.Name + " (" + d + ")", Column: c, Place: place, Derived: d})
			}
		}
	}
	return list
}

// Read returns the input's cell in a record. It does not cut a cell with several items.
func (in *Input) Read(r Record) Cell {
	field := r[in.Place]
	switch {
	case field == "":
		return Cell{}
	case in.Number:
		if x, ok := ParseNumber(field, in.Column.DecimalComma); ok {
			return Cell{Number: x, IsNumber: true}
		}
	case in.Derived != "":
		t, ok := parseTime(field, in.Column.Layout)
		if !ok {
			return Cell{}
		}
		return Cell{Item: derive(t, in.Derived)}
	}
	return Cell{Item: field}
}

// isInput tells whether a column makes an input.
func (c Column) isInput() bool {
	return c.Kind == Category || c.Kind == Number || c.Kind == Both || c.Kind == Time
}
