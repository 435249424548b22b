// Package protocol says in which order a learner predicts, is scored and learns (Sec. 4.1). Labels reach the learner only after its
// prediction was scored. Use [NewPlan] to apply a protocol to a table.
package protocol

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/data/labelled"
	"gophe/data/sales"
	"gophe/phe/remedy/fieldpath"
)

// Spec describes the order in which a learner gets the data. fieldsOf lists the fields of each protocol.
type Spec struct {
	Name            string            `json:"name"`
	InitialFraction float64           `json:"initial_fraction,omitempty"` // of all rows, before the stream begins
	InitialEpochs   int               `json:"initial_epochs"`             // passes over the initial rows
	ChunkRows       int               `json:"chunk_rows,omitempty"`       // rows of a step of the stream; online, four fifths are scored
	AllRows         bool              `json:"all_rows,omitempty"`         // score and learn all rows of a step, as the text says
	MaxChunks       int               `json:"max_chunks,omitempty"`       // stop early; 0 is the whole stream. by-group: of each group
	Groups          int               `json:"groups,omitempty"`           // into which the incremental column's items are cut
	Cut             labelled.GroupCut `json:"cut,omitempty"`              // of a group into training and test rows
	ScoreSteps      int               `json:"score_steps,omitempty"`      // steps that share one score of a result
	TestEvery       int               `json:"test_every,omitempty"`       // steps from one test to the next
	MaxTestRows     int               `json:"max_test_rows,omitempty"`    // of each test set; 0 is all
	FromDay         string            `json:"from_day,omitempty"`         // of the initial data, YYYY-MM-DD; earlier days are left out
	FirstDay        string            `json:"first_day,omitempty"`        // of the stream, YYYY-MM-DD; earlier days are initial
	Validation      float64           `json:"validation,omitempty"`       // share of the initial rows that replaces the stream
	Windows         WindowRule        `json:"windows,omitempty"`          // how sales make windows of ten
}

// The protocols of the paper, and of the questions that it leaves open.
const (
	Online     = "online"     // Sec. 4.2, Table 1: random chunks, each predicted, then learned
	GroupWise  = "group"      // Supp. G.6, Figs. 1, 8, 11, Table 5: group after group of items
	Adaptation = "adaptation" // Supp. G.6, Fig. 10: two groups of items, the second datum by datum
	Order      = "order"      // Prop. 3.1: one online stream in several orders
	InOrder    = "in-order"   // the rows as the file has them: the first are initial, and the others come in steps
	ByGroup    = "by-group"   // the online stream, but the items arrive group by group
	Growing    = "growing"    // items appear one after the other, and old ones recur
	Swapped    = "swapped"    // midway two items exchange their meanings
	Daily      = "daily"      // Sec. 4.3, Table 1 Retail: sales day by day, each predicted, then learned
	Products   = "products"   // Supp. G.6, Table 5 Retail: group after group of products
	Recommend  = "recommend"  // Sec. 4.4, Table 1 MovieLens: ratings day by day, each predicted, then learned
	TwoItems   = "two-items"  // Supp. F, Fig. 5: the smallest stream that shows forgetting; it has no data file
)

// Conventions: the paper and the authors' program disagree in places (PROTOCOL: "Disagreements").
const (
	Authors = "authors"
	Paper   = "paper"
	Ours    = "ours"
)

// WindowRule says which sales share windows (package data).
type WindowRule string

const (
	Overlapping WindowRule = "overlapping" // each sale ends a window, so that it is in up to ten; short products are padded
	Separate    WindowRule = "separate"    // each sale is in one window, and leftover sales are in none
)

// StartDay returns the first day of a stream of sales, counted from the first day of the data.
func (p Spec) StartDay() (int, error) {
	day, err := time.Parse(time.DateOnly, p.FirstDay)
	n := int(day.Sub(sales.Start).Hours() / 24)
	if err != nil || n < 1 {
		return 0, fieldpath.Errorf("first_day", "first_day is %q; write it as 2011-02-01, and later than %s",
			p.FirstDay, sales.Start.Format(time.DateOnly))
	}
	return n, nil
}

// RatingDays returns the first day of the initial ratings and of the stream.
func (p Spec) RatingDays() (from, first time.Time, err error) {
	from, errFrom := time.Parse(time.DateOnly, p.FromDay)
	first, errFirst := time.Parse(time.DateOnly, p.FirstDay)
	switch {
	case errFrom != nil:
		err = fieldpath.Errorf("from_day", "from_day is %q; write it as 1996-01-01", p.FromDay)
	case errFirst != nil:
		err = fieldpath.Errorf("first_day", "first_day is %q; write it as 2000-01-01", p.FirstDay)
	case !first.After(from):
		err = fieldpath.Errorf("first_day", "first_day is %q and from_day %q; the stream must begin later than its initial data",
			p.FirstDay, p.FromDay)
	}
	return from, first, err
}

