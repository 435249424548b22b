package stream

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// generated returns a table of categories and its schema. target returns the label of a row's items.
func generated(random *rand.Rand, rows, columns, items int, kind schema.Target,
	target func(row int, items []int) string) (schema.Schema, []schema.Record) {
	s := schema.Schema{Target: kind}
	for c := range columns {
		s.Columns = append(s.Columns, schema.Column{Name: fmt.Sprintf("c%d", c), Kind: schema.Category})
	}
	s.Columns = append(s.Columns, schema.Column{Name: "y", Kind: schema.Label})
	var records []schema.Record
	for row := range rows {
		drawn, r := make([]int, columns), make(schema.Record, columns+1)
		for c := range drawn {
			drawn[c] = random.IntN(items)
			r[c] = fmt.Sprint("i", drawn[c])
		}
		r[columns] = target(row, drawn)
		records = append(records, r)
	}
	return s, records
}

// learned returns the report of a learner that has learned all records. All its forecasts must be finite.
func learned(t *testing.T, s schema.Schema, o Options, records []schema.Record) score.Report {
	t.Helper()
	l := filetest.Must(New(s, o))(t)
	for i, r := range records {
		f := step(t, l, r)
		filetest.True(t, finite(f) && f.Low <= f.High, "the forecast of row %d is %+v", i, f)
	}
	return l.Report()
}

func sample(random *rand.Rand, odds float64) string {
	if random.Float64() < 1/(1+math.Exp(-(odds))) {
		return "1"
	}
	return "0"
}

// The last effect of a pair of items holds until it changes. A learner with more memory knows older labels too, and forecasts no worse.
func TestMoreMemory(t *testing.T) {
	t.Parallel()
	for _, kind := range []schema.Target{twoClasses, {Column: "y", Kind: schema.Amount}} {
		s, _ := generated(nil, 0, 3, 0, kind, nil)
		random, now, records := rand.New(rand.NewPCG(4, 4)), map[[2]uint64]float64{}, []schema.Record(nil)
		machines, jobs := rand.NewZipf(random, 1.8, 1, 500), rand.NewZipf(random, 1.8, 1, 20)
		for range 12_000 {
			pair := [2]uint64{machines.Uint64(), jobs.Uint64()}
			if _, known := now[pair]; !known || random.IntN(7) == 0 {
				now[pair] = math.Copysign(4, random.NormFloat64())
			}
			y := sample(random, now[pair])
			if kind.Kind == schema.Amount {
				y = fmt.Sprint(now[pair] + random.NormFloat64())
			}
			records = append(records, schema.Record{fmt.Sprint("m", pair[0]), fmt.Sprint("j", pair[1]), fmt.Sprint("t", random.IntN(5)), y})
		}
		loss := func(memory int) float64 {
			m := learned(t, s, Options{Memory: memory, NoExactModel: true}, records).Models[0].Late.Means()
			return m.LogLoss + m.RMSE
		}
		small, large := loss(32<<10), loss(1<<20)
		filetest.True(t, large <= 1.01*small, "%s: the late loss is %.4f in 1 MB, and %.4f in 32 KB", kind.Kind, large, small)
	}
}

var twoClasses = schema.Target{Column: "y", Kind: schema.Classes, Classes: []string{"0", "1"}}

// The truth of a table of twenty columns is a sum of effects of pairs. Without pairs its loss is at least 8 % higher.
func TestPairsOfManyColumns(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	effects := [6][8][8]float64{}
	for p := range effects {
		for i := range effects[p] {
			for j := range effects[p][i] {
				effects[p][i][j] = 1.2 * random.NormFloat64()
			}
		}
	}
	s, records := generated(random, 20_000, 20, 8, twoClasses, func(_ int, items []int) string {
		odds := 0.0
		for p := range effects {
			odds += effects[p][items[3*p]][items[(3*p+7)%20]]
		}
		return sample(random, odds)
	})
	with := learned(t, s, Options{}, records).Models[0].Late.Means().LogLoss
	for _, other := range []onepass.Interactions{onepass.None, onepass.FM} {
		without := learned(t, s, Options{Interactions: other}, records).Models[0].Late.Means().LogLoss
		t.Logf("late log-loss %.4f, with interactions %s %.4f", with, other, without)
		filetest.True(t, without >= 1.08*with,
			"late log-loss %.4f, and %.4f with interactions %s; want at least 8 %% more", with, without, other)
	}
}

