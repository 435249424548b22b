package show

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-gota/gota/dataframe"

	"gophe/experiments/measure"
	"gophe/experiments/spec"
	"gophe/phe/learn/backend"
)

// Device says on which backend Run computes, and how to choose another.
func Device() {
	fmt.Printf("Runs train on %s. %s chooses the backend: %s.\n", backend.Resolve(backend.Auto), backend.Variable, strings.Join(backend.Names(), ", "))
}

// OnEachBackend runs an experiment on each backend of this machine, and returns a row for each: the seconds and the score of the first
// method, over all seeds.
func OnEachBackend(s spec.Spec) dataframe.DataFrame {
	table := NewRows("backend", "compiling, s", "initial phase, s", "stream, s", "score")
	for _, name := range backend.Names()[1:] {
		if _, err := backend.Open(name); err != nil {
			table.Add(name, math.NaN(), math.NaN(), math.NaN(), "not on this machine")
			continue
		}
		own := s
		own.Name += "-" + strings.ReplaceAll(name, ":", "-")
		row := measure.Rows(runOn(name, own, nil))[0]
		var compile, initial, stream float64
		for _, r := range row.Method.Runs {
			compile, initial, stream = compile+r.Seconds.Compile, initial+r.Seconds.Initial, stream+r.Seconds.Predict+r.Seconds.Update
		}
		table.Add(name, compile, initial, stream, row.Cell(row.Leading()))
	}
	return table.Frame()
}
