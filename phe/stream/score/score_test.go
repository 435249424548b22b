package score

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/novelty"
)

// exactOutcome returns an outcome whose sums have no rounding: all of its numbers are multiples of 1/8 below 128.
func exactOutcome(r *rand.Rand) Outcome {
	eighth := func() float64 { return float64(r.IntN(1024)) / 8 }
	return Outcome{eighth(), float64(r.IntN(2)), eighth(), float64(r.IntN(2)), eighth(), eighth(), float64(r.IntN(2))}
}

// TestMeans compares the means with means computed by hand, for no rows, one row, and weights.
func TestMeans(t *testing.T) {
	nan := math.NaN()
	one := Outcome{LogLoss: 2, Brier: 0.5, Right: 1, Absolute: 3, Square: 9, Covered: 1}
	two := Outcome{LogLoss: 4, Brier: 0.1, Absolute: 1, Square: 1}
	unknown := Outcome{Unknown: 1, Absolute: 1, Square: 1}
	type row struct {
		o      Outcome
		weight float64
	}
	for _, c := range []struct {
		name                                          string
		rows                                          []row
		logLoss, brier, accuracy, mae, rmse, coverage float64
	}{
		{"no rows", nil, nan, nan, nan, nan, nan, nan},
		{"one row", []row{{one, 1}}, 2, 0.5, 1, 3, 3, 1},
		{"one row of weight ½", []row{{one, 0.5}}, 2, 0.5, 1, 3, 3, 1},
		{"two rows", []row{{one, 1}, {two, 1}}, 3, 0.3, 0.5, 2, math.Sqrt(5), 0.5},
		{"weights ½ and 3", []row{{one, 0.5}, {two, 3}}, 13 / 3.5, 0.55 / 3.5, 0.5 / 3.5, 4.5 / 3.5, math.Sqrt(7.5 / 3.5), 0.5 / 3.5},
		{"one of two losses known", []row{{one, 0.5}, {unknown, 3}}, 2, 0.25 / 3.5, 0.5 / 3.5, 4.5 / 3.5, math.Sqrt(7.5 / 3.5), 0.5 / 3.5},
		{"no loss known", []row{{unknown, 0.1}, {unknown, 0.2}}, nan, 0, 0, 1, 1, 0},
	} {
		var tally Tally
		for _, r := range c.rows {
			tally.add(&r.o, r.weight)
		}
		m := tally.Means()
		got := [...]float64{m.LogLoss, m.Brier, m.Accuracy, m.MAE, m.RMSE, m.Coverage}
		for i, want := range [...]float64{c.logLoss, c.brier, c.accuracy, c.mae, c.rmse, c.coverage} {
			filetest.True(t, near(got[i], want), "%s: mean %d is %g, want %g", c.name, i, got[i], want)
		}
		filetest.Want(t, tally.Rows, int64(len(c.rows)), "%s: rows", c.name)
	}
}

// TestLargestError: the sums of the largest errors are finite, for more rows and weights than any stream has.
func TestLargestError(t *testing.T) {
	var tally Tally
	largest := OfNumber(0, 0, 0, math.MaxFloat64)
	tally.add(&largest, 1e6)
	for range 100 { // 2¹⁰⁰ rows
		tally.merge(tally)
	}
	filetest.True(t, !math.IsInf(tally.Sum.Square, 0) && near(tally.Means().RMSE, maxAbsolute), "RMSE %g of %+v", tally.Means().RMSE, tally)
}

// near tells whether two numbers are equal up to rounding. NaN equals NaN.
func near[F ~float64](a, b F) bool {
	return a == b || a != a && b != b || math.Abs(float64(a-b)) <= 1e-12*max(1, math.Abs(float64(b)))
}

