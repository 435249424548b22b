package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"

	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/repeats"
)

// Hints are what the user says about a table. Infer decides everything that is left empty.
type Hints struct {
	Target  string             `json:"target,omitempty"`  // a column, "Quantity>=12", "country=Norway" or "log2(Quantity)"
	As      TargetKind         `json:"as,omitempty"`      // kind of the forecast
	Classes []string           `json:"classes,omitempty"` // labels; of two, the second is the one whose probability is forecast
	Kinds   map[string]Kind    `json:"kinds,omitempty"`   // kinds of columns
	Multi   map[string]string  `json:"multi,omitempty"`   // separators of columns with several items in a cell
	Same    map[string]string  `json:"same,omitempty"`    // columns that share another column's items; opponents have "-" before its name
	Weights map[string]float64 `json:"weights,omitempty"` // of classes
	Where   *Condition         `json:"-"`                 // what records must meet to be in the sample
	Lists   []string           `json:"-"`                 // columns whose values are lists, with bars between the elements
	IDs     int                `json:"-"`                 // number of the last rows whose ids are remembered
}

type plainHints Hints

// MarshalJSON returns the hints. Names and classes that are not UTF-8 are escaped: a file may have any encoding.
func (h Hints) MarshalJSON() ([]byte, error) { return json.Marshal(plainHints(h.each(text.Escape))) }

// UnmarshalJSON reads what MarshalJSON returned. Unknown fields are errors.
func (h *Hints) UnmarshalJSON(b []byte) error {
	err := text.Decode(b, (*plainHints)(h))
	*h = h.each(text.Unescape)
	return err
}

// each returns the hints with each text replaced that comes from a file or a command.
func (h Hints) each(replaced func(string) string) Hints {
	h.Target, h.Classes = replaced(h.Target), slices.Clone(h.Classes)
	for i := range h.Classes {
		h.Classes[i] = replaced(h.Classes[i])
	}
	h.Kinds = eachOf(h.Kinds, replaced, func(k Kind) Kind { return k })
	h.Multi, h.Same = eachOf(h.Multi, replaced, replaced), eachOf(h.Same, replaced, replaced)
	h.Weights = eachOf(h.Weights, replaced, func(w float64) float64 { return w })
	return h
}

// Sample is the number of records from which Infer needs no more. The sample of a wide table has fewer.
const Sample = 10_000

// Bounds of a sample.
const (
	maxCells = 4_000_000 // 400 columns of Sample records
	maxText  = 256 << 20 // bytes
)

// First returns the first records that read returns and keep accepts, as many as Infer needs, and at most a number. A nil keep accepts
// all. If read returns an error other than io.EOF, First returns it with the records before it.
func First(read func() ([]string, error), keep func([]string) bool, most int) (sample [][]string, err error) {
	for cells, text := 0, 0; len(sample) < most && cells < maxCells && text < maxText; {
		record, err := read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return sample, err
		}
		if keep != nil && !keep(record) {
			continue
		}
		sample = append(sample, slices.Clone(record))
		cells += len(record)
		for _, field := range record {
			text += len(field)
		}
	}
	return sample, nil
}

// Once returns keep without the records that come again, with the id and the values of one of the last records.
func (h Hints) Once(columns []string, keep func([]string) bool) func([]string) bool {
	id := slices.IndexFunc(columns, func(name string) bool { return h.Kinds[name] == ID })
	if id < 0 || h.IDs < 1 {
		return keep
	}
	last := repeats.New(h.IDs, 0)
	return func(record []string) bool {
		values := uint64(0)
		for i, name := range columns {
			if i != id && h.Kinds[name] != Dropped {
				values = repeats.Mix(values, xxhash.Sum64String(record[i]))
			}
		}
		return (keep == nil || keep(record)) && last.See(last.Hash(record[id], values)).Learned()
	}
}

