package drift

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// rowsOfAlarms feeds n losses and returns the rows in which the alarm goes off.
func rowsOfAlarms(a *Alarm, n int, loss func(row int) float64) (rows []int) {
	for row := range n {
		if a.Add(loss(row)) {
			rows = append(rows, row)
		}
	}
	return rows
}

// TestResume: an alarm that goes through JSON after any row continues bit for bit like the original.
func TestResume(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	original, resumed := New(), New()
	original.Options.Batch, resumed.Options.Batch = 7, 7
	alarms := 0
	for row := range 20_000 {
		loss := exponential(r, 1+float64(row/5000)) / 3
		if row%97 == 0 {
			loss = math.NaN()
		}
		first, second := original.Add(loss), resumed.Add(loss)
		b := filetest.Must(json.Marshal(resumed))(t)
		resumed = new(Alarm)
		filetest.Check(t, json.Unmarshal(b, resumed))
		filetest.Want(t, second, first, "row %d: an alarm of the resumed", row)
		filetest.Want(t, *resumed, *original, "row %d: resumed", row)
		if first {
			alarms++
		}
	}
	filetest.True(t, alarms >= 2, "%d alarms", alarms)
	filetest.Want(t, original.Alarms, alarms, "alarms counted")
	filetest.Want(t, original.Ignored, 207, "rows ignored")
}

// TestIgnored: losses that are no numbers change nothing but their count.
func TestIgnored(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	clean, dirty := New(), New()
	for row := range 30_000 {
		loss := exponential(r, 1+float64(row/15_000))
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if dirty.Add(bad) {
				t.Fatal("alarm in a row without a number")
			}
		}
		filetest.Want(t, dirty.Add(loss), clean.Add(loss), "an alarm in row %d, as without garbage", row)
	}
	filetest.Want(t, []int{clean.Alarms, clean.Ignored, dirty.Ignored}, []int{1, 0, 90_000}, "alarms, and rows ignored")
	clean.Ignored = dirty.Ignored
	filetest.Want(t, *dirty, *clean, "the alarm, as without garbage")
}

// TestScale: losses in another unit set off the alarm in the same rows. A power of two multiplies without rounding.
func TestScale(t *testing.T) {
	rows := func(unit float64) []int {
		r := rand.New(rand.NewPCG(3, 5))
		return rowsOfAlarms(New(), 60_000, func(row int) float64 { return unit * studentSquared(r, 1+float64(row/20_000)) })
	}
	want := rows(1)
	filetest.Want(t, len(want), 2, "alarms")
	for _, unit := range []float64{0x1p-400, 0x1p-20, 8, 0x1p400} {
		filetest.Want(t, rows(unit), want, "unit %g: rows of alarms", unit)
	}
}

// TestLevels follows the alarm through levels of an exponential loss: it goes off at each rise, within 2,000 rows, and not
// when losses fall. After a fall it judges by the new level.
func TestLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	levels := []float64{1, 2, 4, 2, 4, 1, 2}
	rise := map[int]bool{1: true, 2: true, 4: true, 6: true}
	const length = 20_000
	rows := rowsOfAlarms(New(), length*len(levels), func(row int) float64 { return exponential(r, levels[row/length]) })
	for _, row := range rows {
		filetest.True(t, rise[row/length] && row%length <= 2000, "alarm %d rows after level %d began", row%length,
			row/length)
		delete(rise, row/length)
	}
	filetest.Want(t, len(rise), 0, "levels %v without an alarm, of alarms in rows %v", rise, rows)
}

// TestConstant: losses without any noise have no standard deviation.
func TestConstant(t *testing.T) {
	for _, c := range []struct {
		before, after float64
		want          int
	}{{0, 0, 0}, {0.1, 0.1, 0}, {0.1, 0.11, 0}, {0.1, 0.2, 1}, {0, 1, 1}, {-1, -2, 0}, {-2, -1, 1}, {1, 0, 0}} {
		rows := rowsOfAlarms(New(), 20_000, func(row int) float64 {
			if row < 10_000 {
				return c.before
			}
			return c.after
		})
		filetest.True(t, len(rows) == c.want && (c.want == 0 || rows[0] >= 10_000 && rows[0] <= 12_000),
			"%g, then %g: alarms in rows %v, want %d", c.before, c.after, rows, c.want)
	}
}

// TestGarbage: single losses of any size set off no alarm, and leave a state that JSON can hold. The second one comes when the
// first has raised the bound of 20 means, and when the reference is long enough for one average to lie 22 deviations above it.
func TestGarbage(t *testing.T) {
	for _, garbage := range []float64{1e12, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64} {
		r := rand.New(rand.NewPCG(5, 5))
		a := New()
		rows := rowsOfAlarms(a, 300_000, func(row int) float64 {
			if row == 60_000 || row == 80_000 || row > 90_000 && r.Float64() < 1e-4 {
				return garbage
			}
			return exponential(r, 1)
		})
		filetest.Want(t, len(rows), 0, "%g: alarms", garbage)
		filetest.Must(json.Marshal(a))(t)
	}
}
