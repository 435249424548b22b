// Package report makes the tables and pages that show results next to the paper's numbers.
//
// Open a folder of results with result.OpenFolder. [Report] then makes all pages, [Table] one table, and [Compare] the cells that a
// program can read. [CellTable], [Grid] and [CSV] show cells. [ResultTable] shows a result alone, and [AgainstTables] shows it next to
// the result whose spec it changed.
package report

import (
	"fmt"
	"strings"

	"gophe/experiments/result"
	"gophe/experiments/spec"

	"github.com/pkg/errors"
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
	pages[cellsFile] = CSV(source.compare())
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
