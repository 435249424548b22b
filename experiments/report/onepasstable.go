package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/table"
)

// The methods that the table of one pass names.
const (
	fromNothing    = "One pass"
	afterName      = "One pass after initial phase"
	exactName      = "One pass, exact rows"
	exactAfterName = "One pass, exact rows after initial phase"
	refittedName   = "Refitted logistic regression"
	bayesianName   = "Bayesian logistic regression"
)

// onePassStream holds the two results of a stream: one pass, and the published methods.
type onePassStream struct {
	name           string
	own, published *result.File
}

// onePassStreams reads the results of one pass. At least one must be there.
func (s *source) onePassStreams() []onePassStream {
	streams := s.streamsOf("one-pass")
	if len(streams) == 0 {
		s.get(spec.StudyMembers()["one-pass"][0])
	}
	return streams
}

// streamsOf reads the results of a study, with their series. It leaves out missing results: some data may not be passed on.
func (s *source) streamsOf(study string) (streams []onePassStream) {
	for _, name := range spec.StudyMembers()[study] {
		recorded, err := spec.Load(name)
		s.fail(err)
		own, published := s.load(s.find(name)), s.load(s.find(recorded.StreamOf))
		if own != nil {
			streams = append(streams, onePassStream{recorded.StreamOf, own, published})
		}
	}
	return streams
}

// metric returns the leading metric of the stream's protocol.
func (s onePassStream) metric() string { return measure.Rows(s.own)[0].Leading() }

// Labels of rows in the published result. All other labels are of the result of one pass.
const (
	publishedPHE = "published PHE"
	publishedPEE = "published P-EE"
	frozenPHE    = "frozen PHE" // of the published result, or else of the result of one pass
)

// row finds a method's result. Labels that begin with "published " are looked up in the published result.
func (s onePassStream) row(label string) measure.Row {
	if label == frozenPHE {
		if r := measure.Find(s.published, "PHE (frozen)"); r.Method != nil {
			return r
		}
		return measure.Find(s.own, "PHE (frozen)")
	}
	if name, ok := strings.CutPrefix(label, "published "); ok {
		return measure.Find(s.published, name)
	}
	return measure.Find(s.own, label)
}

// score returns the best mean of some methods, by the leading metric. It is nil if the results have none of them.
func (s onePassStream) score(labels ...string) (best *float64) {
	for _, label := range labels {
		if score := s.row(label).Mean(s.metric()); score != nil && (best == nil || *score > *best) {
			best = score
		}
	}
	return best
}

// cell returns a method's leading metric as a table shows it.
func (s onePassStream) cell(r measure.Row) string { return r.Over(s.metric()).Text(2) }

// lessCell returns how far one pass is ahead of a method.
func (s onePassStream) lessCell(r measure.Row) string {
	return s.row(fromNothing).Less(r, s.metric()).Interval(2)
}

// refittedCell returns the refitted regression's cell. It names the interval of the fits unless a fit follows every step.
func (s onePassStream) refittedCell(r measure.Row) string {
	text := s.cell(r)
	if every := refitEvery(s.own); text != "–" && every > 1 {
		text += fmt.Sprintf(" (every %d)", every)
	}
	return text
}

// refitEvery returns the number of steps between two fits of the refitted regression.
func refitEvery(f *result.File) int {
	recorded := spec.Recorded(f.Manifest.Spec)
	own := slices.IndexFunc(recorded.Methods, func(m spec.Method) bool { return m.Name == refittedName })
	if own < 0 {
		return recorded.RefitEvery(spec.Method{})
	}
	return recorded.RefitEvery(recorded.Methods[own])
}

// worstCell returns the smallest gain of a seed over the frozen model, in points.
func (s onePassStream) worstCell(r measure.Row) string {
	gains := r.Differences(s.row(frozenPHE), s.metric())
	if len(gains) == 0 {
		return "–"
	}
	return measure.Optional(new(slices.Min(gains)), 2)
}

// regretCell returns a method's regret. The reference is in the published result.
func (s onePassStream) regretCell(r measure.Row) string {
	r.File = s.published
	return r.Over(measure.Regret).Text(1)
}

