package show

import (
	"slices"
	"strconv"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/data/records"
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

func begin(t *testing.T, df dataframe.DataFrame) (*stream.Learner, stream.Reader) {
	t.Helper()
	table, err := records.OfFrame(df)
	if err != nil {
		t.Fatal(err)
	}
	l, r, err := stream.Begin(table, schema.Hints{Target: "bought"}, stream.Options{Memory: 16 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

// The samples thin out with the rows, and no row is left out of the picture.
func TestCurveGrows(t *testing.T) {
	const rows = 100_000
	l, r := begin(t, visits(rows))
	c := newCurve(l)
	for range rows {
		record, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Learn(record); err != nil {
			t.Fatal(err)
		}
		if c.rows++; c.rows%c.every == 0 {
			c.sample()
		}
	}
	if len(c.samples) > mostSamples || len(c.samples) < mostSamples/2 {
		t.Errorf("%d samples of %d rows, want %d to %d", len(c.samples), rows, mostSamples/2, mostSamples)
	}
	points := c.points(stream.ThisModel)
	if last := points[len(points)-1]; last.X < 0.99*rows || last.Y > 0.05 {
		t.Errorf("the curve ends at row %g with a log-loss of %g; all is known by then", last.X, last.Y)
	}
	if first := points[0]; first.Y < 2*points[len(points)-1].Y {
		t.Errorf("the curve begins at %g and ends at %g", first.Y, points[len(points)-1].Y)
	}
	if c.plot() == nil {
		t.Error("no picture")
	}
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
		if df := list.frame(c.target); df.Error() != nil || df.Nrow() != 1 || !slices.Equal(df.Names(), c.names) {
			t.Errorf("%v gives %v", c.target.Kind, df)
		}
	}
	if got := list.frame(schema.Target{Kind: schema.Classes, Classes: []string{"a", "b", "c"}}).Elem(0, 0).String(); got != "b" {
		t.Errorf("the likeliest class is %q, want b", got)
	}
}
