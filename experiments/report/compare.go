package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"

	"github.com/pkg/errors"
)

// The readings of the paper: as its program does it, and as its text says.
const programReading, textReading = "program", "text"

// Compare lays the results in a folder next to the paper's numbers. It returns every cell of the paper's tables, measured or not.
// After each table's rows come frozen models and rules, then one pass, which the paper does not have, and last the text's reading.
func Compare(folder *result.Folder) ([]Cell, error) {
	s := &source{folder: folder}
	cells := s.readings()
	return cells, s.err
}

// readings returns the cells that Compare returns.
func (s *source) readings() []Cell { return slices.Concat(s.compare(), s.ofText()) }

// ofText returns the cells that whole results by the text fill, and frozen models. A cell of several draws has the mean over draws.
func (s *source) ofText() (cells []Cell) {
	for _, t := range paperTables() {
		for _, spec := range strings.Fields(t.Text) {
			methods, _ := s.methodsOverDraws([]string{spec})
			for _, o := range methods {
				for _, own := range t.Cells {
					if own.Method != strings.TrimSuffix(o.all.Name, " converged") {
						continue
					}
					c := Cell{Quantity: Quantity{Item: t.Item, Metric: o.metric.Name}, Spec: spec, Reading: textReading}
					c.published = cmp.Or(t.Row, t.Dataset)
					if c = c.measure(o.all); len(o.draws) > 1 {
						between := measure.Over(o.means())
						c.Measured, c.MeasuredSD, c.Draws, c.Seeds = between.Mean, between.SD, between.Seeds, c.Seeds/between.Seeds
					}
					if !o.all.Frozen {
						c.InPaper, c.Paper, c.PaperSD = true, own.Value, own.SD
					}
					if c.differs() {
						c.Note = "By the text. The page by-the-text.md says what differs from the program, and choices.md what each " +
							"choice is worth."
					}
					cells = append(cells, c)
				}
			}
		}
	}
	return cells
}

// compare returns the cells by the program.
func (s *source) compare() []Cell {
	if s.cells != nil {
		return s.cells
	}
	if _, err := os.Stat(s.folder.Path()); err != nil {
		s.fail(errors.Wrap(err, "no results there; make some with `phe run`, or name their folder with --out"))
		return nil
	}
	var cells []Cell
	for _, table := range paperTables() {
		f := s.find(table.Spec)
		if f == nil && table.Substitute != "" {
			f = s.find(table.Substitute)
		}
		cells = append(cells, compareWith(&table, f)...)
	}
	if s.err != nil {
		return nil
	}
	for i := range cells {
		cells[i].Note = s.note(cells[i].Note)
	}
	s.cells = slices.Concat(cells, computedSizes(), s.onePassScores())
	for i := range s.cells {
		s.cells[i].Reading = programReading
	}
	return s.cells
}

// compareWith lays a result next to a row of the paper. The result may be nil.
func compareWith(t *paperTable, f *result.File) []Cell {
	var cells []Cell
	for _, own := range t.Cells {
		c := Cell{Quantity: Quantity{t.Item, t.Dataset, own.Method, t.Protocol, "", t.Metric}, Spec: t.Spec, variant: t.Variant,
			Paper: own.Value, PaperSD: own.SD, InPaper: true, published: cmp.Or(t.For, t.Row, t.Dataset)}
		switch r := measure.Find(f, own.Method); {
		case t.Metric == measure.CompressionRatio:
			c = c.compress(f)
		case r.Method != nil:
			c = measureFor(t, c, r)
		}
		switch {
		case c.isVague():
			c.Note = fmt.Sprintf("Two of the paper's deviations hold all errors up to %.1f. This cell says nothing.", *c.Paper+2**c.PaperSD)
		case c.Substitute != "":
			c.Note = cmp.Or(c.reason(), "Measured on "+c.Substitute+", not on the paper's data.")
		case c.differs():
			c.Note = c.reason()
		}
		cells = append(cells, c)
	}
	if f == nil || t.Metric == measure.Parameters || t.Metric == measure.CompressionRatio {
		return cells
	}
	for _, r := range measure.Rows(f) {
		// Retail's eleven rivals have tables of their own.
		beside := r.Frozen || r.Name == baseline.Majority || r.Name == baseline.ItemMajority
		if beside && (t.Repeats == "" || slices.ContainsFunc(cells, func(c Cell) bool { return c.Method == r.Name })) {
			c := Cell{Quantity: Quantity{Item: t.Item, Metric: t.Metric}, Spec: t.Spec, variant: t.Variant}
			cells = append(cells, measureFor(t, c, r))
		}
	}
	return cells
}

