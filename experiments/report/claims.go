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

// claim is a sentence of the paper in our words. It has readings: the authors' program, the text with 15 epochs a step, and the text until
// convergence. A reading without trials is not tested.
type claim struct {
	Claim, Place             string
	On                       string // the data, where they are not the paper's
	Takes                    string // what a test would take, or what to know of it
	Program, Text, Converged []trial
}

// trial compares a method with the best of others, by their means, in each of some results. "A : B" has the method in A and the others in
// B, and either may be several results.
type trial struct {
	In     []string
	Method string
	Than   []string
	By     string // the metric; by default the leading one
	Needs  string // what the claim says of the method: "ahead" by default, "level" at least, or "equal"
	From   string // scores are distances to a method's mean, or to their own "median"
	Some   bool   // one of the results is enough
}

//go:embed claims.json
var claimsFile []byte

// claims reads the paper's claims.
func claims() (all []claim) {
	if err := json.Unmarshal(claimsFile, &all); err != nil {
		panic(err) // embedded
	}
	return all
}

// side is a method of a comparison.
type side struct {
	name   string
	rows   map[string]measure.Row // by the draw; "" is that of a method without hash functions
	metric *measure.Metric
	centre *float64 // scores are distances to it
}

// side finds a method in results. The metric's default is the leading one.
func (s *source) side(specs, name, metric string) *side {
	rows := map[string]measure.Row{}
	for _, spec := range strings.Fields(specs) {
		for _, r := range measure.Rows(s.get(spec)) {
			at := ofDraw.FindStringSubmatch(r.Label())
			if _, found := rows[at[2]]; at[1]+at[3] == name && !found {
				rows[at[2]], metric = r, cmp.Or(metric, r.Leading())
			}
		}
	}
	if len(rows) == 0 {
		s.failf("the results %s have no %s; make them again with `phe run`", specs, name)
	}
	return &side{name: name, rows: rows, metric: measure.Named(metric)}
}

// draws returns the scores of all draws, and of the seeds of each.
func (m *side) draws() (scores [][]float64) {
	for _, draw := range slices.Sorted(maps.Keys(m.rows)) {
		var own []float64
		for _, v := range m.rows[draw].Seeds(m.metric.Name) {
			own = append(own, m.see(v))
		}
		scores = append(scores, own)
	}
	return scores
}

// units returns what does not depend on each other: means of draws, or seeds of one draw.
func (m *side) units() (units []float64) {
	draws := m.draws()
	if len(draws) == 1 {
		return draws[0]
	}
	for _, draw := range draws {
		units = append(units, stat.Mean(draw, nil))
	}
	return units
}

// count names a number of units.
func (m *side) count(n int) string {
	return fmt.Sprintf("%d %s", n, map[bool]string{true: "seeds", false: "draws"}[len(m.rows) == 1])
}

// oneDraw matches methods that have one draw of the hash functions in all seeds. Others draw by the seed, or do not hash.
var oneDraw = regexp.MustCompile(`^(PHE|(Slow|Medium|Fast)?Ada\b|One pass( Paper|$))`)

func (m *side) mean() float64 { return stat.Mean(slices.Concat(m.draws()...), nil) }

// see returns a score, or its distance.
func (m *side) see(score float64) float64 {
	if m.centre == nil {
		return score
	}
	return math.Abs(score - *m.centre)
}

// pair is the difference of two methods.
type pair struct {
	in         string
	own, other *side
	needs      string
	less       measure.Estimate
	luck       string  // what the difference is over, such as "20 draws"
	oneDraw    bool    // of the hash functions
	p          float64 // may be adjusted for other tests
}

// compare pairs two methods by draws, or by seeds if they share one draw only. Methods without a common draw do not pair.
func compare(own, other *side) *pair {
	p := &pair{own: own, other: other}
	var draws, seeds []float64
	for _, draw := range slices.Sorted(maps.Keys(own.rows)) {
		var apart []float64
		than := maps.Collect(other.rows[draw].Seeds(own.metric.Name))
		for seed, v := range own.rows[draw].Seeds(own.metric.Name) {
			if w, both := than[seed]; both {
				apart = append(apart, own.see(v)-other.see(w))
			}
		}
		if apart != nil {
			draws, seeds = append(draws, stat.Mean(apart, nil)), append(seeds, apart...)
		}
	}
	switch {
	case own.metric.Name == measure.Parameters && seeds != nil: // without luck
		p.less = measure.Estimate{Mean: &seeds[0], SD: new(0.0), Seeds: 2}
	case len(draws) > 1:
		p.less, p.luck = measure.Over(draws), fmt.Sprintf("%d draws", len(draws))
	case len(draws) == 1:
		p.less, p.luck, p.oneDraw = measure.Over(seeds), fmt.Sprintf("%d seeds", len(seeds)), oneDraw.MatchString(own.name) || oneDraw.MatchString(other.name)
	default:
		draws, seeds := own.units(), other.units()
		p.less = measure.Welch(measure.Over(draws), measure.Over(seeds))
		p.luck = fmt.Sprintf("%s and %s", own.count(len(draws)), other.count(len(seeds)))
	}
	_, p.p = p.less.Half()
	return p
}

