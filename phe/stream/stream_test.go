package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// made is a stream of records in memory: users who keep appearing, items, a number, a time, tags, and one of several targets.
type made struct {
	columns []string
	records [][]string
	next    int
}

func (m *made) Columns() []string { return m.columns }

func (m *made) Read() ([]string, error) {
	if m.next == len(m.records) {
		return nil, io.EOF
	}
	m.next++
	return m.records[m.next-1], nil
}

// targets are the kinds of targets that a made stream can have.
var targets = []string{"two", "several", "number", "count"}

func makeStream(n int, target string) *made {
	rng := rand.New(rand.NewPCG(7, 11))
	m := &made{columns: []string{"user", "item", "price", "at", "tags", "y"}}
	for i := range n {
		user, item := rng.IntN(10+i/20), rng.IntN(30)
		price := math.Exp(rng.NormFloat64())
		effect := float64(user%3) - 1 + float64(item%5)/2 - 1 + 0.3*math.Log(price)
		y := ""
		switch target {
		case "two":
			y = "no"
			if effect+rng.NormFloat64() > 0 {
				y = "yes"
			}
		case "several":
			y = []string{"low", "middle", "high"}[min(max(int(effect+1.5+rng.NormFloat64()/2), 0), 2)]
		case "number":
			y = strconv.FormatFloat(1000+250*(effect+0.5*rng.NormFloat64()), 'f', 2, 64)
		default:
			y = strconv.Itoa(int(math.Exp(effect + 1 + 0.3*rng.NormFloat64())))
		}
		m.records = append(m.records, []string{"u" + strconv.Itoa(user), "i" + strconv.Itoa(item), strconv.FormatFloat(price, 'f', 2, 64),
			fmt.Sprintf("2026-03-%02d %02d:30:00", 1+i/24%28, i%24), "t" + strconv.Itoa(rng.IntN(4)) + "|t" + strconv.Itoa(rng.IntN(4)), y})
	}
	return m
}

func kindOf(target string) schema.TargetKind {
	return map[string]schema.TargetKind{"two": schema.Classes, "several": schema.Classes, "number": schema.Amount,
		"count": schema.Count}[target]
}

func hintsOf(target string) schema.Hints {
	return schema.Hints{Target: "y", As: kindOf(target), Multi: map[string]string{"tags": "|"}}
}

// tableOf returns the schema of a category x, other columns and a target y.
func tableOf(y schema.Target, others ...schema.Column) schema.Schema {
	y.Column = "y"
	columns := append([]schema.Column{{Name: "x", Kind: schema.Category}}, others...)
	return schema.Schema{Target: y, Columns: append(columns, schema.Column{Name: "y", Kind: schema.Label})}
}

func learnerOf(t testing.TB, m *made, target string, o Options) *Learner {
	t.Helper()
	s := filetest.Must(schema.Infer(m.columns, m.records, hintsOf(target)))(t)
	return filetest.Must(New(s, o))(t)
}

func bytesOf(t testing.TB, l *Learner) []byte {
	t.Helper()
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b))
	return b.Bytes()
}

// reread returns a copy of a learner that went through a file. It has the same bytes.
func reread(t testing.TB, l *Learner) *Learner {
	t.Helper()
	file := bytesOf(t, l)
	again := filetest.Must(Read(file))(t)
	filetest.True(t, bytes.Equal(file, bytesOf(t, again)), "other bytes after reading")
	return again
}

func step(t testing.TB, l *Learner, r schema.Record) Forecast {
	t.Helper()
	f, learned, err := l.Step(r)
	filetest.Check(t, err)
	filetest.True(t, learned, "a row is not learned: %q", r)
	return f
}

func same(a, b Forecast) bool {
	return a.Probability == b.Probability && slices.Equal(a.Classes, b.Classes) && a.Value == b.Value && a.Low == b.Low &&
		a.High == b.High && a.Novelty == b.Novelty && a.Spread == b.Spread && a.Rows == b.Rows
}