// measureFor fills in the measured number and its data.
func measureFor(t *paperTable, c Cell, r measure.Row) Cell {
	c = c.measure(r)
	switch {
	case t.For != "":
		c.Substitute = c.Dataset
	case t.Substitute != "" && r.File.Name == t.Substitute:
		c.Substitute, c.Dataset, c.Spec = c.Dataset, t.Dataset, t.Substitute
	}
	return c
}

// Summary returns every method of one result by every metric of its protocol.
func Summary(f *result.File) []Cell {
	var cells []Cell
	for _, r := range measure.Rows(f) {
		for _, metric := range measure.Metrics(r.Method) {
			cells = append(cells, Cell{Quantity: Quantity{Item: f.Name, Metric: metric}, Spec: f.Name}.measure(r))
		}
	}
	return cells
}

// measure fills in the measured number of a row, over the seeds that are complete.
func (c Cell) measure(r measure.Row) Cell {
	c.Dataset, c.Method, c.Protocol, c.Convention = r.Dataset, r.Label(), r.Protocol, r.Convention
	c.Backend = r.File.Manifest.Backend
	for _, run := range r.Runs {
		if run.Status == result.Diverged {
			c.Diverged++
		}
	}
	e := r.Over(c.Metric)
	if c.Metric == measure.Parameters {
		e.SD = nil
	} else {
		c.Seconds = r.Seconds()
	}
	c.Measured, c.MeasuredSD, c.Seeds = e.Mean, e.SD, e.Seeds
	return c
}

// compress fills in the ratio of PHE's parameters to P-EE's, if a result has both.
func (c Cell) compress(f *result.File) Cell {
	phe, pee := measure.Find(f, "PHE"), measure.Find(f, "P-EE")
	if phe.Method == nil || pee.Method == nil {
		return c
	}
	ratio := float64(phe.Parameters) / float64(pee.Parameters)
	c.Measured, c.Convention, c.Backend, c.Seeds = &ratio, phe.Convention, f.Manifest.Backend, len(phe.Runs)
	return c
}

// reason says why some cells of a result differ from the paper's, as experiments have shown. Without methods it is about all others of the
// result. Its numbers are still templates.
type reason struct {
	Spec    string
	Methods []string
	Why     string
}

//go:embed reasons.json
var reasonsJSON []byte

var reasons = embedded[[]reason](reasonsJSON)

// reason returns why the cell differs from the paper's. It is empty if no reason is known.
func (c Cell) reason() string {
	for _, r := range reasons() {
		if r.Spec == c.Spec && (slices.Contains(r.Methods, c.Method) || len(r.Methods) == 0) {
			return r.Why
		}
	}
	return ""
}

// onePassScores returns the leading scores of one pass, from nothing and after the initial phase, on each stream with a result.
func (s *source) onePassScores() (cells []Cell) {
	for _, spec := range slices.Concat(spec.StudyMembers()["one-pass"], spec.StudyMembers()["one-pass-ratings"]) {
		f := s.find(spec)
		for _, name := range []string{fromNothing, afterName} {
			if r := measure.Find(f, name); r.Method != nil {
				cells = append(cells, Cell{Quantity: Quantity{Item: "One pass", Metric: r.Leading()}, Spec: spec}.measure(r))
			}
		}
	}
	return cells
}
