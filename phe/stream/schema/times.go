package schema

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a schema's zone means the same on a machine without zones
	"unicode"
)

// Layouts of a column of times. Each reads every way to write a time that leaves no doubt, such as "2026-03-25T12:00:00Z", "25.03.26 12:00"
// or seconds since 1970. They differ about 2/1/2026. A column may also have a layout of Go's package time, "unix" or "unix ms".
const (
	anyTime    = "any" // 2/1/2026 is no time
	dayFirst   = "any, day/month"
	monthFirst = "any, month/day"
	hourly     = "any, yymmddHH" // no other number is a time
	minutely   = "any, yymmddHHMM"
	alike      = "like a time" // these two are no layout of a column
	serial     = "days of a spreadsheet, from 1980 to 2100"
	unix       = "unix"
	unixMilli  = "unix ms"
)

// Parts of a time, in the layouts of package time: day of the week, date, clock, fraction of a second, zone, and a year at the end. The
// name of a zone moves no clock, unless it is UTC.
const (
	days  = "|[|Mon |Mon, |Monday |Monday, "
	dates = "2006-1-2|2006/1/2|2006.1.2|2.1.2006|02.01.06|2-Jan-2006|2-Jan-06|2/Jan/2006|2 Jan 2006|2 Jan 06|2 January 2006|" +
		"2Jan2006|2006-Jan-2|Jan 2|Jan 2 2006|Jan 2, 2006|January 2 2006|January 2, 2006|" +
		"20060102|20060102150405|200601021504|20060102 150405|20060102T150405|20060102T1504"
	dayMonths = "|2/1/2006|2-1-2006|2/1/06"
	monthDays = "|1/2/2006|1-2-2006|1/2/06"
	clocks    = "| 15:04| 15:04:05|T15:04|T15:04:05|:15:04:05|, 15:04|, 15:04:05| 3:04PM| 3:04:05PM| 3:04pm| 3:04:05pm|" +
		" 3:04 PM| 3:04:05 PM| 3:04 pm| 3:04:05 pm|, 3:04 PM|, 3:04:05 PM|, 3:04 pm|, 3:04:05 pm| at 3:04 PM| at 3:04 pm"
	fractions = "|.9|.999|.99999|.9999999|.999999999|,9|,999|,99999|,9999999|,999999999"
	zones     = "|]|Z|-07:00|-0700|-07| Z| -07:00| -0700| -07| UTC| GMT| MST| GMT-0700| -0700 UTC| -0700 MST| -0700]"
	years     = "| 2006| 2006 -0700"
	zoneNames = " CET CEST MET MEST WET WEST EET EEST MSK BST EST EDT CST CDT MST MDT PST PDT AKST AKDT HST IST JST KST HKT SGT PKT " +
		"WIB AEST AEDT ACST AWST NZST NZDT SAST BRT "
)

type part struct{ layout, shape string }

var partsOf = map[string][][]part{anyTime: parts(dates), dayFirst: parts(dates + dayMonths), monthFirst: parts(dates + monthDays)}

func parts(dates string) (lists [][]part) {
	for _, layouts := range []string{days, dates, clocks, fractions, zones, years} {
		var list []part
		for layout := range strings.SplitSeq(layouts, "|") {
			list = append(list, part{layout, outline(layout)})
		}
		lists = append(lists, list)
	}
	return lists
}

// outline returns the shape of a time: a zero for each two digits of a number, an "a" for each word, and what parts them.
func outline(text string) string {
	last := rune(0)
	return strings.Map(func(r rune) rune {
		before := last
		switch last = r; {
		case r >= '0' && r <= '9' && before == '0':
			last = '1' // the second of two
		case r >= '0' && r <= '9':
			last = '0'
		case unicode.IsLetter(r):
			last = 'a'
		case r == '+':
			last = '-'
		}
		if last == '1' || last == 'a' && before == 'a' {
			return -1
		}
		return last
	}, text)
}

// find calls try with the layouts that consist of the parts and have a shape, until one is right.
func find(shape, layout string, parts [][]part, try func(layout string) bool) bool {
	if len(parts) == 0 {
		return shape == "" && try(layout)
	}
	for _, p := range parts[0] {
		if rest, is := strings.CutPrefix(shape, p.shape); is && find(rest, layout+p.layout, parts[1:], try) {
			return true
		}
	}
	return false
}

// form is a way to write a time.
type form struct {
	layout                          string
	clock, zone, named, year, short bool // a time has one; short: the year, of two digits, among numbers
	quick                           bool // package time reads it fast
}

func newForm(layout string) *form {
	has := func(chars string) bool { return strings.ContainsAny(layout, chars) }
	quick := strings.HasPrefix(layout, "2006-1-2 15:04:05") || strings.HasPrefix(layout, "2006-1-2T15:04:05")
	short := strings.Contains(layout, "/06") || strings.Contains(layout, ".06") || strings.HasPrefix(layout, "06")
	return &form{layout, has("345"), has("7ZGU"), has("S"), has("6"), short, quick}
}

// sinceEpoch is the form of seconds, milliseconds, microseconds or nanoseconds since 1970.
var sinceEpoch = &form{clock: true, zone: true, year: true}

// inDigits are layouts of digits in the order of trial, with their names and the layouts of their columns. The others are not read.
var inDigits = [][3]string{{"yyyymmdd", "20060102", anyTime}, {"", "2006010215"}, {"", "2006002"}, {"", "060102"},
	{"yymmddHH", hourly, hourly}, {"yymmddHHMM", minutely, minutely}, {"yyyymmddHHMM", "200601021504", anyTime}, {"", "060102150405"},
	{"", "02012006"}, {"", serial}}

