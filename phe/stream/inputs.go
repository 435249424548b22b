package stream

import "math"

// Input is one input that a schema makes of its columns, for a program that builds a table of its own. Most columns make one
// input. A column of kind Both makes an item and a number, and a time makes a category for all that is derived of it.
type Input struct {
	Name   string
	Number bool // the input is a number; otherwise it is an item

	column Column
	field  int // place in a record
	input  input
}

// Cell is what one record says of an input.
type Cell struct {
	Item     string  // the item, or the text of a number's field that is no number; "" if it is missing
	Number   float64 // of a number
	IsNumber bool    // Number is known
}

// Inputs lists the inputs of a schema in the order of its columns.
func (s Schema) Inputs() (list []Input) {
	for field, c := range s.Columns {
		for _, in := range c.inputs() {
			list = append(list, Input{Name: in.name, Number: in.kind == binInput, column: c, field: field, input: in})
		}
	}
	return list
}

// Kind returns the kind of the input's column.
func (in Input) Kind() Kind { return in.column.Kind }

// Read returns the input's cell in a record. It does not cut a cell with several items.
func (in Input) Read(r Record) Cell {
	field := r[in.field]
	switch in.input.kind {
	case binInput:
		if x, ok := parseNumber(field, in.column.DecimalComma); ok && math.Abs(x) <= mostNumber {
			return Cell{Number: x, IsNumber: true}
		}
	case derivedInput:
		t, ok := parseTime(field, in.column.Layout)
		if !ok {
			return Cell{}
		}
		return Cell{Item: derive(t, in.input.what)}
	}
	return Cell{Item: field}
}

// Class returns the number of a record's class among the target's classes. An empty target is not known. A label that is no class
// is a *FieldError. The schema's target must be of kind Classes.
func (s Schema) Class(r Record) (class int, known bool, err error) {
	y, known, err := s.Target.parse(r[s.column(s.Target.Column)])
	return int(y), known, err
}
