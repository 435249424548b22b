package report

import (
	"fmt"
	"strings"

	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/result"

	"github.com/pkg/errors"
)

// glances holds the rows of the README's table: a stream, and the results that hold its methods.
var glances = []struct {
	title, score       string
	onePass, published contender
}{
	{"Adult, items come late", "accuracy, %", contender{"adult-by-group-one-pass", compare.FromNothingName}, contender{"adult-by-group", "PHE"}},
	{"Mushroom, items come late", "accuracy, %", contender{"mushroom-by-group-one-pass", compare.FromNothingName}, contender{"mushroom-by-group", "PHE"}},
	{"Covertype, random order", "accuracy, %", contender{"covertype-full-stream-one-pass", compare.FromNothingName}, contender{"covertype-full-stream", "PHE"}},
	{"Online Retail, next quantity", "error, units sold", contender{"retail-counts", "Pooled counts, 1.4 MiB"}, contender{"retail-forecast", "PHE"}},
	{"MovieLens small, next rating", "error, % of the scale", contender{"movielens-small-wide-one-pass", compare.FromNothingName}, contender{"movielens-small-wide", "PHE"}},
}

// contender is a method of a result.
type contender struct{ spec, method string }

// glanceMarkdown renders one pass next to the published update and the strongest rival on the same streams. Replay and frozen
// models of PHE are no rivals.
func glanceMarkdown(folder *result.Folder) (string, error) {
	var b strings.Builder
	b.WriteString("| stream | score | PHE, one pass | PHE, as published | strongest rival |\n|---|---|---:|---:|---:|\n")
	for _, g := range glances {
		var files []*result.File
		var cells []string
		for _, c := range []contender{g.onePass, g.published} {
			f, err := folder.Get(c.spec)
			if err != nil {
				return "", err
			}
			m := f.Method(c.method, false)
			if m == nil {
				return "", errors.Errorf("the result of %s has no %s; make it again with `phe run %s --force --out %s`", c.spec, c.method, c.spec, folder.Path())
			}
			mean, sd, _ := measure.OverSeeds(measure.Metrics(m)[0], f, m)
			files, cells = append(files, f), append(cells, measure.PlusMinus(mean, sd, 2))
		}
		name, value := strongest(files)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s (%s) |\n", g.title, g.score, cells[0], cells[1], measure.Optional(value, 2), name)
	}
	return b.String(), nil
}

// strongest returns the best mean of the methods that are not PHE, by the leading metric of each result.
func strongest(files []*result.File) (name string, best *float64) {
	for _, f := range files {
		for i := range f.Methods {
			m := &f.Methods[i]
			if ofPHE(m.Name) {
				continue
			}
			metric := measure.Named(measure.Metrics(&f.Methods[0])[0])
			mean, _, _ := measure.OverSeeds(metric.Name, f, m)
			if mean != nil && (best == nil || (*mean < *best) == metric.Less) {
				name, best = m.Label(), mean
			}
		}
	}
	return name, best
}

// ofPHE tells whether a method is this project's, or the reference of regret.
func ofPHE(name string) bool {
	if name == measure.Reference {
		return true
	}
	for _, own := range []string{"PHE", compare.FromNothingName, "Pooled counts", "Counts of"} {
		if name == own || strings.HasPrefix(name, own+" ") || strings.HasPrefix(name, own+",") {
			return true
		}
	}
	return false
}
