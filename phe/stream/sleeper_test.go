package stream

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

const (
	constantRows = 11_000 // the sample has 10,000
	wakingRows   = 25_000
)

// wakeRows is the number of rows from which a column that wakes gets its bins.
const wakeRows = 1000

// wakingTable returns a table with three prices. They are constant in the first rows, and after that decide the target by waves, which no
// logarithmic bin resolves.
func wakingTable() (columns []string, rows [][]string) {
	random := rand.New(rand.NewPCG(11, 3))
	for row := range wakingRows {
		item, odds := random.IntN(30), 0.
		r := []string{fmt.Sprint("shop ", item)}
		for range 3 {
			x := 0.5
			if row >= constantRows {
				x += 0.2 * random.Float64()
				odds += 1.5 * math.Sin(60*x)
			}
			r = append(r, fmt.Sprintf("%.5f", x))
		}
		rows = append(rows, append(r, sample(random, odds+float64(item%3-1))))
	}
	return []string{"shop", "price", "demand", "transfer", "y"}, rows
}

// lossAwake returns the mean log-loss of the rows at which all columns are awake.
func lossAwake(t *testing.T, s schema.Schema, rows [][]string) float64 {
	l, sum, n := filetest.Must(New(s, Options{NoExactModel: true}))(t), 0., 0.
	for i, r := range rows {
		f, _, err := l.Step(r)
		filetest.Check(t, err)
		if p := f.Probability; i >= constantRows+wakeRows {
			if r[len(r)-1] == "0" {
				p = 1 - p
			}
			sum, n = sum-math.Log(p), n+1
		}
	}
	return sum / n
}

// A column that wakes is forecast as well as if its bins had been known from the first row, and better than as items.
func TestWakes(t *testing.T) {
	t.Parallel()
	columns, rows := wakingTable()
	late := filetest.Must(schema.Infer(columns, rows[:schema.Sample], schema.Hints{Target: "y"}))(t)
	known := filetest.Must(schema.Infer(columns, rows[constantRows:], schema.Hints{Target: "y"}))(t)
	items := late
	items.Columns = append([]schema.Column(nil), late.Columns...)
	for i := range columns[1:4] {
		filetest.Want(t, late.Columns[1+i].Asleep, "0.5", "column %d sleeps", 1+i)
		items.Columns[1+i] = schema.Column{Name: columns[1+i], Kind: schema.Category}
	}
	woke, best, worst := lossAwake(t, late, rows), lossAwake(t, known, rows), lossAwake(t, items, rows)
	t.Logf("log-loss %.4f, with known bins %.4f, as items %.4f", woke, best, worst)
	filetest.True(t, woke <= 1.03*best, "log-loss %.4f, with known bins %.4f", woke, best)
	filetest.True(t, woke <= 0.9*worst, "log-loss %.4f, as items %.4f", woke, worst)
}

// A learner that is written while a column wakes continues with the same bits.
func TestWakesAfterReading(t *testing.T) {
	t.Parallel()
	columns, rows := wakingTable()
	s := filetest.Must(schema.Infer(columns, rows[:schema.Sample], schema.Hints{Target: "y"}))(t)
	l := filetest.Must(New(s, Options{Memory: 16 << 10}))(t)
	for i, r := range rows[constantRows-100 : constantRows+wakeRows+200] {
		if i%300 == 150 || i == wakeRows+150 {
			read := reread(t, l)
			want := filetest.Must(l.Predict(r))(t)
			filetest.Want(t, filetest.Must(read.Predict(r))(t).Probability, want.Probability, "row %d: the forecast after reading", i)
			l = read
		}
		filetest.Check(t, l.Learn(r))
	}
	whole := filetest.Must(New(s, Options{Memory: 16 << 10}))(t)
	for _, r := range rows[constantRows-100 : constantRows+wakeRows+200] {
		filetest.Check(t, whole.Learn(r))
	}
	filetest.True(t, bytes.Equal(bytesOf(t, l), bytesOf(t, whole)), "the learner that was read differs")
}
