package score

import "math"

// Outcome is the score of one forecast. A field is 0 if it does not apply to the kind of target. Every field is finite, whatever
// the forecast was.
type Outcome struct {
	LogLoss  float64 `json:"log_loss"` // −log p of the class or count that came, in nats
	Unknown  float64 `json:"unknown"`  // 1 if that p is not known; LogLoss is then 0
	Brier    float64 `json:"brier"`    // Σ (p − outcome)² over the classes; with two classes, over the second class only
	Right    float64 `json:"right"`    // 1 if the likeliest class came
	Absolute float64 `json:"absolute"` // |error| of a number's mean or a count's median
	Square   float64 `json:"square"`   // error² of a number's mean or a count's median
	Covered  float64 `json:"covered"`  // 1 if the 90 % interval of a number or a count holds what came
}

// Bounds of a row's scores.
const (
	minProbability = 1e-6  // bound of a class's probability: one certain error must not decide a mean
	minLog         = -700  // bound of a count's log probability, which may be −∞
	maxError       = 1e100 // a sum of its squares is still a number, for any weights
)

// OfClasses scores the classes' probabilities. A probability that is no number makes the forecast a certain error.
func OfClasses(p []float64, class int) Outcome {
	o := Outcome{LogLoss: -math.Log(min(max(p[class], minProbability), 1-minProbability))}
	for k, v := range p {
		if len(p) == 2 && k == 0 {
			continue
		}
		if k == class {
			v--
		}
		o.Brier += v * v
	}
	if s := o.LogLoss + o.Brier; math.IsNaN(s) || math.IsInf(s, 0) {
		return Outcome{LogLoss: -math.Log(minProbability), Brier: float64(min(len(p)-1, 2))} // the largest scores
	}
	if Likeliest(p) == class {
		o.Right = 1
	}
	return o
}

// Likeliest returns the class with the highest probability, and the first of equals.
func Likeliest(p []float64) int {
	best := 0
	for k, v := range p {
		if v > p[best] {
			best = k
		}
	}
	return best
}

// OfNumber scores a mean and a 90 % interval.
func OfNumber(mean, low, high, y float64) (o Outcome) {
	o.Absolute = math.Abs(y - mean)
	if !(o.Absolute < maxError) { // also if it is NaN
		o.Absolute = maxError
	}
	o.Square = o.Absolute * o.Absolute
	if low <= y && y <= high {
		o.Covered = 1
	}
	return o
}

// OfCount scores a count's log probability, median and 90 % interval. NaN says that the log probability is not known. The mean
// log-loss then leaves the row out.
func OfCount(logProbability, median, low, high, y float64) Outcome {
	o := OfNumber(median, low, high, y)
	if math.IsNaN(logProbability) {
		o.Unknown = 1
	} else {
		o.LogLoss = -max(logProbability, minLog)
	}
	return o
}