// Infer makes a schema from the first records of a table and the user's hints. Each column's Note says why the column has its kind.
func Infer(columns []string, sample [][]string, h Hints) (Schema, error) {
	if len(sample) == 0 {
		return Schema{}, errors.New("no record to learn the columns from; the input has a header at most")
	}
	if err := checkColumns(len(columns)); err != nil {
		return Schema{}, err
	}
	target, err := parseTarget(h.Target, columns)
	if err != nil {
		return Schema{}, err
	}
	if err := h.check(columns); err != nil {
		return Schema{}, err
	}
	if kind := h.Kinds[target.Column]; kind == Weight || kind == ID { // the others change nothing of a target
		return Schema{}, errors.Errorf("column %q is given as %s and as %s; give it once", target.Column, Label, kind)
	}
	in := &inference{hints: h, rows: len(sample)}
	together, own := map[string][]string{}, func(name string) string { return cmp.Or(strings.TrimPrefix(h.Same[name], "-"), name) }
	fields := make([]string, len(sample))
	for i, name := range columns {
		for row, record := range sample {
			fields[row] = record[i]
		}
		if in.profiles = append(in.profiles, newProfile(name, fields)); len(h.Same) > 0 {
			together[own(name)] = append(together[own(name)], fields...)
		}
	}
	for _, p := range in.profiles {
		if all := together[own(p.name)]; len(all) > len(sample) { // columns that share their items are read in one way
			p.as = newProfile(own(p.name), all).as
			p.read()
		}
	}
	if c := h.Where; c != nil && c.look != nil {
		p := in.profiles[c.Place]
		p.look = *c.look
		p.read()
	}
	label := in.profiles[slices.Index(columns, target.Column)]
	if err := in.finishTarget(&target, label); err != nil {
		return Schema{}, err
	}
	in.readLabels(target, label)
	target.Note = cmp.Or(in.constant(target, label), in.heavy(target), in.huge(target))
	in.findLeaks(label)
	s := Schema{Target: target, Nested: true}
	s.Columns = in.columns()
	if len(s.Inputs()) == 0 {
		in.keepLeaks = true
		s.Columns = in.columns()
	}
	if in.err != nil {
		return Schema{}, in.err
	}
	isText := func(c Column) bool { return strings.Contains(c.Note, TextNote) }
	if at := slices.IndexFunc(s.Columns, isText); at >= 0 && len(s.Inputs()) == 0 {
		return Schema{}, remedy.Errorf("words", "no column is left to learn from, and %q holds text: %s", s.Columns[at].Name, TextNote)
	}
	return s, s.Validate()
}

// check returns an error if the hints name a column that does not exist.
func (h Hints) check(columns []string) error {
	names := slices.AppendSeq(slices.Collect(maps.Keys(h.Kinds)), maps.Keys(h.Multi))
	for name, as := range h.Same {
		names = append(names, name, strings.TrimPrefix(as, "-"))
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(columns, name) {
			return errors.Errorf("%q is no column%s", name, nearest.Column(name, columns))
		}
	}
	return nil
}

// Say gives columns a kind. A column has one kind.
func (h *Hints) Say(kind Kind, columns ...string) error {
	for _, name := range columns {
		if other := cmp.Or(h.Kinds[name], kind); other != kind {
			return errors.Errorf("column %q is given as %s and as %s; give it once", name, other, kind)
		}
		if h.Kinds == nil {
			h.Kinds = map[string]Kind{}
		}
		h.Kinds[name] = kind
	}
	return nil
}

type inference struct {
	hints    Hints
	rows     int
	profiles []*profile
	target   Target
	labels   []float64 // labels of the sample's records
	known    []bool
	values   []float64         // the labels that are known
	classes  [][]int           // rows of the classes that are not rare
	leaks    map[string]string // why columns give the target away

	err       error
	keepLeaks bool // keep columns that give the target away, since no other column is left
}

