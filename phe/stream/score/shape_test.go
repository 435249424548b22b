package score

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// TestError compares with errors computed by hand.
func TestError(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []scored
		want float64
	}{
		{"no rows", nil, math.NaN()},
		{"too high", []scored{{0.8, 1, 1}, {0.8, 0, 1}}, 0.3},
		{"too low", []scored{{0.2, 1, 1}, {0.2, 0, 1}}, 0.3},
		{"right", []scored{{0.5, 1, 1}, {0.5, 0, 1}}, 0},
		{"certain and right", []scored{{1, 1, 1}, {0, 0, 1}}, 0},
		{"certain and wrong", []scored{{1, 0, 1}, {0, 1, 1}}, 1},
		{"bins do not make up for each other", []scored{{0.1, 1, 1}, {0.9, 0, 1}}, 0.9},
		{"rows of a bin do", []scored{{0.91, 0, 1}, {0.92, 1, 10}}, (0.91 + 9.2 - 10) / 11},
		{"weights ½ and 3", []scored{{0.25, 1, 0.5}, {0.75, 1, 3}}, (0.5*0.75 + 3*0.25) / 3.5},
		{"NaN is left out", []scored{{math.NaN(), 1, 1}, {0.8, 1, 1}}, 0.2},
		{"outside of 0 to 1", []scored{{1.5, 1, 1}, {-0.5, 0, 1}}, 0},
	} {
		var calibration Calibration
		for _, row := range c.rows {
			calibration.addProbability(row.probability, row.class == 1, row.weight)
		}
		got := calibration.Error()
		filetest.True(t, near(got, c.want), "%s: %g, want %g", c.name, got, c.want)
		throughJSON(t, calibration)
	}
}

// TestAddTransform compares with weights computed by hand.
func TestAddTransform(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name             string
		from, to, weight float64
		want             map[int]float64
	}{
		{"a point", 0.32, 0.32, 3, map[int]float64{6: 3}},
		{"within a bin", 0.31, 0.34, 0.5, map[int]float64{6: 0.5}},
		{"two bins", 0.04, 0.09, 1, map[int]float64{0: 0.2, 1: 0.8}},
		{"three bins", 0.86, 0.96, 4, map[int]float64{17: 1.6, 18: 2, 19: 0.4}},
		{"one bin exactly", 0.5, 0.55, 1, map[int]float64{10: 1}},
		{"the lowest point", 0, 0, 1, map[int]float64{0: 1}},
		{"the highest point", 1, 1, 1, map[int]float64{19: 1}},
		{"rounding turns the interval around", 0.3, math.Nextafter(0.3, 0), 1, map[int]float64{6: 1}},
		{"NaN", nan, nan, 1, map[int]float64{}},
		{"half NaN", nan, 0.5, 1, map[int]float64{}},
		{"the other half NaN", 0.5, nan, 1, map[int]float64{}},
	} {
		var calibration Calibration
		calibration.AddTransform(c.from, c.to, c.weight)
		for bin, got := range calibration.Weight {
			want := c.want[bin]
			filetest.True(t, near(got, want), "%s: bin %d has %g, want %g", c.name, bin, got, want)
		}
	}
	for _, ends := range [][2]float64{{0, 1}, {-1e-16, math.Nextafter(1, 2)}, {-1, 2}, {math.Inf(-1), math.Inf(1)}} {
		var whole Calibration
		whole.AddTransform(ends[0], ends[1], calibrationBins)
		for bin, got := range whole.Weight {
			filetest.True(t, near(got, 1), "from %g to %g: bin %d has %g, want 1", ends[0], ends[1], bin, got)
		}
	}
}

// TestCalibratedCounts: if counts follow the forecast exactly, all bins have exactly equal weights. The distribution is geometric,
// P(Y = y) = (1 − q) q^y, and each count comes with its probability as weight.
func TestCalibratedCounts(t *testing.T) {
	for _, q := range []float64{0.01, 0.3, 0.9, 0.999} {
		var calibration Calibration
		for from, power := 0., 1.; power > 1e-18; power *= q {
			to := 1 - power*q
			calibration.AddTransform(from, to, to-from)
			from = to
		}
		for bin, got := range calibration.Weight {
			filetest.Near(t, got, 1./calibrationBins, 1e-12, "q = %g: bin %d", q, bin)
		}
	}
}

