package report

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/baseline"
	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// ratingPassStreams reads the results of one pass over ratings, with their series. It leaves out missing results, because their
// data may not be passed on.
func ratingPassStreams(folder *result.Folder) ([]onePassStream, error) {
	var streams []onePassStream
	for _, spec := range spec.StudyMembers()["one-pass-ratings"] {
		s, err := readOnePassStream(folder, spec)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// ratingPassMarkdown renders one pass over ratings next to the paper's models and running averages. It is empty without results.
func ratingPassMarkdown(streams []onePassStream) string {
	if len(streams) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nError of the mean of ratings, in percent of the scale: mean of the days, each predicted before it is learned, and deviation over seeds.\n" +
		"Biases are two running averages, of films and users.\n\n")
	columns(&b, streams, []string{"PHE", "P-EE", baseline.Biases, "one pass"}, func(s onePassStream) []string {
		return []string{s.cell(s.published, "PHE", false), s.cell(s.published, "P-EE", false), s.rival(baseline.Biases), s.cell(s.own, compare.FromNothingName, false)}
	})
	b.WriteString("\nDifferences are paired over days; in brackets their standard error. Interactions are pairs of columns where the name says nothing else.\n\n" +
		"| stream | method | less " + baseline.Biases + " | less P-EE | less PHE |\n|---|---|---:|---:|---:|\n")
	for _, s := range streams {
		for _, m := range s.passes() {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", s.name, m.Name, paired(m, s.own, baseline.Biases), paired(m, s.published, "P-EE"), paired(m, s.published, "PHE"))
		}
	}
	b.WriteString("\nNumbers kept in memory, head included, and the time of a seed.\n\n" +
		"| stream | method | error of the mean, % | numbers | s per seed |\n|---|---|---:|---:|---:|\n")
	for _, s := range streams {
		for _, m := range s.passes() {
			c := compare.Cell{Metric: s.metric()}.Measure(s.own, m)
			fmt.Fprintf(&b, "| %s | %s | %s | %d | %s |\n", s.name, m.Name, measure.PlusMinus(c.Measured, c.MeasuredSD, 2), m.TotalParameters, measure.Optional(c.Seconds, 1))
		}
	}
	return b.String()
}

// passes returns the methods of one pass that go on learning.
func (s onePassStream) passes() (methods []*result.Method) {
	for i := range s.own.Methods {
		if m := &s.own.Methods[i]; !m.Frozen && !baseline.Has(m.Name) {
			methods = append(methods, m)
		}
	}
	return methods
}

// rival returns the leading metric of a rule, which forecasts the same for all seeds.
func (s onePassStream) rival(name string) string {
	m := s.own.Method(name, false)
	if m == nil {
		return "–"
	}
	mean, _, _ := measure.OverSeeds(s.metric(), s.own, m)
	return measure.Optional(mean, 2)
}

// paired returns the difference of a method's leading metric to another method's, paired over days.
func paired(m *result.Method, f *result.File, name string) string {
	if f == nil || f.Method(name, false) == nil {
		return "–"
	}
	return measure.PairedOverDays(measure.Metrics(m)[0], m, f.Method(name, false))
}

// ratingPassCells returns the methods of one pass over ratings, and the averages, by their metrics.
func ratingPassCells(streams []onePassStream) (cells []compare.Cell) {
	for _, s := range streams {
		cells = slices.Concat(cells, compare.Summary(s.own))
	}
	return cells
}
