package ncf_test

import (
	"math"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
)

// Every method keeps the contract, as a classifier of ratings above and below a half.
func TestContract(t *testing.T) {
	for _, c := range []struct {
		name   string
		method method
		unseen bool // has ratings of a user and an item that nobody else rated
		change func(*ncf.Config)
		always bool // also where each case takes seconds to compile
	}{
		{"PHE", methods[0], true, func(c *ncf.Config) {}, false},
		{"PHE, embedded labels, all parameters", methods[0], true, embedLabels, true},
		{"PHE, items, no labels", methods[0], true, func(c *ncf.Config) { c.Scheme = phe.Items; setLabels(c, ncf.NoLabels) }, false},
		{"PHE, maximum, rows", methods[0], false, func(c *ncf.Config) {
			c.Encoder.Assembly, c.Encoder.NumWeights, c.Scheme = phe.Maximum, 0, phe.Fresh
		}, false},
		{"PHE, tables of one shape", methods[0], false, func(c *ncf.Config) {
			c.Encoder.NumWeights, c.Encoder.EmbeddingDim = c.Encoder.NumBuckets, c.Encoder.NumHashes
		}, false},
		{"Ada", methods[1], false, func(c *ncf.Config) {}, false},
		{"P-EE, rows", methods[2], true, func(c *ncf.Config) { c.Scheme = phe.Fresh }, false},
		{"EE, all parameters", methods[3], true, func(c *ncf.Config) { c.Scope = phe.AllParameters }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if nettest.Brief(t) && !c.always {
				t.Skip("ten seconds of compilation")
			}
			config := c.method.config()
			config.Encoder.InitialLogStdDev = -3
			if c.method.rows == phe.Hashed { // few collisions, and some rows of nobody
				config.Encoder.NumBuckets, config.Encoder.NumWeights = 89, 83
			}
			c.change(&config)
			suite := contract(t, config)
			if !c.unseen {
				suite.Unseen = nil
			}
			if nettest.Brief(t) {
				suite.Beside = 0 // excerpts' tests have runs side by side
			}
			suite.Check(t)
		})
	}
}

// contract of a configuration.
func contract(t *testing.T, c ncf.Config) learntest.Contract {
	d := toyData()
	user, item := int32(toyUsers), int32(toyItems) // of an unseen user and an unseen item
	d.Users, d.Items, d.ItemLabels = append(d.Users, "12"), append(d.Items, "-20"), append(d.ItemLabels, 0b110)
	d.User, d.Item = append(d.User, user, user, 0, 1), append(d.Item, item, 4, item, item)
	d.Ratings = append(d.Ratings, make([]float32, 4)...)
	above := make([]bool, len(d.Ratings))
	for i, item := range d.Item { // whoever rates: 80 ratings tell little of pairs
		above[i] = item%2 == 1
		d.Ratings[i] = 0.1
		if above[i] {
			d.Ratings[i] = 0.9
		}
	}
	day := []int32{80, 85, 91}
	m := filetest.Must(ncf.New(c))(t)
	samples := reference{Config: c}.samples(c.TestSamples)
	return learntest.Contract{
		Network: m.Network, Config: c.Config, Options: learn.Options{MaxUpdated: 4},
		All: filetest.Must(m.Batch(d))(t), Initial: rowsOf(0, 80), Chunk: day, Unseen: rowsOf(toyRatings, toyRatings+4),
		Loss: func(forecast []float32, rating int32) (float64, error) {
			if len(forecast) != samples {
				return 0, errors.Errorf("%d means for %d samples", len(forecast), samples)
			}
			below := c.Forecast(forecast).CDF(0.5)
			if !(below >= 0 && below <= 1) {
				return 0, errors.Errorf("a rating is below a half with probability %g", below)
			}
			if above[rating] {
				return -math.Log1p(-below), nil
			}
			return -math.Log(below), nil
		},
		Guess: math.Ln2, Epochs: 15,
		Beside: 2e-4, // roundings of 1e-7 that eight steps of Adam divide by the size of small gradients
	}
}

// Two components, 0.2 and 0.8, of deviation 0.3, at y = 0.5: one from the left and one from the right by a deviation each.
func TestPredictiveByHand(t *testing.T) {
	p := ncf.Recommender{StdDev: 0.3}.Forecast([]float32{0.2, 0.8})
	one := ncf.Recommender{StdDev: 0.3}.Forecast([]float32{0.2})
	const atOne = 0.8413447460685429 // Φ(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"mean", p.Mean(), 0.5},
		{"deviation", p.StdDev, 0.3},
		{"log density", p.LogDensity(0.5), -0.5 - math.Log(0.3) - 0.5*math.Log(2*math.Pi)},
		{"log density aside", p.LogDensity(0.8), math.Log((1+math.Exp(-2))/2) - math.Log(0.3) - 0.5*math.Log(2*math.Pi)},
		{"log density of one", one.LogDensity(0.2), -math.Log(0.3) - 0.5*math.Log(2*math.Pi)},
		{"CDF between", p.CDF(0.5), 0.5},
		{"CDF at a component", p.CDF(0.2), (0.5 + 1 - 0.977249868051821) / 2}, // Φ(0) and Φ(−2)
		{"CDF of one", one.CDF(0.5), atOne},
	} {
		filetest.Near(t, c.got, c.want, 1e-7, "%s", c.name) // 0.2 and 0.8 are float32's
	}
	// Far in the tail the density is 0 to float64, and its logarithm is not.
	want := -0.5*math.Pow((30-0.8)/0.3, 2) - math.Log(2*0.3) - 0.5*math.Log(2*math.Pi)
	filetest.Near(t, p.LogDensity(30), want, 1e-2, "log density at 30")
}
