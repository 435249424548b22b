package stream

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gophe/phe/stream/schema"
)

// Report is the score of a learner along its stream, beside the models that it is compared with.
type Report struct {
	Target     schema.Target `json:"target"`
	Rows       int64         `json:"rows"`                  // learned
	Unlabelled int64         `json:"unlabelled,omitempty"`  // rows without a target, which were only forecast
	Waiting    int           `json:"waiting,omitempty"`     // records that wait for labels
	Dropped    int64         `json:"dropped,omitempty"`     // records that were dropped before their labels came
	Wild       int64         `json:"wild,omitempty"`        // numbers more than a million deviations off, which were learned and scored as about 10
	Changes    int           `json:"changes,omitempty"`     // times that the forecasts did not hold
	LastChange int64         `json:"last_change,omitempty"` // row of the last of them
	Alarms     int           `json:"-"`                     // times that the loss has risen, or the share of some fields
	Models     []Score       `json:"models"`
	Fields     []Fields      `json:"fields,omitempty"` // that people should know of
	Parts      []Tally       `json:"parts"`            // tenths of the stream
	Novelty    []Tally       `json:"novelty"`          // by how often the rarest item of a record had been learned
	Classes    []ClassScore  `json:"classes,omitempty"`

	AUC         float64     `json:"auc,omitempty"` // of two classes; 0 if there is none
	Calibration Calibration `json:"calibration"`
	Items       int64       `json:"items"`  // estimate of the number of different items
	Memory      int         `json:"memory"` // bytes of the tables that the items share
	Load        float64     `json:"load"`   // share of the census's counters in use: near 1, new items look known
}

// Score is the score of one model, or of a part of the stream: of all rows, and of those after the first tenth.
type Score struct {
	Name string `json:"name"`
	All  Tally  `json:"all"`
	Late Tally  `json:"late"`
}

// muchLoad is a load of the census above which many new items look known. A new item looks known with a probability of about the
// load's fourth power.
const muchLoad = 0.6

// withoutInteractions is the name of a model that learns no interactions of columns.
const withoutInteractions = "without interactions"

// ModelNames returns the names of the models that a Report may have, in its order. The first is the learner itself.
func ModelNames() []string {
	return []string{"this model", withoutInteractions, "numbers for each item", "base rate"}
}

