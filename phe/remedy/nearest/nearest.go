// Package nearest finds the name that a user probably meant when they mistyped one.
package nearest

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	maxTypos  = 3   // wrong, missing and extra letters that count as a slip; in long names a third of the letters
	maxLetter = 100 // bytes of a name that is compared: longer ones are not typed, and a comparison takes the product of two lengths
	maxListed = 20  // names that an error lists
	maxChosen = 64  // the same where no name is close, so that a line is no page
)

// Name returns the name that is closest to a typed word, whatever its case. It returns "" if no name is close.
func Name(typed string, names []string) string {
	best, fewest := "", max(maxTypos, len(typed)/3)+1
	for _, n := range names {
		if len(typed) > maxLetter || len(n) > maxLetter {
			continue
		}
		if slips := distance(strings.ToLower(typed), strings.ToLower(n), fewest); slips < fewest && slips < max(len(n), len(typed))/2+1 {
			best, fewest = n, slips
		}
	}
	return best
}

// distance returns the number of slips between what was typed and a name, if it is below a limit. Two neighbouring letters in the wrong
// order are one slip.
func distance(typed, name string, limit int) int {
	slips := levenshtein.ComputeDistance(typed, name)
	letters := []rune(typed)
	for i := 1; i < len(letters) && slips <= limit; i++ { // one swap saves one slip at most
		letters[i-1], letters[i] = letters[i], letters[i-1]
		slips = min(slips, 1+levenshtein.ComputeDistance(string(letters), name))
		letters[i-1], letters[i] = letters[i], letters[i-1]
	}
	return slips
}

// Choose returns the end of an error about an unknown name. It suggests the closest name, and lists all names if they are few. Of many
// it lists the first.
func Choose(typed string, names []string) string {
	best := Name(typed, names)
	if len(names) > maxChosen {
		names = append(names[:maxListed:maxListed], "…")
	}
	all := "choose one of " + strings.Join(names, ", ")
	switch {
	case best == "":
		return all
	case len(names) > maxListed:
		return fmt.Sprintf("did you mean %q?", best)
	}
	return fmt.Sprintf("did you mean %q? Else %s", best, all)
}

// Hint returns the end of a sentence about an unknown name: the closest one, or nothing if none is close.
func Hint(typed string, names []string) string {
	if best := Name(typed, names); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// Column returns the end of an error about a name that is no column. It suggests the closest column, or lists the first ones.
func Column(typed string, columns []string) string {
	if hint := Hint(typed, columns); hint != "" {
		return hint
	}
	more := ""
	if len(columns) > maxListed {
		columns, more = columns[:maxListed], ", …"
	}
	return "; the columns are " + strings.Join(columns, ", ") + more
}
