package census

import (
	"strings"
	"unicode/utf8"
)

// Top is one of a column's most frequent items.
type Top struct {
	Name  string `json:"name"`       // at most maxName bytes; see there
	Key   uint64 `json:"key,string"` // many JSON readers take numbers for float64, which lacks some of the bits
	Count int64  `json:"count"`      // the estimate when the column had the item last
}

// MaxNamed is the number of items that a column lists.
const MaxNamed = 50

// maxName bounds the bytes of a listed name, since a field of a table may be of any size. Key identifies the whole name.
const maxName = 200

// rank puts an item's new count into the list. The list is in the order of the counts. Among equals, the first to get there stays
// first. An item outside the list had at most the list's least count when the column had it last.
func (c *Column) rank(key uint64, count int64, name string) {
	full := len(c.Top) == MaxNamed
	if full && count <= c.Top[MaxNamed-1].Count { // an item of the list has more than its old count
		return
	}
	at := 0
	for at < len(c.Top) && c.Top[at].Key != key {
		at++
	}
	switch {
	case at < len(c.Top):
		c.Top[at].Count = count
	case !full:
		c.Top = append(c.Top, Top{Short(name, maxName), key, count})
	default:
		at = MaxNamed - 1
		c.Top[at] = Top{Short(name, maxName), key, count}
	}
	for ; at > 0 && c.Top[at].Count > c.Top[at-1].Count; at-- {
		c.Top[at], c.Top[at-1] = c.Top[at-1], c.Top[at]
	}
}

// Short returns a copy of a name of at most so many bytes. A longer name is cut before a character and ends in "…". Bytes that are no
// UTF-8 become U+FFFD, since JSON would not keep them. The name itself may be part of a large record, which must not stay in memory.
func Short(name string, most int) string {
	const more = "…"
	if len(name) <= most && utf8.ValidString(name) {
		return strings.Clone(name)
	}
	var b strings.Builder
	b.Grow(most)
	for _, r := range name { // bytes that are no UTF-8 give U+FFFD
		if b.Len()+utf8.RuneLen(r) > most-len(more) {
			b.WriteString(more)
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
