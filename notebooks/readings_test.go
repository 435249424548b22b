package notebooks_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

// reading is a cell that a test runs, and what must hold for what it shows.
type reading struct {
	cell  int               // of the notebook's code cells, from 0
	at    map[string]string // where a reader moves the controls
	check func(t *testing.T, s shown)
}

// same reads a cell that has nothing but its committed output to hold to.
func same(*testing.T, shown) {}

// readings are the cells that train nothing and read no large file, by notebook. A cell runs after those above it. Where nobody moves a
// control, a cell shows what is committed.
var readings = map[string][]reading{
	"0-start-here.ipynb": {{2, nil, same}},
	"3.2-embeddings.ipynb": {
		{4, map[string]string{"B": "61", "K": "1"}, func(t *testing.T, s shown) {
			filetest.Want(t, len(s.marks), 11, "marks of one hash function: of the item, and of ten others")
			filetest.WantWords(t, s.svg, "some of them: 1 of 10", "In all K: 1/Bᴷ = 0.01639")
		}},
		// No value that a control cannot have is taken. An item that the table knows has all rows of itself.
		{4, map[string]string{"B": "65", "K": "NaN", "item": "education_Masters"}, func(t *testing.T, s shown) {
			filetest.WantWords(t, fmt.Sprint(s.pages), "item = education_Masters, B = 7, K = 3")
			filetest.WantWords(t, s.svg, "With all of them: 1")
		}},
	},
	"3.3-online-learning.ipynb": {
		{4, map[string]string{"order": "in turn"}, func(t *testing.T, s shown) {
			ends(t, s, "full covariance", -1, 0.25) // two deviations
			ends(t, s, "diagonal", -1, 0.25)
		}},
		{5, nil, ring},
	},
	"3.4-forgetting.ipynb": {{2, nil, descent}, {3, nil, forgetting}, {6, nil, func(t *testing.T, s shown) {
		filetest.Near(t, s.column(t, "largest gap in the posterior")[0], 0, 1e-12, "Prop. 3.1: the gap of posteriors in 100 orders")
	}}},
	"4.1-protocols.ipynb": {
		{3, map[string]string{"stream": "0"}, func(t *testing.T, s shown) {
			filetest.WantWords(t, s.svg, "100 rows, 100 of them with items never seen") // group 2 begins
		}},
		{12, map[string]string{"B": "3"}, func(t *testing.T, s shown) {
			filetest.WantWords(t, s.svg, "The result has no run of these settings")
			filetest.Some(t, s.series(t, "out of reach"), "marks in the grey")
			filetest.WantNone(t, fmt.Sprint(s.marks), "PHE, ", "P-EE, ")
		}},
	},
	"6-one-pass.ipynb": {
		{1, nil, pulls},
		{2, map[string]string{"μ": "-4", "σ": "5"}, func(t *testing.T, s shown) {
			gap := top(s.series(t, "plug-in")).X - top(s.series(t, "exact")).X
			filetest.True(t, gap >= 0.2, "from a wide belief the plug-in step ends %.3f of the width right of the exact posterior", gap)
		}},
		{2, map[string]string{"μ": "0", "label": "0"}, func(t *testing.T, s shown) {
			filetest.True(t, top(s.series(t, "exact")).X < top(s.series(t, "before")).X, "label 0 moves the belief to the right")
		}},
		{4, nil, func(t *testing.T, s shown) {
			off := value(t, strings.Fields(strings.SplitAfter(s.text, "differ by ")[1])[0])
			filetest.Near(t, off, 0, 1e-12, "the distance of the library from steps 4 to 8 of docs/one-pass.md by hand")
		}},
		{10, nil, func(t *testing.T, s shown) {
			filetest.Near(t, slices.Max(s.column(t, "differs from committed by")), 0, 1e-9, "the distance from the study's run")
		}},
		{11, nil, same}, {16, nil, turned}, {20, nil, same},
	},
	"A-elbo.ipynb": {
		{2, nil, func(t *testing.T, s shown) {
			filetest.Near(t, s.column(t, "deviation")[1], 0, 1e-12, "the evidence less the one of a second program, row by row")
		}},
		{3, nil, func(t *testing.T, s shown) { // A.1
			sums, bounds := s.column(t, "ELBO + KL from posterior"), s.column(t, "ELBO")
			filetest.Near(t, slices.Max(sums), slices.Min(sums), 0, "ELBO + KL of all beliefs")
			filetest.Near(t, bounds[3], sums[3], 0, "the posterior's ELBO, beside the evidence")
		}},
		// Four targets of 1 with noise variance ¼ have the posterior N(16/17, 1/17).
		{4, map[string]string{"mean of q": fmt.Sprint(16.0 / 17), "σ of q": fmt.Sprint(math.Sqrt(1.0 / 17))}, func(t *testing.T, s shown) {
			filetest.Near(t, height(t, s.series(t, "your q")[0]), height(t, s.series(t, "log evidence")[0]), 1e-3, "the posterior's ELBO")
		}},
		{4, nil, func(t *testing.T, s shown) {
			gap := height(t, s.series(t, "log evidence")[0]) - height(t, s.series(t, "your q")[0])
			filetest.True(t, gap > 0.1, "%g nats from another belief's ELBO to the evidence", gap)
		}},
		{6, nil, func(t *testing.T, s shown) {
			closed, one, two := s.column(t, "closed form"), s.column(t, "scheme one"), s.column(t, "scheme two")
			filetest.Near(t, one[0], closed[0], 0.017, "the data term by 2¹⁷ draws") // four standard errors
			filetest.Near(t, two[0], closed[0], 0.017, "the data term by fresh draws")
			filetest.Near(t, one[1], closed[1], 0.017, "the data term of a row used twice")
			// One draw that counts twice has the variance 4/13, since three rows of variance ¼ tell of it, and two draws have half of that.
			filetest.Near(t, two[1], closed[1]+2.0/13/(2*0.25), 0.017, "the same by two draws")
		}},
		{7, nil, func(t *testing.T, s shown) {
			sd := s.column(t, "sd")
			filetest.Near(t, sd[1], sd[0], 0.01*sd[0], "the deviation of 2¹⁷ draws")
		}},
		{8, nil, func(t *testing.T, s shown) {
			filetest.Near(t, s.column(t, "deviation")[1], 0, 1e-5, "the library's ELBO less the closed form")
		}},
		{9, nil, func(t *testing.T, s shown) {
			filetest.Near(t, floats.Norm(s.column(t, "deviation"), math.Inf(1)), 0, 1e-5, "the library's gradient less differences")
		}},
		{10, nil, func(t *testing.T, s shown) {
			ends(t, s, "the library's ELBO", height(t, s.series(t, "best ELBO of independent rows")[0]), 0.05)
		}},
		{11, nil, bounds},
		{12, nil, touches},
		{13, nil, func(t *testing.T, s shown) {
			filetest.Near(t, floats.Norm(s.column(t, "exact: sum"), math.Inf(1)), 0, 1e-11, "evidence of blocks less that of all")
			filetest.Near(t, floats.Norm(s.column(t, "row 0"), math.Inf(1)), s.column(t, "row 0")[0], 1e-9, "the mean after blocks")
			filetest.True(t, slices.Max(s.column(t, "mean field: sum")) < 0, "a bound is above the evidence")
		}},
		{14, nil, func(t *testing.T, s shown) {
			drawn := s.series(t, "authors' objective")
			filetest.Near(t, height(t, drawn[0]), height(t, s.series(t, "ELBO (paper, Eq. 2)")[0]), 0.02, "the objective of one sample")
			ends(t, s, "authors' objective", height(t, s.series(t, "limit of the authors' objective")[0]), 0.05)
		}},
		{15, nil, func(t *testing.T, s shown) {
			best, evidence := s.column(t, "its maximum"), s.column(t, "log evidence")
			filetest.True(t, best[0] < evidence[0] && best[2] < evidence[2], "ELBOs of %v are above %v", best, evidence)
			filetest.True(t, best[1] > evidence[1] && best[3] > evidence[3], "the authors' objective bounds: %v, %v", best, evidence)
		}},
	},
}