// A learner has a better score than the base rate on every kind of target.
func TestLearns(t *testing.T) {
	for _, target := range targets {
		m := makeStream(4000, target)
		l := learnerOf(t, m, target, Options{})
		filetest.Check(t, Progressive(context.Background(), l, m, 0, nil))
		r := l.Report()
		this, base := r.Models[0], r.Models[len(r.Models)-1]
		names := score.ModelNames()
		filetest.Want(t, [2]string{this.Name, base.Name}, [2]string{names[0], names[3]}, "the models")
		filetest.Want(t, this.All.Rows, 4000, "rows")
		switch target {
		case "number":
			filetest.True(t, this.Late.Means().RMSE < 0.8*base.Late.Means().RMSE, "%s: RMSE %v, base rate %v", target,
				this.Late.Means().RMSE, base.Late.Means().RMSE)
		case "count":
			filetest.True(t, this.Late.Means().LogLoss < 0.91*base.Late.Means().LogLoss, "%s: %v, base rate %v", target,
				this.Late.Means(), base.Late.Means())
			filetest.True(t, this.Late.Means().MAE < 0.9*base.Late.Means().MAE, "%s: %v, base rate %v", target, this.Late.Means(),
				base.Late.Means())
		default:
			filetest.True(t, this.Late.Means().LogLoss < 0.8*base.Late.Means().LogLoss, "%s: log-loss %v, base rate %v",
				target, this.Late.Means().LogLoss, base.Late.Means().LogLoss)
		}
	}
}

// On targets without structure a learner is nearly as good as the base rate. The difference is the cost of finding out.
func TestNoise(t *testing.T) {
	for _, target := range []string{"two", "several", "number"} {
		m, rng := makeStream(3000, target), rand.New(rand.NewPCG(3, 4))
		for i, j := range rng.Perm(len(m.records)) { // targets of other records
			m.records[i][5], m.records[j][5] = m.records[j][5], m.records[i][5]
		}
		l := learnerOf(t, m, target, Options{})
		filetest.Check(t, Progressive(context.Background(), l, m, 0, nil))
		r := l.Report()
		this, base := r.Models[0].All, r.Models[len(r.Models)-1].All
		filetest.True(t, this.Means().LogLoss <= base.Means().LogLoss+0.004, "%s: %v, base rate %v", target, this.Means(), base.Means())
		filetest.True(t, this.Means().RMSE <= 1.005*base.Means().RMSE, "%s: %v, base rate %v", target, this.Means(), base.Means())
	}
}

// Step is Predict and then Learn, and Predict changes nothing. Step is also Ask and then Label at once; only a count's label then comes too
// late for its log-loss.
func TestStep(t *testing.T) {
	for _, target := range targets {
		m := makeStream(300, target)
		a, b, c := learnerOf(t, m, target, Options{}), learnerOf(t, m, target, Options{}), learnerOf(t, m, target, Options{})
		for i, r := range m.records {
			var before []byte
			if i%50 == 0 {
				before = bytesOf(t, b)
			}
			f := filetest.Must(b.Predict(r))(t)
			filetest.True(t, before == nil || bytes.Equal(before, bytesOf(t, b)), "%s: Predict changed the learner at row %d", target, i)
			filetest.Check(t, b.Learn(r))
			asked := slices.Clone(r)
			asked[5] = ""
			g, h := step(t, a, r), filetest.Must(c.Ask("id", asked))(t)
			filetest.Check(t, c.Label("id", r[5]))
			filetest.True(t, same(f, g) && same(g, h), "%s, row %d: Predict says %+v, Step %+v, Ask %+v", target, i, f, g, h)
		}
		want := bytesOf(t, a)
		filetest.True(t, bytes.Equal(want, bytesOf(t, b)), "%s: the learner that forecast before differs", target)
		filetest.True(t, target == "count" || bytes.Equal(want, bytesOf(t, c)), "%s: the learner that was asked differs", target)
	}
}

// Bytes that are damaged or cut off are an error and never a learner.
func TestDamaged(t *testing.T) {
	m := makeStream(50, "two")
	l := learnerOf(t, m, "two", Options{Memory: 4 << 10})
	for _, r := range m.records {
		step(t, l, r)
	}
	good, rng := bytesOf(t, l), rand.New(rand.NewPCG(1, 2))
	for range 15 {
		bad := slices.Clone(good)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		filetest.True(t, filetest.Failure(Read(bad)) != nil, "a flipped bit makes a learner")
		filetest.True(t, filetest.Failure(Read(good[:rng.IntN(len(good))])) != nil, "half a file makes a learner")
	}
}

// A model of another version is refused, and the error names both versions and the way. So is one with a part of a later release.
func TestOlderModel(t *testing.T) {
	_, err := Read(filetest.Unzip(t, "testdata/model.v4.gz"))
	filetest.WantError(t, err, "this model is of version 4, and this program reads version 6", "learn the rows again under another name",
		"remedy: other model")
	var later bytes.Buffer
	filetest.Check(t, learnerOf(t, makeStream(50, "two"), "two", Options{Memory: 4 << 10}).Write(&later, map[string]int{"part": 1}))
	err = filetest.Failure(Read(later.Bytes(), &struct{}{}))
	filetest.WantError(t, err, "use a newer program", `unknown field "part"`, "remedy: newer program")
}

