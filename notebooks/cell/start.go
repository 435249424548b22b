package cell

import (
	"cmp"
	"path/filepath"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// Save writes a spec next to the results of Run, for `phe run`. It returns the path from the repository's root.
func Save(s spec.Spec) string {
	path := filepath.Join(Results(), "specs", s.Name+".json")
	Check(s.Write(path))
	return Must(filepath.Rel(Root(), path))
}

// Compared returns the methods of a result next to the paper and to the committed result whose spec it changed. The cells are means over
// seeds, with deviations.
func Compared(f *result.File) dataframe.DataFrame {
	metric := measure.Named(measure.Metrics(&f.Methods[0])[0])
	text := func(e measure.Estimate) string { return e.Text(metric.Digits) }
	table := NewRows(metric.Heading, "paper", "committed", "committed, same seeds", f.Name)
	s := spec.Recorded(f.Manifest.Spec)
	if s.StreamOf == "" {
		Check(errors.Errorf("spec %s does not say which spec it changed; set StreamOf, such as \"adult-online\"", s.Name))
	}
	for _, row := range report.Against(f, Read(s.StreamOf)) {
		if row.Own.Mean == nil { // it did not run here
			continue
		}
		table.Add(row.Method, text(row.Paper), text(row.Other), text(row.SameSeeds), text(row.Own))
	}
	return table.Frame()
}

// Differences returns the settings in which two specs differ.
func Differences(a, b spec.Spec) dataframe.DataFrame {
	table := NewRows("setting", a.Name, b.Name)
	for _, d := range spec.Differences(a, b) {
		table.Add(d.Setting, cmp.Or(d.Before, report.LeftOut), cmp.Or(d.After, report.LeftOut))
	}
	return table.Frame()
}
