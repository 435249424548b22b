package stream

import (
	"fmt"
	"strconv"

	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/census"
	"gophe/phe/stream/schema"
)

// Fields counts the fields of a column that say nothing to the model.
type Fields struct {
	Column text.String `json:"column"`
	Unread int64       `json:"unread,omitempty"` // fields that are not what the column holds, such as "unknown" among numbers
	Empty  int64       `json:"empty,omitempty"`  // rows without a value
	New    int64       `json:"new,omitempty"`    // items that were never learned; not counted in rows that are learned

	Example text.String `json:"example,omitempty"` // the last of them
	// Of the last block of rows, and up to it.
	LastUnread int64 `json:"last_unread,omitempty"`
	LastEmpty  int64 `json:"last_empty,omitempty"`
	ToUnread   int64 `json:"to_unread,omitempty"`
	ToEmpty    int64 `json:"to_empty,omitempty"`
}

// fields counts the fields of all columns.
type fields struct {
	Rows    int64    `json:"rows"`
	Columns []Fields `json:"columns"`
	Jumps   int      `json:"jumps,omitempty"` // times that a share has jumped
}

func newFields(s schema.Schema) *fields {
	f := &fields{Columns: make([]Fields, len(s.Columns))}
	for i, name := range s.Names() {
		f.Columns[i].Column = text.String(name)
	}
	return f
}

// add counts the fields of a row. It returns what has jumped: "" if nothing has.
func (f *fields) add(r *row) (jump string) {
	for _, at := range r.odd {
		c := &f.Columns[at]
		c.Unread++
		c.Example = text.String(census.Short(r.record[at], maxShown))
	}
	for _, at := range r.gaps {
		f.Columns[at].Empty++
	}
	const block = 500 // rows
	if f.Rows++; f.Rows%block > 0 {
		return ""
	}
	for i := range f.Columns {
		c := &f.Columns[i]
		for _, n := range []struct {
			all      int64
			to, last *int64
			rise     int64   // in a block, that is a jump
			before   float64 // largest share in all rows before; a share that swings does not jump
			what     string
		}{{c.Unread, &c.ToUnread, &c.LastUnread, block / 5, 1 - 0.95, "can no longer be read, such as " + strconv.Quote(string(c.Example))}, {c.Empty, &c.ToEmpty, &c.LastEmpty, block - c.LastEmpty, 0.5, "are now empty"}} {
			now := n.all - *n.to
			if was := *n.last; f.Rows > block && now > was && now-was >= n.rise && float64(*n.to) <= n.before*float64(f.Rows-block) {
				f.Jumps++
				jump = fmt.Sprintf("%.0f %% of the fields of %s %s (before: %.0f %%)", 100*float64(now)/block, c.Column, n.what, 100*float64(was)/block)
			}
			*n.to, *n.last = n.all, now
		}
	}
	return jump
}

// emptied lists the columns that lack values in many more rows than those that were learned.
func (f *fields) emptied(learned *fields) (list []Fields) {
	for i, c := range f.Columns {
		const much = 0.2
		if was := float64(learned.Columns[i].Empty) / max(1, float64(learned.Rows)); float64(c.Empty) > (was+much)*float64(f.Rows) {
			list = append(list, c)
		}
	}
	return list
}

// list returns the columns with fields that could not be read or were never learned.
func (f *fields) list() (list []Fields) {
	for _, c := range f.Columns {
		if c.Unread+c.New > 0 {
			list = append(list, c)
		}
	}
	return list
}

// Asked returns the number of records that were only forecast by this process, the columns whose fields could not be read or were never
// learned, and the columns that lack values in many more rows than those that were learned.
func (l *Learner) Asked() (rows int64, columns, emptied []Fields) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.observer
	return o.asked.Rows, o.asked.list(), o.asked.emptied(o.learned)
}
