package main

import (
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"gophe/phe/stream/schema"
)

// input is what the rivals get of a column: the same as phe stream.
type input struct {
	schema.Input
	name  string // the column's, behind the input's kind
	space string // Vowpal Wabbit's namespace, one for each column; it takes no numbers
}

// Kinds of an input, the beginning of its name.
const (
	category = "c:" // an item
	value    = "v:" // a number as an item: prices come again
	bin      = "b:" // a number's bin as an item
	number   = "n:" // the number itself
)

// inputs lists the inputs of a schema.
func inputs(s schema.Schema) (all []input) {
	spaces := map[string]string{} // of columns
	for _, in := range s.Inputs() {
		name, kinds := in.Column.Name, []string{category}
		switch {
		case in.Number:
			kinds = []string{bin, number}
		case in.Column.Kind == schema.Both:
			kinds = []string{value}
		case in.Derived != "":
			name += " " + in.Derived
		}
		if spaces[name] == "" {
			spaces[name] = string(rune('a' + len(spaces)))
		}
		for _, kind := range kinds {
			all = append(all, input{in, kind + name, spaces[name]})
		}
	}
	return all
}

// of returns the input in a record. A missing input is "". A word among numbers is an item.
func (in input) of(record []string) string {
	item, x, isNumber := in.Read(record)
	edges := in.Column.Edges
	switch {
	case in.Derived == "weekday":
		if t, err := time.Parse(in.Column.Layout, record[in.Place]); err == nil {
			return strconv.Itoa(int(t.Weekday()))
		}
	case isNumber && in.isNumber():
		return record[in.Place]
	case isNumber && len(edges) > 0:
		return strconv.Itoa(sort.Search(len(edges), func(i int) bool { return edges[i] > x }))
	case isNumber: // without edges, a bin is a quarter of an octave
		return strconv.Itoa(int(math.Copysign(math.Floor(4*math.Log2(1+math.Abs(x))), x)))
	case in.isNumber():
		return ""
	}
	return item
}

func (in input) isNumber() bool { return strings.HasPrefix(in.name, number) }

// wabbitWords keeps words whole in Vowpal Wabbit's text.
var wabbitWords = strings.NewReplacer(" ", "_", ":", "_", "|", "_")

// wabbitLine returns a row as Vowpal Wabbit reads it. The letter before each item makes it hash numbers as it hashes words.
func wabbitLine(y float64, all []input, row []string) string {
	var b strings.Builder
	b.WriteString(strconv.FormatFloat(y, 'g', -1, 64))
	last := ""
	for i, in := range all {
		if in.isNumber() || row[i] == "" {
			continue
		}
		if in.space != last {
			last = in.space
			b.WriteString(" |" + last)
		}
		b.WriteString(" " + in.name[:1] + wabbitWords.Replace(row[i]))
	}
	return b.String() + "\n"
}