// Report returns the score so far.
func (l *Learner) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.eval.Boards
	r := Report{Target: l.Schema.Target, Rows: l.model.rows, Unlabelled: l.eval.unlabelled, Waiting: l.waiting.queue.Len(), Dropped: l.waiting.dropped,
		Wild: l.model.wild, Alarms: l.eval.Alarm.Alarms, Fields: l.observer.fields(false), Parts: b.Main.Blocks.parts(10),
		Novelty: slices.Clone(b.Main.Novelty[:]), Calibration: b.Calibration,
		Memory: l.options.Memory, Load: l.observer.census.Load()}
	if c := l.model.course; c != nil {
		r.Changes, r.LastChange = c.Change.Alarms, c.Change.Last
	}
	for i := range l.observer.census.Columns {
		r.Items += int64(math.Round(l.observer.census.Cardinality(i)))
	}
	names := ModelNames()
	for i, of := range []*board{&b.Main, b.Plain, b.Exact, &b.BaseRate} {
		// A model that has given up was scored on fewer rows, so its score cannot be compared.
		if of != nil && of.All.Rows == b.Main.All.Rows {
			r.Models = append(r.Models, Score{names[i], of.All, of.late()})
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
	var text strings.Builder
	fmt.Fprintf(&text, "%s learned; every forecast was made before its row was\n", Counted(r.Rows, "row"))
	for _, n := range []struct {
		rows        int64
		thing, what string
	}{{r.Unlabelled, "row", "had no target"}, {int64(r.Waiting), "row", "still without a label"}, {r.Dropped, "waiting record",
		"dropped before a label came"},
		{int64(r.Changes), "time", "the forecasts did not hold, last at row " + Grouped(r.LastChange)},
		{r.Wild, "target", "more than a million deviations off, learned and scored as 10"}} {
		if n.rows > 0 {
			fmt.Fprintf(&text, "%s %s\n", Counted(n.rows, n.thing), n.what)
		}
	}
	for _, f := range r.Fields {
		fmt.Fprintln(&text, f)
	}
	text.WriteByte('\n')
	if r.Rows == 0 {
		return text.String()
	}
	var late, tenths, tiers []Score
	for _, m := range r.Models {
		late = append(late, Score{Name: m.Name, All: m.Late})
	}
	for i, t := range r.Parts {
		tenths = append(tenths, Score{Name: fmt.Sprint(i + 1), All: t})
	}
	for i, name := range NoveltyNames() {
		if r.Novelty[i].Rows > 0 {
			tiers = append(tiers, Score{Name: name + " times", All: r.Novelty[i]})
		}
	}
	const every, first = 3, 1 // metrics
	r.table(&text, "model", every, r.Models)
	r.table(&text, "after the first tenth", first, late)
	if r.AUC > 0 {
		fmt.Fprintf(&text, "area under the ROC curve %.4f, calibration error %.4f\n\n", r.AUC, r.Calibration.Error())
	}
	r.table(&text, "tenth of the stream", every, tenths)
	r.table(&text, "rarest item learned before", every, tiers)
	if r.crowded() {
		fmt.Fprintf(&text, "%s different items share %s of tables; %s would give more of them room\n\n", Grouped(r.Items), Size(r.Memory),
			Size(16*r.Memory))
	}
	if r.Load > muchLoad {
		fmt.Fprintf(&text, "%.0f %% of the counters of seen items are in use, so that many new items look known\n\n", 100*r.Load)
	}
	r.classes(&text)
	return text.String()
}

// crowded tells whether more memory may help. The items and their pairs share the tables' numbers.
func (r Report) crowded() bool {
	const bytes, room, much = 8, 8, 16 << 20 // bytes of a number; numbers for each item and its pairs; memory beyond which more is not suggested
	return r.Memory < much && r.Items*bytes*room > int64(r.Memory)
}

// table prints one line for each tally: its name, its first scores and its number of rows.
func (r Report) table(text *strings.Builder, title string, scores int, rows []Score) {
	cells := []string{title}
	for _, m := range metrics(r.Target.Kind, Tally{})[:scores] {
		cells = append(cells, m.name)
	}
	line(text, append(cells, "rows")...)
	for _, row := range rows {
		cells := []string{row.Name}
		for _, m := range metrics(r.Target.Kind, row.All)[:scores] {
			cells = append(cells, m.score)
		}
		line(text, append(cells, Grouped(row.All.Rows))...)
	}
	text.WriteByte('\n')
}

// line prints cells in columns: names to the left, numbers to the right.
func line(text *strings.Builder, cells ...string) {
	const name, number = 28, 13
	first := []rune(cells[0])
	if len(first) > name {
		first = append(first[:name-1], '…')
	}
	fmt.Fprintf(text, "%-*s", name, string(first))
	for _, c := range cells[1:] {
		fmt.Fprintf(text, "%*s", number, c)
	}
	text.WriteByte('\n')
}

// classes prints one line for each class.
func (r Report) classes(text *strings.Builder) {
	if len(r.Classes) == 0 {
		return
	}
	line(text, "class", "precision", "recall", "log-loss", "weight")
	for k, c := range r.Classes {
		if c.Weight > 0 || r.Target.Classes[k] != schema.Other {
			precision, recall := shown("%.1f %%", 100*float64(c.Precision)), shown("%.1f %%", 100*float64(c.Recall))
			line(text, r.Target.Classes[k], precision, recall, shown("%.4f", float64(c.LogLoss)), fmt.Sprintf("%.0f", c.Weight))
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

// Grouped writes a number of rows with commas.
func Grouped(n int64) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Counted writes a number of things, such as "1 row" or "1,000 rows".
func Counted[N int | int64 | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(int64(n)) + " " + thing
}

// Size writes a number of bytes as --memory takes it: "256K", "3M", "1G", or the number alone if no unit divides it.
func Size(bytes int) string {
	for i, letter := range "GMK" {
		if unit := 1 << (10 * (3 - i)); bytes >= unit && bytes%unit == 0 {
			return strconv.Itoa(bytes/unit) + string(letter)
		}
	}
	return strconv.Itoa(bytes)
}
