// Package observer counts the items of a stream, and the fields that say nothing to its model.
package observer

import (
	"slices"

	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// Observer counts the items of the records, and remembers the newest.
type Observer struct {
	Census *census.Census
	Newest []score.NewItem // the items that came for the first time most recently, newest first
	inputs []schema.Input

	Learned, asked *Counts // of the stream's rows, and of rows that were only forecast
}

// New returns an observer that has seen nothing.
func New(s schema.Schema) *Observer {
	o := &Observer{inputs: s.Inputs(), Learned: newCounts(s, score.Learned), asked: newCounts(s, score.Predicted)}
	o.Census = census.New(len(o.inputs))
	return o
}

// Forecast counts a row's fields, and finds how often its rarest item was learned before.
func (o *Observer) Forecast(r *ensemble.Row) {
	r.Reason = ""
	if f := o.fieldsOf(r.Call); f != nil {
		f.add(r)
	}
	if !r.Known { // Learn looks the items up as it counts them
		o.Learn(r)
	}
}

// Learn counts a row's items if its target is known. Seen becomes how often the rarest was learned before; Unknown without items.
func (o *Observer) Learn(r *ensemble.Row) {
	f, least := o.fieldsOf(r.Call), int64(novelty.Unknown)
	for _, it := range r.Items {
		before := int64(0)
		if r.Known {
			before = o.Census.Add(it.Column, it.Key, it.Name)
		} else {
			before = o.Census.Seen(it.Key)
		}
		if before == 0 && r.Known {
			column, name := o.inputs[it.Column].Name, census.Short(it.Name, maxName)
			newest := score.NewItem{Column: column, Name: name, Row: r.Predictions.Rows + 1}
			o.Newest = slices.Insert(o.Newest[:min(len(o.Newest), Shown-1)], 0, newest)
		}
		if before == 0 && f != nil {
			f.addNew(r, o.inputs[it.Column].Place, it.Name)
		}
		least = min(least, before)
	}
	r.Predictions.Seen = least
}

// fieldsOf returns where the fields of a call's rows are counted; nil if they are not, or were counted before.
func (o *Observer) fieldsOf(c ensemble.Call) *Counts {
	switch c {
	case ensemble.CallStep, ensemble.CallAsk:
		return o.Learned
	case ensemble.CallPredict:
		return o.asked
	}
	return nil
}

const (
	// Shown is the number of the newest items, and of other items that a page lists.
	Shown = 12

	maxName   = 62  // bytes of a name on a page
	fewRows   = 50  // forecasts below which nothing is told of their fields
	firstRows = 500 // rows before which nothing is known of a share
)

// Sorts of fields. The target and the columns that are left out have the second three.
const unread, empty, fresh, otherLabel, noTarget, leftOut, comesAgain = 0, 1, 2, 3, 4, 5, 6

// odd has the least share of the rows above which people are told of a sort of fields. One and a half times the usual share is added: the
// share of the first rows, or the stream's share for rows that are only forecast. A share jumps when a run of such fields has a length. A
// run grows by 1 with each field, and shrinks with each row between.
var odd = [...]struct {
	what                   string
	least, length, shrinks float64
}{
	unread:     {"unread", 0, 70, 1. / 14}, // a fifth of 500 rows makes a run of 70
	empty:      {"empty", 0.2, 500, 500},
	fresh:      {what: "new", least: 0.1},
	otherLabel: {what: "other_label"},
	noTarget:   {what: "no_target"},
	leftOut:    {what: "left_out", least: 0.01},
	comesAgain: {what: "again", least: 0.01},
}

// Counts counts the fields of these sorts in all columns.
type Counts struct {
	Rows    int64       `json:"rows"`
	Columns [][3]Oddity `json:"columns"` // by sort

	of     string
	schema schema.Schema
	target int
	late   []int // columns that were empty in the first rows
	names  []name
}

// name is a column that was left out as the name of its rows, with its last values of this process.
type name struct {
	place int
	last  *repeats.Memory
}

func newCounts(s schema.Schema, of string) *Counts {
	f := &Counts{Columns: make([][3]Oddity, len(s.Columns)), of: of, schema: s, target: s.PlaceOf(schema.Label)}
	for place, c := range s.Columns {
		if c.Empty {
			f.late = append(f.late, place)
		}
		if c.Once > 0 && of == score.Learned && s.PlaceOf(schema.ID) < 0 {
			f.names = append(f.names, name{place, repeats.New(1000, 0)})
		}
	}
	return f
}

// Oddity counts the fields of one sort in a column.
type Oddity struct {
	Rows     int64    `json:"rows"`
	Last     int64    `json:"last"` // row of the last of them
	Examples []string `json:"examples,omitempty"`
	Run      float64  `json:"run"`
	From     int64    `json:"from"`              // rows before the run
	Before   int64    `json:"before"`            // such fields before the run
	Longest  int64    `json:"longest,omitempty"` // such fields in the longest run before
	Jumped   int64    `json:"jumped,omitempty"`  // row of the last jump
}

// Name ends the counts of a column that names the rows from now on.
func (o *Observer) Name(place int) {
	for _, f := range []*Counts{o.Learned, o.asked} {
		f.Columns[place], f.names = [3]Oddity{}, nil
		f.late = slices.DeleteFunc(f.late, func(late int) bool { return late == place })
	}
}

func (o *Oddity) see(field string) {
	o.Rows++
	if field = census.Short(field, maxName); field != "" && !slices.Contains(o.Examples, field) {
		const most = 3
		o.Examples = append(slices.Delete(o.Examples, 0, max(0, len(o.Examples)+1-most)), field)
	}
}

// count counts a field of a row. It tells the row if the share of such fields has jumped.
func (f *Counts) count(r *ensemble.Row, place, sort int) {
	o, c, s := &f.Columns[place][sort%3], &f.schema.Columns[place], &odd[sort]
	if o.Run -= s.shrinks * float64(f.Rows-o.Last-1); o.Run <= 0 {
		o.Longest = max(o.Longest, o.Rows-o.Before)
		o.Run, o.From, o.Before = 0, f.Rows-1, o.Rows
	}
	o.Run, o.Last = o.Run+1, f.Rows
	o.see(r.Record[place])
	long := max(s.length, 3*float64(o.Longest), 3*float64(c.Gap)) // in a column whose fields come in runs, a longer one
	if s.length == 0 || o.Run < long || o.Jumped > o.From || o.From < firstRows || 2*o.Before > o.From {
		return
	}
	o.Jumped = f.Rows
	r.Reason = text.And(r.Reason, score.Fields{Column: text.String(c.Name), What: s.what, Of: f.of, Rows: o.Rows - o.Before,
		All: f.Rows - o.From, Usual: float64(o.Before) / float64(o.From), Examples: o.Examples[max(0, len(o.Examples)-1):]}.String())
}

func (f *Counts) add(r *ensemble.Row) {
	f.Rows++
	for _, at := range r.Odd {
		f.count(r, at, unread)
	}
	for _, at := range r.Gaps {
		f.count(r, at, empty)
	}
	for _, at := range f.late {
		if r.Record[at] != "" {
			f.count(r, at, leftOut)
		}
	}
	for _, n := range f.names {
		again := n.last.See(n.last.Hash(r.Record[n.place], 0)) != repeats.Fresh
		if again && f.Rows > int64(f.schema.Columns[n.place].Once) {
			f.count(r, n.place, comesAgain)
		}
	}
}

// addNew counts a field of the row that was added last, if an item of it is the first that was never learned.
func (f *Counts) addNew(r *ensemble.Row, place int, item string) {
	o := &f.Columns[place][fresh]
	if o.Last < f.Rows && (f.of == score.Predicted || f.Rows > firstRows) && !slices.Contains(r.Odd, place) {
		o.Last = f.Rows
		o.see(item)
	}
}

// AddLabel counts a record's target that says nothing.
func (f *Counts) AddLabel(record schema.Record, y ensemble.Label) {
	t, label := &f.schema.Target, record[f.target]
	switch last := len(t.Classes) - 1; {
	case !y.Known && label != "" && y.Scored > 0:
		f.Columns[f.target][noTarget%3].see(label)
	case y.Known && last > 1 && int(y.Y) == last && t.Classes[last] == schema.Other && label != schema.Other:
		f.Columns[f.target][otherLabel%3].see(label)
	}
}

// list lists all counts, or the counts that people should know. learned has the counts of the stream's rows.
func (f *Counts) list(learned *Counts, all bool) (list []score.Fields) {
	for i := range 3 * len(f.Columns) {
		o, c, sort := &f.Columns[i/3][i%3], &f.schema.Columns[i/3], i%3
		if c.Kind == schema.Dropped && c.Once > 0 {
			sort = comesAgain
		} else if c.Kind == schema.Label || c.Kind == schema.Dropped {
			sort += 3
		}
		n := score.Fields{Column: text.String(c.Name), What: odd[sort].what, Of: f.of, Rows: o.Rows, All: f.Rows, Since: o.Jumped,
			Examples: slices.Clone(o.Examples)}
		switch {
		case f != learned:
			n.Usual = float64(learned.Columns[i/3][i%3].Rows) / float64(max(1, learned.Rows))
		case sort == unread:
			n.Usual = c.Odd
		case sort == empty && o.Jumped > 0:
			n.Usual = float64(o.Before) / float64(o.From)
		case sort == empty || sort == fresh && c.Kind == schema.Both:
			n.Usual = 1 // nothing to say before a jump, or about numbers whose items keep coming
		case sort == fresh:
			n.All -= firstRows
		case sort == comesAgain:
			n.All -= int64(c.Once)
		}
		few := f != learned && f.Rows < fewRows
		notable := !few && (n.Since > 0 || float64(n.Rows) >= odd[sort].least*float64(n.All)+1.5*n.Usual*float64(n.All+100))
		if o.Rows > 0 && (all || notable) {
			list = append(list, n)
		}
	}
	return list
}

// Fields lists the counts of the stream's rows, and of rows that were only forecast.
func (o *Observer) Fields(all bool) []score.Fields {
	return append(o.Learned.list(o.Learned, all), o.asked.list(o.Learned, all)...)
}
