// Package score has the scores of forecasts along a stream. A [Report] compares a learner with simpler models, and a [Tally] sums any
// scores.
package score

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gophe/phe/internal/text"
	"gophe/phe/stream/change"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/schema"
)

// Report has the scores of a learner and of the models that it is compared with.
type Report struct {
	Target schema.Target `json:"target"`
	Counts
	Changes int            `json:"changes,omitempty"` // times that the forecasts did not hold
	Drifts  []change.Alarm `json:"alarms,omitempty"`  // the newest of them that were told, oldest first
	Alarms  int            `json:"-"`                 // told: of the forecasts, or that the share of some fields has jumped
	Models  []Score        `json:"models"`
	Fields  []Fields       `json:"fields,omitempty"` // that people should know about
	Parts   []Tally        `json:"parts"`            // tenths of the stream
	Novelty []Tally        `json:"novelty"`          // by the number of times that the rarest item of a record was learned before
	Classes []ClassScore   `json:"classes,omitempty"`

	AUC         float64     `json:"auc,omitempty"` // of two classes; 0 if there is none
	Calibration Calibration `json:"calibration"`
	Items       int64       `json:"items"`             // estimate of the number of different items
	Memory      int         `json:"memory"`            // bytes of the tables that the items share
	Load        float64     `json:"load"`              // share of the census's counters in use: near 1, new items look known
	Verdict     []string    `json:"verdict,omitempty"` // sentences: better than the base rate, who is ahead, and what was found to help
	rivals      []Score     // without a row of their own
}

// Counts are the rows of a stream.
type Counts struct {
	Rows       int64 `json:"rows"`                 // learned
	Unlabelled int64 `json:"unlabelled,omitempty"` // rows without a target or of weight 0, which were only forecast
	Waiting    int   `json:"waiting,omitempty"`    // records that wait for labels
	Dropped    int64 `json:"dropped,omitempty"`    // records that were dropped before their labels came
	Outliers   int64 `json:"outliers,omitempty"`   // numbers a million deviations off, learned and scored as 5
	IDsFrom    int64 `json:"ids_from,omitempty"`   // the first row whose id is kept, in a model that was begun without ids
}

// Score is the score of one model, or of a part of the stream: of all rows, and of the rows after the first tenth.
type Score struct {
	Model  string  `json:"model,omitempty"` // its name for programs; none of a part of the stream
	Name   string  `json:"name"`            // for people
	All    Tally   `json:"all"`
	Late   Tally   `json:"late"`
	Means  AllLate `json:"means"`
	Course Blocks  `json:"-"` // the score along the stream
}

// AllLate are the means of a Score's tallies.
type AllLate struct {
	All  Means `json:"all"`
	Late Means `json:"late"`
}

const (
	muchLoad    = 0.6 // load of the census above which many new items look known: with a probability of about its fourth power
	shownAlarms = 5   // the newest, in a report for people
)

// WithoutInteractions is the name of a model that learns no interactions of columns.
const WithoutInteractions = "without interactions"

// models are the names of the models of a report for programs, in its order.
var models = [...]string{"main", "no_interactions", "exact", "base_rate"}

// ModelNames returns the names of the models that a Report may have, in its order. The first is the learner itself.
func ModelNames() []string {
	return []string{"this model", "its part " + WithoutInteractions, "one weight per item, no hashing", "base rate"}
}

// Boards are the scores of a learner and of the models that it is compared with.
type Boards struct {
	Main        Board       `json:"main"`
	Plain       *Board      `json:"plain,omitempty"`
	Exact       *Board      `json:"exact,omitempty"`
	BaseRate    Board       `json:"usual"`
	Last        *Board      `json:"last,omitempty"` // of the target known last
	Confusion   *Confusion  `json:"confusion,omitempty"`
	Curve       *ROC        `json:"curve,omitempty"`
	Calibration Calibration `json:"calibration"`
}

// NewBoards returns boards of a target with a number of classes, or of a number or a count, that have scored nothing.
func NewBoards(classes int) *Boards {
	b := &Boards{}
	if classes > 0 {
		b.Confusion = newConfusion(classes)
	}
	if classes == 2 {
		b.Curve = &ROC{}
	}
	return b
}

// AddClasses updates the scores that only the learner itself has, by the classes' probabilities and the class that came.
func (b *Boards) AddClasses(p []float64, class int, logLoss, weight float64) {
	b.Confusion.add(p, class, logLoss, weight)
	if b.Curve != nil {
		b.Curve.add(p[1], class, weight)
		b.Calibration.addProbability(p[1], class == 1, weight)
		return
	}
	best := Likeliest(p)
	b.Calibration.addProbability(p[best], best == class, weight)
}

