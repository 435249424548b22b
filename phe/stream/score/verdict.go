package score

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gophe/phe/stream/schema"
)

// byChance is the number of standard errors up to which a lead may be chance. It is more than the usual two, since several models are
// compared, and again and again while the stream grows. Two models that differ by the seed alone pass it in 3 of 100 pairs.
const byChance = 3

// verdict says whether the model beats the base rate after the first tenth, and which simpler models beat it. Few rows give no verdict.
func (r Report) verdict() (sentences []string) {
	own, ahead := r.Models[0], []string(nil)
	for i, rival := range slices.Concat(r.Models[1:], r.rivals) {
		which := 0
		if i == len(r.Models)-1 { // the log-loss of a value that is certain says nothing; its Brier score does
			which = min(1, len(r.Target.Classes))
		}
		mine, other := r.metrics(own.Late)[which], r.metrics(rival.Late)[which]
		lead := Lead(own.Course.Late(), rival.Course.Late(), r.loss(which))
		switch base := i == len(r.Models)-2; {
		case lead < -byChance:
			ahead = append(ahead, fmt.Sprintf("%s (%s %s in place of %s)", rival.Name, mine.name, other.score, mine.score))
		case base && lead > byChance:
			sentences = append(sentences, fmt.Sprintf("After the first tenth, this model is better than the base rate: "+
				"%s %s in place of %s, %.1f %% less.", mine.name, mine.score, other.score, 100*(1-mine.value/other.value)))
		case base && !math.IsNaN(lead):
			sentences = append(sentences, fmt.Sprintf("After the first tenth, this model is not better than the base rate by more than "+
				"chance: %s %s against %s.", mine.name, mine.score, other.score))
		}
	}
	if len(ahead) > 0 {
		sentences = append(sentences, "Ahead of this model, by more than chance: "+strings.Join(ahead, ", ")+".")
	}
	return sentences
}

// loss returns the sum behind a metric of the report.
func (r Report) loss(metric int) func(Tally) float64 {
	return func(t Tally) float64 {
		switch {
		case r.Target.Kind == schema.Amount:
			return t.Sum.Square
		case r.Target.Kind == schema.Count:
			return t.Sum.Absolute
		case metric == 1:
			return t.Sum.Brier
		}
		return t.Sum.LogLoss
	}
}

// Lead returns the lead of a model over another on the same blocks of rows, in standard errors; NaN if there are too few blocks. Losses of
// neighbouring rows depend on each other. So neighbouring blocks join in batches of 1, 2, 4, …, and the largest variance counts.
func Lead(own, other []Tally, loss func(Tally) float64) float64 {
	const fewest, batches = 100, 16 // blocks; batches that still show a variance
	if len(own) != len(other) || len(own) < fewest {
		return math.NaN()
	}
	gains, sum, variance := make([]float64, len(own)), 0.0, 0.0
	for i := range own {
		gains[i] = loss(other[i]) - loss(own[i])
		sum += gains[i]
	}
	rows := float64(len(gains))
	for size := 1.0; len(gains) >= batches; size *= 2 {
		n, mean, squares := float64(len(gains)), 0.0, 0.0
		for i, g := range gains {
			step := g - mean
			mean += step / float64(i+1)
			squares += step * (g - mean)
		}
		variance = max(variance, squares/(n-1)*rows/size)
		for i := range len(gains) / 2 {
			gains[i] = gains[2*i] + gains[2*i+1]
		}
		gains = gains[:len(gains)/2]
	}
	if sum == 0 {
		return 0
	}
	return sum / math.Sqrt(variance)
}
