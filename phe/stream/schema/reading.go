package schema

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Reading says how the fields of a column become values, so that a value is one item whatever its spelling. docs/values.md has the rules.
type Reading string

const (
	Verbatim Reading = ""                    // the spelling is the item
	Text     Reading = "text"                // without blanks around it, in composed letters, with LF between lines
	Numbers  Reading = "numbers"             // 1, 1.0, 1e0 and $1 are one item
	Versions Reading = "numbers, zeros kept" // numbers, but 1.1 and 1.10 are two items
	Truth    Reading = "truth"               // True, TRUE, true and 1 are one item
	Times    Reading = "times"               // by the column's layout
)

func readings() []Reading { return []Reading{Text, Numbers, Versions, Truth, Times} }

// Shares of the fields of the first rows.
const (
	mostly = 0.95 // minimum share of the fields with a value that are of one type; others, such as "unknown", are items of their own
	enough = 0.01 // minimum share of the fields unlike the others that decide about the column
)

// truthsAndMarks are words of columns of numbers, truths and times, in small letters: truths with numbers, and missing values with "".
var truthsAndMarks = map[string]string{"true": "1", "false": "0", "": "", "na": "", "n/a": "", "#n/a": "", "#na": "", "<na>": "", "nan": "",
	"-nan": "", "nat": "", "null": "", "none": "", "undefined": "", `\n`: "", "?": "", "-": "", "--": "", "–": "", "—": "", ".": "",
	"inf": "", "-inf": "", "+inf": "", "infinity": "", "-infinity": ""}

const (
	longest = len("undefined") + 1
	digits  = "0123456789"
	blanks  = " \t\u00a0\u2007\u2009\u202f"
	units   = blanks + "%$€£¥₹₽₩" // may stand on both sides of a number
)

// signs may stand around a number. A minus may stand behind decimals, as in 12.50-, but not behind a whole number: 2- is a grade.
var signs = map[string]string{"0": "", "+0": "", "-0": "-", "\u22120": "-", "(0)": "-", "0-": "-"}

// grouped are whole numbers with marks between thousands: 1,234,567, 1.234.567, 1 234 567, 1'234'567 and 12,34,567.
var grouped = regexp.MustCompile(`^\d{1,3}((\.\d{3})+|(,\d{2,3})*,\d{3}|([` + blanks + `'’]\d{3})+)$`)

// Value returns a field as its column reads it; "" if it is missing, false if it does not fit its column, such as "unknown" among numbers.
func (c *Column) Value(field string) (value string, ok bool) {
	return c.Reading.value(field, c.DecimalComma)
}

// Number returns the number that a field is.
func (c *Column) Number(field string) (x float64, ok bool) {
	return c.Reading.number(field, c.DecimalComma)
}

func (r Reading) value(field string, comma bool) (value string, ok bool) {
	if r == Verbatim || field == "" {
		return field, true
	}
	if r == Numbers {
		if _, short, _ := simple(field, comma); short != "" {
			return short, true
		}
	}
	field = tidy(field)
	if typed, is := strings.CutSuffix(field, "e-0"); is && r == Text { // by records.Reader.Typed
		if _, _, is = simple(typed, false); is {
			return typed, true
		}
	}
	if r == Text || r == Times && !missing(field) {
		return field, true
	}
	number, _, ok := shortest(field, comma)
	switch {
	case ok && (r == Numbers || number == ""):
		return number, true
	case r == Truth && number == "1":
		return "true", true
	case r == Truth && number == "0":
		return "false", true
	}
	return field, r == Versions && ok
}

