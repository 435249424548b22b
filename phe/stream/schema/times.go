package schema

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // a machine without zones must not move clocks otherwise
	"unicode"
)

// Layouts of a column of times. Each reads every way to write a time that leaves no doubt, such as "2026-03-25T12:00:00Z", "25.03.26 12:00",
// "Mar 25, 2026" or seconds since 1970. They differ in what 2/1/2026 is. A column may also have a layout of Go's package time, "unix" or "unix ms".
const (
	anyTime    = "any" // 2/1/2026 is no time
	dayFirst   = "any, day/month"
	monthFirst = "any, month/day"
	unix       = "unix"
	unixMilli  = "unix ms"
)

// Ways to write a time: a date, a clock behind it, and a zone behind the clock, as in Go's package time. A fraction may follow the seconds. A
// date that has a clock of its own takes a zone alone.
var (
	dates = map[string]string{
		anyTime: "2006-1-2|2006/1/2|2006.1.2|2.1.2006|02.01.06|2006-Jan-2|2-Jan-2006|2-Jan-06|2/Jan/2006|2 Jan 2006|2 Jan 06|2Jan2006|Jan 2 2006|20060102|" +
			"20060102150405|200601021504|20060102 150405|20060102T150405|20060102T1504|Jan 2 15:04:05|" +
			"Jan 2 15:04:05 2006|Jan 2 15:04:05 Z 2006|Jan 2 15:04:05 -0700 2006|Jan 2 3:04:05 PM 2006",
		dayFirst:   "2/1/2006|2-1-2006|2/1/06",
		monthFirst: "1/2/2006|1-2-2006|1/2/06",
	}
	clocks = "| 15:04| 15:04:05|T15:04|T15:04:05|:15:04:05| 3:04 PM| 3:04:05 PM| 3:04PM| 3:04:05PM"
	zones  = "|Z|-07:00|-0700|-07| Z| -07:00| -0700| -07| -0700 Z"
)

// spoken are words of a time as the layouts have them. Weekdays say nothing new. Nor do names of zones but UTC, since a clock is as written.
var spoken = sync.OnceValue(func() map[string]string {
	short := map[string]string{"UTC": "Z", "GMT": "Z", "SEPT": "SEP"}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToUpper(m.String())
		short[name] = name[:3]
	}
	silent := "AT CET CEST MET MEST WET WEST EET EEST MSK BST EST EDT CST CDT MST MDT PST PDT AKST AKDT HST IST JST KST HKT SGT PKT WIB AEST AEDT ACST AWST NZST NZDT SAST BRT"
	for day := time.Sunday; day <= time.Saturday; day++ {
		silent += strings.ToUpper(" " + day.String() + " " + day.String()[:3])
	}
	for _, word := range strings.Fields(silent) {
		short[word] = ""
	}
	return short
})

// form is a way to write a time.
type form struct {
	layout, order            string
	clock, zone, year, short bool // the time has one; short: the year, of two digits, between numbers
}

func newForm(layout, order string) *form {
	return &form{layout, order, strings.ContainsAny(layout, "345"), strings.ContainsAny(layout, "7Z"), strings.Contains(layout, "6"),
		strings.Contains(layout, "/06") || strings.Contains(layout, ".06")}
}

// sinceEpoch is the form of seconds, milliseconds, microseconds or nanoseconds since 1970.
var sinceEpoch = &form{clock: true, zone: true, year: true}

// forms returns the forms by the outlines of their layouts.
var forms = sync.OnceValue(func() map[string][]*form {
	all := map[string][]*form{}
	for order, list := range dates {
		for date := range strings.SplitSeq(list, "|") {
			own := strings.Contains(date, "04")
			for clock := range strings.SplitSeq(clocks, "|") {
				for zone := range strings.SplitSeq(zones, "|") {
					if clock == "" && (own || zone == "") || clock != "" && !own {
						_, shape, _ := outline(date+clock+zone, nil, nil)
						all[string(shape)] = append(all[string(shape)], newForm(date+clock+zone, order))
					}
				}
			}
		}
	}
	return all
})

