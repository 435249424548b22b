package figures

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
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
		if p.Heading != "MovieLens (ml-latest-small)" || p.XAxis.Label != "Day of 2000" || p.YAxis.Label != "Error (%)" {
			t.Errorf("the fifth panel is %q, by %q, of %q", p.Heading, p.XAxis.Label, p.YAxis.Label)
		}
		var labels []string
		for _, c := range p.Curves {
			labels = append(labels, c.Label)
		}
		if got := strings.Join(labels, ", "); got != "PHE, EE, P-EE, SlowAda, MediumAda, FastAda, PHE frozen, Global mean, Biases" {
			t.Errorf("curves %s", got)
		}
		want := 0.0
		for _, run := range f.Methods[0].Runs {
			want += 50 * gaussianFilter(run.Series(test.metric), 10)[7]
		}
		if got := p.Curves[0].Mean[7]; !near(got, want) {
			t.Errorf("%s: PHE's eighth day is %v, want %v", test.convention, got, want)
		}
		fixture.WantText(t, fig.Caption, test.says, "MovieLens (ml-latest-small): the mean absolute error", "in % of five stars",
			"MovieLens (ml-latest-small) 8,721", "σ = 2.5 steps (10 days for ratings).",
			"Gray: rules without a model (Global mean, Biases)")
		first := panels(filetest.Must(Figure7([]*result.File{dailyFile(60, 2, "authors"), f}))(t))[1]
		if len(first.Curves) != 9 || len(first.Curves[0].Mean) != 10 || first.YAxis.Label != "Error (%)" {
			t.Errorf("%d curves of %d days, %q", len(first.Curves), len(first.Curves[0].Mean), first.YAxis.Label)
		}
	}
}

// The first of four cells holds half of the counts.
func TestReliability(t *testing.T) {
	density, held := reliability([]float64{4, 1, 1, 2})
	if fmt.Sprint(density) != "[2 2 0.5 0.5 0.5 0.5 1 1]" || fmt.Sprint(held) != "[0 25 100]" {
		t.Errorf("density %v, held %v", density, held)
	}
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
		{calendar(365), "30 Jan|30 Apr|30 Jul|29 Oct|28 Jan"},
	} {
		if got := labelled(test.ticks, "|"); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
