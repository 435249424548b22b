package report

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

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
var claimsJSON []byte

var claims = embedded[[]claim](claimsJSON)

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

// says returns the outcome of a pair for its claim, and its weakness: the probability of chance, or the interval's share of the margin.
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
	for i, c := range claims() {
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
