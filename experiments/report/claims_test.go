package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/experiments/measure"
	"gophe/phe/disk/filetest"
)

// scoresOf returns a method's scores by draws and seeds, or their distances.
func scoresOf(t *testing.T, spec, method, metric, from string) (draws [][]float64, m *measure.Metric) {
	f := filetest.Must(committedResults().Get(spec))(t)
	for d := range 21 {
		label := method
		if name, frozen := strings.CutSuffix(method, " (frozen)"); d > 0 {
			label = fmt.Sprintf("%s h%d%s", name, d, map[bool]string{true: " (frozen)"}[frozen])
		}
		if r := measure.Find(f, label); r.Method != nil {
			metric = cmp.Or(metric, measure.Metrics(r.Method)[0])
			draws = append(draws, r.Values(metric))
		}
	}
	flat := slices.Sorted(slices.Values(slices.Concat(draws...)))
	centre := (flat[len(flat)/2] + flat[(len(flat)-1)/2]) / 2
	if from != "median" && from != "" {
		others, _ := scoresOf(t, spec, from, metric, "")
		centre = stat.Mean(slices.Concat(others...), nil)
	}
	for _, draw := range draws {
		for i := range draw {
			if from != "" {
				draw[i] = math.Abs(draw[i] - centre)
			}
		}
	}
	return draws, measure.Named(metric)
}

// again is a t test of a claim, computed once more.
type again struct {
	mean, half, p, margin float64
	less                  bool
	needs                 string
}

func (c *trial) again(t *testing.T, in string) (best again) {
	left, right, two := strings.Cut(in, " : ")
	if !two {
		right = left
	}
	own, metric := scoresOf(t, left, c.Method, c.By, c.From)
	rival := math.NaN()
	for _, than := range c.Than {
		other, _ := scoresOf(t, right, than, c.By, c.From)
		mean, less := stat.Mean(slices.Concat(other...), nil), metric.Less || c.From != ""
		if !math.IsNaN(rival) && mean < rival != less {
			continue
		}
		rival = mean
		var apart, means []float64 // of draws, or of seeds; and of draws of this method alone
		for d := range own {
			means = append(means, stat.Mean(own[d], nil))
			apart = append(apart, means[d]-stat.Mean(other[min(d, len(other)-1)][:len(own[d])], nil)) // of fewer seeds, the first
		}
		for i := range len(own[0]) * (2 - min(2, len(own))) {
			apart = append(apart[:i], own[0][i]-other[0][i])
		}
		n, m := float64(len(apart)), float64(len(other[0]))
		center, error, freedom := stat.Mean(apart, nil), stat.StdDev(apart, nil)/math.Sqrt(n), n-1
		if len(other) < len(own) { // Welch
			u, v := stat.Variance(means, nil)/n, stat.Variance(other[0], nil)/m
			error, freedom = math.Sqrt(u+v), (u+v)*(u+v)/(u*u/(n-1)+v*v/(m-1))
		}
		best = again{mean: center, p: 1, margin: .1, less: less, needs: c.Needs}
		if law := (distuv.StudentsT{Sigma: 1, Nu: freedom}); error > 0 {
			best.p, best.half = 2*law.CDF(-math.Abs(center/error)), law.Quantile(.975)*error
		} else if center != 0 {
			best.p = 0
		}
		if less && metric.Name != measure.Forgetting {
			best.margin = math.Abs(rival) / 100
		}
	}
	return best
}

// says returns the outcome of a test. Holm's p is the largest of smaller ones, each times the number of those that are no smaller.
func (a again) says(all []again) string {
	p := 0.0
	for _, b := range all {
		smaller := slices.DeleteFunc(slices.Clone(all), func(c again) bool { return c.p >= b.p })
		if b.p <= a.p {
			p = max(p, float64(len(all)-len(smaller))*b.p)
		}
	}
	level := math.Abs(a.mean)+a.half <= a.margin
	switch {
	case a.needs != "equal" && p < .05 && a.mean < 0 == a.less, a.needs != "" && level:
		return "holds"
	case p >= .05 && !level:
		return "undecided"
	}
	return "fails"
}

// Every verdict on the page follows from the summaries of the runs, by a second computation. A list of outcomes ends with the worst.
func TestClaims(t *testing.T) {
	page := filetest.Must(committedPages())(t)[topicFolder+"/claims.md"]
	rank := []string{"not tested", "holds", "undecided", "fails"}
	_, best, _ := strings.Cut(page, "| claim | text, converged | best of four |")
	for i, c := range claims() {
		_, row, _ := strings.Cut(page, fmt.Sprintf("| %d. %s | %s | ", i+1, c.Claim, c.Place))
		cells := strings.SplitN(row, " | ", 3)
		_, row, found := strings.Cut(best, fmt.Sprintf("| %d. %s | ", i+1, c.Claim))
		filetest.Want(t, found, c.Best != nil, "%s: a row of the best of four", c.Claim)
		if found {
			cells = append(cells, strings.SplitN(row, " | ", 2)[1])
		}
		for k, trials := range c.readings()[:len(cells)] {
			var all []again
			for _, trial := range trials {
				for _, in := range trial.In {
					all = append(all, trial.again(t, in))
				}
			}
			rest, worst := all, 0
			for _, trial := range trials {
				var said []int
				for range trial.In {
					said, rest = append(said, slices.Index(rank, rest[0].says(all))), rest[1:]
				}
				worst = max(worst, map[bool]int{true: slices.Min(said), false: slices.Max(said)}[trial.Some])
			}
			filetest.True(t, strings.HasPrefix(cells[k], rank[worst]), "%s, reading %d: %s on the page, %s here", c.Claim, k, cells[k],
				rank[worst])
		}
	}
}

// verdictWords are verdicts on two methods, and other words for them.
var verdictWords = regexp.MustCompile(`\b(ahead|behind|level|beats?|equals|undecided|better|worse|as good|does as well|do as well|` +
	`outperforms?|significant(ly)?|not told from)\b`)

// neutral are phrases with these words that say nothing of two methods: definitions, scales, and a heading whose text has the test.
var neutral = regexp.MustCompile(`(more|less|scatter) is better|can be better|published level|behind the name|at least level|level it is|` +
	`\*(behind|undecided)\*|"not told from"|nearest to undecided|undecided claims|holds \| fails \| undecided|Why P-EE is ahead`)

// No verdict on two methods is typed on the pages of the reproduction. A placeholder gives it, with its test.
func TestNoVerdictIsTyped(t *testing.T) {
	typed := func(page string) []string {
		return verdictWords.FindAllString(neutral.ReplaceAllString(typedPart(page), ""), -1)
	}
	filetest.Want(t, len(typed("PHE is ahead of Ada, which is *behind*, {{stands}} `level`.")), 1, "verdicts of a sentence")
	for page, file := range templatePages() {
		if page == index || strings.HasPrefix(page, topicFolder) && strings.HasSuffix(page, ".md") {
			text := string(filetest.Must(templates.ReadFile(file))(t))
			for _, line := range strings.Split(text, "\n") {
				filetest.True(t, typed(line) == nil, "%s: a verdict is typed, %q in %q; take {{stands}}", file, typed(line), line)
			}
		}
	}
}
