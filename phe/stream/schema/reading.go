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

// Reading says how the fields of a column become values, so that a value is one item whatever its spelling, and whatever door it comes
// through. The page docs/values.md shows the rules.
type Reading string

const (
	Verbatim Reading = ""                    // the spelling is the item; columns of models of before have no other reading
	Text     Reading = "text"                // without blanks around it, in composed letters
	Numbers  Reading = "numbers"             // 1, 1.0, 1e0 and $1 are one item
	Versions Reading = "numbers, zeros kept" // numbers, but the items 1.1 and 1.10 are two
	Truth    Reading = "truth"               // True, TRUE, true and 1 are one item
	Times    Reading = "times"               // by the column's layout
)

func readings() []Reading { return []Reading{Text, Numbers, Versions, Truth, Times} }

// Shares of the fields of the first rows.
const (
	mostly = 0.95 // of the fields that are no marks must be of one type; others, such as "unknown", are items of their own
	odd    = 0.01 // must be unlike the others before they decide about the column
)

// words are the words of columns of numbers, truths and times in small letters: the truths with their numbers, and the marks of a missing value.
var words = map[string]string{"true": "1", "false": "0", "": "", "na": "", "n/a": "", "#n/a": "", "#na": "", "<na>": "", "nan": "", "-nan": "", "nat": "",
	"null": "", "none": "", "undefined": "", `\n`: "", "?": "", "-": "", "--": "", "–": "", "—": "", ".": ""}

const (
	blanks = " \t\u00a0\u2007\u2009\u202f"
	units  = blanks + "%$€£¥₹₽₩" // may stand on both sides of a number
	groups = blanks + "'’.,"     // part thousands
	digits = "0123456789"
)

// Value returns a field as its column reads it, or "" if it is missing. It returns false if the field is not what the column holds, such as
// "unknown" among numbers.
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
		if _, short, _ := simple(field, comma); short {
			return field, true
		}
	}
	if field = tidy(field); r == Text {
		return field, true
	}
	word, isWord := wordOf(field)
	switch {
	case isWord && word == "":
		return "", true
	case r == Times:
		return field, true
	case r == Truth:
		if !isWord {
			word, _ = shortest(field, comma)
		}
		truth, ok := map[string]string{"1": "true", "0": "false"}[word]
		return cmp.Or(truth, field), ok
	case isWord:
		return word, true
	case isName(field):
		return field, true
	}
	number, ok := shortest(field, comma)
	switch {
	case !ok || r == Versions:
		return field, ok
	case comma:
		return strings.Replace(number, ".", ",", 1), true
	}
	return number, true
}

func (r Reading) number(field string, comma bool) (x float64, ok bool) {
	if x, _, ok = simple(field, comma); ok || field == "" {
		return x, ok
	}
	if r == Verbatim {
		return numberBefore(field, comma)
	}
	field = tidy(field)
	number, ok := wordOf(field)
	if !ok {
		number, ok = shortest(field, comma)
	}
	if !ok { // the error of strconv would cost more
		return 0, false
	}
	x, err := strconv.ParseFloat(number, 64)
	return x, err == nil
}

// isName tells whether a field is a name that looks like a number: digits after a zero.
func isName(field string) bool {
	return field[0] == '0' && len(field) > 1 && strings.Trim(field, digits) == ""
}

// wordOf returns what a word says in a column of numbers: the number of a truth, and "" if it is the mark of a missing value.
func wordOf(field string) (number string, is bool) {
	if len(field) > 0 && (len(field) > 9 || field[0]-'0' <= 9) { // the map would cost more
		return "", false
	}
	number, is = words[strings.ToLower(field)]
	return number, is
}

