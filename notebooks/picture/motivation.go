package picture

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/data/tables"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/race"
	"gophe/notebooks/show"
	"gophe/phe/backend"
)

// Race returns a race of an experiment's methods in pure Go, which compiles in no time. If somebody watches, no step takes less than
// a twentieth of a second.
func Race(s spec.Spec) *race.Race {
	r := show.Must(race.New(s, show.Must(backend.Open(backend.Go))))
	if os.Getenv(play.HeadlessVariable) == "" {
		r.Pace = time.Second / 20
	}
	return r
}

// Groups returns the callback of play.Live that runs a race and draws its accuracy after each step.
func Groups(r *race.Race) func(ctx context.Context, draw func(*figures.Figure)) {
	return func(ctx context.Context, draw func(*figures.Figure)) {
		show.Check(r.Begin(ctx, Waiting(r, draw)))
		for step := range r.Steps(ctx) {
			for _, rival := range r.Rivals {
				show.Check(rival.Predict(step))
				show.Check(rival.Learn(step))
			}
			draw(Arrivals(r))
		}
	}
}

// Waiting returns a function that draws the empty axes of a race with the present work below, while the initial phase goes on.
func Waiting(r *race.Race, draw func(*figures.Figure)) func(doing string) {
	return func(doing string) { draw(arrivals(r).Figure(doing)) }
}

// recent is the number of steps that a point of Arrivals averages.
const recent = 5

// Arrivals draws the accuracy of a race's rivals so far. A point is the mean over up to five steps, of which none is from before the
// last change of the stream.
func Arrivals(r *race.Race) *figures.Figure {
	c := arrivals(r)
	for _, m := range r.Rivals {
		x, y := make([]float64, len(m.Accuracy)), make([]float64, len(m.Accuracy))
		for step := range x {
			from := max(step-recent+1, begun(r, step))
			x[step], y[step] = float64(step+1), 100*r.Mean(m, from, step+1)
		}
		c.Line(m.Label(), x, y, look(m)...)
	}
	return c.Figure(fmt.Sprintf("%d of %d steps, %s. A point is the mean over the last %d steps, but over none before the last dotted line.%s",
		r.Done(), len(r.Plan.Steps), counted(len(r.Spec.Seeds), "seed"), recent, changes(r)))
}

// look returns the options of a rival's line.
func look(m *race.Rival) []draw.Option {
	options := []draw.Option{draw.Method(m.Name)}
	switch {
	case m.Frozen:
		options = append(options, draw.Dashed())
	case m.IsRule:
		options = append(options, draw.Thin())
	}
	return options
}

// arrivals returns the axes of Arrivals.
func arrivals(r *race.Race) *draw.Chart {
	return alongSteps(r, "Rows classified right (%)").Y(-3, 103)
}

// alongSteps returns axes along a race's stream, with a dotted line for each change of the stream.
func alongSteps(r *race.Race, label string) *draw.Chart {
	c := draw.New("Step of the stream", label).X(0, float64(len(r.Plan.Steps)))
	for i, change := range r.Plan.Changes {
		c.At(float64(change.Step), short(r, i))
	}
	return c
}

// begun returns the step of the last change up to a step.
func begun(r *race.Race, step int) (last int) {
	for _, change := range r.Plan.Changes {
		if change.Step <= step {
			last = change.Step
		}
	}
	return last
}

// short names a change of the stream: the group that begins, or the change's own words.
func short(r *race.Race, change int) string {
	if r.Spec.Protocol.Name == protocol.ByGroup {
		return fmt.Sprint("group ", change+2) // group 1 is the initial phase
	}
	return r.Plan.Changes[change].What
}

// changes lists the changes of a stream.
func changes(r *race.Race) string {
	var said []string
	for i, change := range r.Plan.Changes {
		if name := short(r, i); name != change.What {
			said = append(said, name+" has "+change.What)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " In the stream " + strings.Join(said, "; ") + "."
}

// counted writes a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Standings returns a table of a race: the accuracy (%) of each rival between two changes, and over all steps so far.
func Standings(r *race.Race) dataframe.DataFrame {
	var names []string
	for _, m := range r.Rivals {
		names = append(names, m.Label())
	}
	columns := []series.Series{series.New(names, series.String, "method")}
	add := func(title string, from, to int) {
		if to = min(to, r.Done()); from >= to {
			return
		}
		values := make([]float64, len(r.Rivals))
		for i, m := range r.Rivals {
			values[i] = 100 * r.Mean(m, from, to)
		}
		columns = append(columns, series.New(values, series.Float, title))
	}
	for i, change := range r.Plan.Changes {
		end := len(r.Plan.Steps)
		if i+1 < len(r.Plan.Changes) {
			end = r.Plan.Changes[i+1].Step
		}
		add(short(r, i), change.Step, end)
	}
	add("all steps", 0, len(r.Plan.Steps))
	return dataframe.New(columns...)
}

// GroupRows returns a table of a data set's groups: their items, the numbers of their rows, and the share of the second class.
func GroupRows(t *tables.Table, groups []tables.Group) dataframe.DataFrame {
	list := show.NewRows("group", "items", "rows to learn", "rows to test", "% "+t.Classes[1]+" in the test")
	for i, g := range groups {
		positive := 0
		for _, row := range g.Test {
			positive += int(t.Labels[row])
		}
		list.Add(fmt.Sprint("group ", i+1), strings.Join(g.Items, ", "), len(g.Train), len(g.Test), 100*float64(positive)/float64(len(g.Test)))
	}
	return list.Frame()
}

// BeforeAndAfter returns a table of a result of protocol group: the accuracy (%) of the named methods on the test rows of each group,
// before and after the group was learned. Values are means over seeds.
func BeforeAndAfter(f *result.File, labels ...string) dataframe.DataFrame {
	table := show.NewRows("method", "group", "before", "after")
	for _, label := range labels {
		for _, m := range f.Methods {
			if m.Label() != label {
				continue
			}
			for set, test := range f.Stream.Tests {
				earlier := set - 1
				if set == 0 {
					earlier = result.Untrained
				}
				table.Add(label, test.Name, tested(m, set, earlier), tested(m, set, set))
			}
		}
	}
	return table.Frame()
}

// tested returns a method's accuracy (%) on a test after a number of steps, mean over seeds.
func tested(m result.Method, set, after int) (mean float64) {
	for _, run := range m.Runs {
		for _, score := range run.Tests {
			if score.Set == set && score.After == after {
				mean += 100 * score.Accuracy / float64(len(m.Runs))
			}
		}
	}
	return mean
}
