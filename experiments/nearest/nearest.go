// Package nearest finds the name that a person probably meant when they mistyped one.
package nearest

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// mostTypos is the largest number of wrong, missing and extra letters that counts as a slip.
const mostTypos = 3

// mostListed is the largest number of names that an error lists next to a suggestion.
const mostListed = 20

// Name returns the name that is closest to a typed word. It returns "" if no name is close.
func Name(typed string, names []string) string {
	best, least := "", mostTypos+1
	for _, n := range names {
		if slips := distance(typed, n); slips < least && slips < len(n)/2+1 {
			best, least = n, slips
		}
	}
	return best
}

// distance returns the number of slips between what was typed and a name. Two neighbouring letters in the wrong order are one slip.
func distance(typed, name string) int {
	least := levenshtein.ComputeDistance(typed, name)
	letters := []rune(typed)
	for i := 1; i < len(letters); i++ {
		letters[i-1], letters[i] = letters[i], letters[i-1]
		least = min(least, 1+levenshtein.ComputeDistance(string(letters), name))
		letters[i-1], letters[i] = letters[i], letters[i-1]
	}
	return least
}

// Choose returns the end of an error about an unknown name. It suggests the closest name, and lists all names if they are few.
func Choose(typed string, names []string) string {
	best := Name(typed, names)
	all := "choose one of " + strings.Join(names, ", ")
	switch {
	case best == "":
		return all
	case len(names) > mostListed:
		return fmt.Sprintf("did you mean %q?", best)
	}
	return fmt.Sprintf("did you mean %q? Else %s", best, all)
}
