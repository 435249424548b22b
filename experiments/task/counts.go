package task

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/pkg/errors"

	"gophe/data/splits"
	"gophe/experiments/measure"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/phe/count"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// counts forecasts sales by the counts of package stream, which takes the file's columns as they are. A day's sales are asked for
// together at its start, and their quantities are learned together at its end. All sales are learned, also in windows that the stream
// leaves out. So a forecast knows the sales of earlier days, and the scored sale without its quantity.
type counts struct {
	*forecasting
	memory  int
	seed    int64
	order   []int32 // rows by time
	next    int     // number of rows of order that were learned, in whole days
	learner *stream.Learner
}

// newCounts returns a learner that has seen no sale. It takes memory bytes.
func (t *forecasting) newCounts(memory int, seed int64) (*counts, error) {
	c := &counts{forecasting: t, memory: memory, seed: seed, order: splits.Span{End: t.stream.Sales.NumRows()}.Rows()}
	minutes := t.stream.Sales.Minutes
	slices.SortStableFunc(c.order, func(a, b int32) int { return cmp.Compare(minutes[a], minutes[b]) })
	return c, c.reset()
}

// reset returns to the beginning of the sales.
func (c *counts) reset() (err error) {
	var columns []schema.Column
	for _, name := range []string{"StockCode", "CustomerID", "Country", "hour", "weekday"} {
		columns = append(columns, schema.Column{Name: name, Kind: schema.Category})
	}
	columns = append(columns, schema.Column{Name: "UnitPrice", Kind: schema.Both}, schema.Column{Name: "Quantity", Kind: schema.Label})
	s := schema.Schema{Target: schema.Target{Column: "Quantity", Kind: schema.Count}, Columns: columns}
	c.next = 0
	c.learner, err = stream.New(s, stream.Options{Memory: c.memory, Seed: c.seed, NoExactModel: true})
	return err
}

// record returns a sale as a record without its quantity.
func (c *counts) record(row int32) schema.Record {
	s, items := c.stream.Sales, make([]string, 3)
	for i, column := range s.Categorical {
		if value := column.Values[row]; value != "<NA>" {
			name := fnv.New64a()
			name.Write([]byte(value)) // it returns no error
			items[i] = strconv.FormatUint(name.Sum64(), 36)
		}
	}
	minute := int(s.Minutes[row])
	return append(items, strconv.Itoa(minute/60%24), strconv.Itoa(minute/(24*60)%7), strconv.FormatFloat(s.Prices[row], 'f', -1, 64), "")
}

// learnTo learns whole days until a number of sales are learned.
func (c *counts) learnTo(n int) error {
	s := c.stream.Sales
	for c.next < n {
		first, day := c.next, s.Day(int(c.order[c.next]))
		for c.next < len(c.order) && s.Day(int(c.order[c.next])) == day {
			c.next++
		}
		rows := c.order[first:c.next]
		for i, row := range rows {
			if _, err := c.learner.Ask(strconv.Itoa(i), c.record(row)); err != nil {
				return err
			}
		}
		for i, row := range rows {
			if err := c.learner.Label(strconv.Itoa(i), strconv.Itoa(int(s.Quantities[row]))); err != nil {
				return err
			}
		}
	}
	return nil
}

// learnBefore learns all days before one.
func (c *counts) learnBefore(day int) error {
	return c.learnTo(sort.Search(len(c.order), func(i int) bool { return c.stream.Sales.Day(int(c.order[i])) >= day }))
}

// dayOf returns the day of a window's last sale.
func (c *counts) dayOf(window int32) int {
	return c.stream.Sales.Day(int(c.stream.Windows.Last(int(window))))
}

// Score scores the forecasts of a day's windows. They have no mean: that would need every node of the tree.
func (c *counts) Score(windows []int32) (protocol.Score, error) {
	s, err := &forecastScore{}, c.learnBefore(c.dayOf(windows[0]))
	for _, window := range windows {
		if err == nil {
			err = c.learner.Distribution(c.record(c.stream.Windows.Last(int(window))), func(d count.Distribution) {
				f := baseline.Forecast{Median: d.Quantile(0.5), Mean: math.NaN(), Distribution: d}
				s.add(f, c.quantity(window), c.stream.Windows.IsPadded(int(window)))
			})
		}
	}
	score := s.score()
	delete(score.Metrics, measure.ErrorOfMean)
	return score, err
}

// Learn learns all sales up to the last day of some windows.
func (c *counts) Learn(windows []int32) error {
	last := 0
	for _, w := range windows {
		last = max(last, c.dayOf(w))
	}
	return c.learnBefore(last + 1)
}

// MarshalBinary returns the number of sales that were learned. Another learner of the same sales learns them again.
func (c *counts) MarshalBinary() ([]byte, error) {
	return binary.AppendUvarint(nil, uint64(c.next)), nil
}

// UnmarshalBinary learns as many sales as another learner of the sales has learned.
func (c *counts) UnmarshalBinary(content []byte) error {
	n, size := binary.Uvarint(content)
	if size != len(content) || n > uint64(len(c.order)) {
		return errors.New("a state of counts is not a number of sales of its stream; start anew with --force")
	}
	if int(n) < c.next {
		if err := c.reset(); err != nil {
			return err
		}
	}
	return c.learnTo(int(n))
}
