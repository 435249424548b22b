package onepass

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/phe/disk/filetest"
)

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	check(t, json.Unmarshal(filetest.Must(os.ReadFile(filepath.Join("testdata", name)))(t), into))
}

// goldenStream is a small stream that the study's Python prototype of the preset Stream has learned: each row's forecast
// before the row, and how uncertain its logit was.
type goldenStream struct {
	Head    Head
	Hashes  int
	Buckets int
	Latents int
	Items   [][]int
	Cells   [][]struct { // by column and item
		Buckets []int32
		Signs   uint64
	}
	Y        []float64
	Mean     []float64
	Variance []float64 // of the logit, or of the mean in the target's unit
	Noise    []float64 // variance in the target's unit
	Start    []float64 // latent means
}

func (g goldenStream) learner(t *testing.T) *Model {
	t.Helper()
	c := Stream(Shape{Columns: len(g.Cells), Head: g.Head, Interactions: None})
	pairs := float64(withPairs(len(g.Cells)) - len(g.Cells))
	c.Hashes, c.Buckets, c.Latents, c.Evidence, c.Compact = g.Hashes, g.Buckets, g.Latents, 0, false
	if g.Latents > 0 {
		c.LatentRows = g.Buckets
	}
	c.Tau = 3e-4
	c.Tempering = 0.3 * float64(g.Hashes)
	c.Prior = Prior{E: 2 / float64(len(g.Cells)*g.Hashes), Theta: 0.1, Block: 1, Field: 0.3}
	if g.Latents > 0 {
		c.Prior.Latent = math.Sqrt(1/(float64(g.Latents)*pairs)) / float64(g.Hashes)
	}
	l := mustNew(t, c)
	if g.Latents > 0 {
		f := l.Beliefs()
		copy(f.Tables[tableLatent].Mean, g.Start)
		check(t, l.SetBeliefs(f))
	}
	return l
}

// The model and the prototype agree to nine digits before every row: classes and numbers, with one hash and with two, with
// factors and without. The noise is the prototype's, which may fall below the least that a forecast counts with.
func TestStreamPrototype(t *testing.T) {
	var all []goldenStream
	check(t, json.Unmarshal(filetest.Unzip(t, "testdata/streams.json.gz"), &all))
	filetest.Want(t, len(all), 6, "streams")
	for i, g := range all {
		l := g.learner(t)
		for r, items := range g.Items {
			row := &Row{}
			for c, item := range items {
				cell := g.Cells[c][item]
				row.Add(Cell{Column: int32(c), Share: 1})
				for k, b := range cell.Buckets {
					row.Slots = append(row.Slots, uint32(b)|uint32(cell.Signs>>k&1)<<31)
				}
			}
			noise, scale := 0.0, 1.0
			if l.target != nil {
				scale = l.target.sd * l.target.sd
				noise = l.target.noise * scale
			}
			f := step(l, row, g.Y[r])
			variance := scale * f.Spread * f.Spread
			bad := far(f.Mean, g.Mean[r]) || far(variance, g.Variance[r])
			if g.Noise != nil {
				bad = bad || r > 0 && far(noise, g.Noise[r]) || far(f.Variance, variance+max(noise, minNoise*scale))
			}
			if bad {
				t.Fatalf("stream %d, row %d: mean %.12g, variance %.12g, noise %.12g; want %.12g, %.12g",
					i, r, f.Mean, variance, noise, g.Mean[r], g.Variance[r])
			}
		}
	}
}

func far(got, want float64) bool { return !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) }

// allNear compares numbers with the numbers of another program.
func allNear(t *testing.T, name string, got, want []float64) {
	t.Helper()
	filetest.Want(t, len(got), len(want), "%s: numbers", name)
	for i := range got {
		if far(got[i], want[i]) {
			t.Errorf("%s, number %d: %.12g, want %.12g", name, i, got[i], want[i])
			return
		}
	}
}

