package report

import (
	"fmt"
	"strings"

	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// lateColumns holds the changing column of each data set whose methods also run without it. Mushroom has no other column.
var lateColumns = []struct{ dataset, column string }{{"adult", "education"}, {"bank", "poutcome"}, {"covertype", "wilderness_area"}}

// lateMethods are the methods that run with and without the changing column.
var lateMethods = []struct {
	name   string
	frozen bool
}{{compare.FromNothingName, false}, {compare.RefittedName, false}, {compare.RefittedName, true}}

// lateColumnMarkdown renders what the changing column is worth on the streams with late items: accuracy with it and without it, and the
// difference, paired by seed.
func lateColumnMarkdown(folder *result.Folder) (string, error) {
	var b strings.Builder
	for _, late := range lateColumns {
		for _, stream := range []string{"by-group", "growing", "swapped"} {
			f, err := folder.Find(late.dataset + "-" + stream + "-one-pass")
			if err != nil {
				return "", err
			}
			if f != nil {
				addLateRows(&b, f, late.dataset+", "+stream, late.column)
			}
		}
	}
	if b.Len() == 0 {
		return "", missing(folder, "adult-by-group-one-pass")
	}
	return "Accuracy along the stream in percent, with the changing column and without it, and the difference in points, paired by seed. The\n" +
		"column is education (Adult), poutcome (Bank) or wilderness_area (Covertype). Mushroom has no other column, so nothing is left there.\n\n" +
		"| stream | method | with it | without it | difference |\n|---|---|---:|---:|---:|\n" + b.String(), nil
}

// addLateRows adds a row for each method that a result has with and without the column.
func addLateRows(b *strings.Builder, f *result.File, stream, column string) {
	for _, method := range lateMethods {
		with, without := f.Method(method.name, method.frozen), f.Method(method.name+", without "+column, method.frozen)
		if with == nil || without == nil {
			continue
		}
		own := func(m *result.Method) string {
			mean, sd, _ := measure.OverSeeds(measure.Accuracy, f, m)
			return measure.PlusMinus(mean, sd, 2)
		}
		mean, sd := measure.PairedDifference(measure.Accuracy, f, with, f, without)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", stream, with.Label(), own(with), own(without), measure.PlusMinus(mean, sd, 2))
	}
}
