// Package report makes the tables and pages that show results next to the paper's numbers.
//
// Open a folder of results with result.OpenFolder. [Report] then makes all pages, [Table] one table, and [Compare] the cells that a
// program can read. [CellTable], [Grid] and [CSV] show cells. [ResultTable] shows a result alone, and [AgainstTables] shows it next to
// the result whose spec it changed.
package report

import (
	"fmt"
	"path"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"

	"github.com/pkg/errors"
)

// Report returns the pages about the results in a folder, by their paths below a root: REPRODUCTION.md, a page for each topic,
// docs/one-pass.md, and every cell. Where a table or a sentence needs a missing result, the page says so and names the command that makes
// it. A result that is half done is an error, because a table would take it for a whole one.
func Report(folder *result.Folder) (map[string]string, error) {
	if err := wholeResults(folder); err != nil {
		return nil, err
	}
	source := newSource("", folder)
	pages := map[string]string{}
	for page, template := range templatePages() {
		source.page = template
		text, err := source.fill(template)
		if err != nil {
			return nil, errors.WithMessage(err, page)
		}
		if strings.HasSuffix(page, ".md") {
			text = fmt.Sprintf("<!-- `phe report` made this page from experiments/report/pages/%s. Edit that file. -->\n\n%s", templateOf(page), text)
		}
		pages[page] = text
	}
	cells, err := source.compare()
	pages[cellsFile] = CSV(cells)
	return pages, err
}

// templateOf returns the template of a page, in the folder of all templates.
func templateOf(page string) string {
	if path.Dir(page) == "docs" {
		return page
	}
	return path.Base(page)
}

// wholeResults is an error unless a study's result is there, and none is half done.
func wholeResults(folder *result.Folder) error {
	found := 0
	for _, study := range spec.Studies() {
		for _, name := range spec.StudyMembers()[study] {
			f, err := folder.Find(name)
			switch {
			case err != nil:
				return err
			case f != nil && f.Status == result.Partial:
				return unfinished(folder, f)
			case f != nil:
				found++
			}
		}
	}
	if found == 0 {
		return errors.Errorf("%s holds no result of any study; make some with `phe reproduce classification --out %s`", folder.Path(), folder.Path())
	}
	return nil
}

// missing returns the error of a result that is not there.
func missing(folder *result.Folder, spec string) error {
	_, err := folder.Get(spec)
	return err
}

// rowOf returns the row of a label in the result of a spec. Both must be there.
func rowOf(folder *result.Folder, spec, label string) (measure.Row, error) {
	f, err := folder.Get(spec)
	r := measure.Find(f, label)
	if err == nil && r.Method == nil {
		err = errors.Errorf("the result of %s has no %s; make it again with `phe run %s --force --out %s`", spec, label, spec, folder.Path())
	}
	return r, err
}

// unfinished returns the error of a result that is half done.
func unfinished(folder *result.Folder, f *result.File) error {
	return errors.Errorf("the run of %s is %s; finish it with `phe run %s --resume --out %s`", f.Name, f.Status, f.Name, folder.Path())
}
