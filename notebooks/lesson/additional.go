package lesson

import (
	"cmp"

	"github.com/go-gota/gota/dataframe"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/notebooks/cell"
)

// Methods returns the methods of a spec as a table: how each stores items and beliefs, and how it learns a step.
func Methods(s spec.Spec) dataframe.DataFrame {
	table := cell.NewRows("method", "rows", "estimate", "epochs a step", "learning rate")
	for _, m := range s.Methods {
		rate := cmp.Or(m.UpdateLearningRate, s.Model.LearningRate)
		table.Add(m.Name, string(m.Rows), string(m.Estimate), m.UpdateEpochs, rate)
	}
	return table.Frame()
}

// Measured returns the methods of a result by one metric: mean and standard deviation over seeds.
func Measured(f *result.File, metric string) dataframe.DataFrame {
	table := cell.NewRows("method", metric, "± "+metric)
	for _, c := range report.Summary(f) {
		if c.Metric == metric {
			table.Add(c.Method, cell.Value(c.Measured), cell.Value(c.MeasuredSD))
		}
	}
	return table.Frame()
}