// TestOfClasses compares with scores computed by hand. certain is the largest log-loss, and sure the smallest.
func TestOfClasses(t *testing.T) {
	certain, sure := 6*math.Ln10, -math.Log1p(-1e-6)
	nan := math.NaN()
	for _, c := range []struct {
		name                  string
		p                     []float64
		class                 int
		logLoss, brier, right float64
	}{
		{"second of two", []float64{0.2, 0.8}, 1, -math.Log(0.8), 0.04, 1},
		{"first of two", []float64{0.2, 0.8}, 0, -math.Log(0.2), 0.64, 0},
		{"even odds go to the first", []float64{0.5, 0.5}, 0, math.Ln2, 0.25, 1},
		{"even odds miss the second", []float64{0.5, 0.5}, 1, math.Ln2, 0.25, 0},
		{"right for certain", []float64{0, 1}, 1, sure, 0, 1},
		{"wrong for certain", []float64{0, 1}, 0, certain, 1, 0},
		{"just above the bound", []float64{2e-6, 1 - 2e-6}, 0, -math.Log(2e-6), (1 - 2e-6) * (1 - 2e-6), 0},
		{"first of three", []float64{0.5, 0.3, 0.2}, 0, math.Ln2, 0.25 + 0.09 + 0.04, 1},
		{"last of three", []float64{0.5, 0.3, 0.2}, 2, -math.Log(0.2), 0.25 + 0.09 + 0.64, 0},
		{"tie of three", []float64{0.2, 0.4, 0.4}, 1, -math.Log(0.4), 0.04 + 0.36 + 0.16, 1},
		{"three, wrong for certain", []float64{1, 0, 0}, 1, certain, 2, 0},
		{"three, right for certain", []float64{0, 0, 1}, 2, sure, 0, 1},
		{"NaN of two", []float64{nan, nan}, 0, certain, 1, 0},
		{"NaN of three", []float64{nan, 0.5, 0.5}, 1, certain, 2, 0},
		{"infinite", []float64{0, math.Inf(1), 0}, 1, certain, 2, 0},
	} {
		o := OfClasses(c.p, c.class)
		filetest.True(t, near(o.LogLoss, c.logLoss) && near(o.Brier, c.brier) && o.Right == c.right,
			"%s: %+v, want log-loss %g, Brier %g, right %g", c.name, o, c.logLoss, c.brier, c.right)
		rest := Outcome{LogLoss: o.LogLoss, Brier: o.Brier, Right: o.Right}
		filetest.Want(t, rest, o, "%s: without scores that are not of classes", c.name)
	}
}

// TestOfNumber compares with scores computed by hand, also where the error or its square would overflow.
func TestOfNumber(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name               string
		mean, low, high, y float64
		want               Outcome
	}{
		{"inside", 10, 8, 12, 11.5, Outcome{Absolute: 1.5, Square: 2.25, Covered: 1}},
		{"below", 10, 8, 12, 7, Outcome{Absolute: 3, Square: 9}},
		{"on the lower end", 10, 8, 12, 8, Outcome{Absolute: 2, Square: 4, Covered: 1}},
		{"on the upper end", 10, 8, 12, 12, Outcome{Absolute: 2, Square: 4, Covered: 1}},
		{"exact", -1, -1, -1, -1, Outcome{Covered: 1}},
		{"no number", nan, nan, nan, 0, Outcome{Absolute: maxAbsolute, Square: maxAbsolute * maxAbsolute}},
		{"infinite", -inf, -inf, inf, 0, Outcome{Absolute: maxAbsolute, Square: maxAbsolute * maxAbsolute, Covered: 1}},
		{"square overflows", 0, -1, 1, 1e200, Outcome{Absolute: maxAbsolute, Square: maxAbsolute * maxAbsolute}},
		{"difference overflows", -1e308, -1e308, 0, 1e308, Outcome{Absolute: maxAbsolute, Square: maxAbsolute * maxAbsolute}},
	} {
		filetest.Want(t, OfNumber(c.mean, c.low, c.high, c.y), c.want, "%s", c.name)
	}
}

// TestOfCount compares with scores computed by hand. A log probability of −∞ gives the largest log-loss, and NaN gives none.
func TestOfCount(t *testing.T) {
	for _, c := range []struct {
		name           string
		logProbability float64
		want           Outcome
	}{
		{"known", -2.5, Outcome{LogLoss: 2.5, Absolute: 3, Square: 9, Covered: 1}},
		{"certain", 0, Outcome{Absolute: 3, Square: 9, Covered: 1}},
		{"impossible", math.Inf(-1), Outcome{LogLoss: 700, Absolute: 3, Square: 9, Covered: 1}},
		{"not known", math.NaN(), Outcome{Unknown: 1, Absolute: 3, Square: 9, Covered: 1}},
	} {
		filetest.Want(t, OfCount(c.logProbability, 4, 0, 7, 7), c.want, "%s", c.name)
	}
	o := OfCount(-1, math.NaN(), 0, 7, 8)
	filetest.Want(t, []float64{o.Absolute, o.Covered, o.LogLoss}, []float64{maxAbsolute, 0, 1}, "a median that is no number")
}

