package show

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/data/records"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// visits is a table in which every second customer buys.
func visits(n int) dataframe.DataFrame {
	customers, bought := make([]string, n), make([]string, n)
	for i := range n {
		customers[i], bought[i] = "c"+strconv.Itoa(i%10), []string{"no", "yes"}[i%2]
	}
	return dataframe.New(series.New(customers, series.String, "customer"), series.New(bought, series.String, "bought"))
}

func begin(t *testing.T, df dataframe.DataFrame, hints schema.Hints) (*stream.Learner, stream.Reader) {
	t.Helper()
	l, r, err := stream.Begin(filetest.Must(records.OfFrame(df))(t), hints, stream.Options{Memory: 16 << 10})
	filetest.Check(t, err)
	return l, r
}

// The stream runs to its end, and a later cell finds the learner.
func TestStream(t *testing.T) {
	t.Setenv("GONB_DIR", filepath.Join(t.TempDir(), "notebooks"))
	l, r := begin(t, visits(1000), schema.Hints{Target: "bought"})
	filetest.Want(t, len(filetest.Must(follow(t.Context(), l, r))(t)), 1000, "forecasts")
	KeepStream("visits", l)
	filetest.Want(t, KeptStream("visits").Rows(), 1000, "rows of the kept learner")
	ctx, stop := context.WithCancel(t.Context())
	l, r = begin(t, visits(1000), schema.Hints{Target: "bought"})
	filetest.Want(t, len(filetest.Must(follow(ctx, l, &stopped{r, 100, stop}))(t)), 100, "forecasts, stopped at row 100")
}

// A DataFrame and the CSV that it is written to are one table: learned from either, the forecasts of both are equal to the last digit.
func TestFrameIsCSV(t *testing.T) {
	const rows = 400
	price, day, flag, id, city, y := make([]float64, rows), make([]string, rows), make([]bool, rows), make([]int, rows),
		make([]string, rows), make([]string, rows)
	for i := range rows {
		price[i], day[i], flag[i] = float64(i*i%89)/3, "2026-01-0"+strconv.Itoa(1+i%9)+" 08:00:00", i%3 == 0
		if id[i], city[i], y[i] = 1<<53+1-i%7, " Köln "[i%2:], []string{"no", "yes"}[i*i%5%2]; i%11 == 0 {
			price[i] = math.NaN()
		}
	}
	df := dataframe.New(series.New(price, series.Float, "price"), series.New(day, series.String, "when"),
		series.New(flag, series.Bool, "flag"),
		series.New(id, series.Int, "id"), series.New(city, series.String, "city"), series.New(y, series.String, "y"))
	text := "price,when,flag,id,city,y\n"
	for i := range rows {
		text += fmt.Sprintf("%v,%s,%s,%d.0,%s,%s\n", price[i], day[i], strings.ToUpper(strconv.FormatBool(flag[i])), id[i], city[i], y[i])
	}
	doors := []func() stream.Reader{
		func() stream.Reader { return filetest.Must(records.OfFrame(df))(t) },
		func() stream.Reader {
			return filetest.Must(records.New(strings.NewReader(text), "f.csv", records.Options{}))(t)
		},
	}
	var want forecasts
	for _, learned := range doors {
		for _, asked := range doors {
			l, r, err := stream.Begin(learned(), schema.Hints{Target: "y"}, stream.Options{Memory: 16 << 10})
			filetest.Check(t, err)
			filetest.Must(follow(t.Context(), l, r))(t)
			got := filetest.Must(follow(t.Context(), l, asked()))(t)
			if want == nil {
				want = got
			}
			filetest.True(t, reflect.DeepEqual(got, want), "the last forecast is %+v, and %+v by a DataFrame alone",
				got[rows-1], want[rows-1])
		}
	}
}

// stopped is a reader whose user interrupts the kernel after some rows.
type stopped struct {
	stream.Reader
	rows int
	stop func()
}

func (s *stopped) Read() ([]string, error) {
	if s.rows--; s.rows == 0 {
		s.stop()
	}
	return s.Reader.Read()
}

