package draw

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks are round numbers, four to nine of them.
var ticks = RoundTicks(4)

// RoundTicks marks the multiples of a step, with a true minus sign and equal decimals. The step is the largest 1, 2 or 5 times a power of
// ten that fits into the axis at least least times.
func RoundTicks(least int) plot.TickerFunc {
	return func(low, high float64) (marks []plot.Tick) {
		span := (high - low) / float64(least)
		magnitude := math.Pow(10, math.Floor(math.Log10(span)))
		step := magnitude
		for _, factor := range []float64{2, 5} {
			if magnitude*factor <= span {
				step = magnitude * factor
			}
		}
		decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
		for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step && len(marks) < 5*least; k++ {
			marks = append(marks, plot.Tick{Value: k * step, Label: Decimals(k*step, decimals)})
		}
		return marks
	}
}

// WholeTicks marks every integer within [low, high], or at most ten of them at equal distances.
func WholeTicks(low, high float64) (marks []plot.Tick) {
	every := math.Ceil((high - low + 1) / 10)
	for value := math.Ceil(low); value <= high; value += every {
		marks = append(marks, plot.Tick{Value: value, Label: Decimals(value, 0)})
	}
	return marks
}

// PowerTicks marks an axis of decimal logarithms. Powers of ten have labels. On an axis shorter than two powers, 2
// and 5 times a power have labels too. Other digits have small ticks.
func PowerTicks(low, high float64) (marks []plot.Tick) {
	every := max(1, math.Ceil((high-low)/10)) // powers from one label to the next
	for power := math.Floor(low/every) * every; power <= high && len(marks) < 100; power += every {
		for digit := 1.0; digit < 10; digit++ {
			at := power + math.Log10(digit)
			if at < low-1e-9 || at > high+1e-9 || digit > 1 && every > 1 {
				continue
			}
			mark := plot.Tick{Value: at}
			if digit == 1 || high-low < 2 && (digit == 2 || digit == 5) {
				mark.Label = strings.TrimPrefix(Decimals(digit*math.Pow(10, power), max(0, -int(power))), "1.000 × ")
			}
			marks = append(marks, mark)
		}
	}
	return marks
}

// Decimals writes a value with the given number of decimals, a true minus sign and commas between thousands, or with a power of ten if the
// text would be long.
func Decimals(value float64, decimals int) string {
	if math.Abs(value) >= 1e15 || decimals > 9 {
		return Number(value)
	}
	if value == 0 {
		value = 0 // never −0
	}
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	text, negative := strings.CutPrefix(text, "-")
	whole, _, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	if negative && strings.Trim(text, "0.") != "" {
		return "−" + text
	}
	return text
}
