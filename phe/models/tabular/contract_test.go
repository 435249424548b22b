package tabular_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/tabular"
)

// beside tolerates roundings of 1e-7 that eight steps of Adam divide by the size of small gradients.
const beside = 1e-3

// Every method under every scope of updates, and the other ways through the graph, keep the contract.
func TestContract(t *testing.T) {
	scopes := []phe.UpdateScope{phe.IncrementalColumn, phe.AllColumns, phe.AllParameters}
	for i, m := range methods {
		for k, scope := range scopes {
			if !filetest.Long() && k != i%len(scopes) {
				continue // every method once and every scope once
			}
			c := m.config(1, 2)
			c.Scope = scope
			t.Run(fmt.Sprintf("%s/%s", m.name, scope), func(t *testing.T) {
				suite := contract(t, c)
				if nettest.Brief(t) && i > 0 {
					suite.Beside = 0
				}
				suite.Check(t)
			})
		}
	}
	if testing.Short() || nettest.Brief(t) {
		t.Skip("data that is not pinned, and the other schemes: some 8 s of compilation each on XLA")
	}
	for _, m := range []method{methods[0], methods[2]} {
		t.Run(m.name+"/not pinned", func(t *testing.T) {
			suite := contract(t, m.config(1, 2))
			suite.Pinned = false
			suite.Check(t)
		})
	}
	probabilistic := methods[0]
	for name, change := range map[string]func(*tabular.Config){
		"rows":                 func(c *tabular.Config) { c.Scheme = phe.Fresh },
		"items":                func(c *tabular.Config) { c.Scheme = phe.Items },
		"table":                func(c *tabular.Config) { c.Scheme = phe.Table },
		"moments":              func(c *tabular.Config) { c.Scheme = phe.Moments },
		"quadrature":           func(c *tabular.Config) { c.Scheme, c.Loss = phe.Quadrature, phe.Expected },
		"no numeric columns":   func(c *tabular.Config) { c.Numbers = 0 }, // Mushroom
		"three classes":        func(c *tabular.Config) { c.Scheme, c.Classes = phe.Local, 3 },
		"three classes, items": func(c *tabular.Config) { c.Scheme, c.Classes = phe.Items, 3 },
		"three classes, rows":  func(c *tabular.Config) { c.Scheme, c.Classes = phe.Fresh, 3 },
		"maximum": func(c *tabular.Config) {
			c.Scheme, c.Encoder.Assembly, c.Encoder.NumWeights = phe.Items, phe.Maximum, 0
		},
	} {
		c := probabilistic.config(1, 2)
		change(&c)
		t.Run("PHE/"+name, func(t *testing.T) { contract(t, c).Check(t) })
	}
}

// chunk brings items 0 … 4 of the incremental column only.
func chunk(d tabular.Data) (rows []int32) {
	for row := range int32(toyRows) {
		if d.Index[2*row+1] < int32(toyValues[0]+5) && len(rows) < 13 {
			rows = append(rows, row)
		}
	}
	return
}

// contract returns the contract of a configuration's learners, which keep the toy data on the device.
func contract(t testing.TB, c tabular.Config) learntest.Contract {
	t.Helper()
	d := withUnseen(toyData(c.Numbers, c.Classes), c.Numbers, c.Classes)
	m := newModel(t, c)
	return learntest.Contract{
		Network: m.Network, Config: c.Config, Options: learn.Options{MaxUpdated: 13},
		All: newBatch(t, m, d), Pinned: true,
		Initial: upTo(0, 83), Chunk: chunk(d), Unseen: upTo(toyRows, toyRows+toyUnseen),
		Loss: func(forecast []float32, record int32) (float64, error) {
			total := 0.0
			for _, p := range m.Forecast(forecast) {
				total += p
			}
			if len(forecast) != c.Classes || !(math.Abs(total-1) < 1e-5) { // float32 logs of averages over the samples
				return 0, errors.Errorf("log probabilities %v of %d classes, which add up to %g", forecast, c.Classes, total)
			}
			return -float64(forecast[d.Labels[record]]), nil
		},
		Guess: math.Log(float64(c.Classes)), Epochs: 16, Beside: beside,
	}
}
