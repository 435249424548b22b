package onepass

import (
	"testing"

	"gophe/phe/disk/filetest"
)

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
		"W": {f.Tables[tableW].Mean, want.W}, "W's variance": {f.Tables[tableW].Variance, want.VW}, "θ": {f.Tables[tableTheta].Mean, want.T},
		"θ's variance": {f.Tables[tableTheta].Variance, want.VT}, "the block": {f.Lists[blockMean], want.X}, "the block's covariance": {f.Lists[blockCov], want.VX},
	} {
		allNear(t, name, pair[0], pair[1])
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	filetest.Check(t, err)
}
