package shared_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/fold"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// shop returns the records of a stream whose vocabulary grows, and their schema. The last column is the target.
func shop(kind schema.TargetKind, rows int) (schema.Schema, []schema.Record) {
	rng := rand.New(rand.NewPCG(7, 20))
	records := make([]schema.Record, rows)
	for i := range records {
		customer, product, price := rng.IntN(10+i/4), rng.IntN(12), rng.Float64()*20
		y := fmt.Sprint((customer + product) % 2)
		switch kind {
		case schema.Amount:
			y = fmt.Sprint(price*2 + float64(product) + rng.NormFloat64())
		case schema.Count:
			y = fmt.Sprint(rng.IntN(1 + product))
		}
		records[i] = schema.Record{fmt.Sprint("customer ", customer), fmt.Sprint("product ", product), fmt.Sprint(price), y}
	}
	s := schema.Schema{Target: schema.Target{Column: "y", Kind: kind}, Columns: []schema.Column{
		{Name: "customer", Kind: schema.Category}, {Name: "product", Kind: schema.Category}, {Name: "price", Kind: schema.Number}, {Name: "y", Kind: schema.Label}}}
	if kind == schema.Classes {
		s.Target.Classes = []string{"0", "1"}
	}
	return s, records
}

// chunks packs records, a few in each chunk.
func chunks(t *testing.T, records []schema.Record, each int) (all [][]byte) {
	for first := 0; first < len(records); first += each {
		all = append(all, filetest.Must(shared.Chunk{First: uint64(first), Records: records[first:min(first+each, len(records))]}.MarshalBinary())(t))
	}
	return all
}

func begin(t *testing.T, s schema.Schema) *fold.State {
	t.Helper()
	l := filetest.Must(stream.New(s, stream.Options{}))(t)
	b := filetest.Must(shared.New(l, 0, nil))(t)
	return &fold.State{Belief: b}
}

func written(t *testing.T, s *fold.State) []byte {
	t.Helper()
	return filetest.Must(s.MarshalBinary())(t)
}

// learnFrom learns a chunk and returns the contribution as the log would deliver it.
func learnFrom(t *testing.T, s *fold.State, chunk int, rows []byte) (c fold.Contribution) {
	t.Helper()
	learned := filetest.Must(s.Learn(uint64(chunk), rows))(t)
	filetest.Check(t, c.UnmarshalBinary(filetest.Must(learned.MarshalBinary())(t)))
	return c
}

// Learners that take turns, and a follower that only folds, have the learner of one machine to the last bit.
func TestFoldIsTheLearnerOfOneMachine(t *testing.T) {
	for _, kind := range []schema.TargetKind{schema.Classes, schema.Amount, schema.Count} {
		t.Run(string(kind), func(t *testing.T) {
			s, records := shop(kind, 3000)
			alone := filetest.Must(stream.New(s, stream.Options{}))(t)
			for _, r := range records {
				filetest.Check(t, alone.Learn(r))
			}
			learners := []*fold.State{begin(t, s), begin(t, s)}
			follower := begin(t, s)
			rng := rand.New(rand.NewPCG(1, 2))
			for i, rows := range chunks(t, records, 170) {
				by := rng.IntN(2)
				c := learnFrom(t, learners[by], i+1, rows)
				if rng.IntN(3) == 0 { // the other learner learns the same chunk in vain
					learnFrom(t, learners[1-by], i+1, rows)
				}
				for _, s := range append(learners, follower) {
					if v := s.Fold(c); v != fold.Counted {
						t.Fatalf("chunk %d is %s", i+1, v)
					}
				}
				if i == 5 { // a follower starts again from a checkpoint
					follower = filetest.Must(fold.LoadState(written(t, follower), shared.Open))(t)
				}
			}
			want := written(t, follower)
			for i, l := range learners {
				if !bytes.Equal(written(t, l), want) {
					t.Errorf("learner %d differs from the follower", i)
				}
			}
			folded := filetest.Must(follower.Belief.(*shared.Belief).Learner())(t)
			var a, b bytes.Buffer
			filetest.Check(t, alone.Write(&a))
			filetest.Check(t, folded.Write(&b))
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Error("the folded learner differs from the learner of one machine")
			}
			if follower.Rows != 3000 || follower.Skipped != 0 {
				t.Errorf("%d rows and %d skipped; want 3000 and 0", follower.Rows, follower.Skipped)
			}
		})
	}
}

