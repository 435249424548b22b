package report

import (
	"cmp"
	"fmt"
	"math"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/table"

	"github.com/pkg/errors"
)

// Comparison holds the scores of a method in a result, in the paper and in another result, by the leading metric of the protocol.
type Comparison struct {
	Method    string // with " (frozen)" where nothing was learned online
	Paper     measure.Estimate
	Other     measure.Estimate // of the other result, over all its seeds
	SameSeeds measure.Estimate // of the other result, over the seeds of this one
	Own       measure.Estimate
}

// Against compares a result with another one and with the paper's numbers for it. The other result is often the committed one whose
// spec was changed. Against returns the methods of both, the result's first.
func Against(f, other *result.File) []Comparison {
	metric := measure.Metrics(&f.Methods[0])[0]
	var labels []string
	for _, r := range append(measure.Rows(f), measure.Rows(other)...) {
		labels = with(labels, r.Label())
	}
	var rows []Comparison
	for _, label := range labels {
		own, theirs := measure.Find(f, label), measure.Find(other, label)
		var values []float64
		for seed, value := range theirs.Seeds(metric) {
			if own.Method != nil && own.Run(seed) != nil {
				values = append(values, value)
			}
		}
		paper, _ := inPaper(label, func(t *paperTable) bool {
			return theirs.Method != nil && t.Spec == other.Name && t.Metric == metric && t.Repeats == ""
		})
		rows = append(rows, Comparison{label, paper, theirs.Over(metric), measure.Over(values), own.Over(metric)})
	}
	return rows
}

// AgainstTables returns the comparison of a result with the result whose spec it changed, and the settings that differ.
func AgainstTables(f *result.File, folder *result.Folder) (table.Page, error) {
	s := spec.Recorded(f.Manifest.Spec)
	if s.StreamOf == "" {
		return nil, errors.Errorf("%s does not say what to compare it with; add \"stream_of\" to its spec, such as \"adult-online\", "+
			"and run it again", f.Name)
	}
	other, err := folder.Get(s.StreamOf)
	if err != nil {
		return nil, err
	}
	metric := measure.Named(measure.Metrics(&f.Methods[0])[0])
	text := func(e measure.Estimate) string { return e.Text(metric.Digits) }
	scores := table.New(1, "method", "paper", other.Name, other.Name+", same seeds", f.Name)
	scores.Above = metric.Heading + "\n\n"
	for _, row := range Against(f, other) {
		scores.Add(row.Method, text(row.Paper), text(row.Other), text(row.SameSeeds), text(row.Own))
	}
	settings := table.New(3, "setting", other.Name, f.Name)
	settings.Below = ownNote(f)
	for _, d := range spec.Differences(spec.Recorded(other.Manifest.Spec), s) {
		settings.Add(d.Setting, cmp.Or(d.Before, LeftOut), cmp.Or(d.After, LeftOut))
	}
	return table.Page{*scores, *settings}, nil
}

// Repeats says of each method how far its seeds are from the same ones in another folder, by the leading metric. All results that both
// folders have count, and so do all draws of the hash functions.
func Repeats(folder, other *result.Folder) (table.Page, error) {
	s, from := &source{folder: folder}, &source{folder: other}
	var methods [][2]string // names and metrics
	apart := map[[2]string][]float64{}
	names := spec.Names()
	for _, name := range folder.Names() {
		names = with(names, name)
	}
	for _, name := range names {
		f, theirs := s.find(name), from.find(name)
		if f == nil || theirs == nil {
			continue
		}
		for _, r := range measure.Rows(f) {
			name, _ := ofDraw(r)
			method := [2]string{name, r.Leading()}
			if seeds := r.Differences(measure.Find(theirs, r.Label()), method[1]); seeds != nil {
				methods, apart[method] = with(methods, method), append(apart[method], seeds...)
			}
		}
	}
	if s.fail(from.err); methods == nil {
		s.failf("%s has no seed of a result in %s; name a folder with results of the same specs", folder.Path(), other.Path())
	}
	t := table.New(3, "method", "metric", "repeats", "seeds")
	for _, method := range methods {
		says, most := "to the digit", 0.0
		for _, difference := range apart[method] {
			most = max(most, math.Abs(difference))
		}
		if most > 0 {
			says = fmt.Sprintf("differs by up to %.2g a seed", most)
		}
		t.Add(method[0], method[1], says, len(apart[method]))
	}
	return t.Page(), s.err
}

// LeftOut is shown in place of a setting that a spec does not have.
const LeftOut = "left out"
