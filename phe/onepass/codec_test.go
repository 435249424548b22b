package onepass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// testedCodecs are the formats: bits of a variance, steps of an octave, the code of mean 0, and the largest mean in prior deviations.
var testedCodecs = []struct {
	bits, variance, steps, center int
	reach                         float64
}{{16, 6, 3, 512, 8}, {32, 11, 48, 1 << 20, 16}}

// Mix(allOnes) is 2⁶⁴ − 1, the largest draw.
const allOnes = 0xcf9a04affa6badc0

// Each code holds a belief on a grid, which no rounding moves.
func TestCodec(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 6))
	for _, f := range testedCodecs {
		for _, prior := range []float64{1e-100, 0.011, 2, 1e100} {
			k, table := NewCodec(f.bits, prior), newCoded[float64](1, f.bits, prior)
			encode := func(mean, variance float64, draws uint64) uint32 { // slot 0 has the draw Mix(draws)
				table.store([]entry[float64]{{mean, variance}}, []uint32{0}, 1, draws)
				code, _ := table.stored(tableE).Get(0)
				return uint32(code)
			}
			split := func(code uint32) (a, b int) { return int(code >> f.variance), int(code) & (1<<f.variance - 1) }
			for code := range uint32(1 << 16) {
				if f.bits == 32 {
					code = random.Uint32()
				}
				mean, variance := k.Decode(code)
				a, b := split(code)
				if a == 0 {
					continue // a belief too, but none that is written
				}
				allNear(t, "the grid", []float64{mean / (f.reach * math.Sqrt(prior)), variance / prior},
					[]float64{float64(a-f.center) / float64(f.center-1), math.Exp2(-float64(b) / float64(f.steps))})
				for _, draws := range []uint64{0, allOnes, uint64(code)} {
					filetest.Want(t, encode(mean, variance, draws), code, "%d bits, prior %g: code %d:%d is written as", f.bits, prior,
						a, b)
				}
			}
			mean, v := k.Decode(1 << (f.bits - 1))
			filetest.Want(t, [2]float64{mean, v}, [2]float64{0, prior}, "mean and variance of a new slot")
			wide := 1e6 * math.Sqrt(prior)
			for _, x := range []struct {
				mean, variance float64
				a, b           int
			}{{wide, 2 * prior, 2*f.center - 1, 0}, {-wide, 1e-20 * prior, 1, 1<<f.variance - 1},
				{math.Inf(1), 0, 2*f.center - 1, 1<<f.variance - 1},
				{math.Inf(-1), math.Inf(1), 1, 0}, {math.NaN(), prior, 1, 0}} {
				a, b := split(encode(x.mean, x.variance, 1))
				filetest.Want(t, [2]int{a, b}, [2]int{x.a, x.b}, "the code of mean %g and variance %g", x.mean, x.variance)
			}
		}
	}
}

// Rounding goes to one of the two nearest grid values of a number, and the draws give each its share: the mean of many roundings is the
// number. The number of roundings up is within 5 deviations of its binomial distribution, for neighbouring rows of a slot and for
// neighbouring slots of a row.
func TestRounding(t *testing.T) {
	const n = 1024
	random := rand.New(rand.NewPCG(1, 6))
	for trial := range 400 {
		f := testedCodecs[trial%2]
		prior := math.Exp(random.NormFloat64())
		a, b := float64(f.center-1)*(2*random.Float64()-1), float64(int(1)<<f.variance-1)*random.Float64()
		grid := func(b float64) float64 { return prior * math.Exp2(-b/float64(f.steps)) }
		lower, upper := grid(math.Ceil(b)), grid(math.Floor(b))
		belief := []entry[float64]{{a * f.reach * math.Sqrt(prior) / float64(f.center-1), lower + random.Float64()*(upper-lower)}}
		ups, table, got := [2]float64{}, newCoded[float64](n, f.bits, prior), make([]entry[float64], 1)
		for i := range n {
			row, slot := i, uint32(trial)
			if trial%4 > 1 {
				row, slot = trial, uint32(i)
			}
			table.store(belief, []uint32{slot}, 1, draws(row, learning))
			table.fetch(got, []uint32{slot | signBit}, 1)
			up := math.Round(got[0].mean/(f.reach*math.Sqrt(prior))*float64(f.center-1)) - math.Floor(a)
			above := math.Ceil(b) + math.Round(math.Log2(got[0].variance/prior)*float64(f.steps))
			if up != 0 && up != 1 || above != 0 && above != 1 {
				t.Fatalf("codes %.2f and %.2f are written as %+v", a, b, got[0])
			}
			ups[0], ups[1] = ups[0]+up, ups[1]+above
		}
		for i, p := range []float64{a - math.Floor(a), (belief[0].variance - lower) / (upper - lower)} {
			filetest.Near(t, ups[i], n*p, 5*math.Sqrt(n*p*(1-p))+1, "number %d of codes %g and %g: roundings of %d that go up", i, a, b, n)
		}
	}
}

