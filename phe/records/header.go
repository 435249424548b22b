package records

import (
	"fmt"
	"slices"
	"strings"
)

// isHeader applies the rules of Header to the first line and the lines after it.
func isHeader(first []string, later [][]string) bool {
	for _, field := range first {
		if isNumber(field) {
			return false
		}
	}
	texts := filled(first)
	for _, line := range later {
		for i, field := range line {
			if i < len(texts) && texts[i] != "" && isNumber(field) {
				return true
			}
		}
	}
	names := slices.DeleteFunc(slices.Clone(texts), func(name string) bool { return name == "" })
	if _, j := duplicate(names); j > 0 {
		return false
	}
	return len(names) == 0 || 2*repeated(texts, later) < len(names)
}

// isEven tells whether all records have as many fields as the header, or one more. Then the first field names the row, as in R: no two rows
// have one name. If the last field is always empty, it is none: a separator ends each line.
func isEven(all [][]string) bool {
	names, last := map[string]bool{}, ""
	for _, record := range all[1:] {
		if len(record) != len(all[1]) {
			return false
		}
		names[record[0]], last = true, last+record[len(record)-1]
	}
	unnamed := len(names) > 1 && len(names) == len(all)-1 && last != ""
	return len(all) == 1 || len(all[1]) == len(all[0]) || len(all[1]) == len(all[0])+1 && unnamed
}

// repeated returns the number of fields of first that a later line has in the same column. Copies of the whole header do not count.
func repeated(first []string, later [][]string) int {
	found := make([]bool, len(first))
	n := 0
	for _, line := range later {
		if slices.Equal(filled(line), first) {
			continue
		}
		for i, field := range line {
			if i < len(first) && first[i] != "" && !found[i] && strings.TrimSpace(field) == first[i] {
				found[i] = true
				n++
			}
		}
	}
	return n
}

// filled returns trimmed fields, with "" for each sign of a missing value.
func filled(fields []string) []string {
	texts := make([]string, len(fields))
	for i, field := range fields {
		texts[i] = strings.TrimSpace(field)
		switch strings.ToLower(texts[i]) {
		case "na", "n/a", "nan", "null", "none", "?", "-":
			texts[i] = ""
		}
	}
	return texts
}

// isNumber returns whether a field is written as a number, an amount, a date or a time.
func isNumber(field string) bool {
	digits := 0
	for _, c := range strings.TrimSpace(field) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case strings.ContainsRune("+-.,:/ %$€£", c):
		case (c == 'e' || c == 'E' || c == 'T' || c == 'Z') && digits > 0: // exponents, and dates with a time
		default:
			return false
		}
	}
	return digits > 0
}

// headerNames returns the names of columns from the fields of a header. A column without a name gets its number, such as c7.
// Two columns of one name are an error, because a model could not tell them apart.
func headerNames(fields []string, file string, line int64) ([]string, error) {
	names := make([]string, len(fields))
	for i, field := range fields {
		if names[i] = strings.TrimSpace(field); names[i] == "" {
			names[i] = numberedName(i)
		}
	}
	if i, j := duplicate(names); j > 0 {
		return nil, &RecordError{File: file, Line: line, Column: names[i],
			Problem: fmt.Sprintf("columns %d and %d have the same name", i+1, j+1),
			Remedy:  "rename one of them, or say that the file has no header if this line is data"}
	}
	return names, nil
}

// numberedName returns the name of a column that has none: c1, c2 and so on.
func numberedName(i int) string { return fmt.Sprintf("c%d", i+1) }
