package figures

import (
	"fmt"
	"testing"
	"time"

	"gonum.org/v1/plot"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// Errors are drawn in %. The convention chooses the quantity.
func TestFigure6Ratings(t *testing.T) {
	for _, test := range []struct{ convention, metric, says string }{
		{"authors", "sample_error", "by the samples of the prediction"},
		{"paper", "rating_error", "by the mean of the prediction"},
	} {
		f := ratingsFile(60, 2, test.convention)
		fig := filetest.Must(Figure6(append(onlineFiles(60, 2), f), 2.5))(t)
		p := panels(fig)[4]
		filetest.Want(t, p.Heading, "MovieLens (ml-latest-small)", "the fifth panel's heading")
		filetest.Want(t, p.XAxis.Label, "Day of 2000", "its x axis")
		filetest.Want(t, p.YAxis.Label, "Error (%)", "its y axis")
		want := "PHE, EE, P-EE, SlowAda, MediumAda, FastAda, PHE frozen, Global mean, Biases"
		filetest.Want(t, labels(p), want, "its curves")
		eighth := 0.0
		for _, run := range f.Methods[0].Runs {
			eighth += 50 * gaussianFilter(run.Series(test.metric), 10)[7]
		}
		filetest.Near(t, p.Curves[0].Mean[7], eighth, 1e-9, "%s: PHE's eighth day", test.convention)
		filetest.WantWords(t, fig.Caption, test.says, "MovieLens (ml-latest-small): the mean absolute error", "in % of five stars",
			"MovieLens (ml-latest-small) 8,721", "σ = 2.5 steps (10 days for ratings).",
			"Gray: rules without a model (Global mean, Biases)")
		first := panels(filetest.Must(Figure7([]*result.File{dailyFile(60, 2, "authors"), f}))(t))[1]
		filetest.Want(t, len(first.Curves), 9, "curves")
		filetest.Want(t, len(first.Curves[0].Mean), 10, "days")
		filetest.Want(t, first.YAxis.Label, "Error (%)", "the y axis")
	}
}

// The first of four cells holds half of the counts.
func TestReliability(t *testing.T) {
	density, held := reliability([]float64{4, 1, 1, 2})
	filetest.Want(t, fmt.Sprint(density, held), "[2 2 0.5 0.5 0.5 0.5 1 1] [0 25 100]", "density and shares")
	fig := filetest.Must(Calibration(damaged(dailyFile(60, 1, "paper"), func(f *result.File) {
		f.Methods[0].Runs[0].Calibration = []float64{4, 1, 1, 2}
	})))(t)
	all := panels(fig)
	above, below := all[0].Curves[0], all[len(all)/2].Curves[0]
	filetest.Want(t, fmt.Sprint(above.X, above.Mean), "[0 0.25 0.25 0.5 0.5 0.75 0.75 1] "+fmt.Sprint(density), "the upper panel")
	filetest.Want(t, fmt.Sprint(below.X, below.Mean), "[0 50 100] "+fmt.Sprint(held), "the lower panel")
}

// Days may cover several months or years. A calendar has all days, also those that are no step.
func TestDayTicks(t *testing.T) {
	steps := func(f *result.File) []plot.Tick { return dayTicks(readSource(f, nil, new(draw.Palette)).days) }
	calendar := func(days int) []plot.Tick {
		first := time.Date(2000, 1, 30, 0, 0, 0, 0, time.UTC)
		return calendarTicks(first, first.AddDate(0, 0, days))
	}
	for _, test := range []struct {
		ticks []plot.Tick
		want  string
	}{
		{steps(dailyFile(150, 1, "authors")), "Feb|Mar|Apr|May|Jun|Jul"},
		{steps(dailyFile(255, 1, "authors")), "Feb||Apr||Jun||Aug||Oct|"},
		{steps(ratingsFile(488, 1, "paper")), "2000|2001|2002|2003|2004"}, // five years of about 122 steps
		{steps(ratingsFile(1340, 1, "paper")), "2000||2002||2004||2006||2008||2010|"},
		{calendar(3), "30 Jan|31|1 Feb|2"},
		{calendar(20), "30 Jan|1 Feb|3|5|7|9|11|13|15|17|19"},
		{calendar(28), "30 Jan|6 Feb|13|20|27"},
		{calendar(1200), "Jan 2000|Jan 2001|Jan 2002|Jan 2003"},
		{calendar(365), "30 Jan|30 Apr|30 Jul|29 Oct|28 Jan"},
	} {
		filetest.Want(t, labelsOf(test.ticks, "|"), test.want, "the ticks")
	}
}