var digitsOf = map[string]*form{hourly: newForm("06010215"), minutely: newForm("0601021504")}

// unread is the note of a column whose fields are times in a way that leaves doubt, or that is rare.
const unread = "looks like a time, and is not read"

// unreadTime is midnight as 24:00, a day of a week or of a year, a clock with points, or a date with a month of any language.
var unreadTime = regexp.MustCompile(`\d[T ]24:00|^(19|20)\d\d(-?W[0-5]\d(-?[1-7])?|-[0-3]\d\d)\b|^\d{4}\pL ?\d\d?\pL ?\d\d?\pL|` +
	`^[0-3]?\d[-./][01]?\d[-./](\d\d)?\d\d,? [0-2]?\d\.[0-5]\d|^(19|20)\d\d-\d\d-\d\d[T ][0-2]\d\.[0-5]\d|` +
	`^(\pL{2,}\.?,? )?\d\d?(\.? (de )?\pL{3,}\.?,?( de)? (19|20)\d\d|-\pL{3,}\.?-\d\d(\d\d)?)\b`)

var perSecond = map[string]float64{unix: 1, unixMilli: 1000}

func (f *form) parse(text string) (t time.Time, ok bool) {
	const plain = len(time.DateTime)
	if f.quick && len(text) >= plain && (f.zone && text[plain:] == "Z" || !f.zone && len(text) == plain) &&
		strings.IndexByte(" T", text[10]) >= 0 {
		iso := text
		if text[10] != 'T' || !f.zone {
			iso = text[:10] + "T" + text[11:plain] + "Z"
		}
		if t, err := time.Parse(time.RFC3339, iso); err == nil {
			return t, true
		}
	}
	t, err := time.ParseInLocation(f.layout, text, time.UTC)
	if err == nil && (f.zone || f.named) {
		name, away := t.Zone()
		return t, f.zone && away >= -12*3600 && away <= 14*3600 && away%900 == 0 || f.named && strings.Contains(zoneNames, " "+name+" ")
	}
	return t, err == nil && (!strings.HasPrefix(f.layout, "200601") || t.Year() >= 1800 && t.Year() < 2200)
}

// lastTime is the last time that was read. Neighbouring rows often have one time, and it gives several categories.
type lastTime struct {
	field string
	time  time.Time
	known bool  // the field is a time
	form  *form // of the last field that was a time
}

func (l *lastTime) read(field, layout string) {
	l.field, l.known = field, false
	switch layout {
	case hourly, minutely:
		if number, is := Numbers.value(field, false); is && number != "" {
			l.form = digitsOf[layout]
			zeros := strings.Repeat("0", max(0, len(l.form.layout)-len(number))) // which a number of JSON lacks
			l.time, l.known = l.form.parse(zeros + number)
			return
		}
		l.read(field, anyTime)
	case anyTime, dayFirst, monthFirst:
		if at := max(strings.IndexByte(field, '('), strings.IndexByte(field, '[')); at > 0 { // the zone's name, after its distance from UTC
			field = strings.TrimRight(field[:at], " ")
		}
		if l.form != nil && l.form != sinceEpoch { // most times are written as the one before
			l.time, l.known = l.form.parse(field)
		}
		if !l.known {
			l.readAny(strings.ReplaceAll(strings.Join(strings.Fields(field), " "), "\u2212", "-"), layout)
		}
	case alike:
		l.read(field, dayFirst)
		l.known, l.form = l.known && l.form != sinceEpoch || unreadTime.MatchString(field), &form{}
	case serial:
		v, err := strconv.ParseFloat(field, 64)
		l.known, l.form = err == nil && v >= 29_221 && v < 73_051, &form{}
	case unix, unixMilli:
		v, err := strconv.ParseFloat(field, 64)
		l.known, l.form = err == nil && !(math.Abs(v) > 1e15), sinceEpoch
		l.time = seconds(v / perSecond[layout])
	default:
		if l.form == nil {
			l.form = newForm(layout)
		}
		t, err := time.Parse(layout, field)
		l.time, l.known = t, err == nil
	}
}

// readAny reads a time in any layout. The clock is as written: an offset from UTC does not move it.
func (l *lastTime) readAny(field, order string) {
	if l.time, l.known = sinceUnix(field); l.known {
		l.form = sinceEpoch
		return
	}
	find(outline(field), "", partsOf[order], func(layout string) bool {
		f, of := newForm(layout), func(part string) int { return strings.Count(layout, part) }
		if of("04") < 2 && of("06") < 2 && of("9") <= 9*of("05") && (f.clock || f.year && !f.zone) {
			if l.time, l.known = f.parse(field); l.known {
				l.form = f
			}
		}
		return l.known
	})
}

// sinceUnix reads a number of seconds, milliseconds, microseconds or nanoseconds since 1970. The size tells the unit, from 1980 to 2100.
func sinceUnix(field string) (t time.Time, ok bool) {
	if len(field) < 9 || strings.Trim(field, "0123456789.eE+") != "" {
		return t, false
	}
	if len(field) == 10 && field[:2] > "18" && field[:2] < "22" { // 2018010713 may be a day and an hour
		if _, err := time.Parse("2006010215", field); err == nil {
			return t, false
		}
	}
	v, _ := strconv.ParseFloat(field, 64)
	for v >= 1e11 && v < 1e20 {
		v /= 1000
	}
	return seconds(v), v >= 315532800 && v < 4102444800
}

// seconds returns the time of a number of seconds since 1970.
func seconds(v float64) time.Time {
	whole := math.Floor(v)
	return time.Unix(int64(whole), int64((v-whole)*1e9)).UTC()
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
