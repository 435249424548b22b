package ncf_test

import (
	"fmt"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
)

// excerptCases are the ways in which tables are cut.
var excerptCases = []struct {
	name   string
	method method
	seeds  []int64
	change func(*ncf.Config)
	always bool // also where each case takes seconds to compile
}{
	{"PHE", methods[0], []int64{4}, func(c *ncf.Config) {}, false},
	{"PHE, three runs, all parameters", methods[0], []int64{4, 1, 9}, func(c *ncf.Config) { c.Scope = phe.AllParameters }, true},
	{"PHE, embedded labels, two runs, rows", methods[0], []int64{4, 1}, func(c *ncf.Config) { c.LabelInput, c.Scheme = ncf.Embedded, phe.Fresh }, false},
	{"PHE, embedded labels, all parameters", methods[0], []int64{4}, func(c *ncf.Config) { c.LabelInput, c.Scope = ncf.Embedded, phe.AllParameters }, false},
	{"PHE, tables of one shape", methods[0], []int64{4}, func(c *ncf.Config) {
		c.Encoder.NumWeights, c.Encoder.EmbeddingDim = c.Encoder.NumBuckets, c.Encoder.NumHashes
	}, false},
	{"PHE, maximum, rows", methods[0], []int64{4, 1}, func(c *ncf.Config) {
		c.Encoder.Assembly, c.Encoder.NumWeights, c.Scheme = phe.Maximum, 0, phe.Fresh
	}, false},
	{"Ada, two runs", methods[1], []int64{4, 1}, func(c *ncf.Config) {}, false},
	{"Ada, two runs, all parameters", methods[1], []int64{4, 1}, func(c *ncf.Config) { c.Scope = phe.AllParameters }, false},
	{"P-EE, two runs", methods[2], []int64{4, 1}, func(c *ncf.Config) {}, false},
	{"P-EE, embedded labels, all parameters", methods[2], []int64{4, 1}, func(c *ncf.Config) { c.LabelInput, c.Scope = ncf.Embedded, phe.AllParameters }, false},
	{"EE, two runs", methods[3], []int64{4, 1}, func(c *ncf.Config) {}, false},
}

// The steps of an excerpt equal the steps of whole tables and data, up to rounding of sums in another order. Rows that the day's
// items do not use stay bit for bit. Learners begin from equal numbers before each call, so roundings do not add up. The padding
// equals the rival's, so the noise is equal.
func TestExcerptEqualsWhole(t *testing.T) {
	for _, c := range excerptCases {
		t.Run(c.name, func(t *testing.T) {
			if nettest.Brief(t) && !c.always {
				t.Skip("ten seconds of compilation")
			}
			config := c.method.config()
			if c.method.rows == phe.Hashed { // more than there is room for: 64 items have up to 128 and 64
				config.Encoder.NumBuckets, config.Encoder.NumWeights = 307, 211
			} else {
				config.Encoder.Capacity = 131
			}
			c.change(&config)
			d := toyData()
			sparse, dense := newLearner(t, config, d, 64, c.seeds...), newPinned(t, config, d, 64, c.seeds...)
			r := rivals{t, config, d, len(c.seeds), sparse, dense}
			r.equal("the initial draw", 0)
			check(t, sparse.Fit(rowsOf(0, 71), 2)) // two batches and a short one
			check(t, dense.Fit(rowsOf(0, 71), 2))
			r.equal("the initial phase", 1e-4) // six steps of Adam on roundings
			sparse.Settle()
			dense.Settle()
			for number, day := range [][]int32{{90, 31, 5}, rowsOf(41, 97), {7, 7, 8}} {
				r.predictAndUpdate(day, number)
			}
		})
	}
}

// A day's padding depends on its ratings and not on the days before. Each day equals the update of whole tables with the same
// padding. Batches have 128 records, so a padding to 64 gives small batches, and one to 512 a short last batch.
func TestRooms(t *testing.T) {
	d := toyData()
	for i := range 223 { // 320 in all
		d.User, d.Item, d.Ratings = append(d.User, d.User[i*7%97]), append(d.Item, d.Item[i*5%97]), append(d.Ratings, d.Ratings[i%97])
	}
	c := methods[0].config()
	c.BatchSize, c.Encoder.NumBuckets, c.Encoder.NumWeights = 128, 5003, 2503
	sparse := newLearner(t, c, d, 400, 8, 5)
	for i, day := range []struct {
		rows []int32
		room int
	}{
		{rowsOf(0, 3), 64}, {rowsOf(3, 68), 128}, {rowsOf(10, 310), 512}, {rowsOf(4, 5), 64}, {slices.Repeat([]int32{6, 311}, 33), 128},
	} {
		if nettest.Brief(t) && i > 1 {
			break // every rival takes seconds to compile
		}
		t.Run(fmt.Sprintf("%d rows", len(day.rows)), func(t *testing.T) {
			r := rivals{t, c, d, 2, sparse, newPinned(t, c, d, day.room, 8, 5)}
			r.predictAndUpdate(day.rows, i)
		})
	}
}