func (in *inference) columns() (list []Column) {
	for _, p := range in.profiles {
		c := in.column(p)
		in.compare(p, &c)
		c.Note = strings.Trim(c.Note+"; "+p.as.Note, "; ")
		list = append(list, c)
	}
	return list
}

// finishTarget finds the kind and the classes of the target from the profile of its column.
func (in *inference) finishTarget(t *Target, p *profile) error {
	t.read(p.as)
	t.Weights = in.hints.Weights
	if t.Compare != "" {
		if len(in.hints.Classes) > 0 || in.hints.As != "" && in.hints.As != Classes {
			return remedy.Errorf("no classes", "the target %s%s%s has the classes no and yes; leave out other classes and another kind",
				t.Column, t.Compare, t.With)
		}
		return nil
	}
	if p.filled == 0 && len(in.hints.Classes) == 0 {
		return remedy.Errorf("classes or kind", "the target %q is empty in the first records (%d); say what it will be", t.Column, in.rows)
	}
	own := Classes
	if len(in.hints.Classes) == 0 && p.numeric && len(p.items) > 2 && !(p.whole && !p.pointed && len(p.items) <= fewNumbers) {
		own = Amount
	}
	if t.Kind = cmp.Or(t.Kind, in.hints.As, own); t.Kind != Classes {
		t.Classes, t.Reading, t.Layout, t.Zone = nil, Numbers, "", ""
		return nil
	}
	for _, mark := range p.marks {
		if mark = tidy(mark); (mark == "-" || mark == "?") && !slices.Contains(p.items, mark) { // is a class among classes
			p.items = append(p.items, mark)
		}
	}
	t.Classes = in.hints.Classes
	if len(t.Classes) == 0 {
		t.Classes = p.classes()
		if len(t.Classes) == 1 {
			return remedy.Errorf("classes or target",
				"the target %q is %q in all of the first records (%d); name all classes, or compare, such as %s=VALUE",
				t.Column, t.Classes[0], in.rows, t.Column)
		}
		if len(t.Classes) > 2 {
			t.Classes = append(t.Classes, Other)
		}
	}
	return nil
}

// fewNumbers is the number of different whole numbers up to which a target is taken for classes.
const fewNumbers = 10

// classes returns the labels of the sample in order: numbers by size, words by the alphabet, and all numbers together where 0 would be.
func (p *profile) classes() []string {
	size := func(label string) float64 {
		if x, ok := p.as.Number(label); ok {
			return x
		}
		return math.Inf(cmp.Compare(label, "0"))
	}
	return slices.SortedFunc(slices.Values(p.items), func(a, b string) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b))
	})
}

// readLabels reads the sample's labels. Labels that cannot be read are left to the stream.
func (in *inference) readLabels(t Target, p *profile) {
	in.target, in.labels, in.known = t, make([]float64, in.rows), make([]bool, in.rows)
	for i := range p.rows {
		y, known, err := t.Parse(p.at(i).text)
		if in.labels[i], in.known[i] = y, known && err == nil; in.known[i] {
			in.values = append(in.values, y)
		}
	}
}

// constant warns of a comparison that always gives the same in the sample.
func (in *inference) constant(t Target, p *profile) string {
	n, yes := len(in.values), floats.Sum(in.values)
	which := map[float64]string{0: "no row", float64(n): "each row"}[yes]
	if t.Compare == "" || n < Fewest || which == "" {
		return ""
	}
	return fmt.Sprintf("%s of the first %s has %s%s%s; the column holds %s", which, text.Grouped(int64(n)), t.Column,
		t.Compare, t.With, p.some())
}

// heavy suggests a logarithm if all numbers are above 0, and a few are far larger than most. Its forecast is their median.
func (in *inference) heavy(t Target) string {
	const much = 1.5 // deviation, in means
	y, n := in.values, float64(len(in.values))
	if t.Kind != Amount || t.Transform != "" || n < Fewest || !(floats.Min(y) > 0) ||
		!(n*floats.Dot(y, y) > (1+much*much)*floats.Sum(y)*floats.Sum(y)) {
		return ""
	}
	return fmt.Sprintf("%s reaches from %.3g to %.3g; the target log(%[1]s) may be forecast better, by its median", t.Column,
		floats.Min(y), floats.Max(y))
}

