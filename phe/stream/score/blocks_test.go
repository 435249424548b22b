package score

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"gophe/phe/disk/filetest"
)

// numbered returns the outcome of a row that tells the row's number. Sums of it are exact.
func numbered(row int64) Outcome { return Outcome{LogLoss: float64(row)} }

// rowsFrom returns the tally of rows from … to−1 with numbered outcomes.
func rowsFrom(from, to int64) Tally {
	return Tally{Rows: to - from, Weight: float64(to - from), Sum: Outcome{LogLoss: float64((to - from) * (from + to - 1) / 2)}}
}

// TestBlocks: after every row, the blocks hold all rows in order, and all blocks except the last are full. From 250 rows on there are
// 250 to 500 blocks.
func TestBlocks(t *testing.T) {
	var b Blocks
	for rows := int64(1); rows <= 20_000; rows++ {
		b.Add(numbered(rows-1), 1)
		if n := int64(len(b.Tally)); n > maxBlocks || n < min(rows, maxBlocks/2) {
			t.Fatalf("%d rows: %d blocks", rows, n)
		}
		if rows > 1200 && rows%13 > 0 && rows%500 != 1 { // just after a join, blocks are longest
			continue
		}
		if b.rows() != rows {
			t.Fatalf("%d rows: %d in the blocks", rows, b.rows())
		}
		for i, got := range b.Tally {
			from := int64(i) * b.Size
			if want := rowsFrom(from, min(from+b.Size, rows)); got != want {
				t.Fatalf("%d rows: block %d is %+v, want %+v", rows, i, got, want)
			}
		}
	}
	if b.Size != 64 {
		t.Errorf("%d rows a block, want 64", b.Size)
	}
}

// TestLate: the tally covers the rows after the exact cut, up to an error of less than a row or 1/250 of the stream.
func TestLate(t *testing.T) {
	var b Blocks
	if late := b.Late(); late != (Tally{}) {
		t.Errorf("no rows: %+v", late)
	}
	most := 0.
	for rows := int64(1); rows <= 20_000; rows++ {
		b.Add(numbered(rows-1), 1)
		if rows > 1200 && rows%13 > 0 && rows%500 != 1 { // just after a join, blocks are longest
			continue
		}
		late := b.Late()
		first := rows - late.Rows
		behind := float64(first) - float64(rows)/10
		if want := rowsFrom(first, rows); late != want {
			t.Fatalf("%d rows: %+v, want the rows from %d on, %+v", rows, late, first, want)
		}
		if behind < 0 || behind >= max(1, float64(rows)/250) {
			t.Fatalf("%d rows: cut after %d, want a tenth", rows, first)
		}
		if rows > 1000 {
			most = max(most, behind/float64(rows))
		}
	}
	if most < 0.003 {
		t.Errorf("the cut is at most %g of the stream late; the documentation can promise more than 1/250", most)
	}
}

// TestParts: the parts hold all rows in their order and differ by at most a block, the last part by two.
func TestParts(t *testing.T) {
	var b Blocks
	if parts := b.Parts(10); len(parts) != 0 {
		t.Errorf("no rows: %+v", parts)
	}
	for rows := int64(1); rows <= 1300; rows++ {
		b.Add(numbered(rows-1), 1)
		for _, n := range []int{1, 2, 10, 37} {
			parts := b.Parts(n)
			if len(parts) != min(n, len(b.Tally)) {
				t.Fatalf("%d rows: %d parts, want %d", rows, len(parts), n)
			}
			from, least := int64(0), int64(len(b.Tally)/len(parts))*b.Size
			for i, part := range parts {
				if want := rowsFrom(from, from+part.Rows); part != want {
					t.Fatalf("%d rows: part %d is %+v, want %+v", rows, i, part, want)
				}
				last := i == len(parts)-1
				if part.Rows > least+b.Size || part.Rows < least && !last || part.Rows <= least-b.Size {
					t.Fatalf("%d rows: part %d of %d has %d rows, want about %d", rows, i, n, part.Rows, least)
				}
				from += part.Rows
			}
			if from != rows {
				t.Fatalf("%d rows: %d in %d parts", rows, from, n)
			}
		}
	}
}

// TestBoard: the blocks and the tiers of novelty hold the same rows as the whole. A board that goes through JSON on the way goes
// on like the original, bit for bit.
func TestBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	var b, resumed Board
	for row := range 1200 {
		o, seen, weight := exact(r), r.Int64N(15), []float64{0.5, 1, 3}[r.IntN(3)]
		if row%2 == 0 { // scores as they come, which are not exact
			o = OfClasses([]float64{0.3, 0.7}, r.IntN(2))
		}
		b.Add(o, seen, weight)
		resumed.Add(o, seen, weight)
		if row%29 == 0 {
			resumed = throughJSON(t, resumed)
		}
		if !reflect.DeepEqual(b, resumed) {
			t.Fatalf("row %d: %+v, resumed %+v", row, b, resumed)
		}
	}
	var blocks, tiers Tally
	for _, part := range b.Blocks.Parts(1) {
		blocks.merge(part)
	}
	for _, tier := range b.Novelty {
		tiers.merge(tier)
	}
	for name, sum := range map[string]Tally{"blocks": blocks, "tiers": tiers} {
		if sum.Rows != 1200 || sum.Weight != b.All.Weight || !near(sum.Sum.LogLoss, b.All.Sum.LogLoss) || !near(sum.Sum.Brier, b.All.Sum.Brier) {
			t.Errorf("%s: %+v, all %+v", name, sum, b.All)
		}
	}
}

func throughJSON[T any](t *testing.T, v T) (got T) {
	t.Helper()
	filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(v))(t), &got))
	return got
}

// TestNoveltyTier checks each tier at both of its ends.
func TestNoveltyTier(t *testing.T) {
	for tier, ends := range [NoveltyTiers][2]int64{{0, 0}, {1, 2}, {3, 10}, {11, 1<<63 - 1}} {
		for _, seen := range ends {
			if got := NoveltyTier(seen); got != tier {
				t.Errorf("seen %d times: tier %d, want %d, %s", seen, got, tier, NoveltyNames()[tier])
			}
		}
	}
}
