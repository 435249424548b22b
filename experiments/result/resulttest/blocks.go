package resulttest

import (
	"regexp"
	"strings"

	"github.com/pkg/errors"
)

// blockEnd is the comment that ends a block.
const blockEnd = "<!-- end -->"

// Blocks fills the blocks of a page, and counts them. A block is the text between two comments, each on a line of its own. The first
// comment is a call that begins with a prefix, and fill gives the text of a call.
func Blocks(page, prefix string, fill func(call string) (string, error)) (filled string, blocks int, err error) {
	begin := "<!-- " + prefix
	block := regexp.MustCompile(`(?ms)^<!-- (` + regexp.QuoteMeta(prefix) + `[^\n]*) -->\n(?:.*?\n)??` + blockEnd + `$`)
	filled = block.ReplaceAllStringFunc(page, func(old string) string {
		call := block.FindStringSubmatch(old)[1]
		text, failure := fill(call)
		if err == nil {
			err = errors.WithMessage(failure, call)
		}
		blocks++
		return "<!-- " + call + " -->\n" + strings.TrimSuffix(text, "\n") + "\n" + blockEnd
	})
	if begun, ended := strings.Count(page, begin), strings.Count(page, blockEnd); err == nil && (begun != blocks || ended != blocks) {
		err = errors.Errorf("%d blocks begin by %s, %d end by %s, and %d are whole; each comment needs a line of its own",
			begun, begin, ended, blockEnd, blocks)
	}
	return filled, blocks, err
}
