package onepass

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// golden is a small stream that a second implementation has learned, written in another language and laid out otherwise.
type golden struct {
	Outputs       int
	Approximation Approximation `json:"Pull"`
	Items         [][]int
	X             [][]float64
	Y             []float64
	Weights       []int32
	Buckets       [][]int32
	Prior         float64
	Head          float64
	Start         map[string][]float64
	End           map[string][]float64
}

func readGolden(t *testing.T) (all []golden) {
	t.Helper()
	check(t, json.Unmarshal(filetest.Unzip(t, "testdata/prototype.json.gz"), &all))
	all = slices.DeleteFunc(all, func(g golden) bool { return g.Approximation != MacKay && g.Approximation != PlugIn })
	if len(all) != 4 { // the prototype has two more approximations
		t.Fatalf("%d streams", len(all))
	}
	return all
}

// model is one with the golden stream's shape and beliefs at the start.
func (g golden) learner(t *testing.T) *Model {
	t.Helper()
	c := Paper(3, 2, g.Outputs)
	c.Dim, c.Hashes, c.Buckets, c.WeightRows, c.Approximation = 4, 2, 5, 3, g.Approximation
	c.Prior = Prior{E: g.Prior, W: g.Prior, Theta: g.Head, Block: 2}
	l := mustNew(t, c)
	f := l.Beliefs()
	for name, key := range map[string]string{tableE: "E", tableW: "W", tableTheta: "T"} {
		copy(f.Tables[name].Mean, g.Start[key])
	}
	copy(f.Lists[blockMean], g.Start["X"])
	check(t, l.SetBeliefs(f))
	return l
}

func (g golden) row(i int) *Row {
	row := &Row{Numbers: g.X[i]}
	for c, item := range g.Items[i] {
		row.Add(Cell{Column: int32(c), Share: 1, Weights: g.Weights[item]}, g.Buckets[item]...)
	}
	return row
}

// Two implementations agree to nine digits on every belief after sixty rows, and on the logits of one more: each head, each
// gradient. testdata/prototype.json.gz was made by the study's Python prototype.
func TestPrototype(t *testing.T) {
	for _, g := range readGolden(t) {
		l := g.learner(t)
		for i := range g.Items {
			step(l, g.row(i), g.Y[i])
		}
		f := l.Beliefs()
		near := func(name string, got, want []float64) {
			t.Helper()
			allNear(t, fmt.Sprintf("%s, %d outputs, %s", g.Approximation, g.Outputs, name), got, want)
		}
		for name, keys := range map[string][2]string{tableE: {"E", "VE"}, tableW: {"W", "VW"}, tableTheta: {"T", "VT"}} {
			near(name, f.Tables[name].Mean, g.End[keys[0]])
			near(name+"'s variance", f.Tables[name].Variance, g.End[keys[1]])
		}
		near("block", f.Lists[blockMean], g.End["X"])
		near("block's covariance", symmetric(f), g.End["VX"])
		s := l.read(g.row(0))
		near("logits", s.mean, g.End["mu"])
		near("logits' covariance", s.cov, g.End["Q"])
	}
}

// symmetric is the block's covariance, both triangles.
func symmetric(f belief.Copy) []float64 {
	n := len(f.Lists[blockMean])
	full := append([]float64(nil), f.Lists[blockCov]...)
	for i := range n {
		for j := range i {
			full[j*n+i] = full[i*n+j]
		}
	}
	return full
}
