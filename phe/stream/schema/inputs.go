package schema

import (
	"strconv"
	"time"
)

// Input is one input that a schema makes of its columns. Most columns make one input. A column of kind Both makes an item and a number. A
// time makes one category for each of its derived categories. A column that is no input makes none.
type Input struct {
	Name    string
	Column  Column
	Place   int    // of the column in a record
	Number  bool   // the input is a number; otherwise it is an item
	Derived string // the category that a time gives: hour or weekday
	Odd     bool   // the field that Read has read is not what the column holds, such as "unknown" among numbers

	last *lastTime // of all inputs of a time
	zone *time.Location
}

// lastTime is the last time that was read. Neighbouring rows often have one time, and it gives several categories.
type lastTime struct {
	field string
	time  time.Time
	known bool  // the field is a time
	form  *form // of the last field that was a time
}

// Inputs lists the inputs of a schema in the order of its columns. One goroutine at a time may read by them.
func (s Schema) Inputs() (list []Input) {
	for place, c := range s.Columns {
		in := Input{Name: c.Name, Column: c, Place: place, Number: c.Kind == Number}
		switch c.Kind {
		case Category, Number:
			list = append(list, in)
		case Both:
			list = append(list, in, Input{Name: c.Name + " (number)", Column: c, Place: place, Number: true})
		case Time:
			last := &lastTime{}
			for _, d := range c.Derived {
				list = append(list, Input{Name: c.Name + " (" + d + ")", Column: c, Place: place, Derived: d, last: last,
					zone: zone(c.Zone)})
			}
		}
	}
	return list
}

// Read returns the input's value in a record: a number or an item. A field that should be a number and is not one is an item. The item is ""
// if the value is missing. Read does not cut a field with several items.
func (in *Input) Read(r Record) (item string, number float64, isNumber bool) {
	field := r[in.Place]
	in.Odd = false
	if in.Derived != "" {
		last := in.last
		if field != last.field {
			last.read(field, in.Column.Layout)
			if last.known && last.form.zone && in.zone != nil && (last.time.Location() == time.UTC || in.Column.Zone[0] > '-') {
				last.time = last.time.In(in.zone)
			}
		}
		in.Odd = !last.known && !missing(field)
		f, hour := last.form, in.Derived == hourOf
		if !last.known || in.Column.Reading == Times && (hour && !f.clock || !hour && !f.year) {
			return "", 0, false
		}
		return derive(last.time, in.Derived), 0, false
	}
	if in.Number {
		if number, isNumber = in.Column.Number(field); isNumber {
			return "", number, true
		}
	}
	item, ok := in.Column.Value(field)
	in.Odd = !ok
	return item, 0, false
}

// Categories that a time gives.
const (
	hourOf    = "hour"
	weekdayOf = "weekday"
)

func derivable() []string { return []string{hourOf, weekdayOf} }

func derive(t time.Time, what string) string {
	if what == hourOf {
		return strconv.Itoa(t.Hour())
	}
	return t.Weekday().String()
}
