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

// Beside is a method of a result next to the same method in the paper and in another result, by the protocol's leading metric. A
// number that does not exist is nil.
type Beside struct {
	Method                 string // with " (frozen)" where nothing was learned online
	Paper, PaperSD         *float64
	Other, OtherSD         *float64 // of the other result, over all its seeds
	SameSeeds, SameSeedsSD *float64 // of the other result, over the seeds of this one
	Own, OwnSD             *float64
}

// LayBeside lays a result next to another one, such as the committed result of the spec that its own spec has changed, and next to
// the paper's numbers for that spec. It returns the methods of both, the result's first.
func LayBeside(f, other *result.File) []Beside {
	metric := measure.Metrics(&f.Methods[0])[0]
	var rows []Beside
	for i := range f.Methods {
		m := &f.Methods[i]
		row := Beside{Method: m.Label()}
		row.Own, row.OwnSD, _ = measure.OverSeeds(metric, f, m)
		if same := other.Method(m.Name, m.Frozen); same != nil {
			row.fill(metric, other, same, m)
		}
		rows = append(rows, row)
	}
	for i := range other.Methods {
		m := &other.Methods[i]
		if f.Method(m.Name, m.Frozen) == nil {
			row := Beside{Method: m.Label()}
			row.fill(metric, other, m, nil)
			rows = append(rows, row)
		}
	}
	return rows
}

// fill fills in the paper's and the other result's numbers of a method. seeds has the seeds to compare; it may be nil.
func (b *Beside) fill(metric string, other *result.File, m, seeds *result.Method) {
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

// BesideMarkdown renders a result next to the one of which its spec is a change, with the settings that differ.
func BesideMarkdown(f *result.File, folder *result.Folder) (string, error) {
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
	for _, row := range LayBeside(f, other) {
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
	var b strings.Builder
	for i := range f.Methods {
		if m := &f.Methods[i]; f.Manifest.Own[m.Name] != "" && !m.Frozen {
			fmt.Fprintf(&b, "\n%s is a method of the caller's own, the Go type %s. The spec alone does not compute it.\n", m.Name, f.Manifest.Own[m.Name])
		}
	}
	return b.String()
}