// slow are cells that read large files or learn for seconds, and show what is committed. The long form runs them.
var slow = map[string][]int{
	"1-motivation.ipynb": {1, 3, 4}, "3.1-setup.ipynb": {1, 2, 3, 4, 5, 6}, "3.2-embeddings.ipynb": {1, 3, 4, 6, 7, 8},
	"3.3-online-learning.ipynb": {3, 7}, "3.4-forgetting.ipynb": {1, 8}, "4.1-protocols.ipynb": {2, 3, 4, 5, 6, 9, 10, 12},
	"4.2-classification.ipynb": {2, 4, 5}, "4.3-sequences.ipynb": {1, 2, 3, 4, 5, 6, 7, 8},
	"4.4-recommendation.ipynb": {7, 8, 9, 10, 11, 12, 13}, "4.5-additional.ipynb": {4, 5, 6, 7, 8, 9, 10, 11},
	"6-one-pass.ipynb": {7, 8, 13, 14, 15, 17, 18, 19, 22}, "7-your-stream.ipynb": {1, 2, 3, 4, 5, 6, 8, 10, 11},
}

// What a cell shows follows from theory, and is what is committed.
func TestReadings(t *testing.T) {
	all := committed(t)
	k := newKernel(t, all)
	for _, n := range all {
		t.Run(n.path, func(t *testing.T) {
			t.Parallel()
			list := readings[n.path]
			for _, cell := range slow[n.path] {
				if filetest.Long() {
					list = append(list, reading{cell, nil, same})
				}
			}
			for _, r := range list {
				s := k.run(t, n.path, r.cell, r.at)
				t.Run(strconv.Itoa(r.cell), func(t *testing.T) {
					if r.at == nil && !timed.MatchString(fmt.Sprint(s.pages)) {
						s.wantSame(t, n.code()[r.cell].shown(t))
					}
					r.check(t, s)
				})
			}
		})
	}
}

