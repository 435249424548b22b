// Package prose fills pages of Markdown. A page is a text/template, and its functions take numbers and tables from results.
package prose

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"strings"
	"text/template"

	"gophe/experiments/result"

	"github.com/pkg/errors"
)

// Prose fills texts from one folder of results.
type Prose struct {
	folder *result.Folder
	more   template.FuncMap
}

// From returns prose with the functions that give numbers.
func From(folder *result.Folder) Prose { return Prose{folder: folder} }

// With adds functions, such as those that give tables.
func (p Prose) With(functions template.FuncMap) Prose {
	p.more = functions
	return p
}

// expand executes one part of a page. A result that is not there is an error.
func (p Prose) expand(text string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	functions := p.numbers()
	maps.Copy(functions, choosing())
	maps.Copy(functions, p.more)
	t, err := template.New("page").Funcs(functions).Parse(text)
	if err != nil {
		return "", errors.Wrap(err, "a page's template")
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return b.String(), errors.Wrap(err, "a page's template")
}

// partEnd matches the place where one part of a page ends and the next begins: a blank line, or an item of a list.
var partEnd = regexp.MustCompile(`\n\n+|\n(?:- |\d+\. )`)

// Fill fills a page part by part. A part that needs a result which is not there gives way to a note. Equal notes that follow each
// other are one.
func (p Prose) Fill(page string) (string, error) {
	var b strings.Builder
	last := ""
	for len(page) > 0 {
		end := len(page)
		if at := partEnd.FindStringIndex(page); at != nil {
			end = at[0] + 1 // the line's own end
		}
		part := page[:end]
		page = page[end:]
		text, err := p.expand(part)
		if errors.Is(err, fs.ErrNotExist) {
			text, err = notHere(err)+"\n", nil
			if text == last {
				continue
			}
			last = text
		} else if strings.TrimSpace(text) != "" {
			last = ""
		}
		if err != nil {
			return "", err
		}
		if strings.Contains(part, "{{") { // a table ends in a line's end of its own
			text = strings.TrimRight(text, "\n") + strings.Repeat("\n", strings.Count(part[len(strings.TrimRight(part, "\n")):], "\n"))
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// notHere returns the note that stands in place of a part whose result is missing.
func notHere(err error) string {
	var absent result.Absent
	if errors.As(err, &absent) { // without the template's words
		err = absent
	}
	return fmt.Sprintf("%s%s.*", NotHere, err)
}

// NotHere begins the note that stands in place of a part whose result is missing.
const NotHere = "*Not here: "

var action = regexp.MustCompile(`\{\{.*?\}\}`)

// Note fills the numbers of a reason in. It puts a dash in place of a number that cannot be had.
func (p Prose) Note(text string) string {
	return action.ReplaceAllStringFunc(text, func(number string) string {
		number, err := p.expand(number)
		if err != nil {
			return "–"
		}
		return number
	})
}

// Refill fills the blocks of a page that a person edits, and counts them. The comment of a block calls functions:
//
//	<!-- {{table "speed"}} -->
//	<!-- end -->
func (p Prose) Refill(page string) (filled string, blocks int, err error) {
	return Blocks(page, "{{", p.Fill)
}

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
