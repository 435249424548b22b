package picture

import (
	"fmt"
	"slices"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
)

const (
	initialColumns = 3  // of a timeline, left of the stream
	streamColumns  = 40 // at most; steps share them
)

// timeline is a plan as a picture: a line for each item of the column that keeps learning, in the order of arrival.
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

// Plans returns the picture of a data set's plan up to a place of its stream. The controls are "protocol", such as "by-group" for the
// spec DATASET-by-group, and "stream", in percent.
func Plans(dataset string) func(at play.Position) *draw.Figure {
	plans := map[string]*protocol.Plan{}
	return func(at play.Position) *draw.Figure {
		name := at.Text("protocol")
		if plans[name] == nil {
			_, plans[name] = TableOf(show.Must(spec.Load(dataset + "-" + name)))
		}
		return planned(plans[name], at.Count("stream"))
	}
}

// planned draws a plan up to a place of its stream, in percent.
func planned(plan *protocol.Plan, percent int) *draw.Figure {
	values := plan.Table.Categorical[plan.Table.Incremental].Values
	step := min(percent*len(plan.Steps)/100, len(plan.Steps)-1)
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