// outline returns a time as the layouts have it, with words as spoken, and its shape: a letter for a run of digits by their number, an "a" for
// a word, and what stands between them. A remark in brackets behind the time is cut off.
func outline(field string, text, shape []byte) (plain, outlined []byte, remark bool) {
	for i := 0; i < len(field) && !remark; {
		c, from, last := field[i], i, len(shape)-1
		switch i++; {
		case c-'0' <= 9:
			for i < len(field) && field[i]-'0' <= 9 {
				i++
			}
			if last >= 0 && (shape[last] == '.' || shape[last] == ',') && bytes.IndexByte(shape, ':') >= 0 {
				shape = shape[:last] // the fraction of a second, which no layout needs to name
			} else {
				shape = append(shape, 'A'+byte(max(i-from, 2)))
			}
			text = append(text, field[from:i]...)
		case c|0x20-'a' < 26:
			for i < len(field) && field[i]|0x20-'a' < 26 {
				i++
			}
			before := len(text)
			text = append(text, field[from:i]...)
			for at := before; at < len(text); at++ {
				text[at] &^= 0x20
			}
			if short, found := spoken()[string(text[before:])]; found {
				text = append(text[:before], short...)
			}
			if i < len(field) && (field[i] == '+' || field[i] == '-') && i-from == 3 && string(text[before:]) == "Z" { // GMT+0100
				text = text[:before]
			}
			if len(text) > before {
				shape = append(shape, 'a')
			}
		case c == ' ' && (last < 0 || shape[last] == ' '), c == ',' && (i == len(field) || field[i] == ' '), c == '[' && i == 1, c == ']' && i == len(field):
		case c == '(' || c == '[':
			remark = true
		default:
			text, shape = append(text, c), append(shape, c)
			if c == '+' {
				shape[last+1] = '-'
			}
		}
	}
	return bytes.TrimRight(text, " "), bytes.TrimRight(shape, " "), remark
}

// parse reads a time of a form.
func (f *form) parse(text string) (time.Time, bool) {
	if f == sinceEpoch {
		return sinceUnix(text)
	}
	t, err := time.ParseInLocation(f.layout, text, time.UTC)
	if err == nil && f.zone {
		_, away := t.Zone()
		return t, away >= -12*3600 && away <= 14*3600 && away%900 == 0
	}
	return t, err == nil && (!strings.HasPrefix(f.layout, "200601") || t.Year() >= 1800 && t.Year() < 2200)
}

// readTime reads a time in any layout. The clock is as written: an offset from UTC does not move it. The form is nil if the field is no time.
func readTime(field, order string) (time.Time, *form) {
	var textOf, shapeOf [80]byte
	if len(field) > len(textOf) {
		return time.Time{}, nil
	}
	field = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '\u2212':
			return '-'
		}
		return r
	}, field)
	text, shape, remark := outline(field, textOf[:0], shapeOf[:0])
	if string(text) != field {
		field = string(text)
	}
	for _, f := range forms()[string(shape)] {
		if f.order == anyTime || f.order == order {
			if t, ok := f.parse(field); ok && (f.zone || !remark) {
				return t, f
			}
		}
	}
	if t, ok := sinceUnix(field); ok {
		return t, sinceEpoch
	}
	return time.Time{}, nil
}

// sinceUnix reads a number of seconds, milliseconds, microseconds or nanoseconds since 1970. The size tells the unit, from 1980 to 2100.
func sinceUnix(field string) (time.Time, bool) {
	if len(field) < 9 || strings.Trim(field, "0123456789.eE+") != "" {
		return time.Time{}, false
	}
	v, err := strconv.ParseFloat(field, 64)
	for err == nil && v >= 1e11 && v < 1e20 {
		v /= 1000
	}
	_, inDoubt := time.Parse("2006010215", field) // in 2033 and a few years
	return time.Unix(int64(v), 0).UTC(), v >= 315532800 && v < 4102444800 && inDoubt != nil
}

// parseTime reads a time by a layout. It tries the form of the time before first. The form is nil if the field is no time.
func parseTime(field, layout string, before *form) (time.Time, *form) {
	switch layout {
	case anyTime, dayFirst, monthFirst:
		if before != nil {
			if t, ok := before.parse(field); ok {
				return t, before
			}
		}
		return readTime(field, layout)
	case unix, unixMilli:
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || math.Abs(v) > 1e15 {
			return time.Time{}, nil
		}
		if layout == unixMilli {
			v /= 1000
		}
		return time.Unix(int64(math.Floor(v)), 0).UTC(), sinceEpoch
	}
	if before == nil {
		before = newForm(layout, "")
	}
	if t, err := time.Parse(layout, field); err == nil {
		return t, before
	}
	return time.Time{}, nil
}

// zone returns a zone by its name or its distance from UTC; nil if there is none.
func zone(name string) *time.Location {
	if t, err := time.Parse("-07:00", name); err == nil {
		return t.Location()
	}
	z, err := time.LoadLocation(name)
	if err != nil || name == "" || z == time.Local { // another one on each machine
		return nil
	}
	return z
}
