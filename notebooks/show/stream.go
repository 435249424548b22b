package show

import (
	"bytes"
	"context"
	"os"
	"os/signal"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Stream takes a learner along a table. It returns the forecast of each row, made before the learner learned the row. The kernel's
// interrupt ends it early, with the forecasts up to there.
func Stream(l *stream.Learner, r stream.Reader) dataframe.DataFrame {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return Must(follow(ctx, l, r)).frame(l.Schema.Target)
}

// follow returns the forecasts of rows that the learner learns. A context that ends is no error.
func follow(ctx context.Context, l *stream.Learner, r stream.Reader) (said forecasts, err error) {
	err = stream.Progressive(ctx, l, r, 0, func(_ schema.Record, f stream.Forecast) error {
		said = append(said, f)
		return nil
	})
	if ctx.Err() != nil {
		err = nil
	}
	return said, err
}

// KeepStream is Keep for a learner.
func KeepStream(name string, l *stream.Learner) {
	var content bytes.Buffer
	Check(l.Write(&content))
	Keep(name, content.Bytes())
}

// KeptStream is a learner that an earlier cell stored.
func KeptStream(name string) *stream.Learner {
	return Must(stream.Read(Kept[[]byte](name)))
}

// forecasts holds the forecasts of a stream's rows.
type forecasts []stream.Forecast

// frame returns the forecasts with the columns that the kind of target has.
func (f forecasts) frame(t schema.Target) dataframe.DataFrame {
	var columns []series.Series
	switch {
	case t.Kind != schema.Classes:
		columns = append(columns, numbersOf("forecast", f, func(s stream.Forecast) float64 { return s.Value }),
			numbersOf("low", f, func(s stream.Forecast) float64 { return s.Low }),
			numbersOf("high", f, func(s stream.Forecast) float64 { return s.High }))
	case len(t.Classes) == 2:
		columns = append(columns, numbersOf("probability", f, func(s stream.Forecast) float64 { return s.Probability }))
	default:
		names := make([]string, len(f))
		for i, said := range f {
			names[i] = t.Classes[int(said.Value)]
		}
		columns = append(columns, series.New(names, series.String, "forecast"))
	}
	novelty := make([]int, len(f))
	for i, said := range f {
		novelty[i] = int(said.Novelty)
	}
	return dataframe.New(append(columns, series.New(novelty, series.Int, "novelty"))...)
}

// numbersOf makes a column of one number from each element.
func numbersOf[T any](name string, list []T, of func(T) float64) series.Series {
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = of(v)
	}
	return series.New(values, series.Float, name)
}
