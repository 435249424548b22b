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

// binRows is the number of rows from which a constant column that varies gets its bins.
const binRows = 1000

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

// lossBinned returns the mean log-loss of the rows at which all columns have their bins.
func lossBinned(t *testing.T, s schema.Schema, rows [][]string) float64 {
	l, sum, n := filetest.Must(New(s, Options{NoExactModel: true}))(t), 0., 0.
	for i, r := range rows {
		f, _, err := l.Step(r)
		filetest.Check(t, err)
		if p := f.Probability; i >= constantRows+binRows {
			if r[len(r)-1] == "0" {
				p = 1 - p
			}
			sum, n = sum-math.Log(p), n+1
		}
	}
	return sum / n
}

// A constant column that varies late is forecast as well as if its bins had been known from the first row, and better than as items.
func TestWakes(t *testing.T) {
	t.Parallel()
	columns, rows := wakingTable()
	late := filetest.Must(schema.Infer(columns, rows[:schema.Sample], schema.Hints{Target: "y"}))(t)
	known := filetest.Must(schema.Infer(columns, rows[constantRows:], schema.Hints{Target: "y"}))(t)
	items := late
	items.Columns = append([]schema.Column(nil), late.Columns...)
	for i := range columns[1:4] {
		filetest.Want(t, late.Columns[1+i].Constant, "0.5", "column %d is constant", 1+i)
		items.Columns[1+i] = schema.Column{Name: columns[1+i], Kind: schema.Category}
	}
	varied, best, worst := lossBinned(t, late, rows), lossBinned(t, known, rows), lossBinned(t, items, rows)
	t.Logf("log-loss %.4f, with known bins %.4f, as items %.4f", varied, best, worst)
	filetest.True(t, varied <= 1.03*best, "log-loss %.4f, with known bins %.4f", varied, best)
	filetest.True(t, varied <= 0.9*worst, "log-loss %.4f, as items %.4f", varied, worst)
}

// A learner that is written while a column gets its bins continues with the same bits.
func TestWakesAfterReading(t *testing.T) {
	t.Parallel()
	columns, rows := wakingTable()
	s := filetest.Must(schema.Infer(columns, rows[:schema.Sample], schema.Hints{Target: "y"}))(t)
	l := filetest.Must(New(s, Options{Memory: 16 << 10}))(t)
	for i, r := range rows[constantRows-100 : constantRows+binRows+200] {
		if i%300 == 150 || i == binRows+150 {
			read := reread(t, l)
			want := filetest.Must(l.Predict(r))(t)
			filetest.Want(t, filetest.Must(read.Predict(r))(t).Probability, want.Probability, "row %d: the forecast after reading", i)
			l = read
		}
		filetest.Check(t, l.Learn(r))
	}
	whole := filetest.Must(New(s, Options{Memory: 16 << 10}))(t)
	for _, r := range rows[constantRows-100 : constantRows+binRows+200] {
		filetest.Check(t, whole.Learn(r))
	}
	filetest.True(t, bytes.Equal(bytesOf(t, l), bytesOf(t, whole)), "the learner that was read differs")
}