// TestConfusion compares with scores computed by hand: three classes, weights, one class that is only predicted and one that only
// comes.
func TestConfusion(t *testing.T) {
	c := newConfusion(4)
	for _, row := range []struct {
		p               []float64
		class           int
		logLoss, weight float64
	}{
		{[]float64{0.6, 0.2, 0.1, 0.1}, 0, 0.5, 3},
		{[]float64{0.1, 0.7, 0.1, 0.1}, 0, 2.5, 0.5},
		{[]float64{0.4, 0.4, 0.1, 0.1}, 2, 1, 1}, // even odds go to the first
		{[]float64{0.4, 0.1, 0.1, 0.4}, 2, 3, 1},
		{[]float64{0.3, 0.5, 0.1, 0.1}, 2, 4, 0.5},
	} {
		c.add(row.p, row.class, row.logLoss, row.weight)
	}
	nan := Ratio(math.NaN())
	want := []ClassScore{
		{3.5, 3. / 5, 3 / 3.5, (3*0.5 + 0.5*2.5) / 3.5},
		{0, 0, nan, nan},
		{2.5, nan, 0, 6 / 2.5},
		{0, nan, nan, nan},
	}
	for _, list := range [][]ClassScore{c.classes(), throughJSON(t, c).classes()} {
		for k, got := range list {
			w := want[k]
			rates := near(got.Precision, w.Precision) && near(got.Recall, w.Recall)
			filetest.True(t, rates && near(got.Weight, w.Weight) && near(got.LogLoss, w.LogLoss), "class %d: %+v, want %+v", k, got, w)
		}
	}
	const null = `{"weight":0,"precision":null,"recall":null,"log_loss":null}`
	filetest.Want(t, string(filetest.Must(json.Marshal(c.classes()[3]))(t)), null, "a class that never came")
	filetest.Want(t, throughJSON(t, c), c, "through JSON")
}

