package lesson

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
	"gophe/notebooks/cell"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
	"gophe/phe/terminal"
)

// Calibrated shows the share of rows in which a class came, by its forecast probability, and the number of rows behind each dot.
func Calibrated(c score.Calibration) *draw.Figure {
	var said, came, rows []float64
	for bin, n := range c.Weight {
		if n > 0 {
			said, came, rows = append(said, c.Forecast[bin]/n), append(came, c.Came[bin]/n), append(rows, n)
		}
	}
	left := draw.New("Forecast probability", "Share that came").X(0, 1).Y(0, 1).Size(8*vg.Centimeter, 7.5*vg.Centimeter).
		Curve("calibrated", func(p float64) float64 { return p }, 0, 1, draw.Faint()).Dots("measured", said, came, draw.Method("PHE"))
	right := draw.New("Forecast probability", "Rows").X(0, 1).LogY().Size(8*vg.Centimeter, 7.5*vg.Centimeter).
		Dots("rows of a dot", said, rows, draw.Method("PHE"))
	const caption = "Each dot is a twentieth of the scale. Mean distance from the diagonal, by rows: %s."
	return draw.Row(fmt.Sprintf(caption, draw.Number(c.Error())), left, right)
}

// Effects shows items' effects on the forecast, with intervals of ±1 standard deviation.
func Effects(items []stream.ItemState) *draw.Figure {
	var names []string
	var low, mean, high []float64
	c := draw.New("Effect on the forecast (in the logit)", "").Size(15*vg.Centimeter, 8*vg.Centimeter)
	for _, item := range items {
		names = append(names, fmt.Sprintf("%s %s, seen %s times", item.Column, item.Name, terminal.Grouped(item.Count)))
		mean = append(mean, item.Effect)
		low, high = append(low, item.Effect-item.Spread), append(high, item.Effect+item.Spread)
	}
	return c.Intervals("", low, mean, high, 0, draw.Method("PHE")).NamesY(names...).
		Figure("Frequent items with the least certain effects, with one standard deviation to each side.")
}

// Reasons shows what adds up to the forecast of a record: each line begins where the one above it ends.
func Reasons(l *stream.Learner, record schema.Record) *draw.Figure {
	_, x, err := l.Explain(record, len(record), -1)
	cell.Check(err)
	ends, names := []float64{x.UsualRow}, []string{"a usual row"}
	for _, line := range append(x.Lines, stream.Line{Column: "what", Field: "came last", Adds: x.CameLast}) {
		ends, names = append(ends, ends[len(ends)-1]+line.Adds), append(names, line.Column+" "+line.Field)
	}
	begins := append(ends[:1:1], ends[:len(ends)-1]...)
	return draw.New("Sum, the "+x.Of, "").Size(15*vg.Centimeter, 7*vg.Centimeter).
		Intervals("", begins, ends, ends, 0, draw.Method("PHE")).NamesY(names...).
		Figure("From a usual row to the forecast, which is the last dot. Each line ends at its dot. It is the reason of the model, " +
			"and no cause.")
}

// Typed returns a picture of a learner's forecasts for a record that the reader types into controls with the names of columns. The
// first forecast is for all that was typed. Each other one leaves a column empty. The last one knows nothing.
func Typed(l *stream.Learner, columns ...string) func(at cell.Position) *draw.Figure {
	places := make([]int, len(columns))
	for i, column := range columns {
		if places[i] = slices.Index(l.Schema.Names(), column); places[i] < 0 {
			cell.Check(errors.Errorf("%q is no column of this model%s", column, nearest.Column(column, l.Schema.Names())))
		}
	}
	return func(at cell.Position) *draw.Figure {
		var names []string
		var low, mean, high []float64
		c := draw.New(l.Schema.Target.String(), "").Size(15*vg.Centimeter, 6*vg.Centimeter)
		for i := range len(columns) + 2 {
			record, name := make(schema.Record, len(l.Schema.Columns)), "nothing"
			if i <= len(columns) {
				name = "all of it"
				for k, column := range columns {
					record[places[k]] = at.Text(column)
				}
			}
			if i > 0 && i <= len(columns) {
				record[places[i-1]] = ""
				name = "without " + columns[i-1]
			}
			f := cell.Must(l.Predict(record))
			mean, names = append(mean, f.Value), append(names, name+novelty(f))
			low, high = append(low, f.Low), append(high, f.High)
		}
		return c.Intervals("forecast", low, mean, high, 0, draw.Method("PHE")).NamesY(names...).
			Figure("Forecasts of a row as you typed it, then with one field left empty. Lines hold nine in ten. A number in brackets " +
				"says how often the rarest item was seen.")
	}
}

// novelty says how often the rarest item of a forecast's record was learned.
func novelty(f stream.Forecast) string {
	if f.Novelty < 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", terminal.Grouped(f.Novelty))
}
