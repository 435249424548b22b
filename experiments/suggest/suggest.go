package suggest

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// mostTypos is the number of letters that a name may lack, have too many or have wrong to be taken for a slip.
const mostTypos = 3

// mostListed is the number of names that an error lists beside the one that was probably meant.
const mostListed = 20

// Among ends an error about an unknown name: it offers the name that was probably meant, and all of them if they are few.
func Among(name string, names []string) string {
	best, least := "", mostTypos+1
	for _, n := range names {
		if distance := levenshtein.ComputeDistance(name, n); distance < least && distance < len(n)/2+1 {
			best, least = n, distance
		}
	}
	all := "choose one of " + strings.Join(names, ", ")
	switch {
	case best == "":
		return all
	case len(names) > mostListed:
		return fmt.Sprintf("did you mean %q?", best)
	}
	return fmt.Sprintf("did you mean %q? Else %s", best, all)
}