// numbersCell returns the count of numbers that a method keeps.
func (s onePassStream) numbersCell(r measure.Row) string {
	if r.TotalParameters > 0 {
		return fmt.Sprint(r.TotalParameters)
	}
	return "–"
}

// passColumn is a column of a table with a row for each stream: the cells of a label's rows.
type passColumn struct {
	heading, label string
	cell           func(s onePassStream, r measure.Row) string
}

// onePassColumns holds the tables with a row for each stream, by the texts above them.
var onePassColumns = []struct {
	above   string
	columns []passColumn
}{
	{"Accuracy in percent, mean and deviation over seeds: along the stream, or at its end where steps are whole groups. Frozen is the\n" +
		"initial model of PHE, and PHE its published update. One pass starts from nothing. Logistic regression is fitted to all the past " +
		"again after\nevery step, and less often only where its cell names the number of steps between two fits.\n\n", []passColumn{
		{"PHE, frozen", frozenPHE, onePassStream.cell}, {"PHE", publishedPHE, onePassStream.cell},
		{"one pass", fromNothing, onePassStream.cell}, {"refitted regression", refittedName, onePassStream.refittedCell}}},
	{"Accuracy of one pass less the accuracy of PHE, in points, paired by seed, ± half of the 95 % interval over seeds.\n\n", []passColumn{
		{"less PHE, frozen", frozenPHE, onePassStream.lessCell}, {"less PHE", publishedPHE, onePassStream.lessCell}}},
	{"One pass after the initial phase, and with a row for each item; and Adam on all parameters of PHE, head included.\n\n", []passColumn{
		{"after initial phase", afterName, onePassStream.cell}, {"exact rows", exactName, onePassStream.cell},
		{"exact rows, after", exactAfterName, onePassStream.cell}, {"PHE, all parameters", "PHE all parameters", onePassStream.cell}}},
	{"Other models of one-hot items, learned in one pass.\n\n", []passColumn{
		{"AdPredictor", "AdPredictor", onePassStream.cell}, {"Bayesian regression", bayesianName, onePassStream.cell}}},
	{"The worst seed less the frozen model, in points; and regret, errors in 1000 rows beyond those of " + measure.Reference +
		", which learns from all the past.\n\n", []passColumn{
		{"one pass, worst", fromNothing, onePassStream.worstCell}, {"after, worst", afterName, onePassStream.worstCell},
		{"one pass, regret", fromNothing, onePassStream.regretCell}, {"after, regret", afterName, onePassStream.regretCell}}},
	{"Numbers kept in memory: tables, head, covariances, and the rows that the refitted regression keeps.\n\n", []passColumn{
		{"PHE", "PHE (frozen)", onePassStream.numbersCell}, {"one pass", fromNothing, onePassStream.numbersCell},
		{"exact rows", exactName, onePassStream.numbersCell}, {"refitted regression", refittedName, onePassStream.numbersCell}}},
}

// onePassTables returns the tables of one pass, with a row for each stream.
func onePassTables(s *source) (page table.Page) {
	streams := s.onePassStreams()
	hasNone := func(s onePassStream) bool { return s.row(fromNothing).Method == nil } // it has sizes or orders
	whole := slices.DeleteFunc(slices.Clone(streams), hasNone)
	for _, t := range onePassColumns {
		made := columns(whole, t.above, t.columns)
		made.Rows = slices.DeleteFunc(made.Rows, func(row []string) bool { return strings.Trim(strings.Join(row[1:], ""), "–") == "" })
		page = append(page, *made)
	}
	for _, t := range []*table.Table{sizesTable(streams), orderTable(streams)} {
		if len(t.Rows) > 0 {
			page = append(page, *t)
		}
	}
	return append(page, ratingPassTables(s.streamsOf("one-pass-ratings"))...)
}

// sizesTable returns one pass next to PHE by the number of buckets.
func sizesTable(streams []onePassStream) *table.Table {
	t := table.New(1, "data set", "B", "PHE", "one pass", "numbers")
	t.Above = "Accuracy in percent by the number of buckets B, and all numbers that one pass keeps.\n\n"
	for _, s := range streams {
		for _, r := range measure.Rows(s.own) {
			if size, ok := strings.CutPrefix(r.Name, fromNothing+" B="); ok && !r.Frozen {
				t.Add(r.Dataset, size, s.cell(measure.Find(s.published, "PHE B="+size)), s.cell(r), r.TotalParameters)
			}
		}
	}
	return t
}

