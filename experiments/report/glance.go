package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/baseline"
	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/phe/stream"

	"github.com/pkg/errors"
)

// glances holds the rows of the README's table: a stream, and the results that hold its methods.
var glances = []struct {
	title, score       string
	onePass, published contender
}{
	{"Adult, items come late", "accuracy, %", contender{"adult-by-group-one-pass", compare.FromNothingName, "Paper"}, published("adult-by-group", "PHE")},
	{"Covertype, random order", "accuracy, %", contender{"covertype-full-stream-one-pass", compare.FromNothingName, "Paper"}, published("covertype-full-stream", "PHE")},
	{"Online Retail, 12 pieces or more?", "accuracy, %", contender{"retail-late", "One pass Stream, 32 KB", "Stream"}, published("retail-late", "PHE, 32 KB")},
	{"MovieLens small, 4 stars or more?", "accuracy, %", contender{"movielens-late", "One pass Stream, 32 KB", "Stream"}, published("movielens-late", "PHE, 32 KB")},
	{"Online Retail, next quantity", "error, units sold", contender{"retail-counts", "Counts of a stream's columns, 1.4 MiB", "counts"}, published("retail-forecast", "PHE")},
}

// contender is a method of a result. says names its preset; "" for the published method, whose frozen model may be better.
type contender struct{ spec, method, says string }

// published returns a contender that stands for PHE's published update and for its frozen model, whichever is better.
func published(spec, method string) contender { return contender{spec, method, ""} }

// glanceMarkdown renders one pass next to the published update and the strongest rival on the same streams, with all the numbers that
// each keeps. Replay is no rival, and on streams at equal memory all rivals have the same.
func glanceMarkdown(folder *result.Folder) (string, error) {
	var b strings.Builder
	b.WriteString("| stream | score | one pass: preset, numbers | PHE, as published: numbers | strongest rival: numbers |\n|---|---|---:|---:|---:|\n")
	for _, g := range glances {
		var files []*result.File
		for _, c := range []contender{g.onePass, g.published} {
			f, err := folder.Get(c.spec)
			if err != nil {
				return "", err
			}
			if f.Method(c.method, false) == nil {
				return "", errors.Errorf("the result of %s has no %s; make it again with `phe run %s --force --out %s`", c.spec, c.method, c.spec, folder.Path())
			}
			files = append(files, f)
		}
		own, phe := files[0].Method(g.onePass.method, false), betterOf(files[1], g.published.method)
		_, kilobytes, _ := own.Budget()
		f, rival := strongest(files, kilobytes)
		fmt.Fprintf(&b, "| %s | %s | %s (%s, %s) | %s (%s%s) | %s (%s, %s) |\n", g.title, g.score,
			leading(files[0], own), g.onePass.says, keeps(own, files), leading(files[1], phe), frozenly(phe), keeps(phe, files), leading(f, rival), shownName(rival), keeps(rival, files))
	}
	return b.String(), nil
}

// betterOf returns a method or its frozen model, by the leading metric.
func betterOf(f *result.File, name string) *result.Method {
	m, frozen := f.Method(name, false), f.Method(name, true)
	if frozen == nil {
		return m
	}
	metric := measure.Named(measure.Metrics(m)[0])
	a, _, _ := measure.OverSeeds(metric.Name, f, m)
	b, _, _ := measure.OverSeeds(metric.Name, f, frozen)
	if a == nil || b == nil || (*a < *b) == metric.Less {
		return m
	}
	return frozen
}

func frozenly(m *result.Method) string {
	if m.Frozen {
		return "frozen, "
	}
	return ""
}

// leading returns a method's leading metric.
func leading(f *result.File, m *result.Method) string {
	mean, sd, _ := measure.OverSeeds(measure.Metrics(m)[0], f, m)
	if sd != nil && *sd == 0 { // it draws nothing
		sd = nil
	}
	return measure.PlusMinus(mean, sd, 2)
}

// keeps returns all the numbers that a method keeps. Where a result counts the tables alone, another result of the stream may count
// the head too.
func keeps(m *result.Method, files []*result.File) string {
	total := m.TotalParameters
	for _, f := range files {
		for _, frozen := range []bool{false, true} {
			if same := f.Method(m.Name, frozen); same != nil && same.Parameters == m.Parameters {
				total = cmp.Or(total, same.TotalParameters)
			}
		}
	}
	switch {
	case total > 0:
		return stream.Grouped(int64(total))
	case m.Name == "PHE":
		return stream.Grouped(int64(m.Parameters)) + " and a network"
	case m.Parameters == 0:
		return "not counted"
	}
	return stream.Grouped(int64(m.Parameters))
}

// shownName returns a rival's name without its memory, which all methods of its row have.
func shownName(m *result.Method) string {
	base, kilobytes, _ := m.Budget()
	if kilobytes == 0 {
		return m.Label()
	}
	return base
}

// strongest returns the method with the best mean of those that are not PHE, by the leading metric of each result. If kilobytes is above
// 0, only methods of that memory count.
func strongest(files []*result.File, kilobytes int) (of *result.File, best *result.Method) {
	least := 0.0
	for _, f := range files {
		for i := range f.Methods {
			m := &f.Methods[i]
			_, own, without := m.Budget()
			if ofPHE(m.Name) || m.Name == baseline.Truth || without || strings.Contains(m.Name, ", without ") || own != kilobytes {
				continue
			}
			metric := measure.Named(measure.Metrics(&f.Methods[0])[0])
			mean, _, _ := measure.OverSeeds(metric.Name, f, m)
			if mean != nil && (best == nil || (*mean < least) == metric.Less) {
				of, best, least = f, m, *mean
			}
		}
	}
	return of, best
}

// ofPHE tells whether a method is this project's, or the reference of regret.
func ofPHE(name string) bool {
	return name == measure.Reference || slices.ContainsFunc([]string{"PHE", compare.FromNothingName, "Pooled counts", "Counts of"}, func(own string) bool {
		return name == own || strings.HasPrefix(name, own+" ") || strings.HasPrefix(name, own+",")
	})
}
