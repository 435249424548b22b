package packsize

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/sales"
	"gophe/phe/count"
)

// Took holds the costs of a run.
type Took struct {
	Bytes                 int // of the rule's tables
	Forecasts, Learned    int // sales
	Forecasting, Learning time.Duration
}

// Run takes a new rule along a stream of days. First it describes the sales of a day by the facts known at the day's start. Then
// it forecasts the day's windows. Then the weights learn from all the day's sales, and last the evidence does. A forecast knows
// the sales of earlier days, the window's own sales before the scored one, and the scored sale without its quantity.
//
// Run calls forecast window by window. window is an index into s.Windows, and f holds until forecast returns. It stops at the
// first error of forecast, which it returns as it is.
func Run(c Config, s *sales.Stream, forecast func(step, window int, f count.Distribution) error) (Took, error) {
	var took Took
	if err := c.Validate(); err != nil {
		return took, err
	}
	t, err := newTill(c, s)
	if err != nil {
		return took, err
	}
	if c.Contexts == Columns {
		return t.runColumns(c, s, forecast)
	}
	took.Bytes = t.rule.Bytes()
	step := 0
	for len(t.order) > 0 && step < len(s.Steps) {
		rows, day := t.day()
		start := time.Now()
		t.describe(rows)
		if day == s.Days[step] {
			for _, w := range s.Steps[step] {
				d := &t.descriptions[t.at[s.Windows.Last(int(w))]]
				if err := forecast(step, int(w), t.rule.Forecast(d.Row)); err != nil {
					return took, err
				}
			}
			took.Forecasts += len(s.Steps[step])
			step++
		}
		took.Forecasting += time.Since(start)
		start = time.Now()
		took.Learned += t.learn(rows)
		took.Learning += time.Since(start)
	}
	return took, nil
}

// day takes the rows of the next day.
func (t *till) day() (rows []int32, day int) {
	day = t.sales.Day(int(t.order[0]))
	end := 1
	for end < len(t.order) && t.sales.Day(int(t.order[end])) == day {
		end++
	}
	rows, t.order = t.order[:end], t.order[end:]
	return rows, day
}

// till is a stream's sales on their way through a rule.
type till struct {
	rule         *Rule
	sales        *sales.Sales
	lines        []Line  // [rows]
	first        []int32 // [rows], the first row of the product
	learns       []bool  // [rows]
	order        []int32 // rows by time, those still to come
	at           []int32 // [rows], index into descriptions of a row of this day
	descriptions []Description
}

// sharesOf is the highest number of sales that shape the tree. They are the first sales, before the stream's first day.
const sharesOf = 2000

func newTill(c Config, s *sales.Stream) (*till, error) {
	if len(s.Days) != len(s.Steps) || len(s.Days) == 0 || !slices.IsSorted(s.Days) {
		return nil, errors.Errorf("pooled counts need a stream with a day for each step, ascending; this one has %d steps and %d days", len(s.Steps), len(s.Days))
	}
	t := &till{sales: s.Sales, at: make([]int32, s.Sales.NumRows())}
	if err := t.readLines(); err != nil {
		return nil, err
	}
	t.chooseRows(c.Learns, s)
	if c.Contexts == Columns {
		return t, nil
	}
	cells := Cells()
	shares := slices.Repeat([]float64{0.2}, cells.Len())
	seen := 0
	for _, row := range t.order {
		if s.Sales.Day(int(row)) >= s.Days[0] || seen == sharesOf {
			break
		}
		if t.learns[row] {
			shares[cells.Of(t.lines[row].Quantity)]++
			seen++
		}
	}
	rule, err := New(c, shares)
	if err != nil {
		return nil, err
	}
	t.rule = rule
	return t, nil
}

// readLines makes the lines of all rows.
func (t *till) readLines() error {
	var columns [3][]string
	for i, name := range []string{"StockCode", "CustomerID", "Country"} {
		at := slices.IndexFunc(t.sales.Categorical, func(c column.Categorical) bool { return c.Name == name })
		if at < 0 {
			return errors.Errorf("pooled counts need the column %q", name)
		}
		columns[i] = t.sales.Categorical[at].Values
	}
	numbers := make(map[string]uint64)
	number := func(name string) uint64 {
		n, known := numbers[name]
		if !known {
			h := fnv.New64a()
			h.Write([]byte(name))
			n = h.Sum64()
			numbers[name] = n
		}
		return n
	}
	rows := t.sales.NumRows()
	t.lines, t.first = make([]Line, rows), make([]int32, rows)
	for row := range rows {
		t.lines[row] = Line{Sale{number(columns[0][row]), number(columns[1][row]), number(columns[2][row]), columns[1][row] == anonymous,
			t.sales.Prices[row], int(t.sales.Minutes[row])}, int(t.sales.Quantities[row])}
		t.first[row] = int32(row)
		if row > 0 && columns[0][row] == columns[0][row-1] {
			t.first[row] = t.first[row-1]
		}
	}
	return nil
}

// anonymous is the item of a missing customer.
const anonymous = "<NA>"

// chooseRows orders the rows by time and says which are learned.
func (t *till) chooseRows(learns Learns, s *sales.Stream) {
	rows := t.sales.NumRows()
	t.order, t.learns = make([]int32, rows), make([]bool, rows)
	for row := range rows {
		t.order[row], t.learns[row] = int32(row), learns == Everything
	}
	slices.SortStableFunc(t.order, func(a, b int32) int { return cmp.Compare(t.sales.Minutes[a], t.sales.Minutes[b]) })
	for _, windows := range append([][]int32{s.Initial}, s.Steps...) {
		for _, w := range windows {
			t.learns[s.Windows.Last(int(w))] = true
		}
	}
}

// describe describes the sales of a day.
func (t *till) describe(rows []int32) {
	for len(t.descriptions) < len(rows) {
		t.descriptions = append(t.descriptions, t.rule.NewDescription())
	}
	for i, row := range rows {
		t.at[row] = int32(i)
		t.rule.Describe(&t.descriptions[i], &t.lines[row].Sale, t.lines[max(t.first[row], row-windowLength):row])
	}
}

// learn learns from the sales of a described day, and returns their number.
func (t *till) learn(rows []int32) int {
	n := 0
	for i, row := range rows {
		if t.learns[row] {
			t.rule.Weigh(t.descriptions[i].Row, t.lines[row].Quantity)
			n++
		}
	}
	for i, row := range rows {
		if t.learns[row] {
			t.rule.Count(&t.descriptions[i], t.lines[row].Quantity)
		}
	}
	return n
}