// huge warns of counts in the last cell of a count's distribution, which has no end: few of them lie in their interval.
func (in *inference) huge(t Target) string {
	if t.Kind != Count || len(in.values) == 0 || floats.Max(in.values) <= lastCell {
		return ""
	}
	return fmt.Sprintf("%s reaches %.3g, and the intervals of counts above %s are too narrow; the target log1p(%[1]s) has no such bound",
		t.Column, floats.Max(in.values), text.Grouped(lastCell))
}

func (in *inference) column(p *profile) Column {
	as := in.hints.Same[p.name]
	c := Column{Name: p.name, Separator: in.hints.Multi[p.name], Same: strings.TrimPrefix(as, "-"), Opposite: strings.HasPrefix(as, "-")}
	if p.name == in.target.Column {
		c.Kind = Label
		return c
	}
	switch kind, given := in.hints.Kinds[p.name]; {
	case kind == Kept:
		c.Kind, c.Note = p.inputKind()
	case given:
		c.Kind, c.Note = kind, "as you said"
	default:
		c.Kind, c.Note = in.kind(p)
		if in.isList(p) && c.Kind == Category {
			c.Separator = cmp.Or(c.Separator, "|")
		}
		if c.Empty = p.filled == 0; strings.HasPrefix(c.Note, once) {
			c.Once = in.rows
		}
	}
	others := slices.Collect(maps.Values(in.hints.Same))
	if c.Separator != "" || c.Same != "" || slices.Contains(others, p.name) || slices.Contains(others, "-"+p.name) {
		if c.Kind == Dropped || in.hints.Multi[p.name] != "" { // the note is of the whole cell
			c.Note, c.Once, c.Empty = "", 0, false
		}
		c.Kind = Category
	}
	c.Layout, c.Zone = p.as.Layout, p.as.Zone
	switch c.Reading = p.as.Reading; {
	case c.Kind == Time:
		c.Reading = Times
	case c.Separator != "" || c.Reading == Times && c.Kind != Number && !p.numeric:
		c.Reading = Text
	case c.Kind == Weight || c.Reading == Times || c.Kind == Number && !p.numeric:
		c.Reading = Numbers
	}
	c.DecimalComma = p.as.DecimalComma && (c.Reading == Numbers || c.Reading == Versions)
	if len(p.marks) > 0 && c.Reading != Text && c.Kind != Dropped {
		share := 100 * float64(p.given-p.filled) / float64(in.rows)
		c.Note = strings.TrimPrefix(fmt.Sprintf("%s; %q in %.1f %% of the rows is missing", c.Note, p.marks, share), "; ")
	}
	switch c.Kind {
	case Number, Both:
		if c.Kind == Both && p.constant() {
			c.Constant, _ = p.as.Value(p.items[0])
			return c
		}
		c.Edges, c.Quantiles = Bins(p.numbers)
		c.Values = len(p.items)
	case Time:
		in.time(p, &c)
	}
	return c
}

// compare notes the share of the sample's fields that do not fit a column, and the longest gap.
func (in *inference) compare(p *profile, c *Column) {
	const short = 100
	if p.gap > short {
		c.Gap = p.gap
	}
	inputs := Schema{Columns: []Column{*c}}.Inputs()
	if len(inputs) > 0 {
		c.Suspect = in.nearly(p)
	}
	if len(inputs) == 0 || c.Reading == Text {
		return
	}
	n, example := 0, ""
	for _, s := range p.spellings {
		if inputs[0].Read(Record{s.text}); inputs[0].Odd {
			n, example = n+int(s.n), cmp.Or(example, s.text)
		}
	}
	if c.Odd = float64(n) / float64(in.rows); n > 0 {
		digits := 2 + int(c.Odd+0.005) // with two digits 100 is 1e+02
		c.Note += fmt.Sprintf("; %.*g %% of the rows have something else, such as %q", digits, 100*c.Odd, example)
		var l lastTime
		if l.read(example, alike); l.known {
			c.Note += ", which " + unread
		}
	}
}