// Fit reports whether boards from a file are for a number of classes.
func (b *Boards) Fit(classes int) bool {
	switch {
	case b == nil, (b.Confusion != nil) != (classes > 0), (b.Curve != nil) != (classes == 2), b.Curve != nil && !b.Curve.whole():
		return false
	case classes == 0:
		return true
	}
	odd := slices.ContainsFunc(b.Confusion.Weight, func(row []float64) bool { return len(row) != classes })
	return !odd && len(b.Confusion.Weight) == classes && len(b.Confusion.LogLoss) == classes
}

// Report returns the scores so far. The learner knows the rest of a report.
func (b *Boards) Report(t schema.Target) Report {
	r := Report{Target: t, Parts: b.Main.Blocks.parts(10), Novelty: slices.Clone(b.Main.Novelty[:]), Calibration: b.Calibration}
	names := ModelNames()
	for i, of := range []*Board{&b.Main, b.Plain, b.Exact, &b.BaseRate} {
		// A model that has given up was scored on fewer rows, so its score cannot be compared.
		if of != nil && of.All.Rows == b.Main.All.Rows {
			course := Blocks{of.Blocks.Size, slices.Clone(of.Blocks.Tally), slices.Clone(of.Blocks.Novelty)}
			r.Models = append(r.Models, Score{models[i], names[i], of.All, of.late(), AllLate{of.All.Means(), of.late().Means()}, course})
		}
	}
	if b.Last != nil && b.Last.All.Rows == b.Main.All.Rows {
		r.rivals = append(r.rivals, Score{Name: "the last known value of the target", Late: b.Last.late(), Course: b.Last.Blocks})
	}
	if b.Confusion != nil {
		r.Classes = b.Confusion.classes()
	}
	if b.Curve != nil {
		if auc := b.Curve.auc(); !math.IsNaN(auc) {
			r.AUC = auc
		}
	}
	r.Verdict = r.verdict()
	return r
}

// Line returns the report in a few words.
func (r Report) Line() string {
	m := r.metrics(r.Models[0].All)[0]
	return fmt.Sprintf("%s %s, load %.0f %%", m.name, m.score, 100*r.Load)
}

// Metric returns the name of the first score.
func (r Report) Metric() string { return r.metrics(Tally{})[0].name }

// metric is a score of a tally, and the form in which a report prints it.
type metric struct {
	name, score string
	value       float64
}

// metrics returns the metrics of a tally. The first one says most.
func (r Report) metrics(t Tally) []metric {
	of := func(name, format string, v float64) metric { return metric{name, shown(format, v), v} }
	m, own := t.Means(), r.digits()
	mae, loss, holds := of("MAE", own, m.MAE), of("log-loss", "%.4f", m.LogLoss), of("90 % holds", "%.1f %%", 100*m.Coverage)
	switch r.Target.Kind {
	case schema.Amount:
		return []metric{of("RMSE", own, m.RMSE), mae, holds}
	case schema.Count:
		return []metric{mae, loss, holds}
	}
	return []metric{loss, of("Brier", "%.4f", m.Brier), of("accuracy", "%.1f %%", 100*m.Accuracy)}
}

// digits returns the format of all errors in the unit of the target: four digits of the smallest, or seven of the largest if that is less.
func (r Report) digits() string {
	least, most := math.Inf(1), 0.0
	for _, s := range r.Models {
		if m := s.Late.Means(); m.MAE > 0 { // an error of the first row may be far larger than all others
			least, most = min(least, m.MAE), max(most, s.All.Means().RMSE)
		}
	}
	if most >= 1e12 || most > 0 && most < 1e-3 { // wider than a column
		return "%.3e"
	}
	return fmt.Sprintf("%%.%.0ff", max(0, min(3-math.Floor(math.Log10(least)), 6-math.Floor(math.Log10(most)))))
}

// Gain says in words that a metric is better than in another run of the same rows, in most tenths and overall by a least share; "" if not.
func (r Report) Gain(than Report, metric int, least float64) string {
	better, own, other := 0, r.metrics(r.Models[0].All)[metric], than.metrics(than.Models[0].All)[metric]
	for i, part := range r.Parts[:min(len(r.Parts), len(than.Parts))] {
		if r.metrics(part)[metric].value < r.metrics(than.Parts[i])[metric].value {
			better++
		}
	}
	const most = 8 // tenths
	if better < most || r.Models[0].All.Rows != than.Models[0].All.Rows || own.value > (1-least)*other.value {
		return ""
	}
	return fmt.Sprintf("%s %s instead of %s", own.name, own.score, other.score)
}

