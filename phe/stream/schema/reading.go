package schema

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Reading says how the fields of a column are read, so that a value is one item whatever its spelling, and whatever door it comes through.
type Reading string

const (
	Verbatim Reading = ""        // the spelling is the item; columns of models of before have no other reading
	Text     Reading = "text"    // without blanks around it, in composed letters
	Numbers  Reading = "numbers" // 1, 1.0, 1e0 and $1 are one item
	Truth    Reading = "truth"   // True, TRUE, true and 1 are one item
	Times    Reading = "times"   // by the column's layout
)

// Value returns a field as its column reads it, or "" if it is missing. It returns false if the field is not what the column holds, such as
// "unknown" among numbers.
func (c *Column) Value(field string) (value string, ok bool) {
	if c.Reading == Verbatim || field == "" || c.Reading == Numbers && isShort(field, c.DecimalComma) {
		return field, true
	}
	if value = tidy(field); c.Reading != Text && missing(value) {
		return "", true
	}
	switch c.Reading {
	case Numbers:
		if number, ok := shortest(value, c.DecimalComma); ok {
			return number, true
		}
		if truth, is := words[strings.ToLower(value)]; is {
			return truth, true
		}
		return value, false
	case Truth:
		if value == "true" || value == "false" {
			return value, true
		}
		number, _ := shortest(value, false)
		switch word := strings.ToLower(value); {
		case word == "true" || number == "1":
			return "true", true
		case word == "false" || number == "0":
			return "false", true
		}
		return value, false
	}
	return value, true
}

// words are the words of columns of numbers, truths and times: the truths with their numbers, and the marks of a missing value.
var words = map[string]string{"true": "1", "false": "0",
	"": "", "na": "", "n/a": "", "#n/a": "", "<na>": "", "nan": "", "nat": "", "null": "", "none": "", "?": "", "-": "", "--": ""}

// missing tells whether a field is a mark of a missing value, which is missing where the other fields are numbers, truths or times.
func missing(field string) bool {
	if field == "" || len(field) <= 4 && field[0]-'0' > 9 {
		number, is := words[strings.ToLower(field)]
		return is && number == ""
	}
	return false
}

// tidy returns a field without blanks around it, and in composed letters.
func tidy(field string) string {
	for i := range len(field) {
		if c := field[i]; c <= ' ' && (i == 0 || i == len(field)-1) || c >= utf8.RuneSelf {
			if field = strings.TrimSpace(field); !norm.NFC.IsNormalString(field) && utf8.ValidString(field) {
				return norm.NFC.String(field)
			}
			return field
		}
	}
	return field
}

