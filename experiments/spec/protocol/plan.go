package protocol

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/labelled"
	"gophe/data/splits"
	"gophe/experiments/result"
)

// Plan is a protocol applied to a table. It lists the rows of each step and the times of the tests.
type Plan struct {
	*labelled.Stream
	Scored    bool     // each step's rows are predicted before they are learned
	Untrained bool     // tests are also taken of parameters as drawn
	Days      []string // of each step, where steps are days
	Users     []int    // seen by the end of each step, of ratings
	TestEvery int      // steps between two tests; 0 leaves only the tests before the first step and after the last

	scoreSteps int // steps that share a score of the result; 0 is 1
}

// NewPlan cuts the table as the protocol says.
func NewPlan(p Spec, t *labelled.Table) (*Plan, error) {
	made, err := cut(p, t)
	if err == nil && p.Validation > 0 {
		return made.validation(p)
	}
	return made, err
}

// cut returns the plan before validation rows are held out.
func cut(p Spec, t *labelled.Table) (*Plan, error) {
	switch p.Name {
	case GroupWise:
		groups, err := t.GroupSplit(p.Groups, p.Cut)
		if err != nil {
			return nil, err
		}
		s := &labelled.Stream{Table: t, Initial: groups[0].Train, Tests: groupTests(groups)}
		for _, g := range groups[1:] {
			s.Steps = append(s.Steps, g.Train)
		}
		return (&Plan{Stream: s, Untrained: true, TestEvery: 1}).Limit(p)
	case Adaptation:
		groups, err := t.GroupSplit(2, p.Cut)
		if err != nil {
			return nil, err
		}
		s := &labelled.Stream{Table: t, Initial: groups[0].Train, Tests: groupTests(groups[:1])}
		s.Steps = p.first(slices.Collect(slices.Chunk(slices.Concat(groups[1].Train, groups[1].Test), 1)))
		return p.scored(s, nil)
	case InOrder:
		return p.scored(p.inOrder(t))
	case ByGroup:
		return p.scored(t.ByGroup(p.Groups, p.ChunkRows, p.MaxChunks))
	case Growing:
		return p.scored(t.Growing(p.ChunkRows, p.MaxChunks))
	case Swapped:
		return p.scored(t.Swapped(p.InitialFraction, p.ChunkRows, p.MaxChunks))
	}
	return online(p, t)
}

// scored returns the plan of a stream whose steps are all predicted before they are learned. It passes an error on.
func (p Spec) scored(s *labelled.Stream, err error) (*Plan, error) {
	if err != nil {
		return nil, err
	}
	return (&Plan{Stream: s, Scored: true, TestEvery: p.TestEvery, scoreSteps: p.ScoreSteps}).Limit(p)
}

// first returns the first max_chunks steps, or all of them where it is 0.
func (p Spec) first(steps [][]int32) [][]int32 {
	if p.MaxChunks > 0 {
		return steps[:min(p.MaxChunks, len(steps))]
	}
	return steps
}

// online is the stream of Sec. 4.2. For protocol Order the rows that it leaves out are a test.
func online(p Spec, t *labelled.Table) (*Plan, error) {
	split, err := t.OnlineSplit(p.InitialFraction, p.ChunkRows)
	if err != nil {
		return nil, err
	}
	if p.AllRows {
		split.Initial = split.Initial.Whole()
		for i, chunk := range split.Chunks {
			split.Chunks[i] = chunk.Whole()
		}
	}
	s := &labelled.Stream{Table: t, Initial: split.Initial.Scored}
	heldOut := slices.Clone(split.Initial.HeldOut)
	for _, chunk := range split.Chunks {
		if len(chunk.Scored) == 0 { // a last chunk of one row has four fifths of nothing to score
			continue
		}
		if p.MaxChunks > 0 && len(s.Steps) == p.MaxChunks {
			break
		}
		s.Steps = append(s.Steps, chunk.Scored)
		heldOut = append(heldOut, chunk.HeldOut...)
	}
	if len(s.Steps) == 0 || len(s.Initial) == 0 {
		return nil, errors.Errorf("initial_fraction %g and chunk_rows %d leave %d initial rows and %d steps of the %d rows of %s; "+
			"both need some", p.InitialFraction, p.ChunkRows, len(s.Initial), len(s.Steps), t.NumRows(), t.Name)
	}
	if p.Name == Order {
		s.Tests = []splits.Test{{Name: "held out", Rows: heldOut}}
	}
	return p.scored(s, nil)
}

func groupTests(groups []labelled.Group) (tests []splits.Test) {
	for i, g := range groups {
		tests = append(tests, splits.Test{Name: fmt.Sprint("group ", i+1), Items: g.Items, Train: len(g.Train), Rows: g.Test})
	}
	return tests
}