// Effects of columns add up, and pairs say nothing. In 95 of 100 pairs of learners that differ by the seed alone, none is ahead. The model
// that is ahead by a paired test over the second half of a stream is named in 8 of 10. The short test has one stream, and three pairs.
func TestVerdictIsNoChance(t *testing.T) {
	t.Parallel()
	streams, pairs, said, ahead, named := uint64(1), int64(3), 0, 0, 0
	if filetest.Long() {
		streams, pairs = 10, 10
	}
	loss := func(t score.Tally) float64 { return t.Sum.LogLoss }
	for draw := range streams {
		random, effects := rand.New(rand.NewPCG(draw, 7)), [3][300]float64{}
		s, records := generated(random, 20_000, 3, 300, twoClasses, func(_ int, items []int) string {
			odds := 0.0
			for c, i := range items {
				effects[c][i] = cmp.Or(effects[c][i], random.NormFloat64())
				odds += effects[c][i]
			}
			return sample(random, odds)
		})
		for seed := range pairs {
			one := learned(t, s, Options{Seed: 2 * seed, NoExactModel: true}, records[:5000]).Models[0].Course
			other := learned(t, s, Options{Seed: 2*seed + 1, NoExactModel: true}, records[:5000]).Models[0].Course
			if math.Abs(score.Lead(one.Late(), other.Late(), loss)) > 3 {
				said++
			}
		}
		r := learned(t, s, Options{}, records)
		best, most := 0, 2.0
		for m, of := range r.Models {
			gains, own := []float64{}, r.Models[0].Course.Tally
			for i := len(own) / 2; i < len(own); i++ {
				gains = append(gains, loss(own[i])-loss(of.Course.Tally[i]))
			}
			mean, deviation := stat.MeanStdDev(gains, nil)
			if lead := mean / deviation * math.Sqrt(float64(len(gains))); lead > most {
				best, most = m, lead
			}
		}
		if best > 0 {
			ahead++
			named += strings.Count(strings.Join(r.Verdict, ""), score.ModelNames()[best]+" (")
		}
	}
	filetest.True(t, 20*said <= int(streams)*int(pairs), "%d learners are ahead of another seed's", said)
	filetest.True(t, ahead > 0 && 10*named >= 8*ahead, "%d models are named of %d that are ahead", named, ahead)
}

// On streams at the edge, forecasts are finite and not far above the base rate.
func TestSensible(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 2))
	number := schema.Target{Column: "y", Kind: schema.Amount}
	classes := schema.Target{Column: "y", Kind: schema.Classes}
	for k := range 40 {
		classes.Classes = append(classes.Classes, fmt.Sprint("k", k))
	}
	for _, c := range []struct {
		name                 string
		rows, columns, items int
		target               schema.Target
		y                    func(row int, items []int) string
	}{
		{"twenty equal first targets", 3000, 3, 20, number, func(row int, items []int) string {
			if row < 20 {
				return "5"
			}
			return fmt.Sprint(5 + float64(items[0]) + random.NormFloat64())
		}},
		{"a class of 0.2 %", 20_000, 4, 30, twoClasses, func(int, []int) string { return sample(random, -6.2) }},
		{"targets of 1e9 after targets of 1", 4000, 3, 20, number, func(row int, items []int) string {
			if row < 2000 {
				return fmt.Sprint(1 + 0.1*random.NormFloat64())
			}
			return fmt.Sprint(1e9 * (1 + 0.1*random.NormFloat64()))
		}},
		{"300 columns", 600, 300, 10, twoClasses, func(_ int, items []int) string { return sample(random, float64(items[0]%3)-1) }},
		{"40 classes", 800, 5, 10, classes, func(_ int, items []int) string { return fmt.Sprint("k", (items[0]*3+random.IntN(12))%40) }},
		{"a constant class", 2000, 2, 10, twoClasses, func(int, []int) string { return "0" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, records := generated(random, c.rows, c.columns, c.items, c.target, c.y)
			r := learned(t, s, Options{}, records)
			baseRate := r.Models[len(r.Models)-1]
			if c.target.Kind == schema.Amount {
				main := r.Models[0].Late.Means().RMSE
				filetest.True(t, main <= 1.1*baseRate.Late.Means().RMSE, "late RMSE %g, and %g of the base rate", main,
					baseRate.Late.Means().RMSE)
			} else if main := r.Models[0].All.Means().LogLoss; !(main <= baseRate.All.Means().LogLoss+0.05) {
				t.Errorf("log-loss %.4f, and %.4f of the base rate", main, baseRate.All.Means().LogLoss)
			}
		})
	}
}

// Counts come in runs. The recent counts tell the run, and nothing else does.
func TestCountsRemember(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	level := 0
	s, records := generated(random, 6000, 2, 10, schema.Target{Column: "y", Kind: schema.Count}, func(row int, _ []int) string {
		if row%40 == 0 {
			level = []int{1, 10, 100}[random.IntN(3)]
		}
		return fmt.Sprint(level + random.IntN(1+level/4))
	})
	r := learned(t, s, Options{}, records)
	main, baseRate := r.Models[0].Late.Means().MAE, r.Models[len(r.Models)-1].Late.Means().MAE
	filetest.True(t, main <= 0.3*baseRate, "late MAE %g, and %g of the base rate", main, baseRate)
}
