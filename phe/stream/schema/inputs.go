package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"
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

	last *lastTime // of all inputs of a time
}

// lastTime is the last time that was read. Neighbouring rows often have one time, and it gives several categories.
type lastTime struct {
	field string
	time  time.Time
	known bool // the field is a time
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
				list = append(list, Input{Name: c.Name + " (" + d + ")", Column: c, Place: place, Derived: d, last: last})
			}
		}
	}
	return list
}

// Read returns the input's value in a record: a number or an item. A field that should be a number and is not one is an item. The item is ""
// if the value is missing. Read does not cut a field with several items.
func (in *Input) Read(r Record) (item string, number float64, isNumber bool) {
	field := r[in.Place]
	switch {
	case field == "":
	case in.Number:
		if x, ok := ParseNumber(field, in.Column.DecimalComma); ok {
			return "", x, true
		}
	case in.Derived != "":
		last := in.last
		if field != last.field {
			last.field = field
			last.time, last.known = parseTime(field, in.Column.Layout)
		}
		if !last.known {
			return "", 0, false
		}
		return derive(last.time, in.Derived), 0, false
	}
	return field, 0, false
}

// ParseNumber reads a number as people write them: "1234.5", "1,234.5", "$12", "3 %". With comma it reads "1.234,5".
func ParseNumber(field string, comma bool) (float64, bool) {
	if v, ok := parseDigits(field); ok && !comma {
		return v, true
	}
	if !strings.ContainsAny(field, "0123456789") {
		return 0, false // the error of strconv would cost more
	}
	if !comma {
		if v, err := strconv.ParseFloat(field, 64); err == nil {
			return v, !math.IsNaN(v) && !math.IsInf(v, 0)
		}
	}
	if len(field) > 40 {
		return 0, false
	}
	cleaned := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0', '\u202f', '$', '€', '£', '%', '\'':
			return -1
		}
		return r
	}, field)
	if comma {
		cleaned = strings.ReplaceAll(strings.ReplaceAll(cleaned, ".", ""), ",", ".")
	} else if thousands(cleaned) {
		cleaned = strings.ReplaceAll(cleaned, ",", "")
	}
	v, err := strconv.ParseFloat(cleaned, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// parseDigits reads a number of at most fifteen digits, such as "-12.5". Digits and power of ten are exact, and only the division rounds.
// So the result is that of strconv.
func parseDigits(field string) (float64, bool) {
	rest := strings.TrimPrefix(field, "-")
	whole, digits, decimals := int64(0), 0, -1
	for i := range len(rest) {
		switch c := rest[i]; {
		case c-'0' <= 9 && digits < 15:
			whole = 10*whole + int64(c-'0')
			digits++
		case c == '.' && decimals < 0:
			decimals = digits
		default:
			return 0, false
		}
	}
	if digits == 0 {
		return 0, false
	}
	v := float64(whole)
	if decimals >= 0 {
		v /= powersOfTen[digits-decimals]
	}
	if len(rest) < len(field) {
		v = -v
	}
	return v, true
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// thousands tells whether a group of three digits follows each comma of a number.
func thousands(s string) bool {
	s, _, _ = strings.Cut(s, ".")
	groups := strings.Split(s, ",")
	return !slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}

// layouts are the ways to write a time that Infer knows. Infer tries them in this order. A "2" or a "1" also reads "02" or "01". If
// day and month are both numbers, Infer first tries the day before the month.
var layouts = []string{
	"2006-1-2 15:04:05", time.RFC3339, "2006-1-2T15:04:05", "2006-1-2 15:04", "2006-1-2T15:04", "2006-1-2",
	"2006/1/2 15:04:05", "2006/1/2 15:04", "2006/1/2",
	"2/1/2006 15:04:05", "2/1/2006 15:04", "2/1/2006", "1/2/2006 15:04:05", "1/2/2006 15:04", "1/2/2006", "1/2/2006 3:04:05 PM", "1/2/2006 3:04 PM",
	"2.1.2006 15:04:05", "2.1.2006 15:04", "2.1.2006", "2/1/06", "1/2/06", "2/1/06 15:04", "1/2/06 15:04",
	"Jan 2, 2006 15:04:05", "Jan 2, 2006", "2 Jan 2006", "2-Jan-2006", "2/Jan/2006:15:04:05 -0700", "2006-1-2 15:04:05 -0700", "2006-1-2 15:04:05 MST",
	time.RFC1123, time.RFC1123Z, time.ANSIC, "20060102T150405", "20060102150405",
	unix, unixMilli,
}

// Layouts of times that are numbers.
const (
	unix      = "unix"
	unixMilli = "unix ms"
)

// parseTime reads a time. Fractions of a second may follow the seconds of any layout.
func parseTime(field, layout string) (time.Time, bool) {
	switch layout {
	case unix, unixMilli:
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || math.Abs(v) > 1e15 {
			return time.Time{}, false
		}
		if layout == unixMilli {
			v /= 1000
		}
		return time.Unix(int64(math.Floor(v)), 0).UTC(), true
	}
	t, err := time.Parse(layout, field)
	return t, err == nil
}

// Categories that a time gives.
const (
	hourOf    = "hour"
	weekdayOf = "weekday"
)

func derivable() []string { return []string{hourOf, weekdayOf} }

// derive returns a category of a time.
func derive(t time.Time, what string) string {
	if what == hourOf {
		return strconv.Itoa(t.Hour())
	}
	return t.Weekday().String()
}