// A committed model of version 6, which the test of commit 73f8994b made of 150 rows, makes the same forecasts in every later 0.x.
func TestCommittedModel(t *testing.T) {
	m := makeStream(200, "two")
	path := filepath.Join("testdata", "model.v6")
	l := filetest.Must(Read(filetest.Unzip(t, path+".gz")))(t)
	f := filetest.Must(l.Predict(m.records[160]))(t)
	var want Forecast
	filetest.Check(t, json.Unmarshal(filetest.Must(os.ReadFile(path+".json"))(t), &want))
	filetest.Want(t, f.Rows, 150, "rows")
	filetest.Want(t, f.Novelty, want.Novelty, "novelty")
	filetest.Near(t, f.Probability, want.Probability, 1e-12, "the forecast")
	filetest.True(t, want.Probability != 0, "the example has no forecast")
}

// Records that wait too long are dropped and counted. So are the oldest records if too many wait.
func TestWaitingIsBounded(t *testing.T) {
	m := makeStream(100, "two")
	l := learnerOf(t, m, "two", Options{Waiting: 10, WaitingRows: 20})
	for i, r := range m.records[:30] {
		filetest.Must(l.Ask(strconv.Itoa(i), r))(t)
	}
	n, dropped := l.Waiting()
	filetest.Want(t, [2]int64{int64(n), dropped}, [2]int64{10, 20}, "records that wait, and that were dropped")
	err := l.Label("19", "yes")
	filetest.True(t, errors.Is(err, ErrUnknownID), "%v", err)
	filetest.True(t, filetest.Failure(l.Ask("25", m.records[0])) != nil, "an id waits twice")
	filetest.Check(t, l.SetWaiting(50, 0, 0))
	for i, want := range []int{11, 2} { // each waits for 20 rows and no longer
		for l.Rows() < int64(20+i) {
			step(t, l, m.records[l.Rows()])
		}
		filetest.Must(l.Ask(fmt.Sprint("late ", i), m.records[0]))(t)
		n, dropped := l.Waiting()
		filetest.Want(t, [2]int64{int64(n), dropped}, [2]int64{int64(want), int64(20 + 10*i)},
			"records that wait after %d rows, and that were dropped", 20+i)
	}
}

// A count that comes late is scored by its probability when it was asked about, if the record had it, and by none if it had another one.
func TestLateCount(t *testing.T) {
	m := makeStream(152, "count")
	for late, unknown := range map[string]float64{"3": 0, "4": 1} {
		l, loss := learnerOf(t, m, "count", Options{}), 0.
		for _, r := range m.records[:150] {
			step(t, l, r)
		}
		r := slices.Clone(m.records[150])
		r[5] = "3"
		filetest.Check(t, l.Distribution(r, func(d count.Distribution) { loss = -d.LogProbability(3) }))
		filetest.Must(l.Ask("a", r))(t)
		step(t, l, m.records[151])
		before := l.Report().Models
		filetest.Check(t, l.Label("a", late))
		for i, m := range l.Report().Models {
			filetest.Want(t, m.All.Sum.Unknown-before[i].All.Sum.Unknown, unknown, "%s: labels %s without a probability", m.Name, late)
		}
		filetest.Near(t, l.Report().Models[0].All.Sum.LogLoss-before[0].All.Sum.LogLoss, (1-unknown)*loss, 1e-9, "the loss of %s", late)
	}
}

// Progressive with a delay learns every row. It forecasts each row without the labels that are not due yet.
func TestDelay(t *testing.T) {
	m := makeStream(400, "two")
	l := learnerOf(t, m, "two", Options{})
	var rows []int64
	err := Progressive(context.Background(), l, m, 50, func(_ schema.Record, f Forecast) error {
		rows = append(rows, f.Rows)
		return nil
	})
	filetest.Check(t, err)
	filetest.Want(t, l.Rows(), 400, "rows")
	for i, n := range rows {
		filetest.Want(t, n, int64(max(0, i-50)), "rows before the forecast of row %d", i)
	}
}

// A learner may be used by many at once.
func TestConcurrentUse(t *testing.T) {
	m := makeStream(200, "two")
	l := learnerOf(t, m, "two", Options{Memory: 16 << 10})
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i, r := range m.records {
				id := fmt.Sprintf("%d/%d", worker, i)
				_, err := l.Ask(id, r)
				if err == nil {
					err = l.Label(id, r[5])
				}
				if _, err2 := l.Predict(r); err != nil || err2 != nil {
					t.Error(err, err2)
				}
				l.Inspect()
				l.Report()
			}
		})
	}
	all.Wait()
	filetest.Want(t, l.Rows(), 800, "rows")
}

var update = flag.Bool("update", false, "write testdata anew")