func (p *pair) verdict() string { return p.less.Verdict(p.own.metric, p.other.mean(), p.p) }

// String shows the difference with its test.
func (p *pair) String() string {
	switch text := p.less.Interval(p.own.metric.Digits); {
	case p.luck == "":
		return text + ", counted"
	case *p.less.SD == 0:
		return text + " in each of " + p.luck
	default:
		return fmt.Sprintf("%s over %s, p = %.2g", text, p.luck, p.p)
	}
}

// here says where a verdict is for one draw only.
func (p *pair) here() string {
	if p.oneDraw {
		return " for this draw"
	}
	return ""
}

// pair compares two methods of results, as a sentence names them.
func (s *source) pair(specs, label, other, metric string, own ...int) *pair {
	a, b := s.side(specs, label, metric), s.side(specs, other, metric)
	if s.err != nil {
		return nil
	}
	p := compare(a, b)
	if p.less.SD == nil {
		s.failf("%s and %s of %s cannot be compared by %s over two seeds", label, other, specs, metric)
		return nil
	}
	shownIn := *a.metric
	shownIn.Digits = shown(metric, own)
	a.metric = &shownIn
	return p
}

// less shows the difference of two methods, with its test and verdict.
func (s *source) less(specs, label, other, metric string, own ...int) string {
	p := s.pair(specs, label, other, metric, own...)
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s%s", p, p.verdict(), p.here())
}

// stands says where a method stands beside another one, with the test: "ahead of EE for this draw (…)".
func (s *source) stands(specs, label, other, metric string, own ...int) string {
	p := s.pair(specs, label, other, metric, own...)
	if p == nil {
		return ""
	}
	word := map[string]string{"ahead": "ahead of", "behind": "behind", "level": "level with", undecided: "not told from"}[p.verdict()]
	if strings.ContainsAny(other, ",(=") {
		other = "`" + other + "`"
	}
	return fmt.Sprintf("%s %s%s (%s)", word, other, p.here(), p)
}

// pairs returns a trial's comparison in each result.
func (t *trial) pairs(s *source) (all []*pair) {
	for _, in := range t.In {
		left, right, two := strings.Cut(in, " : ")
		if !two {
			right = left
		}
		own := s.side(left, t.Method, t.By)
		var best *side
		for _, than := range t.Than {
			other := s.side(right, than, t.By)
			if s.err != nil {
				return nil
			}
			if t.From != "" {
				s.distances(left, t.From, own)
				s.distances(right, t.From, other)
			}
			if best == nil || (other.mean() < best.mean()) == other.metric.Less {
				best = other
			}
		}
		p := compare(own, best)
		p.in, p.needs = strings.Fields(left)[0], cmp.Or(t.Needs, "ahead")
		all = append(all, p)
	}
	return all
}

// distances makes a method's scores distances to another one's mean, or to their own median. Less is better then.
func (s *source) distances(specs, from string, m *side) {
	if m.centre != nil {
		return
	}
	metric := *m.metric
	metric.Less = true
	if from != "median" {
		metric.Heading = "distance to " + from + " by " + metric.Heading
		m.centre = new(s.side(specs, from, metric.Name).mean())
	} else {
		metric.Heading = "scatter of " + metric.Heading
		scores := slices.Concat(m.draws()...)
		slices.Sort(scores)
		m.centre = new((scores[(len(scores)-1)/2] + scores[len(scores)/2]) / 2)
	}
	m.metric = &metric
}

// What a test can say of a claim.
const (
	doesHold  = "holds"
	doesFail  = "fails"
	undecided = "undecided"
)