// numbered returns the outcome of a row that tells the row's number. Sums of it are exact.
func numbered(row int64) *Outcome { return &Outcome{LogLoss: float64(row)} }

// rowsFrom returns the tally of rows from … to−1 with numbered outcomes.
func rowsFrom(from, to int64) Tally {
	return Tally{Rows: to - from, Weight: float64(to - from), Sum: Outcome{LogLoss: float64((to - from) * (from + to - 1) / 2)}}
}

// TestBlocks: after every row, the blocks hold all rows in order, and all blocks except the last are full. From 250 rows on there are
// 250 to 500 blocks.
func TestBlocks(t *testing.T) {
	var b Blocks
	for rows := int64(1); rows <= 20_000; rows++ {
		b.add(numbered(rows-1), 1)
		if n := int64(len(b.Tally)); n > maxBlocks || n < min(rows, maxBlocks/2) {
			t.Fatalf("%d rows: %d blocks", rows, n)
		}
		if rows > 1200 && rows%13 > 0 && rows%500 != 1 { // just after a join, blocks are longest
			continue
		}
		filetest.Want(t, b.parts(1)[0].Rows, rows, "%d rows: in the blocks", rows)
		for i, got := range b.Tally {
			from := int64(i) * b.Size
			filetest.Want(t, got, rowsFrom(from, min(from+b.Size, rows)), "%d rows: block %d", rows, i)
		}
	}
	filetest.Want(t, b.Size, 64, "rows a block")
}

// TestCourseOfNovelty: the blocks count each row by its tier, and no row that an older program added.
func TestCourseOfNovelty(t *testing.T) {
	for _, older := range []int64{0, 1, 700, 1000} {
		var b Blocks
		for row := int64(0); row < 5000; row++ {
			b.add(numbered(row), 1)
			if row >= older {
				b.Count(int(row % novelty.Tiers))
			}
			if row%97 > 0 && row != older {
				continue
			}
			var want [maxBlocks][novelty.Tiers]int64
			for r := older; r <= row; r++ {
				want[r/b.Size][r%novelty.Tiers]++
			}
			if got := b.Novelty; row < older && len(got) > 0 || row >= older && !slices.Equal(got, want[:len(b.Tally)]) {
				t.Fatalf("%d rows, of which %d are of an older program: %v, want %v", row+1, older, got, want[:len(b.Tally)])
			}
		}
	}
}

// TestLate: the tally covers the rows after the exact cut, up to an error of less than a row or 1/250 of the stream.
func TestLate(t *testing.T) {
	var b Board
	filetest.Want(t, b.late(), Tally{}, "no rows")
	most := 0.
	for rows := int64(1); rows <= 20_000; rows++ {
		b.Add(*numbered(rows - 1), 0, 1)
		if rows > 1200 && rows%13 > 0 && rows%500 != 1 { // just after a join, blocks are longest
			continue
		}
		late := b.late()
		first := rows - late.Rows
		behind := float64(first) - float64(rows)/10
		filetest.Want(t, late, rowsFrom(first, rows), "%d rows: the rows from %d on", rows, first)
		if behind < 0 || behind >= max(1, float64(rows)/250) {
			t.Fatalf("%d rows: cut after %d, want a tenth", rows, first)
		}
		if rows > 1000 {
			most = max(most, behind/float64(rows))
		}
	}
	filetest.True(t, most >= 0.003, "the cut is at most %g of the stream late; the documentation can promise more than 1/250", most)
}