func (in *inference) time(p *profile, c *Column) {
	if p.as.Layout == "" {
		p.findLayout(true) // whatever its name
	}
	if c.Layout, c.Zone, c.Derived = p.as.Layout, p.as.Zone, p.as.Derived; c.Layout == "" {
		in.err = cmp.Or(in.err, remedy.Errorf("values", "the column %q is no time that is known: it holds %s; %s", p.name, p.some(),
			cmp.Or(p.as.Note, "make it another kind, or give its layout in the schema")))
	}
}

const (
	// Fewest is the number of records below which a sample says nothing about repetition.
	Fewest      = 50
	nameRepeats = 0.01                                      // share of fields whose value came before, below which a column names its rows
	once        = "no value comes twice: a name of the row" // note of a column that is left out as such a name
)

func (in *inference) kind(p *profile) (Kind, string) {
	if p.filled == 0 {
		return Dropped, "empty in the first " + text.Counted(in.rows, "record")
	}
	if why := in.leaks[p.name]; why != "" {
		if !in.keepLeaks {
			return Dropped, why
		}
		kind, _ := p.inputKind()
		return kind, "may give the target away; no other column is left"
	}
	if in.isList(p) {
		return Category, "lists: each element is an item"
	}
	named := !p.numeric || p.whole && (slices.IsSorted(p.numbers) || ofThing.MatchString(p.name)) // other numbers are amounts
	if named && p.as.Layout == "" && p.filled >= Fewest && float64(p.repeats()) < nameRepeats*float64(p.filled) {
		if p.repeats() == 0 {
			return Dropped, once + p.textNote("; ")
		}
		return Dropped, "hardly a value comes twice: a name of the row; keep it if it says something" + p.textNote("; ")
	}
	return p.inputKind()
}

// isList reports whether a column's values are lists. A column that shares another's items is none.
func (in *inference) isList(p *profile) bool {
	return slices.Contains(in.hints.Lists, p.name) && in.hints.Same[p.name] == ""
}

// TextNote is the end of the note of a column of text.
const TextNote = `the separator " " makes items of its words`

// textNote returns TextNote after a mark if the column holds text: most fields are several words, and come once.
func (p *profile) textNote(after string) string {
	blanks := 0
	for _, item := range p.items {
		blanks += strings.Count(item, " ")
	}
	if p.filled < Fewest || p.repeats() > p.filled/2 || blanks < 2*len(p.items) {
		return ""
	}
	return after + TextNote
}

// Kept is the kind in Hints for a column that must stay an input.
const Kept Kind = "kept"

// constant reports whether the column has one value in a sample that is large enough to show others.
func (p *profile) constant() bool { return len(p.items) == 1 && p.filled >= Fewest }

// inputKind decides the kind of a column that is an input. It tells amounts from numbers that are names. Most numbers enter as items and in
// bins, since many values repeat, such as prices, and a value that was learned says more than its bin.
func (p *profile) inputKind() (Kind, string) {
	named := p.whole && ofThing.MatchString(p.name)
	switch {
	case p.as.Layout != "":
		return Time, "a time: " + strings.Join(p.as.Derived, " and ")
	case !p.numeric:
		return Category, p.textNote("")
	case p.constant() && !named:
		return Both, "one value so far; its bins come when it varies"
	case len(p.items) <= 2:
		return Category, ""
	case named:
		return Category, "whole numbers under a name for things"
	case p.filled >= Fewest && p.repeats() < p.filled/2:
		return Number, "most values come once"
	}
	return Both, ""
}
