package uci

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// cell is the value of a cell.
type cell struct {
	text   string  // of a categorical, optional or one-hot column
	number float64 // also a count, the index of a class, or a moment in minutes since 1970-01-01 00:00
}

// parse returns the value of a cell, or the end of a sentence that says what is wrong with its text.
func (d Declaration) parse(k Kind, text string) (c cell, defect string) {
	c.text = text
	switch ok := true; k {
	case numeric:
		if c.number, ok = parseNumber(text); !ok {
			return c, "is not a number such as 17 or -0.5, of size 1e-15 to 1e15"
		}
	case label:
		if c.number = float64(slices.Index(d.Classes, text)); c.number < 0 {
			return c, "is none of the classes " + strings.Join(d.Classes, ", ")
		}
	case count:
		if c.number, ok = parseCount(text); !ok {
			return c, "is not a whole number such as 17 or -5, of 32 bits"
		}
	case moment:
		if c.number, ok = parseMoment(text); !ok {
			return c, "is not a time such as 2010-12-01 08:26:00, with seconds 00, of the years 2000 to 2099"
		}
	case categorical, optional:
		switch {
		case !utf8.ValidString(text):
			return c, "is not UTF-8" // its token would have another hash in Python
		case k == optional && text == "":
			c.text = missingItem
		case text == "" && d.Missing == "":
			return c, "is no value"
		case text == "":
			return c, fmt.Sprintf("is no value; a missing one is written %q", d.Missing)
		}
	}
	return c, ""
}

// parseNumber reads a number in JSON's grammar that is 0 or of size 1e-15 to 1e15. The quotient by the column's
// maximum then is finite even in float32. ParseFloat alone accepts too much: "007" (probably an identifier), "NaN", "0x10".
func parseNumber(text string) (v float64, ok bool) {
	if !json.Valid([]byte(text)) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	size := math.Abs(v)
	return v, err == nil && (v == 0 || size >= 1e-15 && size <= 1e15)
}

// parseCount reads an integer of 32 bits, spelled as Go spells it.
func parseCount(text string) (n float64, ok bool) {
	v, err := strconv.ParseInt(text, 10, 32)
	return float64(v), err == nil && strconv.FormatInt(v, 10) == text
}

// parseMoment reads a time such as 2010-12-01 08:26:00. The limits on years keep minutes and days well inside their integers.
func parseMoment(text string) (minutes float64, ok bool) {
	v, err := time.Parse(time.DateTime, text)
	return float64(v.Unix() / 60), err == nil && v.Format(time.DateTime) == text && v.Second() == 0 && v.Year() >= 2000 && v.Year() < 2100
}
