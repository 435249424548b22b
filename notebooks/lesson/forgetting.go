package lesson

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/rivals/linear"
	"gophe/figures/draw"
)

// Supp. F's two items share a row of table E, as in SharedRow. The Bayesian learners assume noise of variance 1. The paper gives none
// for Fig. 5.
var (
	twoItemRows    = [2][]float64{{1, 1, 0}, {0, 1, 1}}
	twoItemTargets = [2]float64{1, -1}
	twoItemNames   = [3]string{"Exact Bayes", "PHE", "Ada"}
)

// twoItems holds the predictions of three learners of the two items.
type twoItems struct {
	arrivals  []int           // the items that came
	predicted [3][2][]float64 // by learner and item, before all data and after each datum
	spread    [2][]float64    // standard deviation of exact Bayes' belief
}

// alongTwoItems lets exact Bayes, PHE and Ada learn the items that come. Each update of PHE maximises Eq. 3 exactly. Ada is gradient
// descent with the learning rate 0.1, as in Fig. 5.
func alongTwoItems(arrivals []int) twoItems {
	s, data := twoItems{arrivals: arrivals}, Conjugate{NoiseStdDev: 1}
	for _, item := range arrivals {
		data.X, data.Y = append(data.X, twoItemRows[item]), append(data.Y, twoItemTargets[item])
	}
	_, bayes := data.Online(Standard(3), 1, Conjugate.Posterior)
	_, field := data.Online(Standard(3), 1, Conjugate.MeanField)
	descent := linear.NewDescent(3, 0.1)
	for n := range bayes {
		if n > 0 {
			descent.Update(data.X[n-1], data.Y[n-1])
		}
		for item, x := range twoItemRows {
			mean, stdDev := Output(bayes[n], x)
			independent, _ := Output(field[n], x)
			for i, prediction := range []float64{mean, independent, descent.Predict(x)} {
				s.predicted[i][item] = append(s.predicted[i][item], prediction)
			}
			s.spread[item] = append(s.spread[item], stdDev)
		}
	}
	return s
}

// miss returns the distance of a learner's last prediction of an item from its target.
func (s twoItems) miss(learner, item int) float64 {
	return math.Abs(s.predicted[learner][item][len(s.arrivals)] - twoItemTargets[item])
}

// MissedTwoItems returns how far exact Bayes, PHE and Ada are from the target of item 0 after some data of items 0 and 1.
func MissedTwoItems(arrivals ...int) (bayes, phe, ada float64) {
	s := alongTwoItems(arrivals)
	return s.miss(0, 0), s.miss(1, 0), s.miss(2, 0)
}

// TwoItems draws the predictions for items 0 and 1 before all data and after each datum.
func TwoItems(arrivals ...int) *draw.Figure {
	s := alongTwoItems(arrivals)
	return draw.Row(s.caption(), s.chart(0), s.chart(1))
}

// chart draws the predictions of one item.
func (s twoItems) chart(item int) *draw.Chart {
	c := draw.New("Data learned", "Prediction").Title(fmt.Sprintf("Item %d, target %s", item, draw.Number(twoItemTargets[item]))).
		Y(-2, 2).Size(8.5*vg.Centimeter, 6.5*vg.Centimeter)
	var x, y []float64
	for i, came := range s.arrivals {
		if came == item {
			x, y = append(x, float64(i+1)), append(y, twoItemTargets[item])
		}
	}
	c.Dots("datum", x, y, draw.Faint(), draw.Thin())
	c.Spread(twoItemNames[0], s.predicted[0][item], s.spread[item], draw.Method("P-EE"))
	c.Line(twoItemNames[1], nil, s.predicted[1][item], draw.Method("PHE"))
	return c.Line(twoItemNames[2], nil, s.predicted[2][item], draw.Method("Ada"), draw.Dashed())
}

// caption counts the data and says how far each learner is from the targets.
func (s twoItems) caption() string {
	var missed []string
	for i, name := range twoItemNames {
		missed = append(missed, fmt.Sprintf("%s %s and %s", name, draw.Number(s.miss(i, 0)), draw.Number(s.miss(i, 1))))
	}
	ones := 0
	for _, item := range s.arrivals {
		ones += item
	}
	return fmt.Sprintf("Data at the dots: %d of item 0, %d of item 1. Distance from the targets of item 0 and item 1: %s. "+
		"The band is ±1 standard deviation of exact Bayes' belief.", len(s.arrivals)-ones, ones, strings.Join(missed, ", "))
}

// Paths draws the predictions for one item along several orders of the same data: a line an order.
func Paths(bayes, descent [][]float64) *draw.Figure {
	c := draw.New("Observations learned", "Prediction for one item").Y(-1.5, 1.2)
	for i := range descent {
		c.Line("gradient descent", counting(1, len(descent[i])), descent[i], draw.Method("Ada"), draw.Thin())
	}
	for i := range bayes {
		c.Line("exact Bayes", counting(1, len(bayes[i])), bayes[i], draw.Method("P-EE"), draw.Thin())
	}
	return c.Figure(fmt.Sprintf("The same data in %d orders. Some early predictions lie beyond the picture.", len(bayes)))
}
