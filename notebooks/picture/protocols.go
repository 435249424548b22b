package picture

import (
	"fmt"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"gonum.org/v1/plot/vg"

	"gophe/data/tables"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/phe"
	"gophe/phe/backend"
	"gophe/phe/belief"
	"gophe/phe/learn"
)

const (
	initialColumns = 3  // of a timeline, left of the stream
	streamColumns  = 40 // at most; steps share them
)

// timeline is a plan as a picture: a line for each item of the column that goes on learning, in the order of arrival.
type timeline struct {
	items    []string
	initial  []float64   // 1 where the initial rows show the item
	arrivals [][]float64 // [item][column] rows of the item, as a share of its busiest column
	steps    int
}

func newTimeline(p *protocol.Plan) timeline {
	values := p.Table.Categorical[p.Table.Incremental].Values
	t, place := timeline{steps: len(p.Steps)}, map[string]int{}
	columns := min(streamColumns, len(p.Steps))
	find := func(row int32) int {
		i, known := place[values[row]]
		if !known {
			i = len(t.items)
			place[values[row]] = i
			t.items, t.initial = append(t.items, values[row]), append(t.initial, 0)
			t.arrivals = append(t.arrivals, make([]float64, columns))
		}
		return i
	}
	for _, row := range p.Initial {
		t.initial[find(row)] = 1
	}
	for step, rows := range p.Steps {
		for _, row := range rows {
			i := find(row)
			t.arrivals[i][step*columns/len(p.Steps)]++
		}
	}
	for _, counts := range t.arrivals {
		if most := slices.Max(counts); most > 0 {
			for i := range counts {
				counts[i] /= most
			}
		}
	}
	return t
}

// chart draws the timeline's columns before a number of them.
func (t timeline) chart(title string, shown int) *draw.Chart {
	cells := make([][]float64, len(t.items))
	for i := range cells {
		cells[i] = slices.Repeat(t.initial[i:i+1], initialColumns)
		cells[i] = append(cells[i], t.arrivals[i]...)
		clear(cells[i][initialColumns+shown:])
	}
	names := make([]string, initialColumns+len(t.arrivals[0]))
	for i := range t.arrivals[0] {
		if every := max(1, len(t.arrivals[0])/4); i%every == 0 {
			names[initialColumns+i] = fmt.Sprint("step ", 1+i*t.steps/len(t.arrivals[0]))
		}
	}
	return draw.New("", "").Title(title).Heat(cells).NamesX(names...).NamesY(t.items...).At(initialColumns-0.5, "stream")
}

// Timelines draws plans side by side: for each item of the column that goes on learning, the times at which its rows come.
func Timelines(titles []string, plans []*protocol.Plan) *figures.Figure {
	var charts []*draw.Chart
	for i, p := range plans {
		t := newTimeline(p)
		charts = append(charts, t.chart(titles[i], len(t.arrivals[0])).Size(9*vg.Centimeter, 7*vg.Centimeter))
	}
	return draw.Row("Left of the dotted line: the items of the initial rows. Right of it: the item's rows in the stream, darkest where most of them come.", charts...)
}

// Plans holds plans by name.
type Plans map[string]*protocol.Plan

// At draws a plan up to a place of its stream. The controls are "protocol" and "stream", in percent.
func (p Plans) At(at play.Position) *figures.Figure {
	plan := p[at.Text("protocol")]
	values := plan.Table.Categorical[plan.Table.Incremental].Values
	step := min(at.Count("stream")*len(plan.Steps)/100, len(plan.Steps)-1)
	known := map[string]bool{}
	for _, row := range slices.Concat(append([][]int32{plan.Initial}, plan.Steps[:step]...)...) {
		known[values[row]] = true
	}
	fresh := 0
	for _, row := range plan.Steps[step] {
		if !known[values[row]] {
			fresh++
		}
	}
	t := newTimeline(plan)
	title := fmt.Sprintf("Step %d of %d: %d rows, %d of them with items never seen; %d items known",
		step+1, len(plan.Steps), len(plan.Steps[step]), fresh, len(known))
	caption := "The model predicts the last column before it learns it. What comes later, it does not know."
	if !plan.Scored {
		caption = "The model learns the last column, and is then tested on other rows of each group."
	}
	return t.chart(title, step*len(t.arrivals[0])/len(plan.Steps)+1).Figure(caption)
}

