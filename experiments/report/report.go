package report

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"text/template"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/table"
)

// Report returns the pages about the results in a folder, by their paths below a root: REPRODUCTION.md, a page for each topic,
// docs/one-pass.md, and every cell. Where a table or a sentence needs a missing result, the page says so and names the command that makes
// it. A result that is half done is an error, because a table would take it for a whole one.
func Report(folder *result.Folder) (map[string]string, error) {
	source := &source{folder: folder}
	if source.wholeResults(); source.err != nil {
		return nil, source.err
	}
	pages := map[string]string{}
	for page, file := range templatePages() {
		template, _ := templates.ReadFile(file) // embedded
		source.page = string(template)
		text, err := source.fill(source.page)
		if err != nil {
			return nil, errors.WithMessage(err, page)
		}
		if strings.HasSuffix(page, ".md") {
			text = fmt.Sprintf("<!-- `phe report` made this page from experiments/report/%s. Edit that file. -->\n\n%s", file, text)
		}
		pages[page] = text
	}
	pages[cellsFile] = CSV(source.readings())
	return pages, source.err
}

// wholeResults fails unless a study's result is there, and none is half done.
func (s *source) wholeResults() {
	found := 0
	for _, study := range spec.Studies() {
		for _, name := range spec.StudyMembers()[study] {
			if f := s.find(name); f != nil {
				found++
				if f.Status == result.Partial {
					s.unfinished(f)
				}
			}
		}
	}
	if found == 0 {
		s.failf("%s holds no result of any study; make some with `phe reproduce classification --out %s`", s.folder.Path(), s.folder.Path())
	}
}

// expand executes one part of a page. A result that is not there is an error.
func (s *source) expand(text string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	page := template.New("page").Funcs(s.numbers()).Funcs(s.functions()).Funcs(s.onePassFunctions())
	t, err := page.Funcs(table.Choosing(notHereMark)).Parse(text)
	if err != nil {
		return "", errors.Wrap(err, "a page's template")
	}
	var b strings.Builder
	err = errors.Wrap(t.Execute(&b, nil), "a page's template")
	err, s.err = cmp.Or(s.err, err), nil
	return b.String(), err
}

// partEnd matches the place where one part of a page ends and the next begins: a blank line, or an item of a list.
var partEnd = regexp.MustCompile(`\n\n+|\n(?:- |\d+\. )`)

// fill fills a page part by part. A note replaces a part whose result is missing. Equal notes that follow each other are one.
func (s *source) fill(page string) (string, error) {
	var b strings.Builder
	last := ""
	for len(page) > 0 {
		end := len(page)
		if at := partEnd.FindStringIndex(page); at != nil {
			end = at[0] + 1 // the line's own end
		}
		part := page[:end]
		page = page[end:]
		text, err := s.expand(part)
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

// notHere returns the note that replaces a part whose result is missing. It leaves the template's words out.
func notHere(err error) string {
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	return fmt.Sprintf("%s%s.*", notHereMark, err)
}

// notHereMark begins the note that replaces a part whose result is missing.
const notHereMark = "*Not here: "

var action = regexp.MustCompile(`\{\{.*?\}\}`)

// note fills the numbers of a reason in. It puts a dash in place of a number that cannot be had.
func (s *source) note(text string) string {
	return action.ReplaceAllStringFunc(text, func(number string) string {
		number, err := s.expand(number)
		if err != nil {
			return "–"
		}
		return number
	})
}
