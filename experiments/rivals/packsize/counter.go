package packsize

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sort"
	"strconv"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/sales"
	"gophe/phe/count"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Counter takes counts along the days of a stream. At a day's start all its sales are described by the facts of earlier days. Then the
// day's windows are forecast, and at its end all its sales are learned. A forecast knows the sales of earlier days, the window's own
// sales before the scored one, and the scored sale without its quantity.
type Counter struct {
	config  Config
	stream  *sales.Stream
	lines   []line  // [rows]
	learns  []bool  // [rows]
	order   []int32 // rows by time
	next    int     // number of rows of order that were learned, in whole days
	rule    *rule
	columns *stream.Learner // in place of a rule, of contexts "columns"

	described []description // of the rows of the day that begins at next; empty until they are described
	at        []int32       // [rows], index into described
}

// New returns a counter that has learned nothing of a stream.
func New(c Config, s *sales.Stream) (*Counter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(s.Days) != len(s.Steps) || len(s.Days) == 0 || !slices.IsSorted(s.Days) {
		return nil, errors.Errorf("pooled counts need a stream with a day for each step, ascending; this one has %d steps and %d days", len(s.Steps), len(s.Days))
	}
	rows := s.Sales.NumRows()
	t := &Counter{config: c, stream: s, lines: make([]line, rows), learns: make([]bool, rows)}
	t.order, t.at = make([]int32, rows), make([]int32, rows)
	var names [3][]string
	for i, name := range []string{"StockCode", "CustomerID", "Country"} {
		at := slices.IndexFunc(s.Sales.Categorical, func(c column.Categorical) bool { return c.Name == name })
		if at < 0 {
			return nil, errors.Errorf("pooled counts need the column %q", name)
		}
		names[i] = s.Sales.Categorical[at].Values
	}
	number := func(name string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(name)) // it returns no error
		return h.Sum64()
	}
	for row := range t.lines {
		customer := names[1][row]
		t.lines[row] = line{number(names[0][row]), number(customer), number(names[2][row]), customer == "<NA>",
			s.Sales.Prices[row], int(s.Sales.Minutes[row]), int(s.Sales.Quantities[row])}
		t.order[row], t.learns[row] = int32(row), c.Learns == ""
	}
	slices.SortStableFunc(t.order, func(a, b int32) int { return cmp.Compare(s.Sales.Minutes[a], s.Sales.Minutes[b]) })
	for _, windows := range append([][]int32{s.Initial}, s.Steps...) {
		for _, w := range windows {
			t.learns[s.Windows.Last(int(w))] = true
		}
	}
	return t, t.reset()
}

// sharesOf is the highest number of sales that shape the tree. They are the first sales, before the stream's first day.
const sharesOf = 2000

// reset returns to the beginning of the stream.
func (t *Counter) reset() (err error) {
	t.next, t.described = 0, t.described[:0]
	if t.config.Contexts == byColumns {
		t.columns, err = newColumns(t.config)
		return err
	}
	seen := 0
	shares := slices.Repeat([]float64{0.2}, cells.Len())
	for _, row := range t.order {
		if t.stream.Sales.Day(int(row)) >= t.stream.Days[0] || seen == sharesOf {
			break
		}
		if t.learns[row] {
			shares[cells.Of(t.lines[row].quantity)]++
			seen++
		}
	}
	t.rule, err = newRule(t.config, shares)
	return err
}

// day describes the day that begins at next, and returns its rows.
func (t *Counter) day() []int32 {
	day, end := t.stream.Sales.Day(int(t.order[t.next])), t.next+1
	for end < len(t.order) && t.stream.Sales.Day(int(t.order[end])) == day {
		end++
	}
	rows := t.order[t.next:end]
	if t.rule == nil || len(t.described) > 0 {
		return rows
	}
	t.described = slices.Grow(t.described, len(rows))[:len(rows)]
	for i, row := range rows {
		first := row
		for row-first < windowLength && first > 0 && t.lines[first-1].product == t.lines[row].product {
			first--
		}
		t.at[row] = int32(i)
		t.rule.describe(&t.described[i], &t.lines[row], t.lines[first:row])
	}
	return rows
}