// The paper's embedding in few bits is the embedding in floats, rounded after each row: it begins with the same means, forecasts the same
// from the same beliefs, and rounds what Bayes' rule gives by the row's draws. A model that was written and read goes on.
func TestEmbeddingOfCodes(t *testing.T) {
	for _, c := range []Config{Paper(3, 1, 1), Paper(3, 1, 4)} {
		for _, c.Gamma = range []float64{1, 0.99} {
			for _, c.BeliefBits = range []int{16, 32} {
				c.Prior.E, c.Prior.W = 0.25, 2
				floats := c
				floats.BeliefBits = 0
				l, bayes := mustNew(t, c), mustNew(t, floats)
				agree(t, "new", l, bayes, func(_ string, row int) uint64 { return draws(row, starting) })
				rows, labels := streamOf(c, 12)
				for i := range rows {
					check(t, bayes.SetBeliefs(decoded(l)))
					filetest.Want(t, step(l, &rows[i], labels[i]), step(bayes, &rows[i], labels[i]), "%+v: the forecast of row %d", c, i)
					agree(t, fmt.Sprint("row ", i), l, bayes, func(table string, _ int) uint64 {
						return draws(i, map[string]purpose{tableE: learning, tableW: weighing}[table])
					})
					again := &Model{}
					check(t, again.UnmarshalBinary(filetest.Must(l.MarshalBinary())(t)))
					l = again
				}
				step(l, &rows[0], 1) // buffers grow
				filetest.Want(t, testing.AllocsPerRun(10, func() { step(l, &rows[0], 1) }), 0, "allocations a row")
				if saved, beliefs := floats.Bytes()-c.Bytes(),
					16-c.BeliefBits/8; saved != float64(beliefs*(c.Buckets*c.Dim+c.WeightRows*c.Hashes)) {
					t.Errorf("%d bits save %g bytes", c.BeliefBits, saved)
				}
			}
		}
	}
}

// agree compares a model's codes with the beliefs of a model in floats, rounded by draws. A belief that no row moved is its code's.
func agree(t *testing.T, name string, l, floats *Model, draws func(table string, row int) uint64) {
	t.Helper()
	c, f := l.config, floats.Beliefs()
	for table, dim := range map[string]int{tableE: c.Dim, tableW: 1} {
		from, prior := f.Tables[table], map[string]float64{tableE: c.Prior.E, tableW: c.Prior.W}[table]
		want := newCoded[float64](len(from.Mean), c.BeliefBits, prior)
		for i, mean := range from.Mean {
			want.store([]entry[float64]{{mean, from.Variance[i]}}, []uint32{uint32(i)}, 1, draws(table, i/dim))
		}
		for i, got := range l.Beliefs().Lists[table] {
			code, _ := want.stored(table).Get(i)
			filetest.Want(t, got, code, "%s, %d bits, %s: the code of belief %d", name, c.BeliefBits, table, i)
		}
	}
}

// decoded returns a model's beliefs as a model in floats holds them.
func decoded(l *Model) belief.Copy {
	f := l.Beliefs()
	for table, prior := range map[string]float64{tableE: l.config.Prior.E, tableW: l.config.Prior.W} {
		k := NewCodec(l.config.BeliefBits, prior)
		var b belief.Table
		for _, code := range f.Lists[table] {
			mean, variance := k.Decode(uint32(code))
			b.Mean, b.Variance = append(b.Mean, mean), append(b.Variance, variance)
		}
		f.Tables[table] = b
	}
	return f
}