// orderTable returns how far the order of the rows moves the accuracy at the end: the deviation over random orders, and the largest range.
func orderTable(streams []onePassStream) *table.Table {
	t := table.New(2, "data set", "method", "orders", "deviation", "range")
	t.Above = "Accuracy on held-out rows after the stream, whose rows come in random orders: deviation over the orders, " +
		"mean over seeds, and the\nwidest range of a seed, in points.\n\n"
	for _, s := range streams {
		for _, name := range []string{fromNothing, afterName, exactName} {
			if sd, widest, orders := overOrders(s.own, name+" order "); orders > 1 {
				t.Add(s.own.Methods[0].Dataset, name, orders, measure.Optional(&sd, 3), measure.Optional(&widest, 2))
			}
		}
	}
	return t
}

// overOrders returns the deviation over orders of the rows, as a mean over seeds, and the largest range of a seed. The names of the methods
// that differ in their order alone begin alike. A method that learns all rows at once has no order.
func overOrders(f *result.File, prefix string) (sd, widest float64, orders int) {
	bySeed := map[int64][]float64{}
	for _, r := range measure.Rows(f) {
		if r.Frozen || !strings.HasPrefix(r.Name, prefix) || strings.HasSuffix(r.Name, " at once") {
			continue
		}
		orders++
		for seed, value := range r.Seeds(measure.FinalAverage) {
			bySeed[seed] = append(bySeed[seed], value)
		}
	}
	for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
		values := bySeed[seed]
		if e := measure.Over(values); e.SD != nil {
			sd += *e.SD / float64(len(bySeed))
			widest = max(widest, slices.Max(values)-slices.Min(values))
		}
	}
	return sd, widest, orders
}

// columns returns a table with a row for each stream.
func columns(streams []onePassStream, above string, columns []passColumn) *table.Table {
	headings := []string{"stream"}
	for _, c := range columns {
		headings = append(headings, c.heading)
	}
	t := table.New(1, headings...)
	t.Above = above
	for _, s := range streams {
		cells := []any{s.name}
		for _, c := range columns {
			text := "–"
			if r := s.row(c.label); r.Method != nil {
				text = c.cell(s, r)
			}
			cells = append(cells, text)
		}
		t.Add(cells...)
	}
	return t
}

// ratingPassTables returns one pass over ratings next to the paper's models and running averages. It is empty without results.
func ratingPassTables(streams []onePassStream) table.Page {
	if len(streams) == 0 {
		return nil
	}
	scores := columns(streams, "Error of the mean of ratings, in percent of the scale: mean of the days, each predicted before "+
		"it is learned, and deviation over seeds.\nBiases are two running averages, of films and users.\n\n", []passColumn{
		{"PHE", publishedPHE, onePassStream.cell}, {"P-EE", publishedPEE, onePassStream.cell},
		{baseline.Biases, baseline.Biases, func(s onePassStream, r measure.Row) string { return measure.Optional(r.Mean(s.metric()), 2) }},
		{"one pass", fromNothing, onePassStream.cell}})
	differences := table.New(2, "stream", "method", "less "+baseline.Biases, "less P-EE", "less PHE")
	differences.Above = "Differences are paired by seed, ± half of their 95 % interval over seeds. " +
		"Interactions are pairs of columns where the name says nothing else.\n\n"
	costs := table.New(2, "stream", "method", "error of the mean, %", "numbers", "s per seed")
	costs.Above = "Numbers kept in memory, head included, and the time of a seed.\n\n"
	for _, s := range streams {
		for _, r := range measure.Rows(s.own) {
			if r.Frozen || baseline.Has(r.Name) {
				continue
			}
			less := func(other measure.Row) string { return r.Less(other, r.Leading()).Interval(2) }
			differences.Add(s.name, r.Name, less(s.row(baseline.Biases)),
				less(s.row(publishedPEE)), less(s.row(publishedPHE)))
			costs.Add(s.name, r.Name, s.cell(r), r.TotalParameters, measure.Optional(r.Seconds(), 1))
		}
	}
	return table.Page{*scores, *differences, *costs}
}