// Evidence and a layer give the prototype's forecast before every row. The prototype multiplies frequencies as float32, so
// that seven digits agree.
func TestEvidencePrototype(t *testing.T) {
	var g struct {
		Slots, Buckets int
		Cells          [][][3]uint64 // slot, check bits and bucket, by row and column
		Y, Mean        []float64
	}
	readJSON(t, "evidence.json", &g)
	c := Stream(Shape{Columns: 3})
	c.Buckets, c.Evidence, c.Compact, c.Tau = g.Buckets, g.Slots, false, 3e-4
	l := mustNew(t, c)
	replaced := 0
	for r, cells := range g.Cells {
		row := &Row{}
		for column, cell := range cells {
			row.Add(Cell{Column: int32(column), Share: 1, Key: cell[1]<<45 | cell[0]}, int32(cell[2]))
		}
		for _, cell := range row.Cells {
			evidence := l.parts[1].(*evidence)
			if word := evidence.words[evidence.places.Of(cell.Key)*2]; word&rowsMask == 1 && word>>checkShift != checkOf(cell.Key) {
				replaced++
			}
		}
		filetest.Near(t, step(l, row, g.Y[r]).Mean, g.Mean[r], 1e-6, "row %d: probability", r)
	}
	filetest.True(t, replaced >= 20, "%d slots were replaced; the stream does not test it", replaced)
}

// streamShapes are the preset's kinds: each target, each way of interactions.
func streamShapes() []Shape {
	return []Shape{
		{Columns: 3}, {Columns: 3, Interactions: None}, {Columns: 3, Interactions: FM}, {Columns: 3, Interactions: Both},
		{Columns: 3, Head: Gaussian}, {Columns: 3, Head: Poisson}, {Columns: 3, Head: Softmax, Outputs: 4},
		{Columns: 3, Head: Softmax, Outputs: 3, Interactions: FM}, {Columns: 3, Head: Softmax, Outputs: 3, Interactions: Both},
		{Columns: 3, BeliefBits: 16}, {Columns: 3, Head: Softmax, Outputs: 4, BeliefBits: 16}, {Columns: 3, Head: Gaussian, BeliefBits: 32},
	}
}

func newStream(t *testing.T, s Shape) (*Encoder, *Model) {
	t.Helper()
	c := Stream(s)
	c.Latest = s.BeliefBits > 0 // as in phe stream
	c.Alone = c.Latest && c.Head != Gaussian
	e := filetest.Must(NewEncoder(c, []string{"user", "product", "price"}))(t)
	return e, mustNew(t, c)
}

// A model that was written and read goes on as if it had never stopped, and a forecast that is never learned changes nothing.
func TestStreamIsStored(t *testing.T) {
	for _, s := range streamShapes() {
		e, l := newStream(t, s)
		for i := range 300 {
			step(l, encode(e, i), float64(i%3%max(2, s.Outputs)))
		}
		copied := &Model{}
		check(t, copied.UnmarshalBinary(filetest.Must(l.MarshalBinary())(t)))
		for i := range 50 {
			row, y := encode(e, 7*i), float64(i%2)
			copied.Predict(row) // changes nothing
			filetest.Want(t, step(copied, row, y), step(l, row, y), "%+v: the forecast of row %d", s, i)
		}
	}
}

// A budget is spent to the last percent and never exceeded, evidence gets more of a larger one, and Auto makes pairs of up to
// 16 columns.
func TestStreamMemory(t *testing.T) {
	for _, s := range append(streamShapes(), Shape{Columns: 40}) {
		for memory := 1 << 12; memory <= 1<<26; memory *= 4 {
			s.Memory = memory
			c := Stream(s)
			check(t, c.Validate())
			layer, evidence := c.entryBytes()*c.Outputs*(c.Buckets+c.LatentRows*c.Latents), c.Evidence*(4+4*c.Outputs)
			used := layer + evidence
			filetest.True(t, used <= memory && float64(used) >= 0.9*float64(memory), "%+v: %d bytes", s, used)
			share := float64(evidence) / float64(memory)
			filetest.True(t, (memory < 1<<26 || share >= 0.4) && (memory > 1<<12 || share <= 0.13), "%+v: evidence has %.3f", s, share)
		}
	}
	for columns, pairs := range map[int]bool{1: true, 16: true, 17: false} {
		c := Stream(Shape{Columns: columns})
		filetest.Want(t, c.Latents == 0, pairs, "%d columns have pairs and no latents", columns)
		filetest.Want(t, c.Columns, map[bool]int{true: columns * (columns + 1) / 2, false: columns}[pairs], "columns, of %d", columns)
	}
}

