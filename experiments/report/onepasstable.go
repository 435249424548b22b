package report

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// onePassStream holds the two results of a stream: one pass, and the published methods.
type onePassStream struct {
	name           string
	own, published *result.File
}

// onePassStreams reads the results of one pass in a folder, with their series.
func onePassStreams(folder *result.Folder) ([]onePassStream, error) {
	var streams []onePassStream
	var absent error
	for _, spec := range spec.StudyMembers()["one-pass"] {
		s, err := readOnePassStream(folder, spec)
		if errors.Is(err, fs.ErrNotExist) {
			if absent == nil {
				absent = err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		streams = append(streams, s)
	}
	if len(streams) == 0 {
		return nil, absent
	}
	return streams, nil
}

// readOnePassStream reads a result of one pass, and the published result if it is there.
func readOnePassStream(folder *result.Folder, name string) (s onePassStream, err error) {
	own, err := spec.Load(name)
	if err != nil {
		return s, err
	}
	s.name = own.StreamOf
	if s.own, err = folder.Load(name); err != nil {
		return s, err
	}
	if s.published, err = folder.Load(s.name); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	return s, err
}

// metric returns the leading metric of the stream's protocol.
func (s onePassStream) metric() string { return measure.Metrics(&s.own.Methods[0])[0] }

// frozen returns the initial model of PHE. It prefers the published result.
func (s onePassStream) frozen() (*result.File, *result.Method) {
	for _, f := range []*result.File{s.published, s.own} {
		if f != nil {
			if m := f.Method("PHE", true); m != nil {
				return f, m
			}
		}
	}
	return nil, nil
}

// cell returns a method's leading metric as a table shows it.
func (s onePassStream) cell(f *result.File, name string, frozen bool) string {
	if f == nil {
		return "–"
	}
	m := f.Method(name, frozen)
	if m == nil {
		return "–"
	}
	mean, sd, _ := measure.OverSeeds(s.metric(), f, m)
	return measure.PlusMinus(mean, sd, 2)
}

// refittedCell returns the refitted regression's cell. It names the interval of the fits unless a fit follows every step.
func (s onePassStream) refittedCell() string {
	text := s.cell(s.own, compare.RefittedName, false)
	if every := refitEvery(s.own); text != "–" && every > 1 {
		text += fmt.Sprintf(" (every %d)", every)
	}
	return text
}

// refitEvery returns the number of steps between two fits of the refitted regression. Groups are fitted one by one.
func refitEvery(f *result.File) int {
	recorded := spec.Recorded(f.Manifest.Spec)
	if recorded.Protocol.Name == protocol.GroupWise {
		return 1
	}
	for _, m := range recorded.Methods {
		if m.Name == compare.RefittedName && m.RefitEvery > 0 {
			return m.RefitEvery
		}
	}
	return spec.UsualRefit
}

// leastGain returns the smallest gain of a seed over the frozen model, in points. It is nil if no seed can be paired.
func (s onePassStream) leastGain(m *result.Method) *float64 {
	f, frozen := s.frozen()
	if m == nil || frozen == nil {
		return nil
	}
	least := math.Inf(1)
	for i := range m.Runs {
		other := frozen.Run(m.Runs[i].Seed)
		if other == nil {
			continue
		}
		gained, ok := measure.Of(s.metric(), s.own, m, &m.Runs[i])
		was, okFrozen := measure.Of(s.metric(), f, frozen, other)
		if ok && okFrozen {
			least = min(least, gained-was)
		}
	}
	if math.IsInf(least, 1) {
		return nil
	}
	return &least
}

// regret returns a method's regret over seeds. The reference is in the published result, and without it the regret is nil.
func (s onePassStream) regret(m *result.Method) (mean, sd *float64, seeds int) {
	if m == nil || s.published == nil {
		return nil, nil, 0
	}
	var values []float64
	for i := range m.Runs {
		if value := measure.RegretAgainst(s.published, &m.Runs[i]); m.Runs[i].Status == result.Complete && !math.IsNaN(value) {
			values = append(values, value)
		}
	}
	return measure.MeanAndDeviation(values)
}

// onePassMarkdown renders the tables of one pass, with a row for each stream.
func onePassMarkdown(folder *result.Folder) (string, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprint(&b, "Accuracy in percent, mean and deviation over seeds: along the stream, or at its end where steps are whole groups. Frozen is the\n"+
		"initial model of PHE, and PHE its published update. One pass starts from nothing. Logistic regression is fitted to all the past again after\n"+
		"every step, and less often only where its cell names the number of steps between two fits.\n\n")
	columns(&b, streams, []string{"PHE, frozen", "PHE", "one pass", "refitted regression"}, func(s onePassStream) []string {
		f, _ := s.frozen()
		return []string{s.cell(f, "PHE", true), s.cell(s.published, "PHE", false), s.cell(s.own, compare.FromNothingName, false), s.refittedCell()}
	})
	fmt.Fprint(&b, "\nOne pass after the initial phase, and with a row for each item; and Adam on all parameters of PHE, head included.\n\n")
	columns(&b, streams, []string{"after initial phase", "exact rows", "exact rows, after", "PHE, all parameters"}, func(s onePassStream) []string {
		return []string{s.cell(s.own, compare.AfterName, false), s.cell(s.own, compare.ExactName, false), s.cell(s.own, compare.ExactAfterName, false), s.cell(s.own, "PHE all parameters", false)}
	})
	fmt.Fprint(&b, "\nOther models of one-hot items, learned in one pass.\n\n")
	columns(&b, streams, []string{"AdPredictor", "Bayesian regression"}, func(s onePassStream) []string {
		return []string{s.cell(s.own, "AdPredictor", false), s.cell(s.own, compare.BayesianName, false)}
	})
	fmt.Fprintf(&b, "\nThe worst seed less the frozen model, in points; and regret, errors in 1000 rows beyond those of %s, which learns from all the past.\n\n", measure.Reference)
	columns(&b, streams, []string{"one pass, worst", "after, worst", "one pass, regret", "after, regret"}, func(s onePassStream) []string {
		nothing, after := s.own.Method(compare.FromNothingName, false), s.own.Method(compare.AfterName, false)
		cells := []string{measure.Optional(s.leastGain(nothing), 2), measure.Optional(s.leastGain(after), 2)}
		for _, m := range []*result.Method{nothing, after} {
			mean, sd, _ := s.regret(m)
			cells = append(cells, measure.PlusMinus(mean, sd, 1))
		}
		return cells
	})
	fmt.Fprint(&b, "\nNumbers kept in memory: tables, head, covariances, and the rows that the refitted regression keeps.\n\n")
	columns(&b, streams, []string{"PHE", "one pass", "exact rows", "refitted regression"}, func(s onePassStream) []string {
		return []string{s.numbers("PHE", true), s.numbers(compare.FromNothingName, false), s.numbers(compare.ExactName, false), s.numbers(compare.RefittedName, false)}
	})
	b.WriteString(sizesMarkdown(streams))
	b.WriteString(orderMarkdown(streams))
	ratings, err := ratingPassStreams(folder)
	b.WriteString(ratingPassMarkdown(ratings))
	return b.String(), err
}

// sizesMarkdown renders one pass next to PHE by the number of buckets. It is empty without results.
func sizesMarkdown(streams []onePassStream) string {
	var b strings.Builder
	for _, s := range streams {
		for i := range s.own.Methods {
			m := &s.own.Methods[i]
			size, ok := strings.CutPrefix(m.Name, compare.FromNothingName+" B=")
			if !ok || m.Frozen {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", m.Dataset, size, s.cell(s.published, "PHE B="+size, false), s.cell(s.own, m.Name, false), m.TotalParameters)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nAccuracy in percent by the number of buckets B, and all numbers that one pass keeps.\n\n| data set | B | PHE | one pass | numbers |\n|---|---:|---:|---:|---:|\n" + b.String()
}

// orderMarkdown renders how far the order of the rows moves the accuracy at the end: the deviation over random orders, and the
// largest range. It is empty without results.
func orderMarkdown(streams []onePassStream) string {
	var b strings.Builder
	for _, s := range streams {
		for _, name := range []string{compare.FromNothingName, compare.AfterName, compare.ExactName} {
			sd, widest, orders := s.spread(name)
			if orders < 2 {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %.3f | %.2f |\n", s.own.Methods[0].Dataset, name, orders, sd, widest)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nAccuracy on held-out rows after the stream, whose rows come in random orders: deviation over the orders, mean over seeds, and the\n" +
		"widest range of a seed, in points.\n\n| data set | method | orders | deviation | range |\n|---|---|---:|---:|---:|\n" + b.String()
}

// spread returns the deviation over a method's orders, as a mean over seeds, and the largest range of a seed.
func (s onePassStream) spread(name string) (sd, widest float64, orders int) {
	return overOrders(s.own, name+" order ")
}

// overOrders returns the deviation over orders of the rows, as a mean over seeds, and the largest range of a seed. The names of the methods
// that differ in their order alone begin alike. A method that learns all rows at once has no order.
func overOrders(f *result.File, prefix string) (sd, widest float64, orders int) {
	bySeed := map[int64][]float64{}
	for i := range f.Methods {
		m := &f.Methods[i]
		if m.Frozen || !strings.HasPrefix(m.Name, prefix) || strings.HasSuffix(m.Name, " at once") {
			continue
		}
		orders++
		for k := range m.Runs {
			if value, ok := measure.Of(measure.FinalAverage, f, m, &m.Runs[k]); ok {
				bySeed[m.Runs[k].Seed] = append(bySeed[m.Runs[k].Seed], value)
			}
		}
	}
	for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
		values := bySeed[seed]
		if _, deviation, n := measure.MeanAndDeviation(values); n > 1 {
			sd += *deviation / float64(len(bySeed))
			widest = max(widest, slices.Max(values)-slices.Min(values))
		}
	}
	return sd, widest, orders
}

// columns renders a row for each stream.
func columns(b *strings.Builder, streams []onePassStream, headings []string, of func(onePassStream) []string) {
	fmt.Fprintf(b, "| stream | %s |\n|---|%s\n", strings.Join(headings, " | "), strings.Repeat("---:|", len(headings)))
	for _, s := range streams {
		if s.own.Method(compare.FromNothingName, false) == nil { // sizes and orders have tables of their own
			continue
		}
		if cells := of(s); slices.ContainsFunc(cells, func(c string) bool { return c != "–" }) {
			fmt.Fprintf(b, "| %s | %s |\n", s.name, strings.Join(cells, " | "))
		}
	}
}

// numbers returns the count of numbers that a method keeps.
func (s onePassStream) numbers(name string, frozen bool) string {
	m := s.own.Method(name, frozen)
	if m == nil || m.TotalParameters == 0 {
		return "–"
	}
	return fmt.Sprint(m.TotalParameters)
}

// onePassCells returns every method of the streams' results by its metrics. Methods that learn along a stream also have the least
// gain and the regret.
func onePassCells(folder *result.Folder) ([]compare.Cell, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return nil, err
	}
	var cells []compare.Cell
	for _, s := range streams {
		cells = append(cells, compare.Summary(s.own)...)
		for i := range s.own.Methods {
			m := &s.own.Methods[i]
			if m.Frozen || m.Hash == "" {
				continue
			}
			c := compare.Cell{Item: s.own.Name, Metric: s.metric(), Spec: s.own.Name}.Measure(s.own, m)
			if c.Metric, c.MeasuredSD, c.Measured = compare.LeastGain, nil, s.leastGain(m); c.Measured != nil {
				cells = append(cells, c)
			}
			if c.Metric = measure.Regret; slices.Contains(measure.Metrics(m), measure.Regret) {
				if c.Measured, c.MeasuredSD, c.Seeds = s.regret(m); c.Measured != nil {
					cells = append(cells, c)
				}
			}
		}
	}
	ratings, err := ratingPassStreams(folder)
	if err != nil {
		return nil, err
	}
	cells = append(cells, ratingPassCells(ratings)...)
	// The regret that a result has of itself is none: its reference stands in the published result.
	return slices.DeleteFunc(cells, func(c compare.Cell) bool { return c.Metric == measure.Regret && c.Measured == nil }), nil
}
