package packsize

import (
	"strconv"
	"time"

	"gophe/data/sales"
	"gophe/phe/count"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// columnsSchema is Online Retail's file as package stream takes it: nothing is made for sales.
func columnsSchema() schema.Schema {
	return schema.Schema{
		Target: schema.Target{Column: "Quantity", Kind: schema.Count},
		Columns: []schema.Column{
			{Name: "StockCode", Kind: schema.Category}, {Name: "CustomerID", Kind: schema.Category}, {Name: "Country", Kind: schema.Category},
			{Name: "hour", Kind: schema.Category}, {Name: "weekday", Kind: schema.Category}, {Name: "UnitPrice", Kind: schema.Both}, {Name: "Quantity", Kind: schema.Label},
		},
	}
}

// runColumns is Run for a learner of package stream. It asks for each sale of a day at the day's start, and learns the sales' quantities
// at its end, each with what came last when it was asked for.
func (t *till) runColumns(c Config, s *sales.Stream, forecast func(step, window int, f count.Distribution) error) (Took, error) {
	took := Took{Bytes: c.Memory}
	l, err := stream.New(columnsSchema(), stream.Options{Memory: c.Memory, Seed: int64(c.Seed), Alone: true})
	if err != nil {
		return took, err
	}
	for step := 0; len(t.order) > 0 && step < len(s.Steps); {
		rows, day := t.day()
		start := time.Now()
		if day == s.Days[step] {
			for _, w := range s.Steps[step] {
				var stopped error
				err := l.Law(t.record(s.Windows.Last(int(w))), func(law count.Distribution) { stopped = forecast(step, int(w), law) })
				if err == nil {
					err = stopped
				}
				if err != nil {
					return took, err
				}
			}
			took.Forecasts += len(s.Steps[step])
			step++
		}
		for i, row := range rows {
			if _, err := l.Ask(strconv.Itoa(i), t.record(row)); err != nil {
				return took, err
			}
		}
		took.Forecasting += time.Since(start)
		start = time.Now()
		for i, row := range rows {
			if err := l.Label(strconv.Itoa(i), strconv.Itoa(t.lines[row].Quantity)); err != nil {
				return took, err
			}
		}
		took.Learned += len(rows)
		took.Learning += time.Since(start)
	}
	return took, nil
}

// record is a sale as a record without its quantity.
func (t *till) record(row int32) schema.Record {
	sale := &t.lines[row]
	customer := strconv.FormatUint(sale.Customer, 36)
	if sale.Anonymous {
		customer = ""
	}
	return schema.Record{strconv.FormatUint(sale.Product, 36), customer, strconv.FormatUint(sale.Country, 36),
		strconv.Itoa(sale.Minute / 60 % 24), strconv.Itoa(sale.Minute / minutesPerDay % 7), strconv.FormatFloat(sale.Price, 'f', -1, 64), ""}
}
