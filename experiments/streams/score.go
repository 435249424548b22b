package streams

import (
	"bufio"
	"encoding/csv"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/score"
)

// Score is how good the forecasts of a stream are: log-loss in nats, or of numbers the root of the mean squared error. Late rows
// are those after the first tenth of the stream.
type Score struct {
	All  float64 `json:"all"`
	Late float64 `json:"late"`
	// Novelty has the late rows by how often their rarest item was seen before, as phe stream tells it. Others do not tell.
	Novelty []Tier `json:"novelty,omitempty"`
}

// Tier is a class of novelty.
type Tier struct {
	Name    string  `json:"name"`
	Rows    int64   `json:"rows"`
	Covered float64 `json:"covered"` // share of the rows inside their 90 % interval
	Score   float64 `json:"score"`
}

// forecast is one row's forecast.
type forecast struct {
	value     float64 // a probability or a number
	low, high float64 // of numbers; NaN where there is no interval
	seen      int64   // times that the rarest item was seen
}

// tally sums the scores of all rows, of late rows, and of late rows by novelty.
type tally struct {
	numeric   bool
	all, late score.Tally
	novelty   [score.NoveltyTiers]score.Tally
}

func (t *tally) add(f forecast, y float64, late bool) {
	var o score.Outcome
	if t.numeric {
		o = score.OfNumber(f.value, f.low, f.high, y)
	} else {
		o = score.OfClasses([]float64{1 - f.value, f.value}, int(y))
	}
	t.all.Add(o, 1)
	if late {
		t.late.Add(o, 1)
		t.novelty[score.NoveltyTier(f.seen)].Add(o, 1)
	}
}

func (t *tally) loss(of score.Tally) float64 {
	if t.numeric {
		return of.RMSE()
	}
	return of.LogLoss()
}

func (t *tally) score(tiers bool) Score {
	s := Score{All: t.loss(t.all), Late: t.loss(t.late)}
	if tiers {
		for i, name := range score.NoveltyNames() {
			if n := t.novelty[i]; n.Rows > 0 {
				s.Novelty = append(s.Novelty, Tier{name, n.Rows, n.Coverage(), t.loss(n)})
			}
		}
	}
	return s
}

// ScoreFile scores a file of forecasts, in phe stream's format or with one number a line.
func ScoreFile(path string, truth []float64, numeric bool) (Score, error) {
	f, err := os.Open(path)
	if err != nil {
		return Score{}, errors.Wrap(err, "reading forecasts")
	}
	defer f.Close()
	s, err := scoreForecasts(bufio.NewReaderSize(f, 1<<16), truth, numeric)
	return s, errors.WithMessagef(err, "the forecasts %s", path)
}

func scoreForecasts(r *bufio.Reader, truth []float64, numeric bool) (Score, error) {
	lines := csv.NewReader(r)
	lines.ReuseRecord = true
	first, err := r.Peek(len("record"))
	columns := err == nil && string(first) == "record"
	names := map[string]int{}
	if columns {
		header, err := lines.Read()
		if err != nil {
			return Score{}, errors.Wrap(err, "reading the header")
		}
		for i, name := range header {
			names[name] = i
		}
	}
	t := &tally{numeric: numeric}
	for row, y := range truth {
		fields, err := lines.Read()
		if err == io.EOF {
			return Score{}, errors.Errorf("%d forecasts of %d rows", row, len(truth))
		}
		if err != nil {
			return Score{}, errors.Wrapf(err, "forecast %d", row+1)
		}
		f, err := parse(fields, names)
		if err != nil {
			return Score{}, errors.WithMessagef(err, "forecast %d", row+1)
		}
		t.add(f, y, 10*row >= len(truth))
	}
	if _, err := lines.Read(); err != io.EOF {
		return Score{}, errors.Errorf("more than %d forecasts", len(truth))
	}
	return t.score(columns), nil
}

// parse reads a line of forecasts. Without names it is a number.
func parse(fields []string, names map[string]int) (forecast, error) {
	f := forecast{low: math.NaN(), high: math.NaN()}
	number := func(name string, place int, into *float64) error {
		if i, ok := names[name]; ok {
			place = i
		} else if len(names) > 0 {
			return nil
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(fields[place]), 64)
		*into = v
		return errors.Wrap(err, "it is no number")
	}
	if len(names) == 0 {
		return f, number("", 0, &f.value)
	}
	seen := 0.0
	for name, into := range map[string]*float64{"probability": &f.value, "forecast": &f.value, "low": &f.low, "high": &f.high, "novelty": &seen} {
		if err := number(name, 0, into); err != nil {
			return f, err
		}
	}
	f.seen = int64(seen)
	if f.seen < 0 { // a record without items
		f.seen = math.MaxInt64
	}
	return f, nil
}

// baseRate scores the forecast that knows only the targets so far: how often each class came, or their mean.
func baseRate(truth []float64, numeric bool) Score {
	sum := 0.0
	return scored(truth, numeric, func(row int) float64 {
		n := float64(row)
		if row > 0 {
			sum += truth[row-1]
		}
		if numeric {
			return sum / max(n, 1)
		}
		return (sum + 1) / (n + 2)
	})
}

// noChange scores the forecast that the next target is the last one. For classes it is the share of the rows so far in which class 1
// followed the last row's class.
func noChange(truth []float64, numeric bool) Score {
	var followed [2][2]float64 // by a class, and the class after it
	return scored(truth, numeric, func(row int) float64 {
		last := truth[max(row-1, 0)]
		if row == 0 {
			last = 0
		}
		if numeric {
			return last
		}
		if row > 1 {
			followed[int(truth[row-2])][int(last)]++
		}
		next := followed[int(last)]
		return (next[1] + 1) / (next[0] + next[1] + 2)
	})
}

// scored scores forecasts that are made of the targets before each row.
func scored(truth []float64, numeric bool, of func(row int) float64) Score {
	t := &tally{numeric: numeric}
	for row, y := range truth {
		t.add(forecast{value: of(row), low: math.NaN(), high: math.NaN()}, y, 10*row >= len(truth))
	}
	return t.score(false)
}
