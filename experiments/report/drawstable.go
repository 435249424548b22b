package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/table"
)

// overDraws holds a method's scores by all draws.
type overDraws struct {
	name            string
	all             measure.Row // with the runs of all draws
	metric          *measure.Metric
	draws           map[string][]float64 // by the draw: scores of the seeds, in the metric's unit
	epochs, seconds []float64            // of each run: epochs of a step, and seconds of updates
	ofAda           string               // the difference to the best Ada of each draw, with a verdict
}

// methodsOverDraws returns the methods of results over draws, in their order, and the specs whose results are not whole.
func (s *source) methodsOverDraws(specs []string) (methods []*overDraws, missing []string) {
	for _, spec := range specs {
		f := s.find(spec)
		if f == nil || f.Status == result.Partial {
			missing = append(missing, spec)
			continue
		}
		for _, r := range measure.Rows(f) {
			metric := r.Leading()
			name, draw := ofDraw(r)
			scores := r.Values(metric)
			if len(scores) == 0 { // all seeds have diverged, or none has run
				continue
			}
			at := slices.IndexFunc(methods, func(o *overDraws) bool { return o.name == name })
			if at < 0 {
				at = len(methods)
				all := *r.Method
				all.Name, all.Runs = strings.TrimSuffix(name, " (frozen)"), nil
				methods = append(methods, &overDraws{name: name, all: measure.Row{File: f, Method: &all}, metric: measure.Named(metric),
					draws: map[string][]float64{}})
			}
			own := methods[at]
			own.all.Runs = append(own.all.Runs, r.Runs...)
			own.draws[draw] = append(own.draws[draw], scores...)
			for _, run := range r.Runs {
				if run.Status == result.Complete && !r.Frozen {
					own.epochs = append(own.epochs, float64(run.UpdateSteps)/float64(f.Stream.Steps))
					own.seconds = append(own.seconds, run.Seconds.Update)
				}
			}
		}
	}
	return methods, missing
}

// lessBest returns how far a method lies above the best Ada of the same draw, over draws, and the mean of these Adas. A method with the
// remedy meets the Adas with the remedy, if they have run. The difference has no mean without several draws.
func (o *overDraws) lessBest(all []*overDraws) (less, best measure.Estimate) {
	of := func(suffix string) []*overDraws {
		return slices.DeleteFunc(slices.Clone(all), func(other *overDraws) bool { return !strings.HasSuffix(other.name, suffix) })
	}
	rivals, choose := of("Ada"), slices.Max[[]float64]
	if remedied := of("Ada remedy"); strings.Contains(o.name, "remedy") && len(remedied) > 0 {
		rivals = remedied
	}
	if o.metric.Less {
		choose = slices.Min
	}
	if strings.Contains(o.name, "Ada") || len(o.draws) == 1 {
		return less, best
	}
	var apart, bests []float64
	for draw, seeds := range o.draws {
		var means []float64
		for _, ada := range rivals {
			if own := ada.draws[draw]; own != nil {
				means = append(means, *measure.Over(own).Mean)
			}
		}
		if means != nil {
			bests = append(bests, choose(means))
			apart = append(apart, *measure.Over(seeds).Mean-choose(means))
		}
	}
	slices.Sort(apart) // sums in one order have the same digits
	slices.Sort(bests)
	return measure.Over(apart), measure.Over(bests)
}

// judge fills the differences to the best Ada in, with verdicts: Holm's adjustment is over all methods of all readings of the table.
func judge(readings [][]*overDraws) {
	var ps []*float64
	var fill []func()
	for _, all := range readings {
		for _, o := range all {
			less, best := o.lessBest(all)
			o.ofAda = "–"
			if less.SD == nil {
				continue
			}
			_, p := less.Half()
			ps = append(ps, &p)
			fill = append(fill, func() {
				o.ofAda = less.Interval(o.metric.Digits) + ", " + less.Verdict(o.metric, *best.Mean, p)
			})
		}
	}
	measure.Holm(ps)
	for _, each := range fill {
		each()
	}
}

// means returns the mean of each draw.
func (o *overDraws) means() (means []float64) {
	for _, draw := range slices.Sorted(maps.Keys(o.draws)) {
		means = append(means, *measure.Over(o.draws[draw]).Mean)
	}
	return means
}

