package counttree

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"gophe/phe/count"
	"gophe/phe/disk/filetest"
)

// A shop sells tea by the dozen and hats one at a time. The count depends on the customer and the product.
func Example() {
	cells := count.Octaves()
	shares := make([]float64, cells.Len())
	for k := range shares {
		shares[k] = 1
	}
	config, err := Fit(1<<20, cells, 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := New(config, cells, shares)
	const product, customer = 0, 1 // the contexts
	tea, hat, kate, new := uint64(1), uint64(2), uint64(3), uint64(4)
	row := func(p, c uint64) Row { return Row{Items: []uint64{Item(product, p), Item(customer, c)}} }
	for range 20 {
		f.Learn(row(tea, kate), 12)
		f.Learn(row(hat, kate), 1)
	}
	fmt.Println(f.Forecast(row(tea, new)).Quantile(0.5), f.Forecast(row(hat, new)).Quantile(0.5))
	fmt.Println(f.Bytes() <= 1<<20)
	// Output:
	// 12 1
	// true
}

// dozens are 95 cells: 1 … 50 singly, some packs above 50 singly, and the ranges between and above them. The prototype has them
// too.
func dozens() count.Cells {
	var lower []int
	for y := range 51 {
		lower = append(lower, y+1)
	}
	for _, y := range []int{60, 64, 70, 72, 75, 80, 90, 96, 100, 108, 120, 128, 144, 160, 192, 200, 216, 240, 288, 384, 480, 600} {
		lower = append(lower, y, y+1)
	}
	c, err := count.NewCells(lower...)
	if err != nil {
		panic(err)
	}
	return c
}

// prototype is a small stream that another program, in Python, forecast and learned day by day.
type prototype struct {
	Quantity, Order, Start, Splits []int
	Slots, Weights                 int
	Learned, Sets, Cell            []int
	Keys                           [][]string
	P, Below                       []float64
}

func readPrototype(t testing.TB) (g prototype) {
	t.Helper()
	err := json.Unmarshal(filetest.Unzip(t, "testdata/prototype.json.gz"), &g)
	filetest.Check(t, err)
	filetest.Want(t, len(g.Quantity), 600, "rows")
	return g
}

func (g prototype) row(t testing.TB, i int) Row {
	row := Row{Set: g.Sets[i]}
	for _, key := range g.Keys[i] {
		item := filetest.Must(strconv.ParseUint(key, 16, 64))(t)
		row.Items = append(row.Items, item)
	}
	return row
}

// forecaster returns a forecaster of the stream's shape. The weights of its tree come from the first 200 rows.
func (g prototype) forecaster(t testing.TB) *Forecaster {
	t.Helper()
	cells := dozens()
	shares := slices.Repeat([]float64{0.2}, cells.Len())
	for _, i := range g.Order[:200] {
		shares[cells.Of(g.Quantity[i])]++
	}
	return New(Config{Contexts: len(g.Keys[0]), Sets: 4, Slots: g.Slots, Weights: g.Weights}, cells, shares)
}

// Every forecast is the prototype's, on a table so small that most slots are replaced.
func TestPrototype(t *testing.T) {
	g := readPrototype(t)
	f, cells := g.forecaster(t), dozens()
	for v, last := range f.tree.last {
		if int(last) != g.Splits[v] {
			t.Fatalf("node %d ends its left side at cell %d, want %d", v, last, g.Splits[v])
		}
	}
	for day := range g.Start[1:] {
		rows := g.Order[g.Start[day]:g.Start[day+1]]
		for _, i := range rows {
			d := f.Forecast(g.row(t, i)).(*forecast)
			k := cells.Of(g.Quantity[i])
			p, below := d.cell(k)
			filetest.Near(t, p/g.P[i], 1, 1e-6, "day %d, row %d: the probability, and the other implementation's", day, i)
			filetest.Near(t, below, g.Below[i], 1e-6, "day %d, row %d: the probability below", day, i)
			filetest.Want(t, cells.Of(int(d.Quantile(0.5))), g.Cell[i], "day %d, row %d: the cell of the median", day, i)
		}
		for _, learn := range []func(Row, int){f.weigh, f.count} {
			for _, i := range rows {
				if g.Learned[i] == 1 {
					learn(g.row(t, i), g.Quantity[i])
				}
			}
		}
	}
	full := 0
	for _, s := range f.slots {
		if s != 0 {
			full++
		}
	}
	filetest.True(t, full >= g.Slots*9/10, "%d of %d slots are full; the stream was to fill them", full, g.Slots)
}

// learned returns a forecaster that has seen the prototype's stream, and a row.
func learned(t testing.TB) (*Forecaster, Row) {
	g := readPrototype(t)
	f := g.forecaster(t)
	for i := range g.Quantity[:100] {
		f.Learn(g.row(t, i), g.Quantity[i])
	}
	return f, g.row(t, 100)
}

// A forecast is the histogram of its cells, whichever way it is asked.
func TestForecastIsAHistogram(t *testing.T) {
	f, row := learned(t)
	cells := dozens()
	p, sum := make([]float64, cells.Len()), 0.
	for k := range p {
		p[k], _ = f.Forecast(row).(*forecast).cell(k)
		sum += p[k]
	}
	h := count.Histogram(cells, p)
	filetest.Near(t, sum, 1, 1e-12, "the sum of the cells")
	for _, y := range []int{-1, 0, 1, 2, 12, 50, 51, 59, 60, 61, 599, 600, 601, 5000, 80995, math.MaxInt32} {
		d := f.Forecast(row)
		got, want := d.LogProbability(y), h.LogProbability(y)
		filetest.True(t, got == want || math.Abs(got-want) <= 1e-9, "log P(%d) is %v, want %v", y, got, want)
		filetest.Near(t, d.CDF(y), h.CDF(y), 1e-12, "P(≤ %d)", y)
	}
	filetest.Want(t, f.Forecast(row).Quantile(0.5), h.Quantile(0.5), "median")
	filetest.Near(t, f.Forecast(row).Mean()/h.Mean(), 1, 1e-12, "the mean, and the histogram's")
}

// Before any row all nodes are even. The first row moves each weight on its path by hand-computed amounts.
func TestFirstRow(t *testing.T) {
	cells := dozens()
	f := New(Config{Contexts: 2, Sets: 1, Slots: 64, Weights: 64}, cells, slices.Repeat([]float64{1}, cells.Len()))
	row := Row{Items: []uint64{Item(0, 1), Item(1, 1)}}
	f.weigh(row, 1)
	q := biasVariance + 2*float64(float32(hashedVariance))
	gradient, curvature := 0.5/(1+q/4), 0.25/(1+q/4) // the root is left with p = ½; without evidence no W and V move
	filetest.Near(t, f.bias[0].mean, biasVariance*gradient, 1e-15, "the mean of the root's bias")
	filetest.Near(t, f.bias[0].variance, biasVariance-biasVariance*biasVariance*curvature, 1e-15, "its variance")
	for i, w := range f.trust {
		filetest.Want(t, w, weight[float64]{weightMean, weightVariance}, "weight %d without evidence", i)
	}
	f.count(row, 1)
	s := f.slots.find(atNode(row.Items[0], 0))
	filetest.True(t, s.n() == 1 && s.p() >= 1-1e-9, "n %v and P %v after a row that went left", s.n(), s.p())
	filetest.Want(t, f.nodes[0], node{0.75, 1}, "the root")
	w := weight[float64]{1, 0.5} // of a step that would take v²x²c = 20
	w.move(20, step{0.25, 0.2})
	filetest.Near(t, w.mean, 3.5, 1e-12, "a mean")
	filetest.Near(t, w.variance, 0.1, 1e-12, "the fifth of a variance that stays in any case")
}

func TestNothingAllocates(t *testing.T) {
	f, row := learned(t)
	sum := 0.
	if n := testing.AllocsPerRun(100, func() {
		d := f.Forecast(row)
		sum += d.Quantile(0.5) + d.LogProbability(12) + d.CDF(12) + d.Mean()
		f.Learn(row, 12)
	}); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}

// Fit uses at least half of the given memory, since tables grow by doubling.
func TestFit(t *testing.T) {
	cells := dozens()
	for _, bytes := range []int{1 << 17, 1 << 20, 12 << 20, 100_000_000} {
		c := filetest.Must(Fit(bytes, cells, 10, 4))(t)
		f := New(c, cells, slices.Repeat([]float64{1}, cells.Len()))
		filetest.True(t, f.Bytes() <= bytes && f.Bytes() >= bytes/2-1<<15, "%d bytes of %d: %+v", f.Bytes(), bytes, c)
		pairs := len(f.trust) + len(f.own) + len(f.bias) + len(f.nodes) + len(f.memo)
		tables := 8*(len(f.slots)+len(f.hashed)) + 16*pairs + 12*len(f.tree.last)
		filetest.Want(t, f.Bytes(), tables, "bytes that are said")
	}
	filetest.WantError(t, filetest.Failure(Fit(1000, cells, 10, 4)), "need at least")
}

// A size that a damaged file may have is no size of a forecaster.
func TestValid(t *testing.T) {
	good := Config{Contexts: 2, Sets: 1, Slots: 64, Weights: 64}
	for _, bad := range []Config{{0, 1, 64, 64, false, 0}, {2, 0, 64, 64, false, 0}, {2, 1, 2, 64, false, 0}, {2, 1, 96, 64, false, 0},
		{2, 1, 64, -8, false, 0}, {1 << 40, 2, 64, 64, true, 0}} {
		filetest.True(t, !bad.Valid(), "%+v is valid", bad)
		filetest.True(t, good.Valid(), "%+v is not valid", good)
	}
}

// No slot leaves its range after any counts, and the item counted last is found.
func FuzzSlots(f *testing.F) {
	f.Add([]byte("12345678abcdefgh12345678"), uint8(2))
	f.Add(make([]byte, 8*300), uint8(0))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 1, 0}, uint8(5))
	f.Fuzz(func(t *testing.T, rows []byte, size uint8) {
		table := make(slots, slotsPerBucket<<(size%6))
		for ; len(rows) >= 8; rows = rows[8:] {
			hash := binary.LittleEndian.Uint64(rows)
			before := table.find(hash).n()
			left := float64(hash >> 20 & 1)
			table.add(hash, left)
			s := table.find(hash)
			filetest.Want(t, s.n(), min(before+1, maxSeen), "n after %v", before)
			filetest.True(t, s.n() != 1 || s.p() == min(max(left, 0.5/unitsOfP), 1-0.5/unitsOfP), "P %v after one row at %v", s.p(), left)
		}
		for _, s := range table {
			if n, p := s.n(), s.p(); n < 0 || n > maxSeen || !(p > 0 && p < 1) || (s == 0) != (s.check() == 0) {
				t.Errorf("slot %x holds n %v and P %v", uint64(s), n, p)
			}
			filetest.True(t, s == 0 || binOf(s.n()) < bins, "n %v has bin %d", s.n(), binOf(s.n()))
		}
	})
}

// After Forget the forecast is as before, and the next row replaces an item's evidence: n goes from 1/16 to 17/16, and P to
// P + (1 − P)/(17/16).
func TestForget(t *testing.T) {
	f, row := learned(t)
	for range forgotten {
		f.Learn(row, 3)
	}
	before := f.slots.find(atNode(row.Items[0], 0))
	f.Forget()
	after := f.slots.find(atNode(row.Items[0], 0))
	filetest.Want(t, after.n(), minSeen, "rows of evidence")
	filetest.Near(t, after.p(), before.p(), 1e-9, "the share that went left")
	filetest.Want(t, f.nodes[0].seen, forgotten, "rows of the root's frequency")
	filetest.Want(t, [4]float64{float64(f.hashed[0].variance), f.trust[0].variance, f.own[0].variance, f.bias[0].variance},
		[4]float64{float64(float32(hashedVariance)), weightVariance, nodeVariance, biasVariance}, "variances")
	filetest.Near(t, after.after(1).p(), after.p()+(1-after.p())/(minSeen+1), 1e-9, "the share after a row to the left")
}