// The learner drops the table of single items when there are too many. The belief takes that back with the rest of a chunk.
func TestDroppedTableComesBack(t *testing.T) {
	s, _ := shop(schema.Classes, 0)
	records := make([]schema.Record, 18_000)
	for i := range records {
		records[i] = schema.Record{fmt.Sprint("customer ", i), "product", "1", fmt.Sprint(i % 2)}
	}
	parts := chunks(t, records, 6000) // the third chunk has the item that finds no room
	a, b := begin(t, s), begin(t, s)
	for i, rows := range parts {
		before := written(t, b)
		c := learnFrom(t, b, i+1, rows)
		if !bytes.Equal(written(t, b), before) {
			t.Fatalf("learning chunk %d changed the belief", i+1)
		}
		for _, s := range []*fold.State{a, b} {
			if v := s.Fold(c); v != fold.Counted {
				t.Fatalf("chunk %d is %s", i+1, v)
			}
		}
	}
	restarted := filetest.Must(fold.LoadState(written(t, a), shared.Open))(t)
	for i, learner := range []*fold.State{restarted, b} { // a machine that starts again has fewer tables from the beginning
		c := learnFrom(t, learner, 4+i, chunks(t, records[:100], 100)[0])
		for _, s := range []*fold.State{a, b, restarted} {
			if v := s.Fold(c); v != fold.Counted {
				t.Fatalf("chunk %d is %s", c.Chunk, v)
			}
		}
	}
	if !bytes.Equal(written(t, a), written(t, b)) || !bytes.Equal(written(t, a), written(t, restarted)) {
		t.Error("beliefs differ after a table was dropped")
	}
	l := filetest.Must(a.Belief.(*shared.Belief).Learner())(t)
	whole := filetest.Must(begin(t, s).Belief.(*shared.Belief).Learner())(t)
	if got, want := len(l.Parts()), len(whole.Parts()); got >= want {
		t.Errorf("the learner still has %d tables of %d", got, want)
	}
}

// Whatever is wrong with a delta, the belief stays.
func TestBadDeltaChangesNothing(t *testing.T) {
	s, records := shop(schema.Classes, 300)
	rows := chunks(t, records, 100)
	a, b := begin(t, s), begin(t, s)
	first, second := learnFrom(t, a, 1, rows[0]), learnFrom(t, a, 2, rows[1])
	if v := b.Fold(first); v != fold.Counted {
		t.Fatal(v)
	}
	if v := b.Fold(second); v != fold.Refused {
		t.Errorf("a contribution from an old prior is %s", v)
	}
	want := written(t, b)
	good := learnFrom(t, b, 3, rows[2])
	for _, bad := range [][]byte{nil, good.Delta[:len(good.Delta)/2], first.Delta, append(bytes.Clone(good.Delta), 0)} {
		if err := b.Belief.Add(bad); err == nil {
			t.Errorf("a bad delta of %d bytes was added", len(bad))
		}
		if !bytes.Equal(written(t, b), want) {
			t.Errorf("a bad delta of %d bytes has changed the belief", len(bad))
		}
	}
	if err := b.Belief.Add([]byte{2, 0}); !errors.Is(err, fold.ErrSeveral) {
		t.Errorf("terms of several learners: error %v", err)
	}
	if v := b.Fold(good); v != fold.Counted {
		t.Errorf("the undamaged delta is %s", v)
	}
}

// A belief that several learners shared is refused.
func TestOpenRefusesSeveralLearners(t *testing.T) {
	s, _ := shop(schema.Classes, 0)
	l := filetest.Must(stream.New(s, stream.Options{}))(t)
	for saved, want := range map[string]error{`{"bound":{"share":0},"rows":1000}`: nil, `{"bound":{"share":0.01,"memory":70},"rows":100}`: fold.ErrSeveral} {
		var b bytes.Buffer
		filetest.Check(t, l.Write(&b, json.RawMessage(saved)))
		opened, err := shared.Open(b.Bytes())
		if !errors.Is(err, want) || want == nil && opened.(*shared.Belief).Rows != 1000 {
			t.Errorf("options %s: error %v", saved, err)
		}
	}
}

// A row that cannot be learned is skipped and counted. The fingerprint covers it.
func TestBadRowsAreSkipped(t *testing.T) {
	s, records := shop(schema.Classes, 10)
	records[3][3], records[7][3] = "perhaps", ""
	rows := chunks(t, records, 10)[0]
	parsed, fingerprint, err := shared.ParseChunk(rows)
	filetest.Check(t, err)
	c := learnFrom(t, begin(t, s), 1, rows)
	n := len(parsed.Records)
	if n != 10 || c.Rows != 8 || c.Skipped != 2 || c.Fingerprint != fingerprint {
		t.Errorf("of %d rows, %d were learned and %d skipped, fingerprint equal %t; want 10, 8, 2, true", n, c.Rows, c.Skipped, c.Fingerprint == fingerprint)
	}
}

func FuzzChunk(f *testing.F) {
	f.Add(filetest.Must(shared.Chunk{First: 7, Records: []schema.Record{{"a", ""}, {"b", "c"}}}.MarshalBinary())(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, _, err := shared.ParseChunk(b)
		if err != nil {
			return
		}
		d, _, err := shared.ParseChunk(filetest.Must(c.MarshalBinary())(t))
		if err != nil || fmt.Sprint(c) != fmt.Sprint(d) {
			t.Fatalf("%v became %v: %v", c, d, err)
		}
	})
}

// A chunk of rows with weights of any size is learned, and its delta counts. It was an error on all machines, for ever.
func TestTinyWeights(t *testing.T) {
	s, records := shop(schema.Classes, 40)
	s.Columns[2].Kind = schema.Weight
	s.Target.Weights = map[string]float64{"0": 1e-30}
	for i, r := range records {
		r[2] = []string{"1", "1e-310", "5e-324", "1e6"}[i%4]
	}
	f := begin(t, s)
	for i, rows := range chunks(t, records, 10) {
		c := learnFrom(t, f, i+1, rows)
		if v := f.Fold(c); v != fold.Counted || c.Rows != 10 {
			t.Fatalf("chunk %d with %d rows is %s", i+1, c.Rows, v)
		}
	}
	filetest.Must(fold.LoadState(written(t, f), shared.Open))(t)
}