// AccuracyAlong draws the accuracy of methods along a stream, means over seeds. Dotted lines are the stream's changes. It does not smooth, since
// what happens at a change is of interest.
func AccuracyAlong(f *result.File, methods []string) *figures.Figure {
	c := draw.New("Step", "Accuracy (%)").Y(-3, 103)
	for i, change := range f.Stream.Changes {
		c.At(float64(change.Step), fmt.Sprint("group ", i+2))
	}
	for _, name := range methods {
		m := f.Method(name, false)
		if m == nil {
			continue
		}
		accuracy := make([]float64, f.Stream.Steps)
		for _, run := range m.Runs {
			for step, share := range run.Accuracy {
				accuracy[step] += 100 * share / float64(len(m.Runs))
			}
		}
		c.Line(name, nil, accuracy, draw.Method(name))
	}
	return c.Figure(fmt.Sprintf("Scored before each update; means over %d seeds.", len(f.Methods[0].Runs)))
}

// Score returns the mean of a metric over a method's seeds, not a number where no seed has it.
func Score(metric string, f *result.File, m *result.Method) float64 {
	return show.Value(measure.Row{File: f, Method: m}.Mean(metric))
}

// Scored returns the number of rows on which a method was scored, of one seed.
func Scored(m *result.Method) (rows float64) {
	for _, n := range m.Runs[0].Rows {
		rows += float64(n)
	}
	return rows
}

// Samples returns the numbers of samples that a model draws in training and in prediction, as a text. A point estimate has one.
func Samples(c learn.Config) string {
	if c.Encoder.Estimate == phe.Point {
		return "1"
	}
	return fmt.Sprintf("%d in training, %d in prediction", c.TrainSamples, c.TestSamples)
}

// Classifier returns a learner of a spec's method for seed 0, and the table as the learner reads it. It runs in pure Go, which starts
// at once, and is for few steps.
func Classifier(s spec.Spec, m spec.Method, t *tables.Table, p *protocol.Plan) (*learn.Learner, *learn.Batch) {
	c := s.Config(m, len(Items(t.Categorical))).Config
	l, all, err := run.NewClassifier(show.Must(backend.Open(backend.Go)), c, t, p.LargestStep())
	show.Check(err)
	return l, all
}

// Moved counts what differs between two beliefs of a learner: rows of E, rows of W, and numbers of θ.
func Moved(before, after learn.Beliefs) (rows, weights, head int) {
	for i, list := range after.Theta {
		for k, v := range list {
			if v != before.Theta[i][k] {
				head++
			}
		}
	}
	return movedRows(before.E, after.E), movedRows(before.W, after.W), head
}

func movedRows(before, after belief.Table) (moved int) {
	for row := range after.Rows() {
		mean, variance := after.Row(row)
		oldMean, oldVariance := before.Row(row)
		if !slices.Equal(mean, oldMean) || !slices.Equal(variance, oldVariance) {
			moved++
		}
	}
	return moved
}

// Updates returns a table of the numbers that one block moves under PHE, FastAda, P-EE and EE.
func Updates(s spec.Spec, moved func(spec.Spec, spec.Method) (rows, weights, head int)) dataframe.DataFrame {
	table := show.NewRows("method", "rows of E that moved", "of", "rows of W", "numbers of θ")
	for _, name := range []string{"PHE", "FastAda", "P-EE", "EE"} {
		m := s.Methods[slices.IndexFunc(s.Methods, func(m spec.Method) bool { return m.Name == name })]
		t, _ := TableOf(s)
		rows, weights, head := moved(s, m)
		table.Add(name, rows, s.Config(m, len(Items(t.Categorical))).Encoder.TableRows(), weights, head)
	}
	return table.Frame()
}
