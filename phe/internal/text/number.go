package text

import (
	"fmt"
	"strconv"
	"strings"
)

// Grouped writes a number of rows with commas.
func Grouped(n int64) string { return Thousands(fmt.Sprint(n)) }

// Thousands puts commas into a number.
func Thousands(s string) string {
	for at := strings.IndexByte(s+".", '.') - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Counted writes a number of things, such as "1 row" or "1,000 rows".
func Counted[N int | int64 | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(int64(n)) + " " + thing
}

// And adds a sentence to others, unless they have it.
func And(others, more string) string {
	if strings.Contains(others, more) {
		return others
	}
	return strings.TrimPrefix(others+"; "+more, "; ")
}

// Size writes a number of bytes as --memory takes it: "256K", "3M", "1G", or the number alone if no unit divides it.
func Size(bytes int) string {
	for i, letter := range "GMK" {
		if unit := 1 << (10 * (3 - i)); bytes >= unit && bytes%unit == 0 {
			return strconv.Itoa(bytes/unit) + string(letter)
		}
	}
	return strconv.Itoa(bytes)
}
