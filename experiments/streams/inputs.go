package streams

import (
	"gophe/phe/stream/schema"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
)

// inputs turns records into the rivals' inputs. They get the same inputs of each column as phe stream.
type inputs struct {
	schema schema.Schema
	target int
	names  []string // of the inputs, each behind its kind
}

// Kinds of an input, the beginning of its name.
const (
	category = "c:" // an item
	value    = "v:" // a number as an item: prices come again
	bin      = "b:" // a number's bin as an item
	number   = "n:" // the number itself
)

func newInputs(s schema.Schema) *inputs {
	in := &inputs{schema: s}
	for i, c := range s.Columns {
		switch c.Kind {
		case schema.Label:
			in.target = i
		case schema.Category:
			in.names = append(in.names, category+c.Name)
		case schema.Both:
			in.names = append(in.names, value+c.Name, bin+c.Name, number+c.Name)
		case schema.Number:
			in.names = append(in.names, bin+c.Name, number+c.Name)
		case schema.Time:
			for _, d := range c.Derived {
				in.names = append(in.names, category+c.Name+" "+d)
			}
		}
	}
	return in
}

// y returns the target of a record: a number, or 0 or 1.
func (in *inputs) y(record []string) float64 {
	t, field := in.schema.Target, record[in.target]
	if t.Kind == schema.Classes {
		if (schema.Condition{Column: t.Column, Compare: t.Compare, With: t.With}).Holds(field) {
			return 1
		}
		return 0
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil {
		return math.NaN()
	}
	if t.Transform == "log2" {
		return math.Log2(v)
	}
	return v
}

// read appends the inputs of a record. A missing one is "".
func (in *inputs) read(into, record []string) []string {
	for i, c := range in.schema.Columns {
		field := record[i]
		switch c.Kind {
		case schema.Category:
			into = append(into, field)
		case schema.Both, schema.Number:
			x, err := strconv.ParseFloat(field, 64)
			if c.Kind == schema.Both {
				into = append(into, field)
			}
			if err != nil { // a word among numbers is an item
				into = append(into, field, "")
			} else {
				into = append(into, binOf(c.Edges, x), field)
			}
		case schema.Time:
			t, err := time.Parse(c.Layout, field)
			for _, d := range c.Derived {
				switch {
				case err != nil:
					into = append(into, "")
				case strings.Contains(d, "hour"):
					into = append(into, strconv.Itoa(t.Hour()))
				default:
					into = append(into, strconv.Itoa(int(t.Weekday())))
				}
			}
		}
	}
	return into
}

// binOf returns a number's bin: between edges, or without them a quarter of an octave.
func binOf(edges []float64, x float64) string {
	if len(edges) > 0 {
		return strconv.Itoa(sort.Search(len(edges), func(i int) bool { return edges[i] > x }))
	}
	return strconv.Itoa(int(math.Copysign(math.Floor(4*math.Log2(1+math.Abs(x))), x)))
}

// column returns the name of an input without its kind.
func column(input string) string { return input[2:] }

// namespaces returns Vowpal Wabbit's namespace of each input, one for each column, or "" if it does not take the input.
func (in *inputs) namespaces() []string {
	letters := make([]string, len(in.names))
	of := map[string]string{}
	for i, name := range in.names {
		if strings.HasPrefix(name, number) {
			continue
		}
		c := column(name)
		if of[c] == "" {
			of[c] = string(rune('a' + len(of)))
		}
		letters[i] = of[c]
	}
	return letters
}
