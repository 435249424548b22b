package cell

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

	"gophe/phe/disk/filetest"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// visits begins a learner on a table of 1,000 rows, in which every second customer buys.
func visits(t *testing.T) (*stream.Learner, stream.Reader) {
	t.Helper()
	customers, bought := make([]string, 1000), make([]string, 1000)
	for i := range customers {
		customers[i], bought[i] = "c"+strconv.Itoa(i%10), []string{"no", "yes"}[i%2]
	}
	df := dataframe.New(series.New(customers, series.String, "customer"), series.New(bought, series.String, "bought"))
	l, r, err := stream.Begin(filetest.Must(records.OfFrame(df))(t), schema.Hints{Target: "bought"}, stream.Options{Memory: 16 << 10})
	filetest.Check(t, err)
	return l, r
}

// The stream runs to its end, and a later cell finds the learner. The kernel's interrupt ends it at a row.
func TestStream(t *testing.T) {
	t.Setenv("GONB_DIR", filepath.Join(t.TempDir(), "notebooks"))
	l, r := visits(t)
	filetest.Want(t, len(filetest.Must(follow(t.Context(), l, r))(t)), 1000, "forecasts")
	KeepStream("visits", l)
	filetest.Want(t, KeptStream("visits").Rows(), 1000, "rows of the kept learner")
	ctx, stop := context.WithCancel(t.Context())
	l, r = visits(t)
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