// learnTo learns whole days until a number of sales are learned. The weights learn from all of a day's sales, and then the evidence does.
func (t *Counter) learnTo(n int) error {
	for t.next < n {
		rows := t.day()
		t.next += len(rows)
		if t.columns != nil {
			if err := t.learnColumns(rows); err != nil {
				return err
			}
			continue
		}
		for i, row := range rows {
			if t.learns[row] {
				t.rule.Weigh(t.described[i].Row, t.lines[row].quantity)
			}
		}
		for i, row := range rows {
			if t.learns[row] {
				t.rule.count(&t.described[i], t.lines[row].quantity)
			}
		}
		t.described = t.described[:0]
	}
	return nil
}

// learnBefore learns all days before one.
func (t *Counter) learnBefore(day int) error {
	return t.learnTo(sort.Search(len(t.order), func(i int) bool { return t.stream.Sales.Day(int(t.order[i])) >= day }))
}

// Forecast calls use with the distribution of each window's last quantity, which is valid until use returns. The windows are of one day.
func (t *Counter) Forecast(windows []int32, use func(window int32, d count.Distribution)) error {
	if err := t.learnBefore(t.dayOf(windows[0])); err != nil {
		return err
	}
	t.day()
	for _, w := range windows {
		row := t.stream.Windows.Last(int(w))
		if t.columns == nil {
			use(w, t.rule.Forecast(t.described[t.at[row]].Row))
		} else if err := t.columns.Distribution(t.record(row), func(d count.Distribution) { use(w, d) }); err != nil {
			return err
		}
	}
	return nil
}

// dayOf returns the day of a window's last sale.
func (t *Counter) dayOf(window int32) int {
	return t.stream.Sales.Day(int(t.stream.Windows.Last(int(window))))
}

// Learn learns all sales up to the last day of some windows.
func (t *Counter) Learn(windows []int32) error {
	last := 0
	for _, w := range windows {
		last = max(last, t.dayOf(w))
	}
	return t.learnBefore(last + 1)
}

// MarshalBinary returns the number of sales that were learned: a counter of the same stream learns them again.
func (t *Counter) MarshalBinary() ([]byte, error) {
	return binary.AppendUvarint(nil, uint64(t.next)), nil
}

// UnmarshalBinary learns as many sales as another counter of the stream has learned.
func (t *Counter) UnmarshalBinary(content []byte) error {
	n, size := binary.Uvarint(content)
	if size != len(content) || n > uint64(len(t.order)) {
		return errors.New("a counter's state is not a number of sales of its stream; start anew with --force")
	}
	if int(n) < t.next {
		if err := t.reset(); err != nil {
			return err
		}
	}
	return t.learnTo(int(n))
}

// newColumns returns a learner of Online Retail's file as package stream takes it: nothing is made for sales.
func newColumns(c Config) (*stream.Learner, error) {
	columns := []schema.Column{{Name: "StockCode"}, {Name: "CustomerID"}, {Name: "Country"}, {Name: "hour"}, {Name: "weekday"}}
	for i := range columns {
		columns[i].Kind = schema.Category
	}
	columns = append(columns, schema.Column{Name: "UnitPrice", Kind: schema.Both}, schema.Column{Name: "Quantity", Kind: schema.Label})
	s := schema.Schema{Target: schema.Target{Column: "Quantity", Kind: schema.Count}, Columns: columns}
	return stream.New(s, stream.Options{Memory: c.Memory, Seed: int64(c.Seed), NoExactModel: true})
}

// learnColumns asks for each sale of a day as at the day's start. It then learns their quantities, each with what came last when it was
// asked for.
func (t *Counter) learnColumns(rows []int32) error {
	for i, row := range rows {
		if _, err := t.columns.Ask(strconv.Itoa(i), t.record(row)); err != nil {
			return err
		}
	}
	for i, row := range rows {
		if err := t.columns.Label(strconv.Itoa(i), strconv.Itoa(t.lines[row].quantity)); err != nil {
			return err
		}
	}
	return nil
}

// record is a sale as a record without its quantity.
func (t *Counter) record(row int32) schema.Record {
	l := &t.lines[row]
	customer := strconv.FormatUint(l.customer, 36)
	if l.anonymous {
		customer = ""
	}
	return schema.Record{strconv.FormatUint(l.product, 36), customer, strconv.FormatUint(l.country, 36),
		strconv.Itoa(l.minute / 60 % 24), strconv.Itoa(l.minute / minutesPerDay % 7), strconv.FormatFloat(l.price, 'f', -1, 64), ""}
}
