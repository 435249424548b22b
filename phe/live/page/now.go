package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// now is the part of an event that is not the history.
type now struct {
	subject
	progress
	Accuracy    number              `json:"accuracy"`
	Covered     number              `json:"covered"` // share of the rows inside their interval
	Calibration calibration         `json:"calibration"`
	Columns     []stream.ColumnLine `json:"columns"` // the largest effects first
	Left        int                 `json:"left"`    // number of columns that are not listed
	Newest      []score.NewItem     `json:"newest"`
	Fields      []string            `json:"fields"`  // fields that are not what their column holds
	Strange     []string            `json:"strange"` // fields with new items
	Alarms      []alarm             `json:"alarms"`  // times when the forecasts did not hold
	Uncertain   []item              `json:"uncertain"`
	Novelty     []score.Tally       `json:"novelty"` // by how often the rarest item of a row had been learned
	Models      []string            `json:"models"`
	Verdict     []string            `json:"verdict"`
	Classes     []score.ClassScore  `json:"classes"`
	Names       []string            `json:"names"` // of the classes
	Cost        number              `json:"cost"`  // seconds that the last moment took
	asking
}

// subject is the target of the forecasts, and the metric of their score.
type subject struct {
	Title  string `json:"title"`
	Target string `json:"target"`
	Kind   string `json:"kind"`
	Metric string `json:"metric"`
	Root   bool   `json:"root"` // the metric is the square root of a mean
}

// progress is the part about the rows that are not scored yet.
type progress struct {
	State      state  `json:"state"`
	Progress   number `json:"progress"` // share of the input; negative if unknown
	Unlabelled int64  `json:"unlabelled"`
	Waiting    int    `json:"waiting"`
	Dropped    int64  `json:"dropped"`
}

// asking is the part that explains forecasts.
type asking struct {
	Inputs []string       `json:"inputs"` // columns of a record to explain; "" for a column that is not asked for
	Told   []*stream.Told `json:"told"`   // newest first
}

// calibration is the calibration of a report, with its error.
type calibration struct {
	score.Calibration
	Error number `json:"error"`
}

// alarm is a learned row at which the forecasts did not hold.
type alarm struct {
	Row  int64  `json:"row"`
	Says string `json:"says"`
}

// item is a frequent item whose effect is uncertain. Its numbers may be null.
type item struct {
	stream.ItemState
	Effect number `json:"effect"`
	Spread number `json:"spread"`
}

// number is a float64 for JSON. A number that is not finite becomes null.
type number = score.Ratio

// maxColumns and maxTold are the largest numbers of listed columns and forecasts.
const maxColumns, maxTold = 24, 6

// newNow returns the numbers of a moment that a page shows.
func newNow(m stream.Moment) now {
	n := now{subject: subject{Target: says(m.Target), Kind: string(m.Target.Kind), Metric: m.Metric, Root: m.Metric == "RMSE"},
		progress: progress{Unlabelled: m.Unlabelled, Waiting: m.Waiting, Dropped: m.Dropped},
		Newest:   m.Newest, Novelty: m.Novelty, Models: score.ModelNames(), Verdict: m.Verdict, Classes: m.Classes, Names: m.Target.Classes,
		Accuracy: number(math.NaN()), Covered: number(math.NaN()), Calibration: calibration{m.Calibration, number(m.Calibration.Error())}}
	if len(m.Models) > 0 {
		all := m.Models[0].All.Means()
		n.Accuracy, n.Covered = number(all.Accuracy), number(all.Coverage)
	}
	for _, f := range m.Fields {
		to := &n.Fields
		if f.What == "new" {
			to = &n.Strange
		}
		*to = append(*to, f.String())
	}
	for _, a := range m.Drifts {
		n.Alarms = append(n.Alarms, alarm{a.Row, a.String()})
	}
	n.Columns = slices.Clone(m.Columns)
	slices.SortStableFunc(n.Columns, func(a, b stream.ColumnLine) int { return cmp.Compare(b.Adds, a.Adds) })
	shown := min(len(n.Columns), maxColumns)
	n.Columns, n.Left = n.Columns[:shown], len(n.Columns)-shown
	for _, u := range m.Uncertain {
		n.Uncertain = append(n.Uncertain, item{u, number(u.Effect), number(u.Spread)})
	}
	return n
}

// ask adds the columns of a record that a person may ask about. It puts a forecast before the earlier ones if its record is short, and JSON
// can hold its numbers.
func (n *asking) ask(s *schema.Schema, told *stream.Told, before []*stream.Told) {
	for _, c := range s.Columns {
		if !c.Needed(false) {
			c.Name = ""
		}
		n.Inputs = append(n.Inputs, c.Name)
	}
	if n.Told = before; told != nil && !slices.Contains(before, told) && len(strings.Join(told.Record, "")) < 4<<10 &&
		!math.IsNaN(0*(told.Value+told.Low+told.High+told.Spread)) {
		n.Told = append([]*stream.Told{told}, before[:min(maxTold-1, len(before))]...)
	}
}

// says continues a sentence after "forecasts".
func says(t schema.Target) string {
	switch {
	case t.Compare != "":
		return "whether " + t.Column + " " + t.Compare + " " + t.With
	case len(t.Classes) == 2:
		return "whether " + t.Column + " is " + t.Classes[1]
	case t.Kind == schema.Classes:
		return "the class of " + t.Column + ": " + strings.Join(t.Classes, ", ")
	case t.Transform != "":
		return "the number " + t.Transform + "(" + t.Column + ")"
	}
	return "the " + string(t.Kind) + " " + t.Column
}
