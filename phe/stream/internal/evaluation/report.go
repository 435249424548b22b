package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/novelty"
	"gophe/phe/stream/internal/observer"
	"gophe/phe/stream/schema"
)

// Report is the score of a learner along its stream, beside the models that it is compared with.
type Report struct {
	Target     schema.Target     `json:"target"`
	Rows       int64             `json:"rows"`                  // learned
	Unlabelled int64             `json:"unlabelled,omitempty"`  // rows without a target or of weight 0, which were only forecast
	Waiting    int               `json:"waiting,omitempty"`     // records that wait for labels
	Dropped    int64             `json:"dropped,omitempty"`     // records that were dropped before their labels came
	Wild       int64             `json:"wild,omitempty"`        // numbers a million deviations off, learned and scored as about 10
	Changes    int               `json:"changes,omitempty"`     // times that the forecasts did not hold
	LastChange int64             `json:"last_change,omitempty"` // learned row of the last of them
	Alarms     int               `json:"-"`                     // times that the loss has risen, or the share of some fields
	Models     []Score           `json:"models"`
	Fields     []observer.Fields `json:"fields,omitempty"` // that people should know of
	Parts      []Tally           `json:"parts"`            // tenths of the stream
	Novelty    []Tally           `json:"novelty"`          // by how often the rarest item of a record had been learned
	Classes    []ClassScore      `json:"classes,omitempty"`

	AUC         float64     `json:"auc,omitempty"` // of two classes; 0 if there is none
	Calibration Calibration `json:"calibration"`
	Items       int64       `json:"items"`  // estimate of the number of different items
	Memory      int         `json:"memory"` // bytes of the tables that the items share
	Load        float64     `json:"load"`   // share of the census's counters in use: near 1, new items look known
}

// Score is the score of one model, or of a part of the stream: of all rows, and of those after the first tenth.
type Score struct {
	Name   string `json:"name"`
	All    Tally  `json:"all"`
	Late   Tally  `json:"late"`
	Course Blocks `json:"-"` // the score along the stream
}

// muchLoad is a load of the census above which many new items look known. A new item looks known with a probability of about the
// load's fourth power.
const muchLoad = 0.6

// WithoutInteractions is the name of a model that learns no interactions of columns.
const WithoutInteractions = "without interactions"

// ModelNames returns the names of the models that a Report may have, in its order. The first is the learner itself.
func ModelNames() []string {
	return []string{"this model", WithoutInteractions, "numbers for each item", "base rate"}
}

// Report returns the scores so far. The learner knows the rest of a report.
func (e *Evaluation) Report() Report {
	b := e.Boards
	r := Report{Target: e.target, Unlabelled: e.Unlabelled, Alarms: e.Alarm.Alarms, Parts: b.Main.Blocks.parts(10),
		Novelty: slices.Clone(b.Main.Novelty[:]), Calibration: b.Calibration}
	names := ModelNames()
	for i, of := range []*Board{&b.Main, b.Plain, b.Exact, &b.BaseRate} {
		// A model that has given up was scored on fewer rows, so its score cannot be compared.
		if of != nil && of.All.Rows == b.Main.All.Rows {
			course := Blocks{of.Blocks.Size, slices.Clone(of.Blocks.Tally), slices.Clone(of.Blocks.Novelty)}
			r.Models = append(r.Models, Score{names[i], of.All, of.late(), course})
		}
	}
	if b.Confusion != nil {
		r.Classes = b.Confusion.classes()
	}
	if b.Curve != nil {
		if auc := b.Curve.auc(); !math.IsNaN(auc) {
			r.AUC = auc
		}
	}
	return r
}

// Line returns the report in a few words.
func (r Report) Line() string {
	text := "no score yet"
	if all := r.Models[0].All; all.Rows > 0 {
		m := metrics(r.Target.Kind, all)[0]
		text = m.name + " " + m.score
	}
	return fmt.Sprintf("%s, load %.0f %%", text, 100*r.Load)
}

// Metric returns the name of the first score of a kind of target.
func Metric(kind schema.TargetKind) string { return metrics(kind, Tally{})[0].name }

