package table

import (
	"strings"

	"github.com/pkg/errors"
)

// blockEnd is the comment that ends a block.
const blockEnd = "<!-- end -->"

// Blocks fills the blocks of a page, and counts them. A block is the text between two comments, each on a line of its own. The first
// comment is a call that begins with a prefix, and fill gives the text of a call.
func Blocks(page, prefix string, fill func(call string) (string, error)) (filled string, blocks int, err error) {
	var out []string
	call := "" // of the block under way
	for i, line := range strings.Split(page, "\n") {
		begin, whole := strings.CutPrefix(line, "<!-- ")
		begin, closed := strings.CutSuffix(begin, " -->")
		starts := whole && closed && strings.HasPrefix(begin, prefix)
		switch {
		case starts && call != "":
			return "", 0, errors.Errorf("line %d: the block of %s begins inside the block of %s, which has no %s", i+1, begin, call, blockEnd)
		case starts:
			call = begin
			text, err := fill(call)
			if err != nil {
				return "", 0, errors.WithMessagef(err, "line %d", i+1)
			}
			out = append(out, line, strings.TrimSuffix(text, "\n"))
			blocks++
		case line == blockEnd && call == "":
			return "", 0, errors.Errorf("line %d: %s ends no block", i+1, blockEnd)
		case line == blockEnd:
			call = ""
			out = append(out, line)
		case call == "" && strings.Contains(line, "<!-- "+prefix):
			return "", 0, errors.Errorf("line %d: a block's comment needs a line of its own, of the form <!-- %s… -->", i+1, prefix)
		case call == "":
			out = append(out, line)
		}
	}
	if call != "" {
		return "", 0, errors.Errorf("the block of %s has no %s", call, blockEnd)
	}
	return strings.Join(out, "\n"), blocks, nil
}