// says returns what the pair says of the claim, and how weakly: by the probability of chance, or by the share of the margin that the
// interval takes.
func (p *pair) says() (outcome string, weakness float64) {
	half, _ := p.less.Half()
	share, verdict := (math.Abs(*p.less.Mean)+half)/p.own.metric.Margin(p.other.mean()), p.verdict()
	switch {
	case p.needs != "equal" && verdict == "ahead":
		return doesHold, p.p
	case p.needs != "ahead" && (share <= 1 || *p.less.Mean == 0 && half == 0):
		return doesHold, share
	case verdict == undecided:
		return undecided, p.p
	}
	return doesFail, p.p
}

// deciding returns the pair that decides. Of the first outcome one pair is enough, so the strongest decides. Else all pairs must agree, and
// the weakest decides.
func deciding(pairs []*pair, outcomes ...string) *pair {
	weaker := func(a, b *pair) int {
		_, x := a.says()
		_, y := b.says()
		return cmp.Compare(x, y)
	}
	for i, outcome := range outcomes {
		switch own := saying(pairs, outcome); {
		case len(own) > 0 && i == 0:
			return slices.MinFunc(own, weaker)
		case len(own) > 0:
			return slices.MaxFunc(own, weaker)
		}
	}
	return nil
}

// saying picks the pairs of an outcome.
func saying(pairs []*pair, outcome string) []*pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { says, _ := p.says(); return says != outcome })
}

// judged is a claim in one reading.
type judged struct {
	verdict string
	pairs   []*pair // all tests; of those of which one is enough, the one that decides
	by      *pair   // decides
}

// judge tests a claim in one reading. Holm's family is the tests of the reading.
func (c *claim) judge(s *source, trials []trial) judged {
	j := judged{verdict: "not tested"}
	var ps []*float64
	tried := make([][]*pair, len(trials))
	for i, t := range trials {
		tried[i] = t.pairs(s)
		for _, p := range tried[i] {
			ps = append(ps, &p.p)
		}
	}
	if s.err != nil {
		return j
	}
	measure.Holm(ps)
	for i, t := range trials {
		if t.Some {
			tried[i] = []*pair{deciding(tried[i], doesHold, undecided, doesFail)}
		}
		j.pairs = append(j.pairs, tried[i]...)
	}
	if j.by = deciding(j.pairs, doesFail, undecided, doesHold); j.by == nil {
		return j
	}
	j.verdict, _ = j.by.says()
	if c.On != "" {
		j.verdict += " on " + c.On
	}
	j.verdict += j.by.here()
	return j
}

// readings are the names of a claim's readings.
var readings = []string{"program", "text", "converged"}

// judged judges all claims in all readings, once.
func (s *source) judged() [][]judged {
	if s.verdicts != nil {
		return s.verdicts
	}
	var all [][]judged
	for _, c := range claims() {
		all = append(all, []judged{c.judge(s, c.Program), c.judge(s, c.Text), c.judge(s, c.Converged)})
	}
	if s.err == nil {
		s.verdicts = all
	}
	return all
}

// judgedAs returns how many claims have a verdict in a reading. An empty verdict is all.
func (s *source) judgedAs(reading, verdict string) (n int) {
	for _, c := range s.judged() {
		if strings.HasPrefix(c[slices.Index(readings, reading)].verdict, verdict) {
			n++
		}
	}
	return n
}

// claimTables returns the verdicts on all claims, and the tests that decide them.
func claimTables(s *source) table.Page {
	verdicts := table.New(5, "claim", "in the paper", "program", "text, 15 epochs", "text, converged")
	tests := table.New(5, "claim, reading", "tests that pass", "the test that decides", "difference", "verdict")
	tests.Below = "\nWhat is open, and what to know of some tests. Times are of two cores.\n\n"
	for i, c := range claims() {
		row := []string{fmt.Sprintf("%d. %s", i+1, c.Claim), c.Place}
		for k, j := range s.judged()[i] {
			row = append(row, j.verdict)
			if p := j.by; p != nil {
				what := fmt.Sprintf("`%s`, %s: %s less %s", p.in, p.own.metric.Heading, p.own.name, p.other.name)
				passed := fmt.Sprintf("%d of %d", len(saying(j.pairs, doesHold)), len(j.pairs))
				tests.Add(fmt.Sprintf("%d, %s", i+1, readings[k]), passed, what, p, p.verdict())
			}
		}
		verdicts.Rows = append(verdicts.Rows, row)
		if c.Takes != "" {
			tests.Below += fmt.Sprintf("- **%d.** %s\n", i+1, c.Takes)
		}
	}
	return table.Page{*verdicts, *tests}
}