// timed matches the words next to a time.
var timed = regexp.MustCompile(`seconds| done on `)

// ends checks the last number of a series.
func ends(t *testing.T, s shown, series string, want, tolerance float64) {
	t.Helper()
	marks := s.series(t, series)
	filetest.Near(t, height(t, marks[len(marks)-1]), want, tolerance, "the end of %s", series)
}

// top returns the mark that lies highest in a picture.
func top(marks []draw.Mark) draw.Mark {
	return slices.MinFunc(marks, func(a, b draw.Mark) int { return int(math.Copysign(1, a.Y-b.Y)) })
}

// ring reads beliefs about an item of target −1 in two orders of the same 60 rows. The exact one is the same in the end (Prop. 3.1).
// Independent rows forget the item if the others come after it.
func ring(t *testing.T, s shown) {
	for _, name := range []string{"full: mean", "full: σ"} {
		column := s.column(t, name)
		filetest.Near(t, column[5], column[2], 1e-9, "%s after all rows", name)
	}
	mean, width := s.column(t, "diagonal: mean"), s.column(t, "diagonal: σ")
	filetest.True(t, math.Abs(mean[2]+1) >= 4*width[2], "item after item, the belief is %g ± %g", mean[2], width[2])
	filetest.Near(t, mean[5], -1, 2*width[5], "the belief of items in turn")
}

// forgetting reads the distances of three learners from an item, after 100 rows in turns of up to 50, and after 400 in turns of 200.
// Supp. F: descent ends at e = (½, −¼, −¾) after long turns, which is ¾ away.
func forgetting(t *testing.T, s shown) {
	bayes, field, descent := s.column(t, "Exact Bayes"), s.column(t, "PHE"), s.column(t, "Ada")
	filetest.Near(t, slices.Max(bayes[:6]), slices.Min(bayes[:6]), 1e-9, "the distance of exact Bayes, whatever the order")
	for i := 4; i < 7; i++ {
		inOrder := bayes[i] < field[i] && field[i] < descent[i]
		filetest.True(t, inOrder, "exact Bayes, PHE and Ada are %g, %g, %g away", bayes[i], field[i], descent[i])
	}
	filetest.Near(t, descent[6], 0.75, 1e-4, "the distance of descent")
}

// descent reads gradient descent on ten rows of item 0, with rate 0.1: it leaves eight tenths of the error. Item 1 shares half of the way.
func descent(t *testing.T, s shown) {
	for _, m := range s.series(t, "Ada") {
		var n int
		_, err := fmt.Sscanf(m.Text, "Ada, %d:", &n)
		filetest.Check(t, err)
		way := 1 - math.Pow(0.8, float64(n))
		at := height(t, m)
		filetest.True(t, n > 10 || math.Abs(at-way) < 1e-3 || math.Abs(at-way/2) < 1e-3, "%s, not %g or a half of it", m.Text, way)
	}
}

