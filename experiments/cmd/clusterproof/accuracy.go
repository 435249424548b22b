package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/records"
	"gophe/phe/belief"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/shared"
)

// table is a stream on which the number of learners is compared.
type table struct {
	Name    string   `json:"name"`
	Dropped []string `json:"dropped,omitempty"` // columns that are no inputs
	Target  string   `json:"target"`
	Where   string   `json:"where,omitempty"`
	Most    int      `json:"most,omitempty"` // rows; 0 takes all
}

func tables() []table {
	return []table{
		{Name: "adult", Target: "income"},
		{Name: "covertype", Target: "cover_type", Most: 49_999},
		{Name: "retail", Target: "Quantity>=12", Where: "Quantity>0", Dropped: []string{"InvoiceNo", "Description"}},
		{Name: "ml-latest-small", Target: "rating", Dropped: []string{"title", "timestamp"}},
	}
}

// Accuracy is the score of a number of learners that share one pass.
type Accuracy struct {
	Table     table   `json:"table"`
	Seed      int64   `json:"seed"`
	Learners  int     `json:"learners"`
	ChunkRows int     `json:"chunk_rows"`
	Share     float64 `json:"share"` // bound on staleness; 0 sets none
	Rows      int64   `json:"rows"`
	LogLoss   float64 `json:"log_loss,omitempty"` // of classes
	RMSE      float64 `json:"rmse,omitempty"`     // of numbers
	AtWork    float64 `json:"mean_learners_at_work"`
	Stale     float64 `json:"share_of_stale_contributions"`
	DeltaKB   float64 `json:"mean_delta_kb"`
	Seconds   float64 `json:"seconds_of_one_core"`
	Error     string  `json:"error,omitempty"`
}

// accuracy compares numbers of learners on real tables, in rounds: all learners of a round learn from one belief.
func accuracy(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("accuracy", flag.ExitOnError)
	to := flags.String("to", "", "`file` for the results")
	seeds := flags.Int("seeds", 3, "number of seeds of the hash functions")
	_ = flags.Parse(args) // it exits after an error
	var all []Accuracy
	for _, t := range tables() {
		if flags.NArg() > 0 && !slices.Contains(flags.Args(), t.Name) {
			continue
		}
		described, chunks, err := t.read()
		if err != nil {
			return errors.WithMessage(err, t.Name)
		}
		for seed := range *seeds {
			for _, learners := range []int{1, 2, 4, 8} {
				for _, bounded := range []bool{true, false} {
					if !bounded && learners == 1 {
						continue
					}
					if ctx.Err() != nil {
						return ctx.Err()
					}
					a := t.share(described, chunks, int64(seed), learners, bounded)
					all = append(all, a)
					line, err := json.Marshal(a)
					if err != nil {
						return errors.WithStack(err)
					}
					fmt.Println(string(line))
				}
			}
		}
	}
	if *to == "" {
		return nil
	}
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return errors.WithStack(err)
	}
	return errors.Wrap(os.WriteFile(*to, append(b, '\n'), 0o644), "writing the results")
}

// read returns the schema of the table and its chunks.
func (t table) read() (s schema.Schema, chunks [][]byte, err error) {
	folder, err := os.MkdirTemp("", "accuracy-")
	if err != nil {
		return s, nil, errors.WithStack(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, t.Name+".csv")
	f, err := os.Create(path)
	if err != nil {
		return s, nil, errors.WithStack(err)
	}
	_, err = data.Export(f, t.Name, files.Options{})
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return s, nil, err
	}
	rows, names, err := t.records(path)
	if err != nil {
		return s, nil, err
	}
	h := schema.Hints{Target: t.Target, Kinds: map[string]schema.Kind{}}
	for _, name := range t.Dropped {
		h.Kinds[name] = schema.Dropped
	}
	if s, err = schema.Infer(names, rows[:min(len(rows), schema.Sample)], h); err != nil {
		return s, nil, err
	}
	for first := 0; first < len(rows); first += shared.RowsSeveral {
		c := shared.Chunk{First: uint64(first)}
		for _, r := range rows[first:min(first+shared.RowsSeveral, len(rows))] {
			c.Records = append(c.Records, r)
		}
		b, err := c.MarshalBinary()
		if err != nil {
			return s, nil, err
		}
		chunks = append(chunks, b)
	}
	return s, chunks, nil
}