// fieldsOf lists the fields that a protocol needs, and the optional ones without initial_epochs.
var fieldsOf = map[string]struct{ needs, may []string }{
	Online:     {[]string{"initial_fraction", "chunk_rows"}, []string{"all_rows", "max_chunks", "score_steps", "validation"}},
	GroupWise:  {[]string{"groups", "cut"}, []string{"max_test_rows", "validation"}},
	Adaptation: {[]string{"cut", "test_every"}, []string{"max_chunks", "max_test_rows", "validation"}},
	Order:      {[]string{"initial_fraction", "chunk_rows"}, []string{"max_chunks", "max_test_rows", "validation"}},
	InOrder:    {[]string{"initial_fraction", "chunk_rows"}, []string{"max_chunks", "score_steps", "validation"}},
	ByGroup:    {[]string{"groups", "chunk_rows", "test_every"}, []string{"max_chunks", "max_test_rows", "validation"}},
	Growing:    {[]string{"chunk_rows", "test_every"}, []string{"max_chunks", "max_test_rows", "validation"}},
	Daily:      {[]string{"first_day", "windows"}, []string{"max_chunks"}},
	Recommend:  {[]string{"from_day", "first_day"}, []string{"max_chunks"}},
	Products:   {[]string{"groups", "windows"}, []string{"max_test_rows"}},
	TwoItems:   {[]string{"chunk_rows", "max_chunks"}, nil},
	Swapped:    {[]string{"initial_fraction", "chunk_rows", "test_every"}, []string{"max_chunks", "max_test_rows", "validation"}},
}

// Names lists the protocols in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(fieldsOf)) }

// Validate returns the first thing wrong with the protocol and what would be right.
func (p Spec) Validate() error {
	fields, known := fieldsOf[p.Name]
	if !known {
		return errors.Errorf("protocol is named %q; choose one of %s", p.Name, strings.Join(Names(), ", "))
	}
	switch {
	case p.InitialFraction < 0 || p.InitialFraction >= 1 || p.InitialFraction != p.InitialFraction:
		return fieldpath.Errorf("initial_fraction", "initial_fraction is %g; it must lie between 0 and 1", p.InitialFraction)
	case p.Validation < 0 || p.Validation >= 1 || p.Validation != p.Validation:
		return fieldpath.Errorf("validation", "validation is %g; it must lie between 0 and 1, and the paper takes 0.2", p.Validation)
	case p.InitialEpochs < 1 && p.Name != TwoItems:
		return fieldpath.Errorf("initial_epochs", "initial_epochs is %d; it must be at least 1", p.InitialEpochs)
	case p.ChunkRows != 0 && p.ChunkRows < 2:
		return fieldpath.Errorf("chunk_rows", "chunk_rows is %d; it must be at least 2, since a fifth is held out", p.ChunkRows)
	case p.Groups != 0 && p.Groups < 2:
		return fieldpath.Errorf("groups", "groups is %d; it must be at least 2", p.Groups)
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"max_chunks", p.MaxChunks}, {"score_steps", p.ScoreSteps}, {"test_every", p.TestEvery}, {"max_test_rows", p.MaxTestRows}} {
		if f.value < 0 {
			return fieldpath.Errorf(f.name, "%s is %d; it must be 0 or more", f.name, f.value)
		}
	}
	if p.Windows != "" && p.Windows != Overlapping && p.Windows != Separate {
		return fieldpath.Errorf("windows", "windows is %q; choose %q (the authors) or %q (the paper)", p.Windows, Overlapping, Separate)
	}
	var err error
	switch {
	case p.FirstDay != "" && p.Name == Daily:
		_, err = p.StartDay()
	case p.FirstDay != "" && p.FromDay != "" && p.Name == Recommend:
		_, _, err = p.RatingDays()
	case p.Cut != "":
		err = p.Cut.Validate()
	}
	if err != nil {
		return err
	}
	for f, value := range reflect.ValueOf(p).Fields() {
		name, _, optional := strings.Cut(f.Tag.Get("json"), ",")
		given := !value.IsZero()
		switch {
		case !optional: // name and initial_epochs
		case given && !slices.Contains(fields.needs, name) && !slices.Contains(fields.may, name):
			return fieldpath.Errorf(name, "%s does not belong to protocol %q; leave it out", name, p.Name)
		case !given && slices.Contains(fields.needs, name):
			return fieldpath.Errorf(name, "%s is missing or 0 in protocol %q; give it", name, p.Name)
		}
	}
	return nil
}

// Arrival is the order in which a method gets the rows of the stream.
type Arrival string

// The arrivals of the order test (Prop. 3.1): exact Bayes ends at the same posterior by all of them.
const (
	AsItComes Arrival = ""
	Shuffled  Arrival = "shuffled" // rows in another random order
	Reversed  Arrival = "reversed" // last row first
	ByItem    Arrival = "by-item"  // sorted by the incremental column's item: the hardest
	AtOnce    Arrival = "at-once"  // all rows in a single step: batch learning
)

// Validate returns an error about an unknown arrival.
func (a Arrival) Validate() error {
	switch a {
	case AsItComes, Shuffled, Reversed, ByItem, AtOnce:
		return nil
	}
	return fieldpath.Errorf("arrival", "arrival is %q; choose %q, %q, %q or %q, or leave it out", a, Shuffled, Reversed, ByItem, AtOnce)
}

// Validation is the name of the protocol in results whose stream is a share of the initial rows.
const Validation = "validation"

// ShownName returns the protocol's name as results have it.
func (p Spec) ShownName() string {
	if p.Validation > 0 {
		return Validation
	}
	return p.Name
}
