package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/uci"
	"gophe/experiments/measure"
	"gophe/experiments/spec"
	"gophe/experiments/table"
	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/onepass"
)

// docs/one-pass.md has these functions too:
//
//	{{standing}}                  on how many streams one pass is ahead of each rival
//	{{behind RIVAL}}              "3 of 36": on how many streams one pass is behind one of them
//	{{losses}}                    the streams on which one pass is behind PHE
//	{{orders SPEC PREFIX DIGITS}} deviation over the methods of a result that differ in the order of their rows
//	{{notebook NAME DIGITS}}      a number that notebook 6-one-pass computes
//	{{paperPreset}}, {{streamPreset}} a preset's configuration, such as {{paperPreset.Prior.E}}
//	{{sizes}}                     sizes of the models of the paper's data sets
//	{{hashed ITEM}}               key, buckets and weight row of an item by the authors' functions
func (s *source) onePassFunctions() map[string]any {
	return map[string]any{
		"standing": s.standing, "behind": s.behind, "losses": s.losses,
		"orders": s.orders, "sizes": s.sizes, "notebook": notebookNumber, "hashed": hashed,
		"paperPreset":  func() onepass.Config { return onepass.Paper(1, 1, 1) },
		"streamPreset": func() onepass.Config { return onepass.Stream(onepass.Shape{Columns: 2}) },
	}
}

// level is the distance in points below which two methods of a stream are level.
const level = 0.1

// oneHot are the models with a weight for each item.
var oneHot = []string{"AdPredictor", bayesianName, refittedName}

// rivals are the methods with which docs/one-pass.md compares one pass. The best of several counts.
var rivals = []struct {
	name   string
	labels []string
}{
	{"PHE, published update", []string{publishedPHE}},
	{"PHE, frozen", []string{frozenPHE}},
	{"PHE, Adam on all parameters", []string{"PHE all parameters"}},
	{"best one-hot model", oneHot},
}

// standing returns the number of streams on which one pass is ahead of a rival, level with it, and behind.
func (s *source) standing() table.Page {
	streams := s.onePassStreams()
	t := table.New(1, "one pass against", "streams", "ahead", "level", "behind")
	for _, rival := range rivals {
		var all, ahead, behind int
		for _, s := range streams {
			own, other := s.score(fromNothing), s.score(rival.labels...)
			if own == nil || other == nil {
				continue
			}
			all++
			if *own-*other >= level {
				ahead++
			} else if *other-*own >= level {
				behind++
			}
		}
		t.Add(rival.name, all, ahead, all-ahead-behind, behind)
	}
	return t.Page()
}

// behind returns the number of streams on which one pass is behind a rival, and the number of all: "3 of 36".
func (s *source) behind(rival string) string {
	for _, row := range s.standing()[0].Rows {
		if row[0] == rival {
			return row[4] + " of " + row[1]
		}
	}
	s.failf("one pass has no rival %q", rival)
	return ""
}

// losses returns every stream on which one pass is behind PHE, whether PHE is updated or frozen. The largest loss comes first.
func (s *source) losses() table.Page {
	streams := s.onePassStreams()
	points := map[string]float64{}
	for _, s := range streams {
		own, phe := s.score(fromNothing), s.score(publishedPHE, frozenPHE)
		if own != nil && phe != nil && s.published != nil && *phe-*own >= level {
			points[s.name] = *phe - *own
		}
	}
	streams = slices.DeleteFunc(streams, func(s onePassStream) bool { return points[s.name] == 0 })
	slices.SortStableFunc(streams, func(a, b onePassStream) int { return cmp.Compare(points[b.name], points[a.name]) })
	t := table.New(1, "stream", "one pass", "PHE, published update", "PHE, frozen", "best one-hot model")
	for _, s := range streams {
		text := func(label string) string { return s.row(label).Over(s.metric()).Text(1) }
		t.Add(s.name, text(fromNothing), text(publishedPHE), text(frozenPHE), measure.Optional(s.score(oneHot...), 1))
	}
	return t.Page()
}

func (s *source) orders(spec, prefix string, digits int) string {
	sd, _, orders := overOrders(s.get(spec), prefix)
	if orders < 2 {
		s.failf("the result of %s has %d methods of several orders whose name begins with %q", spec, orders, prefix)
	}
	return measure.Optional(&sd, digits)
}

// notebookJSON holds the numbers that a test of the notebooks reads from 6-one-pass.
//
//go:embed notebook.json
var notebookJSON []byte

var notebook = embedded[map[string]float64](notebookJSON)

func notebookNumber(name string, digits int) (string, error) {
	value, ok := notebook()[name]
	if !ok {
		return "", errors.Errorf("notebook.json has no %q", name)
	}
	return measure.Optional(&value, digits), nil
}

func hashed(item string) (string, error) {
	c := phe.Paper()
	c.Hash = hash.Authors
	encoder, err := phe.NewEncoder(c)
	if err != nil {
		return "", err
	}
	rows, err := encoder.Items([]string{item})
	if err != nil {
		return "", err
	}
	key, buckets := c.Hash.Key(item), strings.Trim(fmt.Sprint(rows.Buckets), "[]")
	return fmt.Sprintf("key %d, buckets %s of %d and row %d of %d", key, buckets, c.NumBuckets, rows.Weights[0], c.NumWeights), nil
}

// sizes returns the sizes of the models that learn the paper's data sets.
func (s *source) sizes() table.Page {
	t := table.New(1, "data set", "$C$, $F$, $O$", "$B$, $K$, $P$", "$d$", "numbers kept")
	for _, name := range []string{"adult-online", "bank-online", "mushroom-online", "covertype-online"} {
		own, err := spec.Load(name + "-one-pass")
		if err != nil {
			s.fail(err)
			return nil
		}
		c := spec.OnePassConfig(own.Config(own.Methods[0], 0), own.Methods[0].Start, declared(own))
		t.Add(own.Dataset, fmt.Sprintf("%d, %d, %d", c.Columns, c.Numbers, c.Outputs),
			fmt.Sprintf("%d, %d, %d", c.Buckets, c.Hashes, c.WeightRows), c.Dim, s.row(own.Name, fromNothing).TotalParameters)
	}
	return t.Page()
}

// declared returns the shape of a spec's data set, by its declaration.
func declared(s spec.Spec) (shape spec.Shape) {
	all := uci.Tables()
	d := all[slices.IndexFunc(all, func(d uci.Declaration) bool { return d.Name == s.Dataset })]
	items, numbers := d.Features()
	if isLeftOut := func(name string) bool { return !slices.Contains(s.Features, name) }; len(s.Features) > 0 {
		items, numbers = slices.DeleteFunc(items, isLeftOut), slices.DeleteFunc(numbers, isLeftOut)
	}
	shape.Columns, shape.Numbers = len(items), len(numbers)
	if shape.Outputs = len(d.Classes); shape.Outputs == 2 {
		shape.Outputs = 1
	}
	return shape
}
