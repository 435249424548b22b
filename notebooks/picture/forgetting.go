package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/measure"
	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/toy"
)

// TwoItems is the stream of two items in the reader's hand: the data that came, and the predictions after each.
type TwoItems struct {
	arrivals  []int
	learners  [3]toy.TwoItemLearner
	predicted [3][2][]float64 // by learner and item; the first is from before all data
	spread    [2][]float64    // standard deviation of exact Bayes' belief
}

// NewTwoItems returns a stream to which some items have come.
func NewTwoItems(arrivals ...int) *TwoItems {
	s := &TwoItems{learners: toy.NewTwoItemLearners()}
	s.note()
	for _, item := range arrivals {
		s.arrive(item)
	}
	return s
}

// arrive lets all learners learn an item's target.
func (s *TwoItems) arrive(item int) {
	for _, l := range s.learners {
		l.Learn(item)
	}
	s.arrivals = append(s.arrivals, item)
	s.note()
}

// note writes down the predictions of both items.
func (s *TwoItems) note() {
	for item := range 2 {
		for i, l := range s.learners {
			s.predicted[i][item] = append(s.predicted[i][item], l.Predict(item))
		}
		s.spread[item] = append(s.spread[item], s.learners[0].(*toy.TwoItemBelief).Spread(item))
	}
}

// The buttons that TwoItems.Draw listens to.
const (
	ItemZero   = "item 0"
	ItemOne    = "item 1"
	TenZeros   = "10 × item 0"
	TenOnes    = "10 × item 1"
	StartAgain = "Start again"
)

// Draw lets the item of the pressed button arrive. It draws the predictions of both items before all data and after each datum.
func (s *TwoItems) Draw(at play.Position) *figures.Figure {
	if at.Pressed(StartAgain) {
		*s = *NewTwoItems()
	}
	for item, buttons := range [2][2]string{{ItemZero, TenZeros}, {ItemOne, TenOnes}} {
		for i, times := range []int{1, 10} {
			if at.Pressed(buttons[i]) {
				for range times {
					s.arrive(item)
				}
			}
		}
	}
	return draw.Row(s.caption(), s.chart(0), s.chart(1))
}

// chart draws the predictions of one item.
func (s *TwoItems) chart(item int) *draw.Chart {
	c := draw.New("Data learned", "Prediction").Title(fmt.Sprintf("Item %d, target %s", item, figures.Number(toy.TwoItemTargets[item]))).
		Y(-2, 2).Size(8.5*vg.Centimeter, 6.5*vg.Centimeter)
	var x, y []float64
	for i, came := range s.arrivals {
		if came == item {
			x, y = append(x, float64(i+1)), append(y, toy.TwoItemTargets[item])
		}
	}
	c.Dots("datum", x, y, draw.Faint(), draw.Thin())
	mean := s.predicted[0][item]
	low, high := make([]float64, len(mean)), make([]float64, len(mean))
	for i := range mean {
		low[i], high[i] = mean[i]-s.spread[item][i], mean[i]+s.spread[item][i]
	}
	for i, look := range [][]draw.Option{{draw.Method("P-EE")}, {draw.Method("PHE")}, {draw.Method("Ada"), draw.Dashed()}} {
		name := toy.TwoItemNames[i]
		if i == 0 {
			c.Band(name, nil, low, high, look...)
		}
		c.Line(name, nil, s.predicted[i][item], look...)
	}
	return c
}

// caption counts the data and tells how far each learner is from the targets.
func (s *TwoItems) caption() string {
	var missed []string
	for i, name := range toy.TwoItemNames {
		var far [2]string
		for item := range far {
			last := s.predicted[i][item][len(s.arrivals)]
			far[item] = figures.Number(math.Abs(last - toy.TwoItemTargets[item]))
		}
		missed = append(missed, fmt.Sprintf("%s %s and %s", name, far[0], far[1]))
	}
	ones := 0
	for _, item := range s.arrivals {
		ones += item
	}
	return fmt.Sprintf("Data at the dots: %d of item 0, %d of item 1. Distance from the targets of item 0 and item 1: %s. The band is ±1 standard "+
		"deviation of exact Bayes' belief.", len(s.arrivals)-ones, ones, strings.Join(missed, ", "))
}

// Paths draws the predictions for one item along several orders of the same data: a line an order.
func Paths(bayes, descent [][]float64) *figures.Figure {
	c := draw.New("Observations learned", "Prediction for one item").Y(-1.5, 1.2)
	for i := range descent {
		c.Line("gradient descent", counting(1, len(descent[i])), descent[i], draw.Method("Ada"), draw.Thin())
	}
	for i := range bayes {
		c.Line("exact Bayes", counting(1, len(bayes[i])), bayes[i], draw.Method("P-EE"), draw.Thin())
	}
	return c.Figure(fmt.Sprintf("The same data in %d orders. Some early predictions lie beyond the picture.", len(bayes)))
}

// EndAccuracy draws the accuracy after the whole stream for each order of a result of protocol order. Points are means over seeds,
// bars ±1 standard deviation.
func EndAccuracy(f *result.File) *figures.Figure {
	c := draw.New("Accuracy at the end of the stream (%)", "").Size(15*vg.Centimeter, 5*vg.Centimeter)
	cells := report.Summary(f)
	var orders []string
	for _, method := range []string{"FastAda", "PHE"} {
		var x, y []float64
		for _, cell := range cells {
			order, ok := strings.CutPrefix(cell.Method, method+" ")
			if !ok || cell.Metric != measure.FinalAverage || strings.HasPrefix(order, "(") {
				continue
			}
			if !slices.Contains(orders, order) {
				orders = append(orders, order)
			}
			place, mean := -float64(slices.Index(orders, order)), *cell.Measured
			x, y = append(x, mean), append(y, place)
			if cell.MeasuredSD != nil {
				c.Level("", place, mean-*cell.MeasuredSD, mean+*cell.MeasuredSD, draw.Method(method), draw.Thin())
			}
		}
		c.Dots(method, x, y, draw.Method(method))
	}
	return c.NamesY(orders...).Figure("Points are means over seeds, bars ±1 standard deviation.")
}