// metric is a score of a tally, as a report prints it.
type metric struct{ name, score string }

// metrics returns the metrics of a kind of target. The first one says most.
func metrics(kind schema.TargetKind, t Tally) []metric {
	m := t.Means()
	mae, loss := metric{"MAE", shown("%.4g", m.MAE)}, metric{"log-loss", shown("%.4f", m.LogLoss)}
	holds := metric{"90 % holds", shown("%.1f %%", 100*m.Coverage)}
	switch kind {
	case schema.Amount:
		return []metric{{"RMSE", shown("%.4g", m.RMSE)}, mae, holds}
	case schema.Count:
		return []metric{mae, loss, holds}
	}
	return []metric{loss, {"Brier", shown("%.4f", m.Brier)}, {"accuracy", shown("%.1f %%", 100*m.Accuracy)}}
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
		{int64(r.Changes), "time", "the forecasts did not hold, last at learned row " + text.Grouped(r.LastChange)},
		{r.Wild, "target", "more than a million deviations off, learned and scored as 10"}} {
		if n.rows > 0 {
			fmt.Fprintf(&b, "%s %s\n", text.Counted(n.rows, n.thing), n.what)
		}
	}
	for _, f := range r.Fields {
		fmt.Fprintln(&b, f)
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
	r.table(&b, "tenth of the stream", every, tenths)
	r.table(&b, "rarest item learned before", every, tiers)
	if r.crowded() {
		fmt.Fprintf(&b, "%s different items share %s of tables; %s would give more of them room\n\n", text.Grouped(r.Items),
			text.Size(r.Memory),
			text.Size(16*r.Memory))
	}
	if r.Load > muchLoad {
		fmt.Fprintf(&b, "%.0f %% of the counters of seen items are in use, so that many new items look known\n\n", 100*r.Load)
	}
	r.classes(&b)
	return b.String()
}

// crowded tells whether more memory may help. The items and their pairs share the tables' numbers.
func (r Report) crowded() bool {
	const bytes, room, much = 8, 8, 16 << 20 // bytes of a number; numbers for each item and its pairs; memory beyond which more is not suggested
	return r.Memory < much && r.Items*bytes*room > int64(r.Memory)
}

// table prints one line for each tally: its name, its first scores and its number of rows.
func (r Report) table(b *strings.Builder, title string, scores int, rows []Score) {
	cells := []string{title}
	for _, m := range metrics(r.Target.Kind, Tally{})[:scores] {
		cells = append(cells, m.name)
	}
	line(b, append(cells, "rows")...)
	for _, row := range rows {
		cells := []string{row.Name}
		for _, m := range metrics(r.Target.Kind, row.All)[:scores] {
			cells = append(cells, m.score)
		}
		line(b, append(cells, text.Grouped(row.All.Rows))...)
	}
	b.WriteByte('\n')
}

// line prints cells in columns: names to the left, numbers to the right.
func line(b *strings.Builder, cells ...string) {
	const name, number = 28, 13
	first := []rune(cells[0])
	if len(first) > name {
		first = append(first[:name-1], '…')
	}
	fmt.Fprintf(b, "%-*s", name, string(first))
	for _, c := range cells[1:] {
		fmt.Fprintf(b, "%*s", number, c)
	}
	b.WriteByte('\n')
}

// classes prints one line for each class.
func (r Report) classes(b *strings.Builder) {
	if len(r.Classes) == 0 {
		return
	}
	line(b, "class", "precision", "recall", "log-loss", "weight")
	for k, c := range r.Classes {
		if c.Weight > 0 || r.Target.Classes[k] != schema.Other {
			precision, recall := shown("%.1f %%", 100*float64(c.Precision)), shown("%.1f %%", 100*float64(c.Recall))
			line(b, r.Target.Classes[k], precision, recall, shown("%.4f", float64(c.LogLoss)), fmt.Sprintf("%.0f", c.Weight))
		}
	}
}

// shown writes a number, or a dash if it is NaN.
func shown(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}
