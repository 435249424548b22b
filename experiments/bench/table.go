package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// Table renders lines as Markdown.
func Table(lines []Line) string {
	var b strings.Builder
	fmt.Fprint(&b, "| work × replicas | a step, ms | stream, rows/s | a replica's share: ms a step, µs a row | compiling, s |\n|---|---:|---:|---:|---:|\n")
	for _, l := range lines {
		name := fmt.Sprintf("%s × %d", l.Work, l.Replicas)
		if program, isRival := titles[l.Program]; isRival {
			name += ", " + program
		}
		replicas, compiling := float64(l.Replicas), none
		if l.Step.Seconds > 0 || l.Row.Seconds > 0 {
			compiling = number(l.CompileSeconds)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s, %s | %s |\n", name, l.Step.cell(1e3*l.Step.Seconds), l.Row.cell(1/l.Row.Seconds),
			number(1e3*l.Step.Seconds/replicas), number(1e6*l.Row.Seconds/replicas), compiling)
	}
	return b.String()
}

// none stands in place of a number that was not measured.
const none = "–"

// cell returns a number that follows from the figure, or why there is none.
func (f Figure) cell(value float64) string {
	if f.LeftOut != "" {
		return f.LeftOut
	}
	return number(value)
}

// number returns three digits of a number, and all digits of its whole part.
func number(value float64) string {
	switch {
	case value == 0:
		return none
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}
