package schema

import "math"

// Input is one input that a schema makes of its columns, for a program that builds a table of its own. Most columns make one
// input. A column of kind Both makes an item and a number. A time makes one category for each of its derived categories.
type Input struct {
	Name   string
	Number bool // the input is a number; otherwise it is an item

	column  Column
	field   int // place in a record
	feature Feature
}

// Cell is the value of an input in one record.
type Cell struct {
	Item     string  // the item, or the text of a field that should be a number and is not; "" if it is missing
	Number   float64 // the number
	IsNumber bool    // Number is known
}

// Inputs lists the inputs of a schema in the order of its columns.
func (s Schema) Inputs() (list []Input) {
	for field, c := range s.Columns {
		for _, in := range c.Features() {
			list = append(list, Input{Name: in.Name, Number: in.Kind == BinFeature, column: c, field: field, feature: in})
		}
	}
	return list
}

// Kind returns the kind of the input's column.
func (in Input) Kind() Kind { return in.column.Kind }

// Read returns the input's cell in a record. It does not cut a cell with several items.
func (in Input) Read(r Record) Cell {
	field := r[in.field]
	switch in.feature.Kind {
	case BinFeature:
		if x, ok := ParseNumber(field, in.column.DecimalComma); ok && math.Abs(x) <= mostNumber {
			return Cell{Number: x, IsNumber: true}
		}
	case DerivedFeature:
		t, ok := ParseTime(field, in.column.Layout)
		if !ok {
			return Cell{}
		}
		return Cell{Item: Derive(t, in.feature.Derived)}
	}
	return Cell{Item: field}
}

// Class returns the number of a record's class among the target's classes. An empty target is not known. A label that is no class
// is a *FieldError. The schema's target must be of kind Classes.
func (s Schema) Class(r Record) (class int, known bool, err error) {
	y, known, err := s.Target.Parse(r[s.column(s.Target.Column)])
	return int(y), known, err
}

// Feature is one column of the encoder. Most columns of a table make one feature. Columns of kind Both and Time make several, and
// some columns make none.
type Feature struct {
	Name    string
	Kind    FeatureKind
	Derived string // the category that a time gives: hour or weekday
}

// FeatureKind is the way in which a column's field becomes a feature.
type FeatureKind int

const (
	ItemFeature    FeatureKind = iota // items of a category
	BinFeature                        // a number in bins
	DerivedFeature                    // a category of a time
)

// Features returns the encoder's columns of a column.
func (c Column) Features() []Feature {
	switch c.Kind {
	case Category:
		return []Feature{{Name: c.Name, Kind: ItemFeature}}
	case Number:
		return []Feature{{Name: c.Name, Kind: BinFeature}}
	case Both:
		return []Feature{{Name: c.Name, Kind: ItemFeature}, {Name: c.Name + " (number)", Kind: BinFeature}}
	case Time:
		var list []Feature
		for _, d := range c.Derived {
			list = append(list, Feature{Name: c.Name + " (" + d + ")", Kind: DerivedFeature, Derived: d})
		}
		return list
	}
	return nil
}

// FeatureNames returns the names of the encoder's columns.
func (s Schema) FeatureNames() (names []string) {
	for _, c := range s.Columns {
		for _, in := range c.Features() {
			names = append(names, in.Name)
		}
	}
	return names
}
