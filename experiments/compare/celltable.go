package compare

import (
	"cmp"
	"fmt"
	"gophe/experiments/measure"
	"strings"
)

// Markdown renders cells next to the paper's numbers, with a line for each. Words stand where there is no number. The difference
// is in points and in the paper's standard deviations, and notes say why a cell differs.
func Markdown(cells []Cell) string {
	var b strings.Builder
	var why notes
	fmt.Fprintln(&b, "| table | data set | method | metric | paper | ours | difference | in paper's sd | outcome | convention | seeds | s per seed | backend | result |")
	fmt.Fprintln(&b, "|---|---|---|---|---:|---:|---:|---:|---|---|---:|---:|---|---|")
	for _, c := range cells {
		outcome := string(c.Outcome()) + why.number(c)
		fmt.Fprintf(&b, "| %s |\n", strings.Join([]string{c.Item, c.Dataset, c.Method, c.Metric, c.paper(), c.ours(), c.difference(), c.inDeviations(), outcome,
			cmp.Or(c.Convention, "not run"), c.seeds(), c.seconds(), c.backend(), cmp.Or(c.Spec, "counted")}, " | "))
	}
	return b.String() + why.String()
}

// Rows returns the cells of a page that one can search: the paper's number, ours, the difference, the outcome and the result. The
// outcome names the cell's note in Notes.
func Rows(cells []Cell) (rows [][]string) {
	var why notes
	for _, c := range cells {
		rows = append(rows, []string{c.Item, c.Dataset, c.Method, c.Metric, c.paper(), c.ours(), c.difference(), string(c.Outcome()) + why.number(c), cmp.Or(c.Spec, "counted")})
	}
	return rows
}

// Notes returns the cells' notes, each once, in the order of their numbers.
func Notes(cells []Cell) []string {
	var why notes
	for _, c := range cells {
		why.number(c)
	}
	return why.texts
}

func (c Cell) paper() string {
	switch {
	case !c.InPaper && c.Paper == nil:
		return string(NotInPaper)
	case c.Paper == nil:
		return "a dash"
	}
	return measure.PlusMinus(c.Paper, c.PaperSD, measure.Named(c.Metric).Paper)
}

func (c Cell) ours() string {
	if c.Measured == nil {
		return string(NotRun)
	}
	return measured(c)
}

func (c Cell) difference() string {
	switch {
	case c.Measured == nil:
		return string(NotRun)
	case c.Paper == nil:
		return "nothing to compare"
	}
	return measure.Signed(*c.Measured-*c.Paper, measure.Named(c.Metric).Digits)
}

func (c Cell) inDeviations() string {
	if d, ok := c.Deviations(); ok {
		return measure.Signed(d, 1)
	}
	switch {
	case c.Measured == nil:
		return string(NotRun)
	case c.Paper == nil:
		return "nothing to compare"
	case c.Substitute != "":
		return string(OtherData)
	case c.PaperSD == nil:
		return "no sd: a count"
	}
	return "the paper's is 0.0"
}

func (c Cell) seeds() string {
	switch {
	case c.Spec == "":
		return "none: a count"
	case c.Measured == nil && c.Diverged == 0:
		return string(NotRun)
	case c.Diverged > 0:
		return fmt.Sprintf("%d, %d diverged", c.Seeds, c.Diverged)
	}
	return fmt.Sprint(c.Seeds)
}

func (c Cell) seconds() string {
	switch {
	case c.isSize():
		return "none: a count"
	case c.Seconds == nil:
		return string(NotRun)
	}
	return measure.Optional(c.Seconds, 1)
}

func (c Cell) backend() string {
	if c.Spec == "" {
		return "none: a count"
	}
	return cmp.Or(c.Backend, "not run")
}
