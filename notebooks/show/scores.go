package show

import (
	"fmt"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// streamMetric is a score of a tally.
type streamMetric struct {
	name  string
	value float64
}

// streamMetrics returns the metrics of a kind of target. The first one says most.
func streamMetrics(kind schema.TargetKind, t stream.Tally) []streamMetric {
	m := t.Means()
	held := streamMetric{"held by the interval (%)", 100 * m.Coverage}
	switch kind {
	case schema.Amount:
		return []streamMetric{{"RMSE", m.RMSE}, {"MAE", m.MAE}, held}
	case schema.Count:
		return []streamMetric{{"MAE", m.MAE}, {"log-loss", m.LogLoss}, held}
	}
	return []streamMetric{{"log-loss", m.LogLoss}, {"Brier score", m.Brier}, {"accuracy (%)", 100 * m.Accuracy}}
}

// StreamScores holds the scores of a stream.
type StreamScores struct {
	Models  dataframe.DataFrame // of each model: of all rows, and the first metric after the first tenth
	Novelty dataframe.DataFrame // by the number of times that the rarest item of a row was learned before
	Classes dataframe.DataFrame // of the forecasts for each class
	Tenths  *draw.Figure        // the first metric of each tenth of the stream
}

// Scores lists the scores that a stream's report has.
func Scores(r stream.Report) StreamScores {
	names := make([]string, len(r.Models))
	all, late := make([]stream.Tally, len(r.Models)), make([]stream.Tally, len(r.Models))
	for i, m := range r.Models {
		names[i], all[i], late[i] = m.Name, m.All, m.Late
	}
	novelty := stream.NoveltyNames()
	for i, name := range novelty {
		novelty[i] = name + " times"
	}
	first := func(t stream.Tally) float64 { return streamMetrics(r.Target.Kind, t)[0].value }
	name, y := streamMetrics(r.Target.Kind, stream.Tally{})[0].name, numbersOf("", r.Parts, first).Float()
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i + 1)
	}
	return StreamScores{
		Models:  scored(r, "model", names, all).Mutate(numbersOf(name+" after the first tenth", late, first)),
		Novelty: scored(r, "rarest item learned before", novelty[:], r.Novelty),
		Classes: dataframe.New(series.New(r.Target.Classes, series.String, "class"),
			numbersOf("precision (%)", r.Classes, func(c stream.Class) float64 { return 100 * float64(c.Precision) }),
			numbersOf("recall (%)", r.Classes, func(c stream.Class) float64 { return 100 * float64(c.Recall) }),
			numbersOf("log-loss", r.Classes, func(c stream.Class) float64 { return float64(c.LogLoss) }),
			numbersOf("rows", r.Classes, func(c stream.Class) float64 { return c.Weight })),
		Tenths: draw.New("Tenth of the stream", name).Line(names[0], x, y).Dots(names[0], x, y, draw.Colour(0)).
			Size(15*vg.Centimeter, 5*vg.Centimeter).Figure("The score of each tenth of the stream."),
	}
}

// scored lists all metrics of tallies.
func scored(r stream.Report, title string, names []string, tallies []stream.Tally) dataframe.DataFrame {
	columns := []series.Series{series.New(names, series.String, title)}
	for i, m := range streamMetrics(r.Target.Kind, stream.Tally{}) {
		columns = append(columns, numbersOf(m.name, tallies, func(t stream.Tally) float64 { return streamMetrics(r.Target.Kind, t)[i].value }))
	}
	return dataframe.New(append(columns, numbersOf("rows", tallies, func(t stream.Tally) float64 { return float64(t.Rows) }))...)
}

// numbersOf makes a column of one number from each element.
func numbersOf[T any](name string, list []T, of func(T) float64) series.Series {
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = of(v)
	}
	return series.New(values, series.Float, name)
}

// Calibrated shows the share of rows in which a class came, by its forecast probability, and the number of rows behind each dot.
func Calibrated(c stream.Calibration) *draw.Figure {
	var said, came, rows []float64
	for bin, n := range c.Weight {
		if n > 0 {
			said, came, rows = append(said, c.Forecast[bin]/n), append(came, c.Came[bin]/n), append(rows, n)
		}
	}
	left := draw.New("Forecast probability", "Share that came").X(0, 1).Y(0, 1).Size(8*vg.Centimeter, 7.5*vg.Centimeter).
		Curve("calibrated", func(p float64) float64 { return p }, 0, 1, draw.Faint()).Dots("measured", said, came, draw.Method("PHE"))
	right := draw.New("Forecast probability", "Rows").X(0, 1).LogY().Size(8*vg.Centimeter, 7.5*vg.Centimeter).Dots("rows of a dot", said, rows, draw.Method("PHE"))
	return draw.Row(fmt.Sprintf("Each dot is a twentieth of the scale. Mean distance from the diagonal, by rows: %s.", draw.Number(c.Error())), left, right)
}

// Effects shows items' effects on the forecast, with intervals of ±1 standard deviation.
func Effects(items []stream.ItemState) *draw.Figure {
	var names []string
	var low, mean, high []float64
	c := draw.New("Effect on the forecast (in the logit)", "").Size(15*vg.Centimeter, 8*vg.Centimeter)
	for _, item := range items {
		names = append(names, fmt.Sprintf("%s %s, seen %s times", item.Column, item.Name, stream.Grouped(item.Count)))
		mean = append(mean, item.Effect)
		low, high = append(low, item.Effect-item.Spread), append(high, item.Effect+item.Spread)
	}
	return c.Intervals("", low, mean, high, 0, draw.Method("PHE")).NamesY(names...).Figure("Frequent items with the least certain effects, with one standard deviation to each side.")
}

// Typed returns a picture of a learner's forecasts for a record that the reader types into controls with the names of columns. The
// first forecast is for all that was typed. Each other one leaves a column empty. The last one knows nothing.
func Typed(l *stream.Learner, columns ...string) func(at play.Position) *draw.Figure {
	return func(at play.Position) *draw.Figure {
		var names []string
		var low, mean, high []float64
		c := draw.New(l.Schema.Target.String(), "").Size(15*vg.Centimeter, 6*vg.Centimeter)
		for i := range len(columns) + 2 {
			record, name := make(schema.Record, len(l.Schema.Columns)), "nothing"
			if i <= len(columns) {
				name = "all of it"
				for _, column := range columns {
					record[slices.Index(l.Schema.Names(), column)] = at.Text(column)
				}
			}
			if i > 0 && i <= len(columns) {
				record[slices.Index(l.Schema.Names(), columns[i-1])] = ""
				name = "without " + columns[i-1]
			}
			f := Must(l.Predict(record))
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
	return fmt.Sprintf(" (%s)", stream.Grouped(f.Novelty))
}
