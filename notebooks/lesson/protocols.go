package lesson

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
	"gophe/notebooks/cell"
)

const (
	initialColumns = 3  // of a timeline, left of the stream
	streamColumns  = 40 // at most; steps share them
)

// timeline is a plan as a picture: a line for each item of the column that keeps learning, in the order of arrival. The first columns are
// 1 where the initial rows show the item. In each other one are its rows, as a share of its busiest column.
type timeline struct {
	items []string
	lines [][]float64
	steps int
}

// column returns the place of a step in a line.
func (t timeline) column(step int) int {
	return initialColumns + step*min(streamColumns, t.steps)/t.steps
}

func newTimeline(p *protocol.Plan) timeline {
	t, place := timeline{steps: len(p.Steps)}, map[string]int{}
	line := func(row int32) []float64 {
		item := p.Table.Categorical[p.Table.Incremental].Values[row]
		if _, known := place[item]; !known {
			place[item] = len(t.items)
			t.items, t.lines = append(t.items, item), append(t.lines, make([]float64, t.column(t.steps)))
		}
		return t.lines[place[item]]
	}
	for _, row := range p.Initial {
		copy(line(row), slices.Repeat([]float64{1}, initialColumns))
	}
	for step, rows := range p.Steps {
		for _, row := range rows {
			line(row)[t.column(step)]++
		}
	}
	for _, line := range t.lines {
		after := line[initialColumns:]
		floats.Scale(1/max(1, slices.Max(after)), after)
	}
	return t
}

// chart draws the timeline up to a step.
func (t timeline) chart(title string, step int) *draw.Chart {
	names := make([]string, len(t.lines[0]))
	for _, line := range t.lines {
		clear(line[t.column(step)+1:])
	}
	columns := len(names) - initialColumns
	for i := 0; i < columns; i += max(1, columns/4) {
		names[initialColumns+i] = fmt.Sprint("step ", 1+i*t.steps/columns)
	}
	return draw.New("", "").Title(title).Heat(t.lines).NamesX(names...).NamesY(t.items...).At(initialColumns-0.5, "stream")
}

// Plans returns the picture of a data set's plan up to a place of its stream. The controls are "protocol", such as "by-group" for the
// spec DATASET-by-group, and "stream", in percent.
func Plans(dataset string) func(at cell.Position) *draw.Figure {
	plans := map[string]*protocol.Plan{}
	return func(at cell.Position) *draw.Figure {
		name := at.Text("protocol")
		if plans[name] == nil {
			_, plans[name] = TableOf(cell.Must(spec.Load(dataset + "-" + name)))
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
	title := fmt.Sprintf("Step %d of %d: %d rows, %d of them with items never seen; %d items known",
		step+1, len(plan.Steps), len(plan.Steps[step]), fresh, len(known))
	caption := "The model predicts the last column before it learns it. What comes later, it does not know."
	if !plan.Scored {
		caption = "The model learns the last column, and is then tested on other rows of each group."
	}
	return newTimeline(plan).chart(title, step).Figure(caption)
}