// String returns the report for people.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s learned; every forecast was made before its row was\n", text.Counted(r.Rows, "row"))
	for _, n := range []struct {
		rows        int64
		thing, what string
	}{{r.Unlabelled, "row", "had no target or no weight"}, {int64(r.Waiting), "row", "still without a label"}, {r.Dropped, "waiting record",
		"dropped before a label came"},
		{r.Outliers, "target", "more than a million deviations off, learned and scored as 5"}} {
		if n.rows > 0 {
			fmt.Fprintf(&b, "%s %s\n", text.Counted(n.rows, n.thing), n.what)
		}
	}
	if r.IDsFrom > 0 {
		fmt.Fprintf(&b, "ids are kept from row %s on: an earlier row that comes again is learned again\n", text.Grouped(r.IDsFrom))
	}
	for _, a := range r.Drifts[max(0, len(r.Drifts)-shownAlarms):] {
		fmt.Fprintf(&b, "alarm at learned row %s: %s\n", text.Grouped(a.Row), a)
	}
	var fresh strings.Builder // new items come with the score of rows by their rarest item
	for _, f := range r.Fields {
		fmt.Fprintln(map[bool]*strings.Builder{true: &fresh, false: &b}[f.What == "new"], f)
	}
	b.WriteByte('\n')
	if r.Rows == 0 {
		return b.String()
	}
	var late, tenths, tiers []Score
	for _, m := range r.Models {
		late = append(late, Score{Name: m.Name, All: m.Late})
	}
	for i, t := range r.Parts {
		tenths = append(tenths, Score{Name: fmt.Sprint(i + 1), All: t})
	}
	for i, name := range novelty.Names() {
		if r.Novelty[i].Rows > 0 {
			tiers = append(tiers, Score{Name: name + " times", All: r.Novelty[i]})
		}
	}
	const every, first = 3, 1 // metrics
	r.table(&b, "model", every, r.Models)
	r.table(&b, "after the first tenth", first, late)
	if r.AUC > 0 {
		fmt.Fprintf(&b, "area under the ROC curve %.4f, calibration error %.4f\n\n", r.AUC, r.Calibration.Error())
	}
	r.table(&b, map[bool]string{true: "tenth", false: "part"}[len(tenths) == 10]+" of the stream, in order", every, tenths)
	r.table(&b, "rarest item learned before", every, tiers)
	if fresh.Len() > 0 {
		b.WriteString(fresh.String() + "\n")
	}
	if r.Load > muchLoad {
		fmt.Fprintf(&b, "%.0f %% of the counters of seen items are in use, so that many new items look known\n\n", 100*r.Load)
	}
	r.classes(&b)
	b.WriteString("\n" + strings.Join(r.Verdict, "\n"))
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// table prints one line for each tally: its name, its first scores and its number of rows.
func (r Report) table(b *strings.Builder, title string, scores int, rows []Score) {
	cells := []string{title}
	for _, m := range r.metrics(Tally{})[:scores] {
		cells = append(cells, m.name)
	}
	line(b, append(cells, "rows")...)
	for _, row := range rows {
		cells := []string{row.Name}
		for _, m := range r.metrics(row.All)[:scores] {
			cells = append(cells, m.score)
		}
		line(b, append(cells, text.Grouped(row.All.Rows))...)
	}
	b.WriteByte('\n')
}

// line prints cells in columns: names to the left, numbers to the right.
func line(b *strings.Builder, cells ...string) {
	const name, number = 32, 11
	first := []rune(cells[0])
	if len(first) > name {
		first = append(first[:name-1], '…')
	}
	fmt.Fprintf(b, "%-*s", name, string(first))
	for _, c := range cells[1:] {
		fmt.Fprintf(b, " %*s", number, c)
	}
	b.WriteByte('\n')
}

// classes prints one line for each class.
func (r Report) classes(b *strings.Builder) {
	if len(r.Classes) == 0 {
		return
	}
	weight := map[bool]string{true: "rows", false: "weight"}[r.Models[0].All.Weight == float64(r.Models[0].All.Rows)]
	line(b, "class", "precision", "recall", "log-loss", weight)
	for k, c := range r.Classes {
		if c.Weight > 0 || r.Target.Classes[k] != schema.Other {
			precision, recall := shown("%.1f %%", 100*float64(c.Precision)), shown("%.1f %%", 100*float64(c.Recall))
			line(b, r.Target.Classes[k], precision, recall, shown("%.4f", float64(c.LogLoss)), shown("%.0f", c.Weight))
		}
	}
}

// shown writes a number, or a dash if it is NaN.
func shown(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return text.Thousands(fmt.Sprintf(format, v))
}
