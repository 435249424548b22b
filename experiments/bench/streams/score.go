package main

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/stream/novelty"
	"gophe/phe/stream/score"
)

// scores tell how good the forecasts of a stream are: log-loss in nats, or of numbers the root of the mean squared error. Late rows
// are those after the first tenth of the stream.
type scores struct {
	All  float64 `json:"all"`
	Late float64 `json:"late"`
	// Novelty has the late rows by how often their rarest item was seen before, as phe stream tells it. Others do not tell.
	Novelty []tier `json:"novelty,omitempty"`
}

// tier is a class of novelty.
type tier struct {
	Name    string  `json:"name"`
	Rows    int64   `json:"rows"`
	Covered float64 `json:"covered"` // share of the rows inside their 90 % interval
	Score   float64 `json:"score"`
}

// forecast is one row's forecast.
type forecast struct {
	value     float64 // a probability or a number
	low, high float64 // of numbers; NaN where there is no interval
	seen      float64 // times that the rarest item was seen; NaN if the program does not tell
}

// scored scores a forecast of each row.
func (p *prepared) scored(forecasts []forecast) (s scores) {
	var all, late score.Tally
	byTier := make([]score.Tally, len(novelty.Names()))
	tiers := false
	for row, f := range forecasts {
		y := p.truth[row]
		add := func(to *score.Tally) {
			if p.numeric {
				to.AddNumber(f.value, f.low, f.high, y, 1)
			} else {
				to.AddClasses([]float64{1 - f.value, f.value}, int(y), 1)
			}
		}
		add(&all)
		if tiers = !math.IsNaN(f.seen); !(f.seen >= 0) { // a record without items
			f.seen = 1 << 53
		}
		if 10*row >= len(p.truth) {
			add(&late)
			add(&byTier[novelty.Tier(int64(f.seen))])
		}
	}
	s = scores{All: p.loss(all), Late: p.loss(late)}
	for i, name := range novelty.Names() {
		if n := byTier[i]; tiers && n.Rows > 0 {
			s.Novelty = append(s.Novelty, tier{name, n.Rows, n.Means().Coverage, p.loss(n)})
		}
	}
	return s
}

// loss returns the mean loss of some rows.
func (p *prepared) loss(t score.Tally) float64 {
	if p.numeric {
		return t.Means().RMSE
	}
	return t.Means().LogLoss
}

// scoreFile scores a file of forecasts, in phe stream's format or with one number a line.
func (p *prepared) scoreFile(path string) (s scores, err error) {
	content, err := os.ReadFile(path)
	if err == nil {
		s, err = p.score(string(content))
	}
	return s, errors.WithMessagef(err, "the forecasts %s", path)
}

func (p *prepared) score(text string) (s scores, err error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return s, errors.Wrap(err, "reading the lines")
	}
	header := []string{"forecast"}
	if strings.HasPrefix(text, "record") {
		header, lines = lines[0], lines[1:]
	}
	if p.delay > 0 && len(lines) == 2*len(p.truth)-p.delay { // Vowpal Wabbit forecasts a row again when it learns it
		for i := p.delay; i < len(p.truth); i++ {
			lines[i] = lines[2*i-p.delay]
		}
		lines = lines[:len(p.truth)]
	}
	if len(lines) != len(p.truth) {
		return s, errors.Errorf("%d forecasts of %d rows", len(lines), len(p.truth))
	}
	forecasts := make([]forecast, len(lines))
	for row, line := range lines {
		f := &forecasts[row]
		*f = forecast{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		places := map[string]*float64{"forecast": &f.value, "low": &f.low, "high": &f.high, "novelty": &f.seen}
		for i, name := range header {
			if strings.HasPrefix(name, "p(") { // the probability of the second of two classes
				name = "forecast"
			}
			if place := places[name]; place != nil {
				if *place, err = strconv.ParseFloat(strings.TrimSpace(line[i]), 64); err != nil {
					return s, errors.Wrapf(err, "forecast %d: it is no number", row+1)
				}
			}
		}
	}
	return p.scored(forecasts), nil
}

// scoreRule scores a contender that knows the targets so far alone. The base rate forecasts how often each class came, or the mean of the
// numbers. No change forecasts that the next target is the last one that is known. For classes it is the share of the rows so far in which
// class 1 followed the last row's class.
func (p *prepared) scoreRule(contender string) scores {
	var forecasts []forecast
	sum, last := 0.0, 0.0
	var followed [2][2]float64 // by a class, and the class after it
	for row := range p.truth {
		due := row - p.delay // its label comes after this forecast
		n, value := float64(max(0, due)), last
		switch {
		case contender == baseRate && p.numeric:
			value = sum / max(n, 1)
		case contender == baseRate:
			value = (sum + 1) / (n + 2)
		case !p.numeric:
			next := followed[int(last)]
			value = (next[1] + 1) / (next[0] + next[1] + 2)
		}
		forecasts = append(forecasts, forecast{value, math.NaN(), math.NaN(), math.NaN()})
		if due < 0 {
			continue
		}
		y := p.truth[due]
		if due > 0 && !p.numeric {
			followed[int(last)][int(y)]++
		}
		sum, last = sum+y, y
	}
	return p.scored(forecasts)
}