// cells returns the cells of a method, in the order of the headings. The first has, over draws, the mean, the deviation between draws and
// in brackets, the standard error over draws; with one draw, the deviation is over seeds.
func (o *overDraws) cells() []string {
	means, runs := o.means(), o.all.Values(o.metric.Name)
	worst, digits, draw, seconds := slices.Min[[]float64], o.metric.Digits, "–", "–"
	if o.metric.Less {
		worst = slices.Max
	}
	mean := measure.Over(runs).Text(digits)
	if between := measure.Over(means); len(means) > 1 {
		mean = fmt.Sprintf("%s (%.*f)", between.Text(digits), digits, *between.SD/math.Sqrt(float64(len(means))))
		draw = fmt.Sprintf("%.*f", digits, worst(means))
	}
	if o.seconds != nil {
		seconds = fmt.Sprintf("%.3g", slices.Min(o.seconds)) // the run that other work on the machine disturbed least
	}
	return []string{mean, fmt.Sprintf("%s, %.*f", draw, digits, worst(runs)),
		measure.Optional(measure.Over(o.epochs).Mean, 0), seconds, o.ofAda, fmt.Sprintf("%d × %d", len(means), len(runs)/len(means))}
}

// moreOfDraws are the headings behind a reading's first column.
var moreOfDraws = []string{"worst draw, worst run", "epochs a step", "s of updates", "less the best Ada", "draws × seeds"}

// drawsTable shows readings of one table beside each other. A reading is "NAME=SPEC SPEC…": its first column has a method's mean and
// deviation between draws, and its other columns have its name in front. "paper=Table 1/adult" is the paper's row. Rows are in
// the order of the last reading, with those of earlier ones behind. A reading without a result waits for its run.
func (s *source) drawsTable(readings ...string) table.Page {
	headings, columns := []string{"method"}, []func(method string) []string{}
	var rows, waiting []string
	var judged [][]*overDraws
	for _, reading := range readings {
		name, specs, named := strings.Cut(reading, "=")
		prefix := name + ": "
		if !named {
			name, prefix, specs = "mean ±", "", reading
		}
		headings = append(headings, name)
		if item, dataset, ofPaper := strings.Cut(specs, "/"); ofPaper {
			columns = append(columns, func(method string) []string {
				number, _ := paperNumber(item, dataset, method)
				return []string{cmp.Or(number, "–")}
			})
			continue
		}
		for _, heading := range moreOfDraws {
			headings = append(headings, prefix+heading)
		}
		all, missing := s.methodsOverDraws(strings.Fields(specs))
		empty := map[bool]string{true: "waits", false: "–"}[missing != nil]
		waiting, judged = append(waiting, missing...), append(judged, all)
		for i, o := range all {
			rows = slices.Insert(slices.DeleteFunc(rows, func(method string) bool { return method == o.name }), i, o.name)
		}
		columns = append(columns, func(method string) []string {
			if at := slices.IndexFunc(all, func(o *overDraws) bool { return o.name == method }); at >= 0 {
				return all[at].cells()
			}
			return slices.Repeat([]string{empty}, 1+len(moreOfDraws))
		})
	}
	judge(judged)
	t := table.New(1, headings...)
	for _, method := range rows {
		row := []string{method}
		for _, cells := range columns {
			row = append(row, cells(method)...)
		}
		t.Rows = append(t.Rows, row)
	}
	if waiting == nil {
		return t.Page()
	}
	note := table.Table{Above: "*Waits for `phe run " + strings.Join(waiting, "`, `phe run ") + "`.*\n"}
	if rows == nil {
		return note.Page()
	}
	return table.Page{*t, note}
}

// over returns a cell of a result's table over draws.
func (s *source) over(spec, method, column string) string {
	t := s.drawsTable(spec)[0]
	at := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Name == column })
	row := slices.IndexFunc(t.Rows, func(row []string) bool { return row[0] == method })
	switch {
	case t.Rows == nil:
		return "(waits for `phe run " + spec + "`)"
	case at < 0 || row < 0:
		s.failf("the result of %s has no %q of %q over draws", spec, column, method)
		return ""
	}
	return t.Rows[row][at]
}