// The model finds three simple facts: an item that is always 1, the base rate of new items, and the noise of a number.
func TestStreamLearns(t *testing.T) {
	e, l := newStream(t, Shape{Columns: 3})
	for i := range 3000 {
		step(l, encode(e, i), float64(i%len(users)%2))
	}
	for i := range 10 {
		row := encode(e, i)
		filetest.Near(t, l.Predict(row).Mean, float64(i%2), 0.15, "the probability of item %d", i)
	}
	filetest.Near(t, l.Predict(e.Row()).Mean, 0.5, 0.1, "the probability of nothing known")

	e, l = newStream(t, Shape{Columns: 3, Head: Gaussian})
	rng := rand.New(rand.NewPCG(1, 2))
	inside := 0
	for i := range 6000 {
		y := 1000 + 50*float64(i%2) + 30*rng.NormFloat64()
		e.Item(0, users[i%2])
		if f := step(l, e.Row(), y); i >= 3000 && math.Abs(y-f.Mean) <= 1.645*math.Sqrt(f.Variance) {
			inside++
		}
	}
	share := float64(inside) / 3000
	filetest.True(t, share >= 0.87 && share <= 0.97, "90 %% intervals cover %.3f", share)
}

// The evidence of one item, worked out by hand: seen three times, twice with label 1.
func TestEvidenceByHand(t *testing.T) {
	c := Stream(Shape{Columns: 1})
	p := newEvidence(c)
	row, s := &Row{Cells: []Cell{{Share: 1, Key: 5}}}, newSums(1)
	g, seen := 0.5, 1.0
	for _, y := range []float64{1, 1, 0} {
		s.reset()
		p.read(row, s)
		s.label[0] = y
		p.write(row, s)
		seen++
		g += (y - g) / seen
	}
	s.reset()
	p.read(row, s)
	frequency := (3*2./3 + evidenceKappa*g) / (3 + evidenceKappa)
	x := math.Log(frequency/(1-frequency)) - math.Log(g/(1-g))
	filetest.Near(t, s.mean[0], math.Log(g/(1-g))+evidenceMean*x, 1e-7, "logit")
	filetest.Near(t, s.cov[0], evidenceBias+evidenceVariance*x*x, 1e-9, "variance")
	s.reset()
	p.read(&Row{Cells: []Cell{{Share: 1, Key: 5 + 1<<50}}}, s)
	filetest.Near(t, s.mean[0], math.Log(g/(1-g)), 1e-9, "the logit of an item of the same slot and other check bits, as the base rate's")
}

// The evidence of a number is a mean of errors, which grow with its weight. So no row moves the weight beyond 3, whatever the error. The
// lead times of hotel bookings come as far.
func TestTrustIsBounded(t *testing.T) {
	for _, most := range []float64{3, -3} {
		c := Stream(Shape{Columns: 1, Head: Gaussian})
		c.Latest = true
		p, s := newEvidence(c), newSums(1)
		row := &Row{Cells: []Cell{{Share: 1, Key: 5}}}
		for _, y := range []float64{1, -1, 0} { // x is (1 + κ/2)/(1 + κ) − 1/2 > 0 in its second row, and then 0, and z below 0
			s.reset()
			p.read(row, s)
			s.label[0], s.gradient[0] = y, most*1e9
			p.write(row, s)
			s.rows++
		}
		filetest.Want(t, p.weight[justBin].mean, -most, "the weight of its latest row")
		filetest.Want(t, p.weight[1].mean, most, "the weight of an item that came once")
	}
}