// Limit takes max_test_rows of each test set, evenly spaced. It refuses a plan that has nothing to learn or to test.
func (p *Plan) Limit(spec Spec) (*Plan, error) {
	for i := range p.Tests {
		rows := p.Tests[i].Rows
		if n := spec.MaxTestRows; n > 0 && n < len(rows) {
			some := make([]int32, n)
			for k := range some {
				some[k] = rows[k*len(rows)/n]
			}
			p.Tests[i].Rows = some
		}
		if len(rows) == 0 {
			return p, errors.Errorf("test %q of protocol %q has no rows; the table is too small", p.Tests[i].Name, spec.Name)
		}
	}
	if len(p.Initial) == 0 || len(p.Steps) == 0 {
		return p, errors.Errorf("protocol %q leaves %d initial rows and %d steps; both need some", spec.Name, len(p.Initial), len(p.Steps))
	}
	return p, nil
}

// Arranged returns the plan with the stream's rows in a method's order. The steps keep their sizes, except for AtOnce.
func (p *Plan) Arranged(a Arrival, draw int) *Plan {
	if a == AsItComes {
		return p
	}
	rows := slices.Concat(p.Steps...)
	switch a {
	case Shuffled:
		rng := rand.New(rand.NewPCG(1234, 1+uint64(draw)))
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	case Reversed:
		slices.Reverse(rows)
	case ByItem:
		items := p.Table.Categorical[p.Table.Incremental].Values
		slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(items[a], items[b]) })
	}
	stream := *p.Stream
	stream.Steps, stream.Changes = nil, nil
	if a == AtOnce {
		stream.Steps = [][]int32{rows}
	} else {
		for _, step := range p.Steps {
			stream.Steps = append(stream.Steps, rows[:len(step):len(step)])
			rows = rows[len(step):]
		}
	}
	other := *p
	other.Stream = &stream
	return &other
}

// TestsAfter reports whether tests are taken after a number of steps.
func (p *Plan) TestsAfter(steps int) bool {
	return len(p.Tests) > 0 && (steps == 0 || steps == len(p.Steps) || p.TestEvery > 0 && steps%p.TestEvery == 0)
}

// Shares reports whether a step shares the score of the step before it.
func (p *Plan) Shares(step int) bool { return p.scoreSteps > 1 && step%p.scoreSteps > 0 }

// LargestStep is the most rows that a step brings.
func (p *Plan) LargestStep() (most int) {
	for _, step := range p.Steps {
		most = max(most, len(step))
	}
	return most
}

// Describe returns the plan as the result file holds it.
func (p *Plan) Describe() result.Stream {
	d := result.Stream{Initial: len(p.Initial), Steps: len(p.Steps), Days: p.Days, Users: p.Users}
	for _, c := range p.Changes {
		d.Changes = append(d.Changes, result.Change{Step: c.Step, What: c.What})
	}
	for _, t := range p.Tests {
		d.Tests = append(d.Tests, result.Test{Name: t.Name, Items: t.Items, Train: t.Train, Rows: len(t.Rows)})
	}
	return d
}

// validation returns the plan for choosing hyperparameters: a share of the initial rows is held out and replaces the
// stream, in steps of the stream's size. Each step is predicted, scored, then learned. No row of the stream or of a test is in it.
// Protocols whose steps are groups or single rows take one step. Protocol in-order holds out the last of the initial rows. The
// others draw the rows at random, since their initial rows may be sorted.
func (p *Plan) validation(spec Spec) (*Plan, error) {
	rows := slices.Clone(p.Initial)
	if spec.Name != InOrder { // the seed is not the run's: all runs are scored on the same rows
		rows = splits.Shuffled(splits.NewRandomState(), rows)
	}
	held := int(math.Round(spec.Validation * float64(len(rows))))
	if held < 1 || held >= len(rows) {
		return nil, errors.Errorf("validation %g of %d initial rows holds out %d of them; it must leave some on both sides",
			spec.Validation, len(rows), held)
	}
	train, rest := rows[:len(rows)-held:len(rows)-held], rows[len(rows)-held:]
	size := held
	if spec.ChunkRows > 0 {
		size = p.LargestStep()
	}
	steps := spec.first(slices.Collect(slices.Chunk(rest, size)))
	return &Plan{Stream: &labelled.Stream{Table: p.Table, Initial: train, Steps: steps}, Scored: true}, nil
}

// inOrder takes the rows of a table as they come: the first ones are initial, and the others make steps. Every row is scored.
func (p Spec) inOrder(t *labelled.Table) (*labelled.Stream, error) {
	n := t.NumRows()
	initial := int(p.InitialFraction * float64(n))
	if initial == 0 {
		return nil, errors.Errorf("initial_fraction %g leaves no initial row of the %d rows of %s; give more", p.InitialFraction, n, t.Name)
	}
	steps := slices.Collect(slices.Chunk(splits.Span{First: initial, End: n}.Rows(), p.ChunkRows))
	return &labelled.Stream{Table: t, Initial: splits.Span{End: initial}.Rows(), Steps: p.first(steps)}, nil
}
