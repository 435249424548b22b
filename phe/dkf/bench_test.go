package dkf_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/phetest"
)

// retailLike has Retail's shape: products, customers and countries, overlapping windows of ten.
func retailLike(windows int) (dkf.Config, dkf.Data) {
	c := dkf.Default()
	c.Columns, c.Numbers, c.Length = []string{"product", "customer", "country"}, 1, 10
	c.Maxima, c.Tick, c.Cells = []float32{10}, time.Minute, toyCells()
	rng := rand.New(rand.NewPCG(1, 1))
	d := dkf.Data{}
	vocabulary := []int{3941, 4340, 38}
	for column, n := range vocabulary {
		for i := range n {
			d.Items = append(d.Items, fmt.Sprint(column, "_", i))
		}
	}
	for i := range windows + 9 {
		first := 0
		for _, n := range vocabulary {
			d.Index = append(d.Index, int32(first+rng.IntN(n)))
			first += n
		}
		d.Numbers = append(d.Numbers, rng.Float32()*10)
		d.Counts = append(d.Counts, float32(1+rng.IntN(12)))
		d.Times = append(d.Times, int32(100*i))
	}
	for i := range int32(windows) {
		for k := range int32(10) {
			d.Windows = append(d.Windows, i+k)
		}
	}
	return c, d
}

// forecasting is the design of notes/retail.md.
func forecasting(c dkf.Config) dkf.Config {
	c.Filter = dkf.Filter{Prediction: dkf.Forecast, Likelihood: dkf.Histogram, Objective: dkf.Predictive, Inputs: dkf.Relative,
		Hidden: 20, Latent: 20, Transition: dkf.WithGap, TransitionHidden: 20, EmissionHidden: 64, ItemDropout: 0.3}
	c.Encoder.NumBuckets, c.Encoder.NumWeights, c.Encoder.InitialLogStdDev = 1009, 1009, -2
	c.BatchSize, c.TestSamples, c.LearningRate, c.Scope = 256, 16, 0.01, phe.AllColumns
	c.HistorySamples = 4
	return c
}

func learner(b testing.TB, c dkf.Config, d dkf.Data, runs int) phetest.Led {
	b.Helper()
	seeds := make([]int64, runs)
	for i := range seeds {
		seeds[i] = int64(i)
	}
	return newLearner(b, c, d, 1280, seeds...)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

func upTo(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// An epoch of steps on 1280 windows.
func BenchmarkInitialStep(b *testing.B) {
	authors, d := retailLike(1280)
	point := authors
	point.Encoder.Estimate = phe.Point
	vocabulary := authors
	vocabulary.Encoder = phe.Config{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: 20, Capacity: 8319, InitialLogStdDev: -10}
	for name, c := range map[string]dkf.Config{"authors": authors, "forecast": forecasting(authors), "Ada": point, "P-EE": vocabulary} {
		for _, runs := range []int{1, 5} {
			b.Run(fmt.Sprintf("%s/runs=%d", name, runs), func(b *testing.B) {
				l, rows := learner(b, c, d, runs), upTo(1280)
				check(b, l.Fit(rows, 1)) // compile
				b.ResetTimer()
				check(b, l.Fit(rows, b.N))
				steps := float64(1280/c.BatchSize*b.N*runs) / b.Elapsed().Seconds()
				b.ReportMetric(steps, "steps/s")
			})
		}
	}
}

// 1280 windows.
func BenchmarkPredict(b *testing.B) {
	authors, d := retailLike(1280)
	for name, c := range map[string]dkf.Config{"authors": authors, "forecast": forecasting(authors)} {
		b.Run(name, func(b *testing.B) {
			l, rows := learner(b, c, d, 1), upTo(1280)
			_, err := l.Predict(rows, 0)
			check(b, err)
			b.ResetTimer()
			for i := range b.N {
				_, err := l.Predict(rows, i+1)
				check(b, err)
			}
			b.ReportMetric(1280*float64(b.N)/b.Elapsed().Seconds(), "windows/s")
		})
	}
}
