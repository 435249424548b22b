package stream

import (
	"fmt"
	"slices"
	"strings"

	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// Fields counts the fields of a column that say nothing to the model, or something else than people think.
type Fields struct {
	Column   text.String `json:"column"`
	What     string      `json:"what"`               // "unread", "empty", "new", "other label", "no target" or "left out"
	Of       string      `json:"of"`                 // Learned, or Predicted for rows that this process has only forecast
	Rows     int64       `json:"rows"`               // with such a field; of learned rows, new items count from row 501 on
	All      int64       `json:"all"`                // rows that were looked at
	Usual    float64     `json:"usual,omitempty"`    // the share before
	Since    int64       `json:"since,omitempty"`    // the row at which the share last jumped
	Examples []string    `json:"examples,omitempty"` // the last different ones
	sort     int
}

// Values of Fields.Of.
const Learned, Predicted = "learn", "predict"

// Sorts of fields. The target and the columns that are left out have the second three.
const unread, empty, fresh, otherLabel, noTarget, leftOut = 0, 1, 2, 3, 4, 5

// odd says of each sort of fields what to tell people, and from which share of the rows on: least + usual · the usual share. That share is of
// the first rows; of rows that are only forecast it is the share of the learned rows. A share has jumped when a run of such fields has a
// length, and the share before it was low. A run grows by 1 with each field, and shrinks with each row between.
var odd = [...]struct {
	what, says                         string
	least, usual, length, shrinks, low float64
}{
	unread:     {"unread", "fields of %q could not be read", 0, 1.5, 70, 1. / 14, 0.05}, // a fifth of 500 rows makes a run of 70
	empty:      {"empty", "fields of %q are empty", 0.2, 1, 500, 500, 0.5},
	fresh:      {what: "new", says: "fields of %q had never been learned", least: 0.1},
	otherLabel: {what: "other label", says: "rows had other labels in %q, which were learned as " + schema.Other},
	noTarget:   {what: "no target", says: "rows had marks of a missing value in %q"},
	leftOut: {what: "left out", least: 0.01,
		says: "rows have a value of %q, which was empty in the first rows and is left out (start anew and give its kind to learn it)"},
}

// String tells of the fields in one line.
func (f Fields) String() string {
	s := fmt.Sprintf("%s of %s "+odd[f.sort].says, Grouped(f.Rows), Grouped(f.All), string(f.Column))
	if len(f.Examples) > 0 {
		s += ", such as " + strings.Trim(fmt.Sprintf("%q", f.Examples), "[]")
	}
	if f.Usual > 0 {
		s += fmt.Sprintf("; usually %.2g %%", 100*f.Usual)
	}
	if f.sort == unread {
		s += "; " + remedy.HowRead
	}
	return s
}

// notable tells whether people should know of the fields.
func (f Fields) notable() bool {
	all, s := float64(f.All), &odd[f.sort]
	return f.Since > 0 || float64(f.Rows) >= s.least*all+s.usual*f.Usual*(all+100)
}

// fields counts such fields of all columns.
type fields struct {
	Rows    int64       `json:"rows"`
	Jumps   int         `json:"jumps,omitempty"` // rows at which shares have jumped
	Columns [][3]oddity `json:"columns"`         // by sort

	of     string
	schema schema.Schema
	target int
	late   []int // columns that were empty in the first rows
}

func newFields(s schema.Schema, of string) *fields {
	f := &fields{Columns: make([][3]oddity, len(s.Columns)), of: of, schema: s, target: s.PlaceOf(schema.Label)}
	for place, c := range s.Columns {
		if c.Empty {
			f.late = append(f.late, place)
		}
	}
	return f
}

// oddity counts the fields of a column of one sort.
type oddity struct {
	Rows     int64    `json:"rows"`
	Last     int64    `json:"last"` // row of the last of them
	Examples []string `json:"examples,omitempty"`
	Run      float64  `json:"run"`
	From     int64    `json:"from"`              // rows before the run
	Before   int64    `json:"before"`            // such fields before the run
	Longest  int64    `json:"longest,omitempty"` // such fields in the longest run before
	Jumped   int64    `json:"jumped,omitempty"`  // row of the last jump
}

// firstRows is the number of rows before which nothing is known of a share.
const firstRows = 500

// count counts a field of a row. It tells the row if the share of such fields has jumped.
func (f *fields) count(r *row, place, sort int, field string) {
	o, c, s := &f.Columns[place][sort%3], &f.schema.Columns[place], &odd[sort]
	if o.Last == f.Rows {
		return // another item of the same field
	}
	if o.Run -= s.shrinks * float64(f.Rows-o.Last-1); o.Run <= 0 {
		o.Longest = max(o.Longest, o.Rows-o.Before)
		o.Run, o.From, o.Before = 0, f.Rows-1, o.Rows
	}
	o.Run, o.Rows, o.Last = o.Run+1, o.Rows+1, f.Rows
	if field != "" && !slices.Contains(o.Examples, field) {
		const most = 3
		o.Examples = append(slices.Delete(o.Examples, 0, max(0, len(o.Examples)+1-most)), census.Short(field, maxShown))
	}
	long := max(s.length, 3*float64(o.Longest), 3*float64(c.Gap)) // in a column whose fields come in runs, a longer one
	if s.length == 0 || o.Run < long || o.Jumped > o.From || o.From < firstRows || float64(o.Before) > s.low*float64(o.From) {
		return
	}
	o.Jumped = f.Rows
	if r.jump == "" {
		f.Jumps++
	} else {
		r.jump += "; "
	}
	r.jump += Fields{text.String(c.Name), s.what, f.of, o.Rows - o.Before, f.Rows - o.From,
		float64(o.Before) / float64(o.From), o.Jumped, o.Examples[max(0, len(o.Examples)-1):], sort}.String()
}

// add counts the fields of a row.
func (f *fields) add(r *row) {
	for _, at := range r.odd {
		f.count(r, at, unread, r.record[at])
	}
	for _, at := range r.gaps {
		f.count(r, at, empty, r.record[at])
	}
	for _, at := range f.late {
		if r.record[at] != "" {
			f.count(r, at, leftOut, r.record[at])
		}
	}
	t, label := &f.schema.Target, r.record[f.target]
	switch last := len(t.Classes) - 1; {
	case f.of == Predicted:
	case !r.known && label != "":
		f.count(r, f.target, noTarget, label)
	case r.known && last > 1 && int(r.y) == last && t.Classes[last] == schema.Other && label != schema.Other:
		f.count(r, f.target, otherLabel, label)
	}
	r.jumps = f.Jumps
}

// list lists what was counted: all of it, or the part that people should know. learned counts the learned rows.
func (f *fields) list(learned *fields, all bool) (list []Fields) {
	for i := range 3 * len(f.Columns) {
		o, c, sort := &f.Columns[i/3][i%3], &f.schema.Columns[i/3], i%3
		if c.Kind == schema.Label || c.Kind == schema.Dropped {
			sort += 3
		}
		n := Fields{text.String(c.Name), odd[sort].what, f.of, o.Rows, f.Rows, 0, o.Jumped, slices.Clone(o.Examples), sort}
		switch {
		case f != learned:
			n.Usual = float64(learned.Columns[i/3][i%3].Rows) / float64(max(1, learned.Rows))
		case sort == unread:
			n.Usual = c.Odd
		case sort == empty && o.Jumped > 0:
			n.Usual = float64(o.Before) / float64(o.From)
		case sort == empty:
			n.Usual = 1 // nothing to say before a jump
		case sort == fresh:
			n.All -= firstRows
		}
		if o.Rows > 0 && (all || n.notable()) {
			list = append(list, n)
		}
	}
	return list
}

// Fields lists the fields that say nothing to the learner: all that it has counted, or the part that people should know.
func (l *Learner) Fields(all bool) []Fields {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.observer
	return append(o.learned.list(o.learned, all), o.asked.list(o.learned, all)...)
}
