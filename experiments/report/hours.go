package report

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// hoursRows holds the wall times that the paper states in words (Supp. E.2, "Hardware Information"), and the results on the same or
// the most similar data. The last row is "for all methods".
var hoursRows = []struct{ data, paper, spec string }{
	{"Adult", "less than 30", "adult-online"},
	{"Bank", "less than 30", "bank-online"},
	{"Mushroom", "less than 30", "mushroom-online"},
	{"Covertype, whole file", "less than 30", "covertype-full-online"},
	{"Retail", "about 60", "retail-online"},
	{"MovieLens-32M; ours generated", "about 120", "movielens-generated"},
}

// hoursMarkdown renders the paper's times next to the results' times. A result's time holds every method, every seed and the
// frozen models.
func hoursMarkdown(folder *result.Folder) (string, error) {
	var b strings.Builder
	b.WriteString("| data | paper, PHE, RTX 5000 | here, one seed of PHE | here, whole result | backend |\n|---|---:|---:|---:|---:|\n")
	for _, row := range hoursRows {
		f, err := folder.Get(row.spec)
		if err != nil {
			return "", err
		}
		m := f.Method("PHE", false)
		if m == nil {
			return "", errors.Errorf("the result of %s has no PHE; make it again with `phe run %s --force --out %s`", row.spec, row.spec, folder.Path())
		}
		seconds := compare.Cell{Metric: measure.Metrics(m)[0]}.Measure(f, m).Seconds
		if seconds == nil {
			return "", unfinished(folder, f)
		}
		fmt.Fprintf(&b, "| %s | %s min | %s | %s | %s |\n", row.data, row.paper, shortTime(*seconds), shortTime(f.Manifest.Seconds), f.Manifest.Backend)
	}
	return b.String(), nil
}

// shortTime returns a time in seconds below two minutes, and else in minutes.
func shortTime(seconds float64) string {
	if seconds < 120 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.0f min", seconds/60)
}
