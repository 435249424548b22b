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

// model returns a model with the golden stream's shape and its beliefs at the start.
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
	var all []golden
	check(t, json.Unmarshal(filetest.Unzip(t, "testdata/prototype.json.gz"), &all))
	all = slices.DeleteFunc(all, func(g golden) bool { return g.Approximation != MacKay && g.Approximation != PlugIn })
	filetest.Want(t, len(all), 4, "streams, without the prototype's other approximations")
	for _, g := range all {
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

// units draws numbers in [0, 1) that any language can draw: Knuth's linear congruential generator, its upper 53 bits.
type units uint64

func (u *units) draw() float64 {
	*u = *u*6364136223846793005 + 1442695040888963407
	return float64(uint64(*u)>>11) / (1 << 53)
}

// fill draws numbers from low … high.
func (u *units) fill(x []float64, low, high float64) {
	for i := range x {
		x[i] = (high-low)*u.draw() + low
	}
}

// toy is the prototype's own check: 20,000 rows of two columns with 12 items each and three numbers, whose labels come from
// a random linear model.
func toy(u *units) (rows []Row, labels []float64, learner *Model, err error) {
	effects := make([]float64, 24)
	u.fill(effects, -2, 2)
	items := make([][2]int, 20000)
	rows, labels = make([]Row, len(items)), make([]float64, len(items))
	for i := range rows {
		items[i] = [2]int{int(u.draw() * 12), 12 + int(u.draw()*12)}
		x := make([]float64, 3)
		u.fill(x, -2, 2)
		rows[i].Numbers = x
		if u.draw() < sigmoid(effects[items[i][0]]+effects[items[i][1]]+x[0]-x[1]+0.5*x[2]) {
			labels[i] = 1
		}
	}
	weights, buckets := make([]int32, 24), make([][]int32, 24)
	for i := range weights {
		weights[i] = int32(u.draw() * 11)
	}
	for i := range buckets {
		for range 3 {
			buckets[i] = append(buckets[i], int32(u.draw()*7))
		}
	}
	for i := range rows {
		for c, item := range items[i] {
			rows[i].Add(Cell{Column: int32(c), Share: 1, Weights: weights[item]}, buckets[item]...)
		}
	}
	if learner, err = New(Paper(2, 3, 1)); err != nil {
		return nil, nil, nil, err
	}
	f := learner.Beliefs()
	u.fill(f.Tables[tableE].Mean, -2, 2)
	u.fill(f.Tables[tableW].Mean, -2, 2)
	u.fill(f.Tables[tableTheta].Mean, -0.2, 0.2)
	return rows, labels, learner, learner.SetBeliefs(f)
}

// The prototype's toy check, its beliefs after 20,000 rows to nine digits. testdata/toy.json was made by the prototype.
func TestToy(t *testing.T) {
	var want struct {
		Accuracy                   []float64
		E, VE, W, VW, T, VT, X, VX []float64
	}
	readJSON(t, "toy.json", &want)
	first := units(1)
	rows, labels, l, err := toy(&first)
	check(t, err)
	accuracy := make([]float64, 5)
	for from := 0; from < len(rows); from += 100 {
		for i := from; i < from+100; i++ {
			if (l.Predict(&rows[i]).Mean > 0.5) == (labels[i] == 1) {
				accuracy[5*i/len(rows)] += 5 / float64(len(rows))
			}
		}
		for i := from; i < from+100; i++ {
			step(l, &rows[i], labels[i])
		}
	}
	f := l.Beliefs()
	for name, pair := range map[string][2][]float64{
		"accuracy": {accuracy, want.Accuracy}, "E": {f.Tables[tableE].Mean, want.E}, "E's variance": {f.Tables[tableE].Variance, want.VE},
		"W": {f.Tables[tableW].Mean, want.W}, "W's variance": {f.Tables[tableW].Variance, want.VW}, "θ": {f.Tables[tableTheta].Mean,
			want.T},
		"θ's variance": {f.Tables[tableTheta].Variance, want.VT}, "the block": {f.Lists[blockMean], want.X},
		"the block's covariance": {f.Lists[blockCov], want.VX},
	} {
		allNear(t, name, pair[0], pair[1])
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	filetest.Check(t, err)
}
