package onepass

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatal(err)
	}
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

func (g goldenStream) learner(t *testing.T) *Learner {
	t.Helper()
	c := Stream(Shape{Columns: len(g.Cells), Head: g.Head, Interactions: None})
	pairs := float64(withPairs(len(g.Cells)) - len(g.Cells))
	c.Hashes, c.Buckets, c.Latents, c.Evidence, c.Compact = g.Hashes, g.Buckets, g.Latents, 0, false
	c.Tau = 3e-4
	c.Tempering = 0.3 * float64(g.Hashes)
	c.Prior = Prior{E: 2 / float64(len(g.Cells)*g.Hashes), Theta: 0.1, Block: 1, Field: 0.3}
	if g.Latents > 0 {
		c.Prior.Latent = math.Sqrt(1/(float64(g.Latents)*pairs)) / float64(g.Hashes)
	}
	l, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if g.Latents > 0 {
		f, err := l.Beliefs()
		if err != nil {
			t.Fatal(err)
		}
		copy(f.Tables[tableLatent].Mean, g.Start)
		if err := l.SetBeliefs(f); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// The learner and the prototype agree to nine digits before every row: classes and numbers, with one hash and with two, with
// factors and without. The noise is the prototype's, which may fall below the least that a forecast counts with.
func TestStreamPrototype(t *testing.T) {
	var all []goldenStream
	readJSON(t, "streams.json", &all)
	if len(all) != 6 {
		t.Fatalf("%d streams", len(all))
	}
	for i, g := range all {
		l := g.learner(t)
		for r, items := range g.Items {
			row := &Row{}
			for c, item := range items {
				cell := g.Cells[c][item]
				row.Cells = append(row.Cells, Cell{Column: c, Share: 1, Buckets: cell.Buckets, Signs: cell.Signs})
			}
			if err := l.Check(row); err != nil {
				t.Fatal(err)
			}
			noise, scale := 0.0, 1.0
			if l.target != nil {
				scale = l.target.sd * l.target.sd
				noise = l.target.noise * scale
			}
			f := l.Step(row, g.Y[r])
			if bad := far(f.Mean, g.Mean[r]) || far(f.Spread*f.Spread*scale, g.Variance[r]); bad || g.Noise != nil && (r > 0 && far(noise, g.Noise[r]) || far(f.Variance, scale*f.Spread*f.Spread+max(noise, leastNoise*scale))) {
				t.Fatalf("stream %d, row %d: mean %.12g, variance %.12g, noise %.12g; want %.12g, %.12g", i, r, f.Mean, f.Spread*f.Spread*scale, noise, g.Mean[r], g.Variance[r])
			}
		}
	}
}

func far(got, want float64) bool { return !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) }

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
	l, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	replaced := 0
	for r, cells := range g.Cells {
		row := &Row{}
		for column, cell := range cells {
			row.Cells = append(row.Cells, Cell{Column: column, Share: 1, Buckets: []int32{int32(cell[2])}, Key: cell[1]<<45 | cell[0]})
		}
		for _, cell := range row.Cells {
			evidence := l.parts[1].(*evidence)
			at, check := evidence.place(cell.Key)
			if slot := evidence.slots[at]; slot.n == 1 && slot.check != check {
				replaced++
			}
		}
		if f := l.Step(row, g.Y[r]); math.Abs(f.Mean-g.Mean[r]) > 1e-6 {
			t.Fatalf("row %d: probability %.9g, want %.9g", r, f.Mean, g.Mean[r])
		}
	}
	if replaced < 20 {
		t.Errorf("%d slots were replaced; the stream does not test it", replaced)
	}
}