// A day of many items has room for them in powers of two, and is predicted in blocks; few ratings have more items than
// ratings. All without noise, as the rival's padding differs.
func TestLargeDay(t *testing.T) {
	const ratings = 5000
	d := movieLensLike(2000, 3000, ratings)
	c := methods[1].config()
	c.Encoder.NumBuckets, c.Encoder.NumWeights, c.BatchSize, c.Labels = 10009, 10007, 1024, labelNames(20)
	sparse, dense := newLearner(t, c, d, ratings, 8, 5), newPinned(t, c, d, ratings, 8, 5)
	r := rivals{t, c, d, 2, sparse, dense}
	r.predictAndUpdate(rowsOf(0, ratings), 0)
	var few []int32 // of a room of their own, but for their items
	for i := range int32(64) {
		few = append(few, 70*i)
	}
	r.predictAndUpdate(few, 1)
}

// rivals are a learner that takes excerpts and one with a pinned batch, which takes whole tables and data.
type rivals struct {
	t             *testing.T
	config        ncf.Config
	data          ncf.Data
	runs          int
	sparse, dense learntest.Led
}

// tolerance of one call: float32 sums of some hundred terms, which Adam divides by the size of small gradients.
const tolerance = 2e-5

func (r rivals) predictAndUpdate(day []int32, number int) {
	r.t.Helper()
	check(r.t, r.dense.Restore(snapshot(r.t, r.sparse)))
	got, want := predict(r.t, r.sparse, day, number), predict(r.t, r.dense, day, number)
	nettest.Same(r.t, "predictions", [][]float32{got}, [][]float32{want}, 1e-6)
	r.update(day, number)
}

func (r rivals) update(day []int32, number int) {
	r.t.Helper()
	before := snapshot(r.t, r.sparse)
	check(r.t, r.dense.Restore(before))
	check(r.t, r.sparse.Update(day, 3))
	check(r.t, r.dense.Update(day, 3))
	r.equal(fmt.Sprintf("update %d, of %d ratings,", number, len(day)), tolerance)
	touched, lists := touchedBy(r.config, r.data, day), nettest.NumEmbedding(r.config.Encoder)
	after := snapshot(r.t, r.sparse)
	for i, was := range before.Parameters {
		if i >= lists { // θ
			if moved := !slices.Equal(was, after.Parameters[i]); moved != (r.config.Scope == phe.AllParameters) {
				r.t.Errorf("weights %d moved: %t", i, moved)
			}
			continue
		}
		rows, width := touched.E, r.config.Encoder.EmbeddingDim
		if r.config.Encoder.HasWeights() && i >= lists/2 {
			rows, width = touched.W, r.config.Encoder.NumHashes
		}
		perRun := len(was) / r.runs / width
		for row := range len(was) / width {
			a, b := was[row*width:(row+1)*width], after.Parameters[i][row*width:(row+1)*width]
			// A maximum may take all its coordinates from other rows.
			if moved := !slices.Equal(a, b); moved != rows[row%perRun] && (moved || r.config.Encoder.Assembly != phe.Maximum) {
				r.t.Fatalf("update %d: row %d of parameter %d moved: %t", number, row, i, moved)
			}
		}
	}
}

// equal compares the learners' states.
func (r rivals) equal(after string, tolerance float64) {
	r.t.Helper()
	sparse, dense := snapshot(r.t, r.sparse), snapshot(r.t, r.dense)
	nettest.Same(r.t, "parameters after "+after, sparse.Parameters, dense.Parameters, tolerance)
	if len(sparse.Moments) != len(dense.Moments) {
		r.t.Errorf("after %s, %d moments, want %d", after, len(sparse.Moments), len(dense.Moments))
	}
}

// touchedBy returns the rows of the tables that ratings' items use.
func touchedBy(c ncf.Config, d ncf.Data, day []int32) learntest.Rows {
	return learntest.RowsOf(c.Encoder, slices.Concat(d.Users, d.Items, embeddedLabels(c)), func(yield func(int) bool) {
		for _, rating := range day {
			yield(int(d.User[rating]))
			yield(len(d.Users) + int(d.Item[rating]))
			for g := range embeddedLabels(c) {
				if d.ItemLabels[d.Item[rating]]>>g&1 == 1 {
					yield(len(d.Users) + len(d.Items) + g)
				}
			}
		}
	})
}