// TestSentences: a gain is .2 % of the score, and in eight tenths of the rows. Counters are nearly full above 60 %. New items come after
// the score by the rarest item, and other fields before all scores.
func TestSentences(t *testing.T) {
	of := func(losses ...float64) Report { // ten parts of 100 rows
		r := Report{Target: schema.Target{Kind: schema.Classes}, Models: make([]Score, 1), Novelty: make([]Tally, 4)}
		r.Rows = 1000
		for _, loss := range losses {
			r.Parts = append(r.Parts, Tally{Rows: 100, Weight: 100, Sum: Outcome{LogLoss: 100 * loss}})
			r.Models[0].All.merge(r.Parts[len(r.Parts)-1])
		}
		return r
	}
	base := of(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	for last, own := range map[float64]string{1: "0.9200", 1.38: "0.9960", 1.395: ""} {
		want := map[bool]string{true: "log-loss " + own + " instead of 1.0000"}[own != ""]
		filetest.Want(t, of(.9, .9, .9, .9, .9, .9, .9, .9, last, last).Gain(base, 0, 0.002), want, "if the last tenths have %g", last)
	}
	filetest.Want(t, of(.5, .5, .5, .5, .5, .5, .5, 1, 1, 1).Gain(base, 0, 0.002), "", "the gain in seven tenths")
	filetest.Want(t, base.Gain(of(2, 2, 2, 2, 2, 2, 2, 2, 2), 0, 0.002), "", "the gain over a run of fewer rows")
	base.Fields = []Fields{{What: "new"}, {What: "empty"}}
	_, below, found := strings.Cut(base.String(), "rarest item learned before")
	filetest.True(t, found && strings.Contains(below, "never been learned") && !strings.Contains(below, "are empty"), "below: %s", below)
	base.Load = 0.6
	filetest.WantNone(t, base.String(), "counters")
	base.Load = 0.61
	filetest.WantWords(t, base.String(), "\n61 % of the counters of seen items are in use, so that many new items look known\n")
}

// scored is a forecast of two classes and the class that came.
type scored struct {
	probability float64
	class       int
	weight      float64
}

// pairwise returns the AUC by its definition: over all pairs of rows of different classes. Pairs that tie count half, and shared
// is the share of the pairs that do not tie but share a bin.
func pairwise(rows []scored) (auc, shared float64) {
	all := 0.
	for _, one := range rows {
		for _, zero := range rows {
			if one.class == 0 || zero.class == 1 {
				continue
			}
			w := one.weight * zero.weight
			all += w
			switch distance := odds(one.probability) - odds(zero.probability); {
			case one.probability == zero.probability:
				auc += w / 2
			case distance > 0:
				auc += w
				fallthrough
			default:
				if math.Abs(distance) <= 2*curveRange/(curveBins-1) {
					shared += w
				}
			}
		}
	}
	return auc / all, shared / all
}

func odds(p float64) float64 { return math.Log(p / (1 - p)) }

func curveOf(rows []scored) *ROC {
	c := &ROC{}
	for _, row := range rows {
		c.add(row.probability, row.class, row.weight)
	}
	return c
}

// TestAUC compares with areas computed by hand.
func TestAUC(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		rows []scored
		want float64
	}{
		{"no rows", nil, nan},
		{"class 0 only", []scored{{0.3, 0, 1}}, nan},
		{"class 1 only", []scored{{0.3, 1, 1}}, nan},
		{"right order", []scored{{0.3, 0, 1}, {0.4, 1, 1}}, 1},
		{"wrong order", []scored{{0.3, 1, 1}, {0.4, 0, 1}}, 0},
		{"tie", []scored{{0.3, 1, 1}, {0.3, 0, 1}}, 0.5},
		{"certain and right", []scored{{1, 1, 1}, {0, 0, 1}}, 1},
		{"certain and wrong", []scored{{0, 1, 1}, {1, 0, 1}}, 0},
		{"weights", []scored{{0.2, 0, 3}, {0.5, 1, 0.5}, {0.8, 0, 1}, {0.9, 1, 1.5}}, (0.5*3 + 1.5*4) / 8},
		{"half of a tie's weight", []scored{{0.5, 0, 3}, {0.5, 1, 2}, {0.1, 0, 1}}, (2*3/2. + 2) / 8},
		{"NaN is left out", []scored{{nan, 0, 9}, {nan, 1, 9}, {0.3, 0, 1}, {0.4, 1, 1}}, 1},
		{"only NaN", []scored{{nan, 0, 1}, {nan, 1, 1}}, nan},
		{"outside of 0 to 1", []scored{{-1e-16, 0, 1}, {math.Nextafter(1, 2), 1, 1}}, 1},
		{"infinite", []scored{{math.Inf(-1), 0, 1}, {math.Inf(1), 1, 1}}, 1},
	} {
		got := curveOf(c.rows).auc()
		filetest.True(t, near(got, c.want), "%s: %g, want %g", c.name, got, c.want)
	}
}

// TestPairwise: the area differs from the area over all pairs by at most half of the pairs that share a bin. On forecasts such as
// a model makes, this is less than 0.001.
func TestPairwise(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		var rows []scored
		for range 1000 {
			p := 1 / (1 + math.Exp(-3*r.NormFloat64()))
			if r.IntN(4) == 0 {
				p = math.Round(10*p) / 10 // ties, and forecasts of exactly 0 and 1
			}
			class := 0
			if r.Float64() < 0.2+0.6*p {
				class = 1
			}
			rows = append(rows, scored{p, class, []float64{0.5, 1, 3}[r.IntN(3)]})
		}
		want, shared := pairwise(rows)
		if got := curveOf(rows).auc(); math.Abs(got-want) > min(shared/2+1e-12, 0.001) || want < 0.6 {
			t.Errorf("AUC %g, pair by pair %g, %g of the pairs share a bin", got, want, shared)
		}
	}
}