func (t table) records(path string) (rows [][]string, names []string, err error) {
	in, err := records.Open(path, records.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	names = in.Columns()
	keep, place := schema.Condition{}, -1
	if t.Where != "" {
		if keep, err = schema.ParseCondition(t.Where, names); err != nil {
			return nil, nil, err
		}
		place = slices.Index(names, keep.Column)
	}
	for t.Most == 0 || len(rows) < t.Most {
		r, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if place < 0 || keep.Holds(r[place]) {
			rows = append(rows, slices.Clone(r))
		}
	}
	return rows, names, nil
}

// share lets learners share the chunks.
func (t table) share(s schema.Schema, chunks [][]byte, seed int64, learners int, bounded bool) (a Accuracy) {
	a = Accuracy{Table: t, Seed: seed, Learners: learners, ChunkRows: shared.RowsSeveral}
	l, err := stream.New(s, shared.Several(stream.Options{Seed: seed}))
	if err != nil {
		a.Error = err.Error()
		return a
	}
	o := shared.For(l, 2)
	a.Share = o.Bound.Share
	if !bounded {
		o.Bound, a.Share = belief.Bound{Share: math.MaxFloat64}, 0
	}
	state, err := shared.Start(l, o)
	if err != nil {
		a.Error = err.Error()
		return a
	}
	began := time.Now()
	rounds, stale, bytes, err := inRounds(state, chunks, learners)
	if err != nil {
		a.Error = err.Error()
		return a
	}
	a.Seconds = time.Since(began).Seconds()
	a.AtWork = float64(len(chunks)) / float64(rounds)
	a.Stale = float64(stale) / float64(stale+len(chunks))
	a.DeltaKB = float64(bytes) / 1000 / float64(len(chunks)+stale)
	if l, err = state.Belief.(*shared.Belief).Learner(); err != nil {
		a.Error = err.Error()
		return a
	}
	r := l.Report()
	a.Rows = r.Rows
	if s.Target.Kind == schema.Classes {
		a.LogLoss = r.Models[0].All.LogLoss()
	} else {
		a.RMSE = r.Models[0].All.RMSE()
	}
	return a
}

// inRounds learns chunks in rounds. In a round as many learners work as the bound allows, and all learn from one belief.
func inRounds(state *belief.State, chunks [][]byte, learners int) (rounds, stale, bytes int, err error) {
	next := 0
	var hand []int // chunks that the learners have
	for ; next < len(chunks) || len(hand) > 0; rounds++ {
		atOnce := learners
		if lack := state.Bound.Lack(state.Rows) / shared.RowsSeveral; lack < float64(learners) {
			atOnce = min(learners, 1+int(lack))
		}
		for len(hand) < atOnce && next < len(chunks) {
			hand = append(hand, next)
			next++
		}
		var round []belief.Contribution
		for _, k := range hand {
			c, err := state.Learn(uint64(k+1), chunks[k])
			if err != nil {
				return rounds, stale, bytes, err
			}
			bytes += len(c.Delta)
			round = append(round, c)
		}
		var again []int
		for i, c := range round {
			switch v := state.Fold(c); v {
			case belief.Counted:
			case belief.Stale:
				stale++
				again = append(again, hand[i])
			default:
				return rounds, stale, bytes, errors.Errorf("chunk %d is %s", c.Chunk, v)
			}
		}
		hand = again
	}
	return rounds, stale, bytes, nil
}
