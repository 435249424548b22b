package serve

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gophe/phe/records"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/schema"
)

// layout puts the fields of a request's records in their places.
type layout struct {
	schema     schema.Schema
	columns    map[string]int // places of the names
	marks      []byte         // of the decimals of each column: a comma, or 0 for any
	nested     records.Nested // the objects in a record; nil for a model that takes apart one level
	maxRecords int
}

// newLayout returns the layout of a schema's records, and of requests with some records at most.
func newLayout(of schema.Schema, maxRecords int) *layout {
	l := &layout{schema: of, columns: map[string]int{}, marks: make([]byte, len(of.Columns)), maxRecords: maxRecords}
	for i, name := range of.Names() {
		l.columns[name] = i
	}
	if of.Nested {
		l.nested = records.Nest(of.Names())
	}
	for _, name := range of.Commas() {
		l.marks[l.columns[name]] = ','
	}
	return l
}

// warnNames logs the names of a schema that no request can have.
func warnNames(of schema.Schema, log func(line string)) {
	for _, name := range append(of.Names(), of.Target.Classes...) {
		if !utf8.ValidString(name) {
			log(fmt.Sprintf("warning: %q is a column or a class and not UTF-8, so no request can name it; "+
				"convert the file to UTF-8 and learn it anew", name))
		}
	}
}

// list returns an operation that asks for the records of a body, with their ids if they have any. learns says that they will be learned.
func (l *layout) list(body []byte, learns bool) (op operation, p *problem) {
	var q recordsRequest
	if p := decode(body, &q); p != nil {
		return op, p
	}
	return l.listed(&q, learns)
}

func (l *layout) listed(q *recordsRequest, learns bool) (op operation, p *problem) {
	all := q.Records
	op.IDs = q.IDs
	switch {
	case q.Record != nil && q.Records != nil:
		return op, invalid("two_lists", "the body has \"record\" and \"records\"; give one of them")
	case q.Record != nil:
		all = []jsontext.Value{*q.Record}
		if q.ID != nil {
			op.IDs = append(op.IDs, *q.ID)
		}
	case q.ID != nil:
		return op, invalid("ids", "the body has \"records\" and \"id\"; give \"ids\", one for each record")
	}
	switch {
	case len(all) == 0:
		return op, invalid("no_records", "the body has no records; write {\"records\": [{\"COLUMN\": VALUE, …}]}")
	case len(all) > l.maxRecords:
		return op, tooLarge("more than %d records", l.maxRecords)
	case len(all)*len(l.columns) > maxFields:
		return op, tooLarge("fields are limited to %d, and %d records of %d columns have more", maxFields, len(all), len(l.columns))
	case len(op.IDs) > 0 && len(op.IDs) != len(all):
		return op, invalid("ids", "%d ids for %d records; give one for each record, or none", len(op.IDs), len(all))
	}
	read := objects.Get().(*records.Object)
	defer objects.Put(read)
	read.Nested = l.nested
	for i, object := range all {
		r, unknown, p := l.record(read, object, learns)
		if p != nil {
			p.Message = place(i, len(all)) + p.Message
			return op, p
		}
		op.Ask = append(op.Ask, r)
		for _, name := range unknown {
			if name = fmt.Sprintf("%.60s", name); len(op.Ignored) <= maxUnknown && !slices.Contains(op.Ignored, name) {
				op.Ignored = append(op.Ignored, name)
			}
		}
	}
	if len(op.Ignored) > maxUnknown {
		op.Ignored[maxUnknown] = "…"
	}
	return op, checkIDs(op.IDs)
}

// objects have memory that the next request takes.
var objects = sync.Pool{New: func() any { return new(records.Object) }}

// maxUnknown is the number of unknown columns that an answer names. Each may be compared with all columns.
const maxUnknown = 10

// record puts the fields of an object into the schema's order, and returns the names that are no columns. Columns without a value are
// missing. Where both are found, a name is probably mistyped.
func (l *layout) record(read *records.Object, object jsontext.Value, learns bool) (r schema.Record, unknown []string, p *problem) {
	if object.Kind() != '{' {
		return nil, nil, invalid("not_a_record", "it is %.60s; write it as {\"COLUMN\": VALUE, …}", object)
	}
	r, given := make(schema.Record, len(l.columns)), make([]bool, len(l.columns))
	_ = read.Fields(object, func(name, v []byte) { // decode has checked the object
		at, found := l.columns[string(name)]
		switch {
		case found && r[at] != "": // as "a.b" and {"a": {"b"}}
			p = invalid("column_twice", "the column %.60q comes twice; give it once", name)
		case found:
			r[at], given[at] = string(read.Text(v, l.marks[at])), true
		case len(unknown) <= maxUnknown:
			unknown = append(unknown, string(name))
		}
	})
	if p == nil && len(unknown) > 0 {
		p = l.mistyped(unknown[:min(maxUnknown, len(unknown))], given, learns)
	}
	return r, unknown, p
}

// mistyped returns the problem of a record with unknown names that lacks columns which the model reads; nil if it lacks none.
func (l *layout) mistyped(unknown []string, given []bool, learns bool) *problem {
	var lacks []string
	for i, c := range l.schema.Columns {
		if c.Needed(learns) && !given[i] {
			lacks = append(lacks, c.Name)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	said := ""
	for _, name := range unknown {
		said += fmt.Sprintf("%.60q is no column of this model%s; ", name, nearest.Hint(name, lacks))
	}
	return invalid("unknown_column", "%sthe record lacks %q; give each, or null where there is no value",
		said, lacks[:min(maxUnknown, len(lacks))])
}

// labels returns the operation that labels the ids of a body.
func (l *layout) labels(body []byte) (op operation, p *problem) {
	var q labelsRequest
	if p = decode(body, &q); p != nil {
		return op, p
	}
	read := records.Object{Nested: l.nested}
	for i, label := range q.Labels {
		target := ""
		switch {
		case label.Target == nil:
		case label.Target.Kind() == '{':
			return op, invalid("not_a_value", "the target of the id %q is an object; write a string, a number, true or false", label.ID)
		default:
			target = string(read.Text(*label.Target, l.marks[l.columns[l.schema.Target.Column]]))
		}
		_, known, err := l.schema.Target.Parse(target)
		if err != nil {
			return op, badField(err, place(i, len(q.Labels)))
		}
		if !known {
			return op, invalid("no_target", "the label of the id %q has no target; write {\"id\": ID, \"target\": VALUE}", label.ID)
		}
		op.IDs, op.Label = append(op.IDs, label.ID), append(op.Label, target)
	}
	switch {
	case len(q.Labels) == 0:
		return op, invalid("no_records", "the body has no labels; write {\"labels\": [{\"id\": ID, \"target\": VALUE}]}")
	case len(q.Labels) > l.maxRecords:
		return op, tooLarge("too many labels")
	}
	return op, checkIDs(op.IDs)
}