// TestParts: the parts hold all rows in their order and differ by at most a block, the last part by two.
func TestParts(t *testing.T) {
	var b Blocks
	filetest.Want(t, len(b.parts(10)), 0, "parts of no rows")
	for rows := int64(1); rows <= 1300; rows++ {
		b.add(numbered(rows-1), 1)
		for _, n := range []int{1, 2, 10, 37} {
			parts := b.parts(n)
			filetest.Want(t, len(parts), min(n, len(b.Tally)), "%d rows: parts", rows)
			from, least := int64(0), int64(len(b.Tally)/len(parts))*b.Size
			for i, part := range parts {
				filetest.Want(t, part, rowsFrom(from, from+part.Rows), "%d rows: part %d", rows, i)
				last := i == len(parts)-1
				if part.Rows > least+b.Size || part.Rows < least && !last || part.Rows <= least-b.Size {
					t.Fatalf("%d rows: part %d of %d has %d rows, want about %d", rows, i, n, part.Rows, least)
				}
				from += part.Rows
			}
			filetest.Want(t, from, rows, "%d rows in %d parts", rows, n)
		}
	}
}

// TestBoard: the blocks and the tiers of novelty hold the same rows as the whole. A board that goes through JSON on the way goes
// on like the original, bit for bit.
func TestBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	var b, resumed Board
	for row := range 1200 {
		o, seen, weight := exactOutcome(r), r.Int64N(15), []float64{0.5, 1, 3}[r.IntN(3)]
		if row%2 == 0 { // scores as they come, which are not exact
			o = OfClasses([]float64{0.3, 0.7}, r.IntN(2))
		}
		b.Add(o, seen, weight)
		resumed.Add(o, seen, weight)
		if row%29 == 0 {
			resumed = throughJSON(t, resumed)
		}
		filetest.Want(t, resumed, b, "row %d: resumed", row)
	}
	var blocks, tiers Tally
	for _, part := range b.Blocks.parts(1) {
		blocks.merge(part)
	}
	for _, tier := range b.Novelty {
		tiers.merge(tier)
	}
	for name, sum := range map[string]Tally{"blocks": blocks, "tiers": tiers} {
		losses := near(sum.Sum.LogLoss, b.All.Sum.LogLoss) && near(sum.Sum.Brier, b.All.Sum.Brier)
		filetest.True(t, sum.Rows == 1200 && sum.Weight == b.All.Weight && losses, "%s: %+v, all %+v", name, sum, b.All)
	}
}

func throughJSON[T any](t *testing.T, v T) (got T) {
	t.Helper()
	filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(v))(t), &got))
	return got
}

// everything is all that is kept of a stream of two classes.
type everything struct {
	Board       Board
	Confusion   *Confusion
	Curve       ROC
	Calibration Calibration
}

func (e *everything) add(p []float64, class int, seen int64) {
	o := OfClasses(p, class)
	e.Board.Add(o, seen, 1)
	e.Board.Blocks.Count(novelty.Tier(seen))
	e.Confusion.add(p, class, o.LogLoss, 1)
	e.Curve.add(p[1], class, 1)
	e.Calibration.addProbability(p[1], class == 1, 1)
	e.Calibration.AddTransform(p[1], p[0], 1)
}

// TestFixedMemory: once there are 500 blocks, a thousand rows allocate nothing.
func TestFixedMemory(t *testing.T) {
	e := everything{Confusion: newConfusion(2)}
	r := rand.New(rand.NewPCG(4, 1))
	p := []float64{0.2, 0.8}
	add := func() { // AllocsPerRun calls it once before it counts
		for range 2 * maxBlocks {
			e.add(p, r.IntN(2), r.Int64N(20))
		}
	}
	filetest.Want(t, testing.AllocsPerRun(10, add), 0, "allocations in %d rows", 2*maxBlocks)
}

// TestAnythingThroughJSON: forecasts with any numbers never cause a panic, and JSON holds the score.
func TestAnythingThroughJSON(t *testing.T) {
	odd := []float64{0, 1, 0.5, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e200, 5e-324}
	e := everything{Confusion: newConfusion(2)}
	var numbers Board
	for _, a := range odd {
		for _, b := range odd {
			e.add([]float64{a, b}, 0, 0)
			e.add([]float64{a, b}, 1, 11)
			numbers.Add(OfNumber(a, b, a, b), 1, 3)
			numbers.Add(OfCount(-math.Abs(a), b, a, b, a), 3, 0.5)
			numbers.Add(OfClasses([]float64{a, b, a}, 1), 3, 0.5)
		}
	}
	throughJSON(t, e)
	filetest.Must(json.Marshal(e.Confusion.classes()))(t)
	throughJSON(t, numbers)
	filetest.Want(t, numbers.All.Rows, int64(3*len(odd)*len(odd)), "rows")
}
