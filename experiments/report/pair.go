package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
)

// side is a method of a comparison.
type side struct {
	name   string
	metric measure.Metric
	scores map[run]float64
}

// run names a run of a method. Its draw is "" if all seeds have one draw, or the method has none.
type run struct {
	draw string
	seed int64
}

// side finds a method in results, each run in the first that has it.
func (s *source) side(specs, name, metric, from string) *side {
	m := &side{name: name, scores: map[run]float64{}}
	for _, spec := range slices.Backward(strings.Fields(specs)) {
		for _, r := range measure.Rows(s.get(spec)) {
			if method, draw := ofDraw(r); method == name {
				metric = cmp.Or(metric, r.Leading())
				for seed, v := range r.Seeds(metric) {
					m.scores[run{draw, seed}] = v
				}
			}
		}
	}
	if len(m.scores) == 0 {
		s.row(strings.Fields(specs)[0], name) // the error names the command
	}
	if m.metric = *measure.Named(metric); from == "" || s.err != nil {
		return m
	}
	all, heading := slices.Sorted(slices.Values(slices.Concat(m.draws()...))), "scatter of "
	centre := (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	if from != "median" {
		centre, heading = s.side(specs, from, metric, "").mean(), "distance to "+from+" by "
	}
	for each, v := range m.scores {
		m.scores[each] = math.Abs(v - centre)
	}
	m.metric.Less, m.metric.Heading = true, heading+m.metric.Heading
	return m
}

// draws returns the scores of the draws, in their order.
func (m *side) draws() (draws [][]float64) {
	before := run{"none", 0}
	for _, each := range slices.SortedFunc(maps.Keys(m.scores), func(a, b run) int {
		return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.seed, b.seed))
	}) {
		if each.draw != before.draw {
			draws = append(draws, nil)
		}
		last := len(draws) - 1
		draws[last], before = append(draws[last], m.scores[each]), each
	}
	return draws
}

func (m *side) mean() float64 { return stat.Mean(slices.Concat(m.draws()...), nil) }

// independent returns means of draws, or the seeds of one draw, and their number in words.
func (m *side) independent() (e measure.Estimate, number string) {
	var means []float64
	draws := m.draws()
	for _, draw := range draws {
		means = append(means, stat.Mean(draw, nil))
	}
	if len(means) == 1 {
		return measure.Over(draws[0]), fmt.Sprintf("%d seeds", len(draws[0]))
	}
	return measure.Over(means), fmt.Sprintf("%d draws", len(means))
}

// oneDraw matches methods that have one draw of the hash functions in all seeds. Others draw by the seed, or do not hash.
var oneDraw = regexp.MustCompile(`^(PHE|(Slow|Medium|Fast)?Ada\b|One pass( Paper|$))`)

// pair is the difference of two methods.
type pair struct {
	in, needs  string
	own, other *side
	less       measure.Estimate
	luck       string  // such as "20 draws"
	here       string  // " for this draw" where there is one
	p          float64 // may be adjusted for other tests
}

// compare pairs two methods by draws, or by seeds if they share one draw only. Methods without a common draw do not pair.
func compare(own, other *side) *pair {
	apart := &side{scores: map[run]float64{}}
	for each, v := range own.scores {
		if w, both := other.scores[each]; both {
			apart.scores[each] = v - w
		}
	}
	p := &pair{own: own, other: other}
	p.less, p.luck = apart.independent()
	switch hashes := oneDraw.MatchString(own.name) || oneDraw.MatchString(other.name); {
	case len(apart.scores) == 0:
		a, owns := own.independent()
		b, others := other.independent()
		p.less, p.luck = measure.Welch(a, b), owns+" and "+others
	case len(apart.draws()) == 1 && hashes && own.metric.Name != measure.Parameters:
		p.here = " for this draw"
	}
	_, p.p = p.less.Half()
	return p
}

func (p *pair) verdict() string { return p.less.Verdict(&p.own.metric, p.other.mean(), p.p) }

// String shows the difference with its test.
func (p *pair) String() string {
	if *p.less.SD == 0 {
		return p.less.Interval(p.own.metric.Digits) + " in each of " + p.luck
	}
	return fmt.Sprintf("%s over %s, p = %.2g", p.less.Interval(p.own.metric.Digits), p.luck, p.p)
}
