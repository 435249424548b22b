package run

import (
	"slices"
	"testing"

	"gophe/data/tables"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// growing is a stream of seven examples of one column, whose items are a, b, c, a, d, e, f. The first one is initial.
func growing(t *testing.T) (*tabular.Model, *learn.Batch, *protocol.Plan) {
	t.Helper()
	c := tabular.Paper()
	c.Encoder = phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 2, NumBuckets: 2, NumHashes: 2, NumWeights: 3,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman}
	c.Columns, c.Classes, c.Scope = []string{"letter"}, 2, phe.AllColumns
	m := filetest.Must(tabular.New(c))(t)
	all, err := m.Batch(tabular.Data{Items: []string{"a", "b", "c", "d", "e", "f"}, ItemColumns: make([]int32, 6),
		Index: []int32{0, 1, 2, 0, 3, 4, 5}, Labels: []int32{0, 1, 0, 1, 0, 1, 0}})
	filetest.Check(t, err)
	return m, all, &protocol.Plan{Stream: &tables.Stream{Initial: []int32{0}, Steps: [][]int32{{1}, {3, 0}, {2, 4, 5}, {6}}}}
}

// Tables double before a step that brings more items than they have room for, as often as it takes, and not when they are just
// full. A result counts the parameters of the tables at the end.
func TestGrowingTables(t *testing.T) {
	m, all, p := growing(t)
	for beyond, want := range map[float64][]int{1: {2, 2, 8, 8}, 0.5: {4, 4, 16, 16}, 3: {2, 2, 2, 2}, 0: {2, 2, 2, 2}} {
		l := filetest.Must(learn.New(m.Network, m.Config.Config, learn.Options{Backend: options(t, "").Backend}))(t)
		defer l.Close()
		method := spec.Method{Name: "PHE grown", UpdateEpochs: 1, GrowBeyond: beyond}
		d := Device{Learner: l, All: all}.WithMethod(method)
		if beyond > 0 {
			d.seen = itemsSeen(all, m.Network.Columns, p)[1:]
		}
		var rows []int
		for step := range p.Steps {
			filetest.Check(t, d.Learn(p, step))
			rows = append(rows, d.tableRows())
		}
		filetest.Want(t, slices.Equal(rows, want),
			"beyond %g items a row, tables have %d rows step by step, want %d", beyond, rows, want)
		s := filetest.Must(l.Snapshot())(t)
		numbers := 0 // E and W, means and deviations
		for _, list := range s.Parameters[:4] {
			numbers += len(list)
		}
		said := grownConfig(spec.Config{Config: m.Config.Config}, method, 6).Encoder.NumParameters()
		filetest.WantEqual(t, said, numbers, "beyond %g items a row: numbers in tables", beyond)
	}
}

// A result tells the numbers that a grown method has at the end of its stream, where the frozen model has the numbers of the start. The
// last item to come makes the tables double here.
func TestGrowingRun(t *testing.T) {
	s := tinyOf(t, protocol.Growing)
	table := fixture.MustLoad(t, "adult")
	p, items := protocoltest.MustPlan(t, s.Protocol, table), task.Itemise(table)
	distinct := map[int32]bool{}
	var after []int // number of distinct items by the end of the initial phase and of each step
	for _, rows := range append([][]int32{p.Initial}, p.Steps...) {
		for _, row := range rows {
			for c := range table.Categorical {
				distinct[items.Index[int(row)*len(table.Categorical)+c]] = true
			}
		}
		after = append(after, len(distinct))
	}
	if after[1] == len(distinct) {
		t.Fatalf("the items by the end of steps are %d: none comes after the first step", after)
	}
	s.Model.Encoder.Hash = hash.CarterWegman
	c := s.Model.Encoder
	s.Methods = []spec.Method{{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1},
		{Name: "PHE grown", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1, GrowBeyond: (float64(len(distinct)) - 0.5) / float64(c.NumBuckets)}}
	f := inFull(t, s)
	small := 2 * (c.NumBuckets*c.EmbeddingDim + c.NumWeights*c.NumHashes)
	for name, want := range map[string]int{"PHE": small, "PHE grown": 2 * small} {
		filetest.WantEqual(t, methodOf(t, f, name, false).Parameters, want, "%s: numbers", name)
	}
	filetest.WantEqual(t, methodOf(t, f, "PHE", true).Parameters, small, "numbers of the frozen model")
}
