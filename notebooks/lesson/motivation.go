package lesson

import (
	"fmt"
	"strings"

	"github.com/go-gota/gota/dataframe"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
	"gophe/notebooks/cell"
	"gophe/phe/terminal"
)

// recent is the number of steps that a point of Along averages.
const recent = 5

// Arrivals draws the accuracy of a result's methods along a stream on which something new arrives.
func Arrivals(f *result.File) *draw.Figure { return Along(f, -3, rivals(f)...) }

// Along draws the accuracy of methods along the stream of a result. A point is the mean over seeds and over up to five steps, of which none
// is from before the last change of the stream. The scale begins at low percent.
func Along(f *result.File, low float64, methods ...*result.Method) *draw.Figure {
	c := draw.New("Step of the stream", "Rows classified right (%)").X(0, float64(f.Stream.Steps)).Y(low, 103)
	for i, change := range f.Stream.Changes {
		c.At(float64(change.Step), short(f, i))
	}
	for _, m := range methods {
		x, y := make([]float64, f.Stream.Steps), make([]float64, f.Stream.Steps)
		for step := range x {
			x[step], y[step] = float64(step+1), 100*share(m, max(step-recent+1, begun(f, step)), step+1)
		}
		c.Line(m.Label(), x, y, look(m)...)
	}
	return c.Figure(fmt.Sprintf("%d steps, %s. A point is the mean over the last %d steps, but over none before the last dotted line.%s",
		f.Stream.Steps, terminal.Counted(len(f.Methods[0].Runs), "seed"), recent, changes(f)))
}

// Standings returns a table of a result: the accuracy (%) of each method between two changes, and over all steps.
func Standings(f *result.File) dataframe.DataFrame {
	names, last := []string{"method"}, len(f.Stream.Changes)-1
	for i := range f.Stream.Changes {
		names = append(names, short(f, i))
	}
	table := cell.NewRows(append(names, "all steps")...)
	for _, m := range rivals(f) {
		cells := []any{m.Label()}
		for i, change := range f.Stream.Changes {
			end := f.Stream.Steps
			if i < last {
				end = f.Stream.Changes[i+1].Step
			}
			cells = append(cells, 100*share(m, change.Step, min(end, f.Stream.Steps)))
		}
		table.Add(append(cells, 100*share(m, 0, f.Stream.Steps))...)
	}
	return table.Frame()
}

// rivals lists the first method of a result, its frozen model, and the other methods that learn or count.
func rivals(f *result.File) []*result.Method {
	first := f.Methods[0].Name
	list := []*result.Method{f.Method(first, false), f.Method(first, true)}
	for i := range f.Methods[1:] {
		if m := &f.Methods[i+1]; !m.Frozen {
			list = append(list, m)
		}
	}
	return list
}

// share returns the share of rows that a method classified right in steps from up to to, without to: the mean over seeds.
func share(m *result.Method, from, to int) float64 {
	right, rows := 0.0, 0.0
	for step := from; step < to; step++ {
		mean, n := 0.0, float64(m.Runs[0].Rows[step])
		for _, run := range m.Runs {
			mean += run.Accuracy[step] / float64(len(m.Runs))
		}
		right, rows = right+n*mean, rows+n
	}
	return right / rows
}

// look returns the options of a method's line.
func look(m *result.Method) []draw.Option {
	options := []draw.Option{draw.Method(m.Name)}
	switch {
	case m.Frozen:
		options = append(options, draw.Dashed())
	case m.Name == baseline.Majority, m.Name == baseline.ItemMajority:
		options = append(options, draw.Thin())
	}
	return options
}

// begun returns the step of the last change up to a step.
func begun(f *result.File, step int) (last int) {
	for _, change := range f.Stream.Changes {
		if change.Step <= step {
			last = change.Step
		}
	}
	return last
}

// short names a change of the stream: the group that begins, or the change's own words.
func short(f *result.File, change int) string {
	if f.Methods[0].Protocol == protocol.ByGroup {
		return fmt.Sprint("group ", change+2) // group 1 is the initial phase
	}
	return f.Stream.Changes[change].What
}

// changes lists the changes of a stream.
func changes(f *result.File) string {
	var said []string
	for i, change := range f.Stream.Changes {
		if name := short(f, i); name != change.What {
			said = append(said, name+" has "+change.What)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " In the stream " + strings.Join(said, "; ") + "."
}