// The evidence of an item's latest row, worked out by hand: the item was seen three times, last in the row before or in an earlier one.
func TestLatestByHand(t *testing.T) {
	for head, labels := range map[Head][]float64{Bernoulli: {1, 1, 0}, Softmax: {1, 1, 0}, Gaussian: {0.5, 0.75, -1.25}} {
		for just := range 2 {
			c := Stream(Shape{Columns: 1, Head: head, Outputs: map[Head]int{Softmax: 2}[head]})
			c.Latest, c.Alone = true, head != Gaussian
			p, s, row := newEvidence(c), newSums(c.Outputs), &Row{Cells: []Cell{{Share: 1, Key: 5}}}
			for i, y := range append(slices.Clone(labels), 1)[:4-just] {
				row.Cells[0].Key = map[bool]uint64{true: 5, false: 6}[i < 3]
				p.read(row, s)
				s.label[0] = y
				p.write(row, s)
				s.rows++
			}
			row.Cells[0].Key = 5
			g, kappa := p.base[0], evidenceKappa
			link := func(v float64) float64 {
				return map[Head]float64{Bernoulli: math.Log(v / (1 - v)), Softmax: math.Log(v), Gaussian: v}[head]
			}
			d := link((labels[2]+kappa*g)/(1+kappa)) - link((floats.Sum(labels)+kappa*g)/(3+kappa)) // z − x
			filetest.Want(t, newEvidence(c).weight[just*justBin*c.Outputs], entry[float64]{0, latestVariance}, "%s: U at first", head)
			clear(p.weight)
			u := &p.weight[just*justBin*c.Outputs]
			u.mean, u.variance, p.bias[0].variance = 1, 0.5, 0
			s.gradient[0], s.curvature[0] = 0.3, 0.2
			for _, row.Late = range []bool{false, true} {
				s.reset()
				p.read(row, s)
				p.trust.write(p, s)
				if !row.Late { // P of a number has few bits
					filetest.Near(t, s.mean[0], link(g)+d, 1e-3, "%s, just before %d: the logit", head, just)
					filetest.Near(t, s.cov[0], 0.5*d*d, 2e-3, "%s, just before %d: the variance", head, just)
				}
				filetest.Near(t, u.mean, 1+0.5*0.3*d, 1e-3, "%s, just before %d: U", head, just)
				filetest.Near(t, u.variance, 0.5*(1-0.5*0.2*d*d), 1e-3, "%s, just before %d: its variance", head, just)
			}
			filetest.Near(t, s.mean[0], link(g), 1e-9, "%s: the logit of a late row", head)
		}
	}
}

// Targets of any size, records of any shape, and heavy rows whose class is always the least likely leave every forecast finite.
func TestStreamStaysFinite(t *testing.T) {
	targets := map[Head][]float64{Bernoulli: {0, 1}, Softmax: {0, 1, 2}, Poisson: {0, 1, 1e6}, Gaussian: {0, -1e9, 1e9, 1e-9}}
	for i, s := range append(streamShapes(), streamShapes()...) {
		heavy := i >= len(streamShapes())
		if s.Head == "" {
			s.Head = Bernoulli
		}
		s.Memory = 1 << 10 // all items share a few buckets
		e, l := newStream(t, s)
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range 3000 {
			for range rng.IntN(4) {
				e.Item(rng.IntN(2), users[rng.IntN(len(users))])
			}
			e.Number(2, math.Exp(50*rng.NormFloat64()))
			y := targets[s.Head]
			row, target, weight := e.Row(), y[rng.IntN(len(y))], 1.0
			f := l.Predict(row)
			if !isFinite(floats.Sum(f.Classes), f.Mean, f.Variance, f.Spread, f.Logit) || f.Variance < 0 {
				t.Fatalf("%+v, row %d: %+v", s, i, f)
			}
			if len(f.Classes) > 0 && heavy {
				target, weight = float64(floats.MinIdx(f.Classes)), MostWeight
			}
			l.Predict(row)
			l.Update(target, weight)
		}
	}
}

// step predicts a row and then learns it, as one row.
func step(m *Model, row *Row, target float64) Forecast {
	f := m.Predict(row)
	m.Update(target, 1)
	return f
}
