// Package report writes REPRODUCTION.md from the results in a folder.
package report

import (
	_ "embed"

	"github.com/pkg/errors"

	"gophe/experiments/prose"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// The page is report.md: prose, blocks that fillBlocks fills, and numbers inside sentences, which these functions take from
// the results. SPEC is a result's name; METHOD a row's, with " (frozen)" where it is; METRIC one of measure.go; and DIGITS,
// which may be left out, how many stand behind the point.
//
//	{{cell SPEC METHOD METRIC DIGITS}}         mean ± deviation over seeds, as tables show it
//	{{mean SPEC METHOD METRIC DIGITS}}         the mean alone
//	{{seeds SPEC METHOD METRIC DIGITS}}        each seed's number: 1, 2 and 3
//	{{least SPEC METHOD METRIC DIGITS}}        the smallest of the seeds'; {{most …}} the largest
//	{{apart SPEC METHOD OTHER METRIC DIGITS}}  how far the means of two rows lie apart, without sign
//	{{error SPEC METHOD OTHER METRIC DIGITS}}  the standard error of that over days, as tables bracket it
//	{{tally SPEC METHOD NAME CELL}}            mean error in percent of a recommender's ratings in a cell of a tally; CELL -1 is all
//	{{size SPEC METHOD}}                       numbers in the embedding module
//	{{paper ITEM DATASET METHOD}}              what the paper prints
//	{{took STUDY}}                             wall time of a study's results, all together
//	{{minutes SPEC}}                           wall time of one result
//	{{peak SPEC}}                              the most memory its process held, in MB
//	{{there SPEC}}                             whether the result is there, for {{if}}
//
//go:embed report.md
var reportTemplate string

// Report writes REPRODUCTION.md from the results in a folder: every table beside the paper's numbers, and what is to be said
// about them. Where a table or a sentence needs a result that is not there, the page says so and names the command that makes
// it. Half a result would pass for a whole one in its tables' means: it is an error.
func Report(folder *result.Folder) (string, error) {
	found := 0
	for _, study := range spec.Studies() {
		specs, err := spec.LoadStudy(study)
		if err != nil {
			return "", err
		}
		for _, spec := range specs {
			f, err := folder.Find(spec.Name)
			switch {
			case err != nil:
				return "", err
			case f != nil && f.Status == result.Partial:
				return "", unfinished(folder, f)
			case f != nil:
				found++
			}
		}
	}
	if found == 0 {
		return "", errors.Errorf("%s holds no result of any study; make some with `phe reproduce classification --out %s`", folder.Path(), folder.Path())
	}
	return fill(reportTemplate, folder)
}

func fill(page string, folder *result.Folder) (string, error) {
	text, err := prose.From(folder).ExpandParts(page)
	if err == nil {
		text, _, err = fillBlocks(text, folder, true)
	}
	return text, errors.WithMessage(err, "report.md")
}
