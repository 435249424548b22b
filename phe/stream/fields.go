package stream

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// Fields counts the fields of a column that say nothing to the model, or something else than people think.
type Fields struct {
	Column   text.String `json:"column"`
	What     string      `json:"what"` // "unread", "empty", "new", "other label", "no target" or "left out"
	Of       string      `json:"of"`   // Learned, or Predicted for rows that this process has only forecast
	Rows     int64       `json:"rows"` // with such a field; of learned rows, new items count from row 501 on
	All      int64       `json:"all"`  // rows that were looked at
	Usual    float64     `json:"usual,omitempty"`
	Since    int64       `json:"since,omitempty"`    // the row at which the share last jumped
	Examples []string    `json:"examples,omitempty"` // the last different ones
	sort     int
}

// Values of Fields.Of.
const Learned, Predicted = "learn", "predict"

const (
	unread = iota
	empty
	fresh
	otherLabel
	noTarget
	leftOut
	sorts
)

// odd says of each sort of fields what to tell people, and when: from a share of the rows on that is least and usual times the usual share
// of the first rows, or, for rows that are only forecast, of the rows that were learned. The share has jumped when a run of such fields has a
// length, and the share before it was low. A run grows by 1 with each of them, and shrinks with each row between.
var odd = [sorts]struct {
	what, says                         string
	least, usual, length, shrinks, low float64
}{
	unread:     {"unread", "fields of %q could not be read", 0, 1.5, 70, 1. / 14, 0.05}, // a fifth of 500 rows makes a run of 70
	empty:      {"empty", "fields of %q are empty", 0.2, 1, 500, 500, 0.5},
	fresh:      {"new", "fields of %q had never been learned", 0.1, 0, math.Inf(1), 1, 0},
	otherLabel: {"other label", "rows had other labels in %q, which were learned as " + schema.Other, 0, 0, math.Inf(1), 1, 0},
	noTarget:   {"no target", "rows had marks of a missing value in %q", 0, 0, math.Inf(1), 1, 0},
	leftOut: {"left out", "rows have %q, which was empty in the first rows and is left out; to learn it, start anew and say what it holds",
		0.01, 0, math.Inf(1), 1, 0},
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
	return s
}

// Notable tells whether people should know of the fields.
func (f Fields) Notable() bool {
	all, s := float64(f.All), &odd[f.sort]
	return f.Since > 0 || float64(f.Rows) >= s.least*all+s.usual*f.Usual*(all+100)
}

// fields counts such fields of all columns.
type fields struct {
	Rows   int64           `json:"rows"`
	Jumps  int             `json:"jumps,omitempty"` // rows at which shares have jumped
	Counts map[int]*oddity `json:"counts"`          // by column and sort

	of     string
	schema schema.Schema
	target int
	late   []int // columns that were empty in the first rows
}

func newFields(s schema.Schema, of string) *fields {
	f := &fields{Counts: map[int]*oddity{}, of: of, schema: s, target: s.PlaceOf(schema.Label)}
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

// fit tells whether the counts are those of a number of columns.
func (f *fields) fit(columns int) bool {
	for key, o := range f.Counts {
		if key < 0 || key >= columns*sorts || o == nil {
			return false
		}
	}
	return f.Counts != nil
}

// firstRows is the number of rows before which nothing is known of a share.
const firstRows = 500

// count counts a field of a row. It tells the row if the share of such fields has jumped.
func (f *fields) count(r *row, place, sort int, field string) {
	key, s := place*sorts+sort, &odd[sort]
	o := f.Counts[key]
	if o == nil {
		o = &oddity{Longest: int64(f.schema.Columns[place].Gap)}
		f.Counts[key] = o
	}
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
		o.Examples = append(o.Examples[max(0, len(o.Examples)+1-most):], census.Short(field, maxShown))
	}
	const longer = 3 // than the longest run before, in a column whose fields come in runs
	if o.Run < max(s.length, longer*float64(o.Longest)) || o.Jumped > o.From || o.From < firstRows || float64(o.Before) > s.low*float64(o.From) {
		return
	}
	o.Jumped = f.Rows
	if r.jump == "" {
		f.Jumps++
	} else {
		r.jump += "; "
	}
	r.jump += Fields{text.String(f.schema.Columns[place].Name), s.what, f.of, o.Rows - o.Before, f.Rows - o.From,
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

// list lists the fields that were counted. learned are those of the rows that were learned.
func (f *fields) list(learned *fields) (list []Fields) {
	for _, key := range slices.Sorted(maps.Keys(f.Counts)) {
		o, c, sort := f.Counts[key], &f.schema.Columns[key/sorts], key%sorts
		n := Fields{text.String(c.Name), odd[sort].what, f.of, o.Rows, f.Rows, 0, o.Jumped, slices.Clone(o.Examples), sort}
		switch was := learned.Counts[key]; {
		case f != learned && was != nil:
			n.Usual = float64(was.Rows) / float64(learned.Rows)
		case f == learned && sort == unread:
			n.Usual = c.Words
		case f == learned && sort == fresh:
			n.All -= firstRows
		case f == learned && sort == empty && o.Jumped == 0: // as always
			continue
		}
		list = append(list, n)
	}
	return list
}

// Fields lists what the learner has counted of fields that say nothing to it: of rows that were learned, and of those that this process has
// only forecast.
func (l *Learner) Fields() []Fields {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(l.observer.learned.list(l.observer.learned), l.observer.asked.list(l.observer.learned)...)
}

// notable returns the fields of which people should know.
func notable(list []Fields) []Fields {
	return slices.DeleteFunc(list, func(f Fields) bool { return !f.Notable() })
}
