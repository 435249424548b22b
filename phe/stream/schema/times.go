package schema

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
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

// parseTime reads a time by a layout. A date without a clock has a nanosecond that says so.
func parseTime(field, layout string) (time.Time, bool) {
	switch layout {
	case anyTime, dayFirst, monthFirst:
		return readTime(tidy(field), layout)
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

// sinceUnix reads a number of seconds, milliseconds, microseconds or nanoseconds since 1970. From 1973 to 2100 the size tells the unit.
func sinceUnix(field string) (time.Time, bool) {
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || !(v >= 1e8 && v < 1e20) {
		return time.Time{}, false
	}
	for v >= 1e11 {
		v /= 1000
	}
	return time.Unix(int64(v), 0).UTC(), v < until
}

const since, until = 315532800, 4102444800 // 1980 to 2100

// piece is a number or a word of a time.
type piece struct {
	word   string // of letters or digits
	n      int    // value of digits; −1 of letters
	before byte   // what stands before it; 0 for nothing
}

// pieces cuts a time into its numbers and words. It returns their number; 0 if they are no time.
func pieces(field string, list *[12]piece) (n int) {
	before := byte(0)
	for i := 0; i < len(field); {
		c, from := field[i], i
		isDigit, isLetter := c-'0' <= 9, c|0x20-'a' < 26
		if !isDigit && !isLetter {
			if before == 0 || before == ' ' || before == ',' {
				before = c
			} else if c != ' ' {
				return 0
			}
			i++
			continue
		}
		value := -1
		if isDigit {
			value = 0
		}
		for ; i < len(field) && (isDigit && field[i]-'0' <= 9 || isLetter && field[i]|0x20-'a' < 26); i++ {
			if isDigit && i-from < 18 {
				value = 10*value + int(field[i]-'0')
			}
		}
		if n == len(list) {
			return 0
		}
		list[n] = piece{field[from:i], value, before}
		n++
		before = 0
	}
	return n
}

// named returns the number of a name, whole or cut after three letters, from 1; 0 if it is none.
func named(word string, names ...string) int {
	for i, name := range names {
		if len(word) >= 3 && len(word) <= len(name) && strings.EqualFold(word, name[:len(word)]) {
			return i + 1
		}
	}
	return 0
}

func month(word string) int {
	return named(word, "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
}

// readTime reads a time in any layout. The clock is as written: an offset from UTC does not move it.
func readTime(field, layout string) (t time.Time, ok bool) {
	if len(field) > 40 {
		return t, false
	}
	if len(field) > 8 && strings.IndexByte("0123456789.", field[4]) >= 0 { // no time with a year first
		if t, ok = sinceUnix(field); ok {
			return t, true
		}
	}
	if inside, found := strings.CutPrefix(field, "["); found {
		field = strings.TrimSuffix(inside, "]")
	}
	var all [12]piece
	p := all[:pieces(field, &all)]
	if len(p) == 0 {
		return t, false
	}
	if p[0].n < 0 && named(p[0].word, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday") > 0 {
		p = p[1:]
	}
	d := moment{}
	if p, ok = d.date(p, layout); !ok || !d.clock(p) {
		return t, false
	}
	if d.zone == nil {
		d.zone = asWritten
	}
	t = time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, d.nano, d.zone)
	return t, t.Day() == d.day && d.month >= 1 && d.month <= 12 && d.hour < 24 && d.minute < 60 && d.second < 61
}

// moment is a time that is being read.
type moment struct {
	year, month, day, hour, minute, second, nano int

	zone *time.Location // UTC: of 12:00:00Z; nil: not given
}

// asWritten is the zone of a clock that names none.
var asWritten = time.FixedZone("", 0)

// fixed returns the zone of a distance from UTC, the same each time.
func fixed(seconds int) *time.Location {
	z, found := fixedZones.Load(seconds)
	if !found {
		z, _ = fixedZones.LoadOrStore(seconds, time.FixedZone("", seconds))
	}
	return z.(*time.Location)
}

var fixedZones sync.Map

// zone returns a zone by its name or its distance from UTC; nil if there is none.
func zone(name string) *time.Location {
	if t, err := time.Parse("-07:00", name); err == nil {
		return t.Location()
	}
	z, err := time.LoadLocation(name)
	if err != nil || name == "" {
		return nil
	}
	return z
}

// noClock is the nanosecond of a date without a clock.
const noClock = 1

// date reads the date at the beginning of a time, and returns the rest.
func (d *moment) date(p []piece, layout string) (rest []piece, ok bool) {
	if len(p) > 0 && p[0].n >= 0 && len(p[0].word) >= 8 {
		digits := p[0].word // 20260325, perhaps with a clock
		if len(digits) != 8 && len(digits) != 14 {
			return nil, false
		}
		d.year, d.month, d.day = p[0].n, 0, 0
		if len(digits) == 14 {
			d.nano, d.second, d.minute, d.hour, d.year = noClock, d.year%100, d.year/100%100, d.year/10000%100, d.year/1000000
		}
		d.day, d.month, d.year = d.year%100, d.year/100%100, d.year/10000
		return p[1:], d.year > 1800 && d.year < 2200
	}
	if len(p) < 2 {
		return nil, false
	}
	a, b, c := p[0], p[1], piece{n: -1}
	if len(p) > 2 && (p[2].before == b.before || p[2].before == ',') && !(len(p) > 3 && p[3].before == ':' && len(p[2].word) < 3) {
		c = p[2]
	}
	rest = p[2:]
	if c.n >= 0 {
		rest = p[3:]
	}
	switch {
	case a.n < 0:
		d.month, d.day = month(a.word), b.n
	case b.n < 0:
		d.month, d.day = month(b.word), a.n
	case c.n < 0 || b.before == ' ' || b.before == ',':
		return nil, false
	case len(a.word) == 4:
		d.year, d.month, d.day = a.n, b.n, c.n
		return rest, len(c.word) <= 2 && len(b.word) <= 2
	case b.before == '.' || layout == dayFirst:
		d.day, d.month = a.n, b.n
	case layout == monthFirst:
		d.month, d.day = a.n, b.n
	default:
		return nil, false
	}
	if c.n >= 0 {
		d.year = c.n
	} else if n := len(rest); n > 0 && len(rest[n-1].word) == 4 && rest[n-1].before == ' ' { // after the clock
		d.year, rest = rest[n-1].n, rest[:n-1]
	} else if a.n >= 0 || n == 0 {
		return nil, false
	}
	switch {
	case len(c.word) == 2 && (b.n < 0 || b.before != '.' || len(a.word)+len(b.word) == 4): // 1.2.14 is a version
		d.year += 1900
		if c.n < 69 {
			d.year += 100
		}
	case c.n >= 0 && len(c.word) != 4:
		return nil, false
	}
	return rest, d.day > 0
}

// clock reads what follows a date: nothing, or hour and minute, and perhaps seconds, their fraction, AM or PM, and an offset.
func (d *moment) clock(p []piece) bool {
	if len(p) > 0 && strings.EqualFold(p[0].word, "t") {
		p = p[1:]
	}
	before := len(p)
	if len(p) > 0 && len(p[0].word) == 6 && p[0].n >= 0 {
		d.hour, d.minute, d.second, p = p[0].n/10000, p[0].n/100%100, p[0].n%100, p[1:]
	} else if len(p) > 1 && p[1].before == ':' && len(p[0].word) <= 2 && len(p[1].word) == 2 && p[0].n >= 0 && p[1].n >= 0 {
		d.hour, d.minute, p = p[0].n, p[1].n, p[2:]
		if len(p) > 0 && p[0].before == ':' && len(p[0].word) == 2 && p[0].n >= 0 {
			d.second, p = p[0].n, p[1:]
		}
	}
	if len(p) == before {
		d.nano = noClock - d.nano
		return before == 0
	}
	if len(p) > 0 && (p[0].before == '.' || p[0].before == ',') && p[0].n >= 0 {
		p = p[1:] // a fraction of a second
	}
	if len(p) > 0 && (strings.EqualFold(p[0].word, "am") || strings.EqualFold(p[0].word, "pm")) {
		if d.hour < 1 || d.hour > 12 {
			return false
		}
		if d.hour %= 12; p[0].word[0]|0x20 == 'p' {
			d.hour += 12
		}
		p = p[1:]
	}
	if len(p) > 0 && p[0].n < 0 && len(p[0].word) <= 5 { // UTC, CET
		if w := strings.ToUpper(p[0].word); w == "Z" || w == "UTC" || w == "GMT" {
			d.zone = time.UTC
		}
		p = p[1:]
	}
	if len(p) > 0 && (p[0].before == '+' || p[0].before == '-') && p[0].n >= 0 {
		hours, minutes := p[0].n, 0
		switch {
		case len(p[0].word) == 4:
			hours, minutes = hours/100, hours%100
		case len(p) > 1 && p[1].before == ':':
			minutes, p = p[1].n, p[1:]
		}
		if hours > 14 || minutes > 59 {
			return false
		}
		offset := 3600*hours + 60*minutes
		if p[0].before == '-' {
			offset = -offset
		}
		if d.zone = time.UTC; offset != 0 {
			d.zone = fixed(offset)
		}
		p = p[1:]
	}
	return len(p) == 0
}