// learned returns a belief about a logit after a row, by the formulas of docs/one-pass.md, step 7. It also returns the forecast before it.
func learned(mean, variance, label float64) (after, narrower, forecast float64) {
	kappa := 1 / math.Sqrt(1+math.Pi*variance/8)
	p := 1 / (1 + math.Exp(-kappa*mean))
	return mean + variance*kappa*(label-p), variance - variance*variance*kappa*kappa*p*(1-p), p
}

// pulls reads beliefs after label 1: N(−1, 0.3) and N(−4, 25) before.
func pulls(t *testing.T, s shown) {
	for name, before := range map[string][2]float64{"tight": {-1, 0.3}, "wide": {-4, 25}} {
		means, widths := s.column(t, "mean, "+name), s.column(t, "σ, "+name)
		mean, width := exact(onepass.Bernoulli, before[0], before[1], 1)
		filetest.Near(t, means[0], mean, 5e-4, "the exact mean, %s", name)
		filetest.Near(t, widths[0], width, 5e-4, "the exact deviation, %s", name)
		mean, variance, _ := learned(before[0], before[1], 1)
		filetest.Near(t, means[1], mean, 5e-4, "MacKay's mean, %s", name)
		filetest.Near(t, widths[1], math.Sqrt(variance), 5e-4, "MacKay's deviation, %s", name)
	}
}

// turned reads how many rows an item needs to change its class, whose belief is N(0, 4) before any row. Nine in ten rows are of one class
// before, and of the other one after. Before each row the belief keeps a share γ of its precision.
func turned(t *testing.T, s shown) {
	before, gammas, until := s.column(t, "rows before the change"), s.column(t, "γ"), s.column(t, "rows until the forecast is below ½")
	for i, gamma := range gammas {
		mean, variance, forecast, row := 0.0, 4.0, 1.0, 0
		for ; row < int(before[i]) || forecast >= 0.5; row++ {
			wider := 1 / (gamma/variance + (1-gamma)/4)
			label := map[bool]float64{true: 1}[(row%10 == 9) != (row < int(before[i]))]
			mean, variance, forecast = learned(mean*gamma*wider/variance, wider, label)
		}
		filetest.Want(t, int(until[i]), row-1-int(before[i]), "rows to turn after %g, with γ = %g", before[i], gamma)
	}
}

// bounds reads both sides of Eq. 17: a mean of divergences is no less than the divergence from the mixture, and equal to it at a point.
func bounds(t *testing.T, s shown) {
	mixture, mean := s.series(t, "KL from the mixture (Eq. 15)"), s.series(t, "mean KL from each component (Eq. 16)")
	drawn := s.series(t, "the same by samples")
	filetest.Near(t, height(t, mixture[0]), height(t, mean[0]), 1e-9, "the two sides at a point")
	for i := range drawn {
		filetest.True(t, height(t, mixture[i]) <= height(t, mean[i]), "%s is above %s", mixture[i].Text, mean[i].Text)
		filetest.Near(t, height(t, drawn[i]), height(t, mean[i]), 0.05, "%s", drawn[i].Text)
	}
}

// touches reads the steps of EM: where an E step took place, its ELBO is the evidence, and no step loses any.
func touches(t *testing.T, s shown) {
	last := math.Inf(-1)
	for _, dot := range s.series(t, "E steps") {
		nearest := slices.MinFunc(s.series(t, "log evidence"), func(a, b draw.Mark) int {
			return int(math.Copysign(1, math.Hypot(a.X-dot.X, a.Y-dot.Y)-math.Hypot(b.X-dot.X, b.Y-dot.Y)))
		})
		filetest.Near(t, math.Hypot(nearest.X-dot.X, nearest.Y-dot.Y), 0, 0.02, "the distance of %s from the evidence", dot.Text)
		filetest.True(t, height(t, dot) >= last, "%s is below the step before, %g", dot.Text, last)
		last = height(t, dot)
	}
}
