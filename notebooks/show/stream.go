package show

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"github.com/janpfeifer/gonb/gonbui"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"gophe/figures"
	"gophe/phe/score"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Stream takes a learner along a table, and draws its score on the page while it learns. It returns the forecast of each
// row, made before the learner learned the row. The kernel's interrupt ends it early, with the forecasts up to there.
func Stream(l *stream.Learner, r stream.Reader) dataframe.DataFrame {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := newCurve(l)
	var f forecasts
	err := stream.Progressive(ctx, l, r, 0, func(_ schema.Record, said stream.Forecast) error {
		f = append(f, said)
		c.row()
		return nil
	})
	c.sample()
	c.show()
	delivered()
	if ctx.Err() == nil {
		Check(err)
	}
	return f.frame(l.Schema().Target)
}

// forecasts holds the forecasts of a stream's rows.
type forecasts []stream.Forecast

// frame returns the forecasts with the columns that the kind of target has.
func (f forecasts) frame(t schema.Target) dataframe.DataFrame {
	column := func(name string, of func(stream.Forecast) float64) series.Series {
		list := make([]float64, len(f))
		for i, said := range f {
			list[i] = of(said)
		}
		return series.New(list, series.Float, name)
	}
	var columns []series.Series
	switch {
	case t.Kind != schema.Classes:
		columns = append(columns, column("forecast", func(s stream.Forecast) float64 { return s.Value }),
			column("low", func(s stream.Forecast) float64 { return s.Low }), column("high", func(s stream.Forecast) float64 { return s.High }))
	case len(t.Classes) == 2:
		columns = append(columns, column("probability", func(s stream.Forecast) float64 { return s.Probability }))
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
	id      string
	rows    int
	every   int // rows between two samples
	samples []stream.Moment
	shown   time.Time
}

const (
	mostSamples = 240 // beyond it, every second one goes
	smoothed    = 6   // samples that a point of the picture spans
	drawEvery   = 500 * time.Millisecond
)

func newCurve(l *stream.Learner) *curve {
	return &curve{learner: l, id: "stream_" + gonbui.UniqueId(), every: 100, samples: []stream.Moment{l.Moment()}, shown: time.Now()}
}

// row counts a row, and looks at the score now and then.
func (c *curve) row() {
	if c.rows++; c.rows%c.every != 0 {
		return
	}
	c.sample()
	if now := time.Now(); now.Sub(c.shown) > drawEvery {
		c.shown = now
		c.show()
	}
}

// sample notes the score so far. All tallies are sums, so that the samples between two others can go.
func (c *curve) sample() {
	c.samples = append(c.samples, c.learner.Moment())
	if len(c.samples) <= mostSamples {
		return
	}
	kept := c.samples[:0]
	for i := 0; i < len(c.samples); i += 2 {
		kept = append(kept, c.samples[i])
	}
	c.samples = kept
	c.every *= 2
}

// show puts the picture on the page, in place of the last one.
func (c *curve) show() {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(15*vg.Centimeter, 6*vg.Centimeter), vgimg.UseDPI(dpi))}
	c.plot().Draw(draw.New(canvas))
	var content bytes.Buffer
	Must(canvas.WriteTo(&content))
	last := c.samples[len(c.samples)-1]
	gonbui.UpdateHTML(c.id, fmt.Sprintf(`<img src="data:image/png;base64,%s" alt="%s along the stream" style="max-width:100%%"/><p>%s rows learned</p>`,
		base64.StdEncoding.EncodeToString(Must(Compact(content.Bytes()))), last.Metric, stream.Grouped(last.Rows)))
}

// plot draws each model's score of the rows between samples.
func (c *curve) plot() *plot.Plot {
	last := c.samples[len(c.samples)-1]
	p := figures.NewPlot("Rows", last.Metric)
	for i, m := range last.Models {
		line := Must(plotter.NewLine(c.points(m.Name)))
		line.Width, line.Color = vg.Points(1.2), figures.Color([]string{"PHE", "EE", "P-EE", "Majority"}[i])
		if i > 0 {
			line.Width, line.Dashes = vg.Points(0.8), []vg.Length{vg.Points(1 + float64(2*i)), vg.Points(2)}
		}
		p.Add(line)
		p.Legend.Add(m.Name, line)
	}
	p.Legend.Top, p.X.Min = true, 0
	return p
}

// points returns a model's score at each sample, of the rows since an earlier one.
func (c *curve) points(name string) plotter.XYs {
	points := plotter.XYs{{}}[:0]
	for i := 1; i < len(c.samples); i++ {
		now, before := tally(c.samples[i], name), tally(c.samples[max(0, i-smoothed)], name)
		if now.Rows > before.Rows {
			points = append(points, plotter.XY{X: float64(c.samples[i].Rows), Y: c.samples[i].Score(now.Since(before))})
		}
	}
	return points
}

// tally returns a model's tally at a moment. It is empty before the model's first row.
func tally(m stream.Moment, name string) score.Tally {
	for _, model := range m.Models {
		if model.Name == name {
			return model.All
		}
	}
	return score.Tally{}
}
