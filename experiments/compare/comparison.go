package compare

import (
	"cmp"
	"fmt"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/paper"
	"gophe/experiments/result"
	"gophe/experiments/spec"

	"github.com/pkg/errors"
)

// Comparison holds the scores of a method in a result, in the paper and in another result, by the leading metric of the protocol. A
// number that does not exist is nil.
type Comparison struct {
	Method                 string // with " (frozen)" where nothing was learned online
	Paper, PaperSD         *float64
	Other, OtherSD         *float64 // of the other result, over all its seeds
	SameSeeds, SameSeedsSD *float64 // of the other result, over the seeds of this one
	Own, OwnSD             *float64
}

// Against compares a result with another one and with the paper's numbers for it. The other result is usually the committed one whose
// spec was changed. Against returns the methods of both, the result's first.
func Against(f, other *result.File) []Comparison {
	metric := measure.Metrics(&f.Methods[0])[0]
	var rows []Comparison
	for i := range f.Methods {
		m := &f.Methods[i]
		row := Comparison{Method: m.Label()}
		row.Own, row.OwnSD, _ = measure.OverSeeds(metric, f, m)
		if same := other.Method(m.Name, m.Frozen); same != nil {
			row.fill(metric, other, same, m)
		}
		rows = append(rows, row)
	}
	for i := range other.Methods {
		m := &other.Methods[i]
		if f.Method(m.Name, m.Frozen) == nil {
			row := Comparison{Method: m.Label()}
			row.fill(metric, other, m, nil)
			rows = append(rows, row)
		}
	}
	return rows
}

// fill fills in the paper's and the other result's numbers of a method. seeds has the seeds to compare; it may be nil.
func (b *Comparison) fill(metric string, other *result.File, m, seeds *result.Method) {
	b.Other, b.OtherSD, _ = measure.OverSeeds(metric, other, m)
	if seeds != nil {
		var values []float64
		for _, run := range seeds.Runs {
			if same := m.Run(run.Seed); same != nil {
				if v, ok := measure.Of(metric, other, m, same); ok {
					values = append(values, v)
				}
			}
		}
		b.SameSeeds, b.SameSeedsSD, _ = measure.MeanAndDeviation(values)
	}
	for _, table := range paper.Tables() {
		if table.Spec != other.Name || table.Metric != metric || table.Repeats != "" || m.Frozen {
			continue
		}
		for _, cell := range table.Cells {
			if cell.Method == m.Name {
				b.Paper, b.PaperSD = cell.Value, cell.SD
			}
		}
	}
}

// AgainstMarkdown renders the comparison of a result with the result whose spec it changed, and the settings that differ.
func AgainstMarkdown(f *result.File, folder *result.Folder) (string, error) {
	s := spec.Recorded(f.Manifest.Spec)
	if s.StreamOf == "" {
		return "", errors.Errorf("%s does not say what to compare it with; add \"stream_of\" to its spec, such as \"adult-online\", and run it again", f.Name)
	}
	other, err := folder.Get(s.StreamOf)
	if err != nil {
		return "", err
	}
	metric := measure.Named(measure.Metrics(&f.Methods[0])[0])
	text := func(mean, sd *float64) string { return measure.PlusMinus(mean, sd, metric.Digits) }
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| method | paper | %s | %s, same seeds | %s |\n|---|---:|---:|---:|---:|\n", metric.Heading, other.Name, other.Name, f.Name)
	for _, row := range Against(f, other) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.Method, text(row.Paper, row.PaperSD), text(row.Other, row.OtherSD), text(row.SameSeeds, row.SameSeedsSD), text(row.Own, row.OwnSD))
	}
	fmt.Fprintf(&b, "\n| setting | %s | %s |\n|---|---|---|\n", other.Name, f.Name)
	for _, d := range spec.Differences(spec.Recorded(other.Manifest.Spec), s) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.Setting, cmp.Or(d.Before, LeftOut), cmp.Or(d.After, LeftOut))
	}
	return b.String() + OwnNote(f), nil
}

// LeftOut stands for a setting that a spec does not have.
const LeftOut = "left out"

// OwnNote says which methods of a result the spec alone cannot compute. It is empty if there are none.
func OwnNote(f *result.File) string {
	var names []string
	for _, m := range f.Methods {
		if goType := f.Manifest.Own[m.Name]; goType != "" && !m.Frozen {
			names = append(names, fmt.Sprintf("%s (Go type %s)", m.Name, goType))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("\nFrom the caller's own code, which the spec alone does not run: %s.\n", strings.Join(names, ", "))
}