func (r Reading) number(field string, comma bool) (x float64, ok bool) {
	if x, _, ok = simple(field, comma); ok || field == "" {
		return x, ok
	}
	text, _, ok := shortest(tidy(field), comma)
	if !ok || text == "" { // the error of strconv would cost more
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// missing reports whether a field is a mark of a missing value in columns of numbers, truths or times.
func missing(field string) bool {
	text, ok := word(tidy(field))
	return ok && text == ""
}

// word returns the number of a truth, or "" for a mark of a missing value.
func word(field string) (number string, ok bool) {
	if len(field) < longest && (field == "" || field[0]-'0' > 9) {
		number, ok = truthsAndMarks[strings.ToLower(field)]
	}
	return number, ok
}

// tidy returns a field without blanks around it, in composed letters, and with lines that end as CSV's do.
func tidy(field string) string {
	bits := byte(0) // with a highest bit, unless all bytes are printable ASCII
	for i := range len(field) {
		bits |= field[i] | (field[i] - ' ')
	}
	if bits < utf8.RuneSelf && field != "" && field[0] > ' ' && field[len(field)-1] > ' ' { // as most fields
		return field
	}
	for strings.Contains(field, "\r\n") {
		field = strings.ReplaceAll(field, "\r\n", "\n")
	}
	return norm.NFC.String(strings.TrimSpace(field))
}

// isName reports whether a field is a name that looks like a number: digits after a zero.
func isName(field string) bool {
	return len(field) > 1 && field[0] == '0' && strings.Trim(field, digits) == ""
}

// simple reads a number of digits and perhaps a minus and a decimal mark, as most are written. It returns its shortest text, or "" if it is
// not that simple. Fifteen digits and the power of ten are exact, and only the division rounds. So x equals strconv's.
func simple(field string, comma bool) (x float64, short string, ok bool) {
	mark := "."
	if comma {
		mark = ","
	}
	rest := strings.TrimPrefix(field, "-")
	whole, n, point := int64(0), 0, -1 // n digits, and those before the mark
	for i := range len(rest) {
		switch c := rest[i]; {
		case c-'0' <= 9:
			whole = 10*whole + int64(c-'0')
			n++
		case c == mark[0] && point < 0:
			point = n
		default:
			return 0, "", false
		}
	}
	if n == 0 || n > 38 {
		return 0, "", false
	}
	if short = field; point >= 0 {
		if short = strings.TrimSuffix(strings.TrimRight(field, "0"), mark); comma {
			short = strings.Replace(short, mark, ".", 1)
		}
	}
	if point == 0 || rest[0] == '0' && point != 1 && field != "0" || short == "-0" {
		short = ""
	}
	if n >= len(powersOfTen) {
		x, err := strconv.ParseFloat(field, 64)
		return x, short, err == nil
	}
	if x = float64(whole); point >= 0 {
		x /= powersOfTen[n-point]
	}
	if len(rest) < len(field) {
		x = -x
	}
	return x, short, true
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortest returns the shortest text of a number with all its digits, such as 12.5 for "$12.50", "1250e-2" and "12,5". It returns "" for
// the mark of a missing value, and a name as it is. The field's decimal mark is 0 if there is none, and '?' if the column decides.
func shortest(field string, comma bool) (text string, mark byte, ok bool) {
	if text, ok = word(field); ok {
		return text, 0, true
	}
	if isName(field) {
		return field, 0, true
	}
	number := strings.Trim(field, units+"()+-\u2212")
	if number == "" || number[0]|0x20-'a' < 26 { // most words end here
		return "", 0, false
	}
	before, after, _ := strings.Cut(field, number)
	around := strings.Trim(before, units) + "0" + strings.Trim(after, units)
	sign, ok := signs[around]
	lower := strings.ToLower(number)
	s, _, scientific := strings.Cut(lower, "e")
	whole, decimals, mark := cutAtMark(lower, comma)
	if !ok || strings.Trim(whole+decimals, digits) != "" || whole+decimals == "" || around == "0-" && mark == 0 {
		return "", 0, false
	}
	if around == "0-" && strings.HasSuffix(s, string(mark)) { // the dash of 5,- € stands for no cents
		sign = ""
	}
	if scientific || len(s) > 300 { // such numbers may be too large
		x, err := strconv.ParseFloat(whole+"."+decimals+number[len(s):], 64)
		if err != nil {
			return "", 0, false
		}
		whole, decimals, _ = strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	}
	whole, decimals = strings.TrimLeft(whole, "0"), strings.TrimRight(decimals, "0")
	if whole+decimals == "" {
		return "0", mark, true
	}
	return strings.TrimSuffix(sign+cmp.Or(whole, "0")+"."+decimals, "."), mark, true
}

// cutAtMark returns the digits before and behind a number's decimal mark, and the mark: a comma or a point that stands alone. The column
// decides if it may part thousands: behind it three digits, before it one to three that do not begin with 0, and no power of ten.
func cutAtMark(number string, comma bool) (whole, decimals string, mark byte) {
	s, _, scientific := strings.Cut(number, "e")
	whole = s
	if at := strings.LastIndexAny(s, ".,"); at >= 0 {
		open := !scientific && len(s)-at == 4 && at > 0 && at <= 3 && s[0] != '0' && strings.Trim(s[:at], digits) == ""
		switch mark = s[at]; {
		case strings.IndexByte(s[:at], mark) >= 0: // it parts thousands
			mark = '.' + ',' - mark
			if mark == ',' && !comma { // an address, or a version
				return "", "", mark
			}
		case !open || comma == (mark == ','):
			whole, decimals = s[:at], s[at+1:]
		}
		if open {
			mark = '?'
		}
	}
	if at := strings.IndexFunc(whole, notDigit); at > 0 && at <= 3 && grouped.MatchString(whole) {
		whole = strings.Join(strings.FieldsFunc(whole, notDigit), "")
	}
	return whole, decimals, mark
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// Input is one input that a schema makes of its columns. Most columns make one input. A column of kind Both makes an item and a number. A
// time makes one category for each of its derived categories. A column that is no input makes none.
type Input struct {
	Name    string
	Column  Column
	Place   int    // of the column in a record
	Number  bool   // the input is a number; otherwise it is an item
	Derived string // the category that a time gives: hour or weekday
	Odd     bool   // the field that was read last does not fit the column, such as "unknown" among numbers

	last *lastTime // of all inputs of a time
	zone *time.Location
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

// Read returns the input's value in a record: a number or an item. A field that should be a number and is not one is an item. The item is
// "" if the value is missing. Read does not cut a field with several items.
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
