package bench

import (
	"fmt"
	"math"
	"strconv"

	"gophe/experiments/table"
)

// Table returns a table of lines.
func Table(lines []Line) *table.Table {
	t := table.New(1, "work × replicas", "a step, ms", "stream, rows/s", "a replica's share: ms a step, µs a row", "compiling, s")
	for _, l := range lines {
		name, n := fmt.Sprintf("%s × %d", l.Work, l.Replicas), float64(l.Replicas)
		if rival, ok := titles[l.Program]; ok {
			name += ", " + rival
		}
		if l.LeftOut != "" {
			t.Add(name, l.LeftOut, "–", "–", "–")
			continue
		}
		t.Add(name, digits(1e3*l.StepSeconds), digits(1/l.RowSeconds),
			digits(1e3*l.StepSeconds/n)+", "+digits(1e6*l.RowSeconds/n), digits(l.CompileSeconds))
	}
	return t
}

// digits returns three digits of a number, and all digits of its whole part. A program that compiled in every call has no number.
func digits(value float64) string {
	switch {
	case value == 0 || math.IsInf(value, 0):
		return "–"
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}