// missing tells whether a field is a mark of a missing value, which is missing where the other fields are numbers, truths or times.
func missing(field string) bool {
	number, is := wordOf(field)
	return is && number == ""
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

// Bounds of the digits of a number that stand before its point. The text of another number has an exponent.
const least, most = -30, 30

// simple reads a number of digits and perhaps a minus and a decimal mark, as most are written. It returns the number if it has at most fifteen
// digits, and whether it is written as shortest writes it. Digits and power of ten are exact, and only the division rounds. So the number is
// that of strconv.
func simple(field string, comma bool) (x float64, short, ok bool) {
	mark := byte('.')
	if comma {
		mark = ','
	}
	rest := strings.TrimPrefix(field, "-")
	whole, n, point := int64(0), 0, -1 // n digits, and those before the mark
	for i := range len(rest) {
		switch c := rest[i]; {
		case c-'0' <= 9:
			whole = 10*whole + int64(c-'0')
			n++
		case c == mark && point < 0:
			point = n
		default:
			return 0, false, false
		}
	}
	if n == 0 || n > most {
		return 0, false, false
	}
	short = point < 0 || point > 0 && point < n && rest[n] != '0'
	short = short && (rest[0] != '0' || point == 1 || field == "0")
	if n > len(powersOfTen)-1 {
		return 0, short, false
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

// shortest returns the shortest text of a number with all its digits, such as 12.5 for "$12.50", (12.50) and 125e-1. It returns "" if the
// field is no number.
func shortest(field string, comma bool) (text string, ok bool) {
	if field[0]|0x20-'a' < 26 { // most words end here
		return "", false
	}
	s, sign := strings.Replace(strings.Trim(field, units), "\u2212", "-", 1), ""
	switch last := len(s) - 1; {
	case last < 1:
	case s[0] == '(' && s[last] == ')':
		s, sign = s[1:last], "-"
	case s[0] == '-':
		s, sign = s[1:], "-"
	case s[0] == '+':
		s = s[1:]
	case s[last] == '-' && strings.ContainsAny(s, ".,"): // 12.50-; a grade is 2-
		s, sign = s[:last], "-"
	}
	s, power, scientific := strings.Cut(strings.ToLower(strings.Trim(s, units)), "e")
	exponent, err := strconv.Atoi(power)
	if scientific && err != nil {
		return "", false
	}
	whole, decimals, ok := parts(s, comma, scientific)
	if !ok {
		return "", false
	}
	all := strings.TrimLeft(whole+decimals, "0")
	point := len(all) - len(decimals) + exponent
	switch all = strings.TrimRight(all, "0"); {
	case all == "":
		return "0", true
	case point < least || point > most:
		text = sign + all[:1] + strings.TrimSuffix("."+all[1:], ".") + "e" + strconv.Itoa(point-1)
		_, err := strconv.ParseFloat(text, 64)
		return text, err == nil
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + all, true
	case point >= len(all):
		return sign + all + strings.Repeat("0", point-len(all)), true
	}
	return sign + all[:point] + "." + all[point:], true
}

// parts returns the digits of a number before and behind its decimal mark. A comma or a point that stands alone is this mark, unless three
// digits stand behind it, and before it one to three that do not begin with 0: then it is what the column says.
func parts(s string, comma, scientific bool) (whole, decimals string, ok bool) {
	whole = s
	if at := strings.LastIndexAny(s, ".,"); at >= 0 {
		before, mark := s[:at], s[at:at+1]
		open := !scientific && len(s)-at == 4 && at > 0 && at <= 3 && s[0] != '0' && strings.Trim(before, digits) == ""
		switch again := strings.Contains(before, mark); {
		case again && mark == "." && !comma: // an address, or a version
			return "", "", false
		case !again && (!open || comma == (mark == ",")):
			whole, decimals = before, s[at+1:]
		}
	}
	if strings.Trim(decimals, digits) != "" || whole+decimals == "" {
		return "", "", false
	}
	rest := strings.TrimLeft(whole, digits)
	if rest == "" {
		return whole, decimals, true
	}
	mark, _ := utf8.DecodeRuneInString(rest)
	list := strings.Split(whole, string(mark))
	for i, group := range list {
		n, last := len(group), i == len(list)-1
		if n == 0 || n > 3 || i > 0 && n < 3 && (n < 2 || last || mark != ',') || strings.Trim(group, digits) != "" { // also 1,26,978
			return "", "", false
		}
	}
	return strings.Join(list, ""), decimals, strings.ContainsRune(groups, mark)
}

// numberBefore reads a number as models of before do, which take 1,23 for a word.
func numberBefore(field string, comma bool) (float64, bool) {
	if !strings.ContainsAny(field, digits) || comma && len(field) > 40 {
		return 0, false
	}
	x, err := strconv.ParseFloat(field, 64)
	if (err != nil || comma) && len(field) <= 40 {
		field = signsBefore.Replace(field)
		head, _, _ := strings.Cut(field, ".")
		if comma {
			field = strings.ReplaceAll(strings.ReplaceAll(field, ".", ""), ",", ".")
		} else if all := strings.Split(head, ","); !slices.ContainsFunc(all[1:], func(group string) bool { return len(group) != 3 }) {
			field = strings.ReplaceAll(field, ",", "")
		}
		x, err = strconv.ParseFloat(field, 64)
	}
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

var signsBefore = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "$", "", "€", "", "£", "", "%", "", "'", "")