func TestForecastsFrame(t *testing.T) {
	list := forecasts{{Probability: 0.25, Value: 1, Low: -1, High: 3, Novelty: 7}}
	for _, c := range []struct {
		target schema.Target
		names  []string
	}{
		{schema.Target{Kind: schema.Classes, Classes: []string{"no", "yes"}}, []string{"probability", "novelty"}},
		{schema.Target{Kind: schema.Classes, Classes: []string{"a", "b", "c"}}, []string{"forecast", "novelty"}},
		{schema.Target{Kind: schema.Amount}, []string{"forecast", "low", "high", "novelty"}},
	} {
		df := list.frame(c.target)
		filetest.Want(t, df.Nrow(), 1, "rows of %v", c.target.Kind)
		filetest.Want(t, df.Names(), c.names, "columns of %v", c.target.Kind)
	}
	classes := schema.Target{Kind: schema.Classes, Classes: []string{"a", "b", "c"}}
	filetest.Want(t, list.frame(classes).Elem(0, 0).String(), "b", "the likeliest class")
}

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
	l, r := begin(t, df, schema.Hints{Target: "pieces", As: schema.Amount})
	filetest.Check(t, stream.Progressive(t.Context(), l, r, 0, nil))
	return l
}

// The widget of typed items: another product moves the forecast, and without the product it is between.
func TestTyped(t *testing.T) {
	typed := Typed(sold(t), "product", "country")
	at := play.NewPosition(play.Text("product", "p0"), play.Text("country", "north"))
	few, many := drawtest.BySeries(typed(at)), drawtest.BySeries(typed(at.With("product", "p2")))
	unknown := drawtest.BySeries(typed(at.With("product", "never seen")))
	place := func(by map[string][]draw.Mark, i int) float64 { return by["forecast"][i].X }
	filetest.Want(t, len(few["forecast"]), 4, "forecasts")
	filetest.True(t, place(few, 0) < place(many, 0), "a product of 1 piece is forecast at %v, one of 21 at %v", few, many)
	for _, by := range []map[string][]draw.Mark{few, many} {
		without := place(by, 1)
		filetest.True(t, place(few, 0) < without && without < place(many, 0), "without the product the forecast is at %g", without)
	}
	filetest.WantWords(t, unknown["forecast"][0].Text, "all of it (0)")
}

// Pictures of a report have its points.
func TestReportPictures(t *testing.T) {
	var c stream.Calibration
	c.Weight[3], c.Forecast[3], c.Came[3] = 10, 1.5, 4
	c.Weight[12], c.Forecast[12], c.Came[12] = 5, 3, 1
	wants := func(fig *draw.Figure, texts ...string) {
		t.Helper()
		for marks := drawtest.ByText(fig); len(texts) > 0; texts = texts[1:] {
			filetest.True(t, marks[texts[0]].X > 0, "no mark %s in %v", texts[0], marks)
		}
	}
	fig := Calibrated(c)
	filetest.WantWords(t, fig.Caption, ": 0.3000.") // (|1.5 − 4| + |3 − 1|)/15
	wants(fig, "measured, 0.1500: 0.4000", "measured, 0.6000: 0.2000", "rows of a dot, 0.1500: 10", "rows of a dot, 0.6000: 5")
	fig = Effects([]stream.ItemState{{Column: "u", Name: "a", Count: 7, Effect: 2, Spread: 0.5},
		{Column: "u", Name: "b", Count: 1234, Effect: -1, Spread: 0.25}})
	wants(fig, "1.500: u a, seen 7 times", "2: u a, seen 7 times", "2.500: u a, seen 7 times", "−1.250: u b, seen 1,234 times",
		"−1: u b, seen 1,234 times", "−0.7500: u b, seen 1,234 times")
	l := sold(t)
	f := filetest.Must(l.Predict(schema.Record{"p1", "south", ""}))(t)
	fig = Typed(l, "product", "country")(play.NewPosition(play.Text("product", "p1"), play.Text("country", "south")))
	for _, end := range []float64{f.Low, f.High} {
		wants(fig, draw.Number(end)+": all of it"+novelty(f))
	}
}
