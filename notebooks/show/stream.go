package show

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/plot/vg"

	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Stream takes a learner along a table, and draws its score on the page while it learns. It returns the forecast of each
// row, made before the learner learned the row. The Stop button ends it early, with the forecasts up to there.
func Stream(l *stream.Learner, r stream.Reader) dataframe.DataFrame {
	c := newCurve(l)
	Figure(play.Live(func(ctx context.Context, show func(*figures.Figure)) { Check(c.follow(ctx, r, show)) }))
	return c.said.frame(l.Schema.Target)
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

// curve is a learner's score along a stream, as a picture that grows.
type curve struct {
	learner *stream.Learner
	said    forecasts
	every   int // rows between two samples
	samples []stream.Report
}

const (
	maxSamples = 240 // beyond it, every second one goes
	smoothed   = 6   // samples that a point of the picture spans
	drawEvery  = 300 * time.Millisecond
)

func newCurve(l *stream.Learner) *curve {
	return &curve{learner: l, every: 100, samples: []stream.Report{l.Report()}}
}

// follow takes the learner along the rows and shows the curve now and then. A context that ends is no error.
func (c *curve) follow(ctx context.Context, r stream.Reader, show func(*figures.Figure)) error {
	shown := time.Now()
	err := stream.Progressive(ctx, c.learner, r, 0, func(_ schema.Record, said stream.Forecast) error {
		c.row(said)
		if time.Since(shown) > drawEvery {
			show(c.figure())
			shown = time.Now()
		}
		return nil
	})
	if ctx.Err() != nil {
		err = nil
	}
	c.sample()
	show(c.figure())
	return err
}

// row keeps a forecast, and looks at the score now and then.
func (c *curve) row(said stream.Forecast) {
	c.said = append(c.said, said)
	if len(c.said)%c.every == 0 {
		c.sample()
	}
}

// sample notes the score so far. All tallies are sums, so that the samples between two others can go.
func (c *curve) sample() {
	c.samples = append(c.samples, c.learner.Report())
	if len(c.samples) <= maxSamples {
		return
	}
	kept := c.samples[:0]
	for i := 0; i < len(c.samples); i += 2 {
		kept = append(kept, c.samples[i])
	}
	c.samples = kept
	c.every *= 2
}

// figure draws each model's score of the rows between samples.
func (c *curve) figure() *figures.Figure {
	last := c.samples[len(c.samples)-1]
	metric := streamMetrics(last.Target.Kind)[0]
	p := draw.New("Rows", metric.name).Size(15*vg.Centimeter, 6*vg.Centimeter)
	for i, m := range last.Models {
		x, y := c.points(m.Name, metric.of)
		options := []draw.Option{draw.Method([]string{"PHE", "EE", "P-EE", "Majority"}[i])}
		if i > 0 {
			options = append(options, draw.Dashed(), draw.Thin())
		}
		p.Line(m.Name, x, y, options...)
	}
	return p.Figure(fmt.Sprintf("%s of forecasts that were made before their rows were learned. %s rows learned.", metric.name, stream.Grouped(last.Rows)))
}

// points returns a score of a model at each sample, of the rows since an earlier one.
func (c *curve) points(name string, of func(stream.Tally) float64) (x, y []float64) {
	for i := 1; i < len(c.samples); i++ {
		now, before := tally(c.samples[i], name), tally(c.samples[max(0, i-smoothed)], name)
		if now.Rows > before.Rows {
			x, y = append(x, float64(c.samples[i].Rows)), append(y, of(now.Since(before)))
		}
	}
	return x, y
}

// tally returns a model's tally in a report. It is empty before the model's first row.
func tally(r stream.Report, name string) stream.Tally {
	for _, model := range r.Models {
		if model.Name == name {
			return model.All
		}
	}
	return stream.Tally{}
}
