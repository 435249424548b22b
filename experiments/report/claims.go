package report

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
	"gophe/experiments/table"
)

// claim is a sentence of the paper in our words, with trials by the authors' program, by the text with 15 epochs a step, by the text until
// convergence, and of the best of four initial phases, which is ours. A reading without trials is not tested.
type claim struct {
	Claim, Place                   string
	Takes                          string // a remark on the tests
	Like                           string // a result whose time is like that of a draw which is not tested
	Program, Text, Converged, Best []trial
}

// readings returns the trials of each reading, in the order of readingNames.
func (c *claim) readings() [][]trial { return [][]trial{c.Program, c.Text, c.Converged, c.Best} }

var readingNames = []string{"program", "text, 15 epochs", "text, converged", "best of four"}

// trial compares a method with the best of others, by their means, in each of some results. "A : B" has the method in A, and others in B.
type trial struct {
	In     []string
	Method string
	Than   []string
	By     string // the metric; by default the leading one
	Needs  string // "ahead" by default, "level" at least, or "equal"
	From   string // scores are distances to a method's mean, or to their own "median"
	Some   bool   // one of the results is enough
}

//go:embed claims.json
var claimsFile []byte

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
			if at := ofDraw.FindStringSubmatch(r.Label()); at[1]+at[3] == name {
				metric = cmp.Or(metric, r.Leading())
				for seed, v := range r.Seeds(metric) {
					m.scores[run{at[2], seed}] = v
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

// stands is the verdict on two methods, with its test: "ahead of EE for this draw (…)".
func (s *source) stands(specs, label, other, metric string, digits ...int) string {
	own, than := s.side(specs, label, metric, ""), s.side(specs, other, metric, "")
	if s.err != nil {
		return ""
	}
	own.metric.Digits = shown(metric, digits)
	p := compare(own, than)
	if p.less.SD == nil {
		s.failf("%s and %s of %s cannot be paired by %s over two seeds", label, other, specs, metric)
		return ""
	}
	if strings.ContainsAny(other, ",(=") {
		other = "`" + other + "`"
	}
	word := map[string]string{"ahead": "ahead of", "behind": "behind", "level": "level with", "undecided": "not told from"}[p.verdict()]
	return fmt.Sprintf("%s %s%s (%s)", word, other, p.here, p)
}

// pairs returns a trial's comparison in each result.
func (t *trial) pairs(s *source) (all []*pair) {
	for _, in := range t.In {
		left, right, two := strings.Cut(in, " : ")
		if !two {
			right = left
		}
		var best *side
		for _, than := range t.Than {
			if other := s.side(right, than, t.By, t.From); best == nil || s.err == nil && other.mean() < best.mean() == other.metric.Less {
				best = other
			}
		}
		own := s.side(left, t.Method, t.By, t.From)
		if s.err != nil {
			return nil
		}
		p := compare(own, best)
		p.in, p.needs = strings.Fields(left)[0], t.Needs
		all = append(all, p)
	}
	return all
}

// says returns the outcome of a pair for its claim, and its weakness: the probability of chance, or the share of the margin that the
// interval takes.
func (p *pair) says() (outcome string, weakness float64) {
	half, _ := p.less.Half()
	far, margin, verdict := math.Abs(*p.less.Mean)+half, p.own.metric.Margin(p.other.mean()), p.verdict()
	switch {
	case p.needs != "equal" && verdict == "ahead":
		return "holds", p.p
	case p.needs != "" && far <= margin:
		return "holds", far / max(margin, 1e-9)
	case verdict == "undecided":
		return "undecided", p.p
	}
	return "fails", p.p
}

// deciding returns the pair that decides, and its outcome. One pair with the first outcome is enough, so the strongest decides. Else all
// pairs must agree, and the weakest decides.
func deciding(pairs []*pair, outcomes ...string) (by *pair, outcome string) {
	least := 0.0
	for i, outcome := range outcomes {
		for _, p := range pairs {
			says, weakness := p.says()
			if stronger := weakness < least; says == outcome && (by == nil || stronger == (i == 0) && weakness != least) {
				by, least = p, weakness
			}
		}
		if by != nil {
			return by, outcome
		}
	}
	return nil, "not tested"
}

// judge tests a claim in one reading: all tests, and the one that decides. Where one test is enough, no other counts. Holm's family is the
// tests of the reading.
func (s *source) judge(trials []trial) (pairs []*pair, by *pair, outcome string) {
	var ps []*float64
	tried := make([][]*pair, len(trials))
	for i, t := range trials {
		tried[i] = t.pairs(s)
		for _, p := range tried[i] {
			ps = append(ps, &p.p)
		}
	}
	measure.Holm(ps)
	for i, t := range trials {
		if one, _ := deciding(tried[i], "holds", "undecided", "fails"); t.Some && one != nil {
			tried[i] = []*pair{one}
		}
		pairs = append(pairs, tried[i]...)
	}
	by, outcome = deciding(pairs, "fails", "undecided", "holds")
	return pairs, by, outcome
}

// claimTables returns the number of verdicts, the verdicts on all claims, the tests that decide them, remarks, and the verdicts on the best
// of four initial phases.
func claimTables(s *source) table.Page {
	counts := table.New(1, "reading", "holds", "fails", "undecided", "not tested")
	verdicts := table.New(5, append([]string{"claim", "in the paper"}, readingNames[:3]...)...)
	best := table.New(3, "claim", readingNames[2], readingNames[3])
	tests := table.New(5, "claim, reading", "for, against, undecided", "the test that decides", "difference", "verdict")
	remarks := table.New(2, "claim", "remark, and what a test takes")
	number := map[string]int{}
	var claims []claim
	s.fail(json.Unmarshal(claimsFile, &claims))
	for i, c := range claims {
		row := []string{fmt.Sprintf("%d. %s", i+1, c.Claim), c.Place}
		for k, trials := range c.readings() {
			reading := readingNames[k]
			pairs, p, outcome := s.judge(trials)
			if number[reading+outcome]++; p == nil {
				row = append(row, outcome)
				continue
			}
			row = append(row, outcome+p.here)
			said := map[string]int{}
			for _, each := range pairs {
				says, _ := each.says()
				said[says]++
			}
			what := fmt.Sprintf("`%s`, %s: %s less %s", p.in, p.own.metric.Heading, p.own.name, p.other.name)
			tests.Add(fmt.Sprintf("%d, %s", i+1, reading), fmt.Sprint(said["holds"], ", ", said["fails"], ", ", said["undecided"]), what, p,
				p.verdict())
		}
		verdicts.Rows = append(verdicts.Rows, row[:5])
		if c.Best != nil {
			best.Add(row[0], row[4], row[5])
		}
		if c.Takes != "" {
			if c.Like != "" {
				c.Takes += fmt.Sprintf(" `%s`, one draw, took %s.", c.Like, shortTime(s.get(c.Like).Manifest.Seconds))
			}
			remarks.Add(i+1, c.Takes)
		}
	}
	for _, name := range readingNames[:3] {
		counts.Add(name, number[name+"holds"], number[name+"fails"], number[name+"undecided"], number[name+"not tested"])
	}
	return table.Page{*counts, *verdicts, *tests, *remarks, *best}
}
