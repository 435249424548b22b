package lesson

import (
	"strconv"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/cell"
	"gophe/phe/disk/filetest"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// sold is a learner of a number that depends on the product.
func sold(t *testing.T) *stream.Learner {
	t.Helper()
	const n = 3000
	products, countries, pieces := make([]string, n), make([]string, n), make([]float64, n)
	for i := range n {
		products[i], countries[i], pieces[i] = "p"+strconv.Itoa(i%7%3), []string{"north", "south"}[i%2], float64(1+10*(i%7%3))
	}
	df := dataframe.New(series.New(products, series.String, "product"), series.New(countries, series.String, "country"),
		series.New(pieces, series.Float, "pieces"))
	l, r, err := stream.Begin(filetest.Must(records.OfFrame(df))(t), schema.Hints{Target: "pieces", As: schema.Amount},
		stream.Options{Memory: 16 << 10})
	filetest.Check(t, err)
	filetest.Check(t, stream.Progressive(t.Context(), l, r, 0, nil))
	return l
}

// The widget of typed items: another product moves the forecast, and without the product it is between.
func TestTyped(t *testing.T) {
	l := sold(t)
	typed := func(product string) []draw.Mark {
		at := cell.NewPosition(cell.Text("product", product), cell.Text("country", "north"))
		return drawtest.BySeries(Typed(l, "product", "country")(at))["forecast"]
	}
	few, many := typed("p0"), typed("p2")
	filetest.Want(t, len(few), 4, "forecasts")
	for _, by := range [][]draw.Mark{few, many} {
		filetest.True(t, few[0].X < by[1].X && by[1].X < many[0].X, "without the product the forecast is at %g", by[1].X)
	}
	filetest.WantWords(t, typed("never seen")[0].Text, "all of it (0)")
}

// Pictures of a report have its points.
func TestReportPictures(t *testing.T) {
	var c score.Calibration
	c.Weight[3], c.Forecast[3], c.Came[3] = 10, 1.5, 4
	c.Weight[12], c.Forecast[12], c.Came[12] = 5, 3, 1
	wants := func(fig *draw.Figure, texts ...string) { has(t, drawtest.ByText(fig), texts...) }
	fig := Calibrated(c)
	filetest.WantWords(t, fig.Caption, ": 0.3000.") // (|1.5 − 4| + |3 − 1|)/15
	wants(fig, "measured, 0.1500: 0.4000", "measured, 0.6000: 0.2000", "rows of a dot, 0.1500: 10", "rows of a dot, 0.6000: 5")
	fig = Effects([]stream.ItemState{{Column: "u", Name: "a", Count: 7, Effect: 2, Spread: 0.5},
		{Column: "u", Name: "b", Count: 1234, Effect: -1, Spread: 0.25}})
	wants(fig, "1.500: u a, seen 7 times", "2: u a, seen 7 times", "2.500: u a, seen 7 times", "−1.250: u b, seen 1,234 times",
		"−1: u b, seen 1,234 times", "−0.7500: u b, seen 1,234 times")
	l := sold(t)
	f := filetest.Must(l.Predict(schema.Record{"p1", "south", ""}))(t)
	_, x, err := l.Explain(schema.Record{"p1", "south", ""}, 1, -1)
	filetest.Check(t, err)
	first := x.Lines[0]
	wants(Reasons(l, schema.Record{"p1", "south", ""}), draw.Number(x.UsualRow)+": a usual row",
		draw.Number(x.UsualRow+first.Adds)+": "+first.Column+" "+first.Field, draw.Number(x.Value)+": what came last")
	fig = Typed(l, "product", "country")(cell.NewPosition(cell.Text("product", "p1"), cell.Text("country", "south")))
	for _, end := range []float64{f.Low, f.High} {
		wants(fig, draw.Number(end)+": all of it"+novelty(f))
	}
}