// shortest returns the shortest text of a number, such as 12.5 for "12.50". All digits of a whole number stay. So do zeros before it, which
// make it a name.
func shortest(field string, comma bool) (string, bool) {
	s, ok := notation(field, comma)
	if !ok || s == field && isName(s) {
		return s, ok
	}
	if strings.ContainsAny(s, "eE") {
		v, _ := strconv.ParseFloat(s, 64)
		if size := math.Abs(v); size != 0 && (size < 1e-30 || size > 1e30) {
			return strconv.FormatFloat(v, 'e', -1, 64), true
		}
		s = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if s[0]-'1' < 9 && strings.Contains(s, ".") { // no sign, and no zeros before it
		return strings.TrimSuffix(strings.TrimRight(s, "0"), "."), true
	}
	sign, digits := "", strings.TrimLeft(s, "+-")
	if s[0] == '-' {
		sign = "-"
	}
	whole, decimals, _ := strings.Cut(digits, ".")
	whole, decimals = strings.TrimLeft(whole, "0"), strings.TrimRight(decimals, "0")
	switch {
	case whole+decimals == "":
		return "0", true
	case decimals == "":
		return sign + whole, true
	}
	return sign + cmp.Or(whole, "0") + "." + decimals, true
}

// isShort tells whether a field is the shortest text of a number. Most fields of numbers are.
func isShort(field string, comma bool) bool {
	digits, point := strings.TrimPrefix(field, "-"), -1
	for i := range len(digits) {
		if c := digits[i]; c == '.' && point < 0 && !comma {
			point = i
		} else if c-'0' > 9 {
			return false
		}
	}
	switch last := len(digits) - 1; {
	case last < 0 || point == 0 || point == last || point > 0 && digits[last] == '0':
		return false
	default:
		return digits[0] != '0' || point == 1 || field == "0"
	}
}

// isName tells whether a field is a name that looks like a number: digits after a zero.
func isName(field string) bool {
	return len(field) > 1 && field[0] == '0' && strings.Trim(field, "0123456789") == ""
}

// ParseNumber reads a number as people write them: "1234.5", "1,234.5", "1.234,5", "$12", "3 %", "(12)". Where one comma or point could
// part either thousands or decimals, as in "1,234", comma says that a comma parts decimals.
func ParseNumber(field string, comma bool) (float64, bool) {
	if !comma {
		if v, ok := parseDigits(field); ok {
			return v, true
		}
	}
	s, ok := notation(field, comma)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// notation returns a number as Go writes it: without groups of digits and signs of units.
func notation(field string, comma bool) (string, bool) {
	digits, points, at := 0, 0, 0
	for i := range len(field) {
		switch c := field[i]; {
		case c-'0' <= 9:
			digits++
		case c == '.':
			points++
			at = i
		case c == '-' && i == 0:
		case c|0x20-'a' < 26 && c|0x20 != 'e': // a word
			return field, false
		default:
			points = 2
		}
	}
	if digits == 0 || len(field) > 40 {
		return field, false
	}
	if points == 0 || points == 1 && !(comma && len(field)-at == 4) {
		return field, true
	}
	s := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0', '\u202f', '\u2009', '$', '€', '£', '¥', '%', '\'':
			return -1
		case '\u2212':
			return '-'
		}
		return r
	}, field)
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		s = "-" + s[1:len(s)-1]
	}
	if strings.Trim(s, "+-.,0123456789eE") != "" {
		return field, false
	}
	if strings.ContainsAny(s, ".,") {
		if s, ok := ungrouped(s, comma); ok {
			return s, isFloat(s)
		}
		return field, false
	}
	return s, isFloat(s)
}

func isFloat(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// ungrouped returns a number without groups of digits, and with a decimal point. A comma or a point that stands alone parts decimals unless
// three digits follow: then it parts what the column says.
func ungrouped(s string, comma bool) (string, bool) {
	last := strings.LastIndexAny(s, ".,")
	mark := s[last : last+1]
	other := map[string]string{".": ",", ",": "."}[mark]
	exponent := strings.IndexAny(s, "eE") >= 0
	switch alone := strings.Count(s, mark) == 1; {
	case alone && strings.Contains(s, other): // the last one parts decimals
	case !alone && (strings.Contains(s, other) || exponent || mark == "." && !comma):
		return "", false // an address, or a version
	case !alone || !exponent && threeDigits(s, last) && comma != (mark == ","):
		mark, other = other, mark
	}
	whole, decimals, _ := strings.Cut(s, mark)
	groups := strings.Split(strings.TrimLeft(whole, "+-"), other)
	for i, g := range groups {
		if len(groups) > 1 && (i > 0 && len(g) != 3 && (i == len(groups)-1 || len(g) != 2 || other != ",") || i == 0 && (g == "" || len(g) > 3)) {
			return "", false
		}
	}
	whole = strings.ReplaceAll(whole, other, "")
	if decimals == "" {
		return whole, true
	}
	return whole + "." + decimals, true
}

// threeDigits tells whether a comma or a point at a place could part thousands: one to three digits stand before it, and three behind it.
func threeDigits(s string, at int) bool {
	before := strings.TrimLeft(s[:at], "+-")
	return len(s)-at == 4 && before != "" && before[0] != '0' && len(before) <= 3
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

// readings lists the readings that a schema may give to a column.
func readings() []Reading { return slices.Clone([]Reading{Verbatim, Text, Numbers, Truth, Times}) }
