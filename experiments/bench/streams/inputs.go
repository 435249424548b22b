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
	name  string // behind its kind
	space string // Vowpal Wabbit's namespace, one for each column; "" if it does not take the input
	field int    // place in a record
	read  func(field string) string
}

// Kinds of an input, the beginning of its name.
const (
	category = "c:" // an item
	value    = "v:" // a number as an item: prices come again
	bin      = "b:" // a number's bin as an item
	number   = "n:" // the number itself
)

// inputs lists the inputs of a schema. A missing input is "".
func inputs(s schema.Schema) (all []input) {
	spaces := map[string]string{} // of columns
	whole := func(field string) string { return field }
	for i, c := range s.Columns {
		add := func(kind, name string, read func(string) string) {
			in := input{name: kind + name, field: i, read: read}
			if kind != number {
				if spaces[name] == "" {
					spaces[name] = string(rune('a' + len(spaces)))
				}
				in.space = spaces[name]
			}
			all = append(all, in)
		}
		switch c.Kind {
		case schema.Category:
			add(category, c.Name, whole)
		case schema.Both, schema.Number:
			if c.Kind == schema.Both {
				add(value, c.Name, whole)
			}
			add(bin, c.Name, func(field string) string { return binOf(c.Edges, field) })
			add(number, c.Name, numberOf)
		case schema.Time:
			for _, d := range c.Derived {
				add(category, c.Name+" "+d, func(field string) string { return partOf(field, c.Layout, d) })
			}
		}
	}
	return all
}

// binOf returns a number's bin: between edges, or without them a quarter of an octave. A word among numbers is an item.
func binOf(edges []float64, field string) string {
	x, err := strconv.ParseFloat(field, 64)
	switch {
	case err != nil:
		return field
	case len(edges) > 0:
		return strconv.Itoa(sort.Search(len(edges), func(i int) bool { return edges[i] > x }))
	}
	return strconv.Itoa(int(math.Copysign(math.Floor(4*math.Log2(1+math.Abs(x))), x)))
}

func numberOf(field string) string {
	if _, err := strconv.ParseFloat(field, 64); err != nil {
		return ""
	}
	return field
}

// partOf returns the hour of a time, or its weekday.
func partOf(field, layout, part string) string {
	t, err := time.Parse(layout, field)
	switch {
	case err != nil:
		return ""
	case part == "hour":
		return strconv.Itoa(t.Hour())
	}
	return strconv.Itoa(int(t.Weekday()))
}

// wabbitWords keeps words whole in Vowpal Wabbit's text.
var wabbitWords = strings.NewReplacer(" ", "_", ":", "_", "|", "_")

// wabbitLine returns a row as Vowpal Wabbit reads it. The letter before each item makes it hash numbers as it hashes words.
func wabbitLine(y float64, all []input, row []string) string {
	var b strings.Builder
	b.WriteString(strconv.FormatFloat(y, 'g', -1, 64))
	last := ""
	for i, in := range all {
		if in.space == "" || row[i] == "" {
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
