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

// Name returns the name that is closest to what was typed. It returns "" if no name is close.
func Name(typed string, names []string) string {
	best, least := "", mostTypos+1
	for _, n := range names {
		if distance := levenshtein.ComputeDistance(typed, n); distance < least && distance < len(n)/2+1 {
			best, least = n, distance
		}
	}
	return best
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
