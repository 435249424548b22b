package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
)

// Tables lists what Table can make.
func Tables() []string { return []string{"1", "4", "schemes", "demo"} }

// Table renders a table as Markdown from the results in a folder: "1" and "4" are the paper's, "schemes" compares the
// ways to take the expectation over the posterior, and "demo" shows what `make demo` ran.
func Table(name, folder string) (string, error) {
	if spec, ok := specTables[name]; ok {
		f, err := readTable(folder, spec)
		if err != nil {
			return "", err
		}
		return ResultMarkdown(f), nil
	}
	cells, err := TableCells(name, folder)
	if err != nil {
		return "", err
	}
	return Markdown(cells), nil
}

// specTables are the tables that show one result, by the name of its spec.
var specTables = map[string]string{"schemes": "adult-schemes", "demo": "adult-demo"}

// TableCells are the cells that Table renders.
func TableCells(name, folder string) ([]Cell, error) {
	if !slices.Contains(Tables(), name) {
		return nil, errors.Errorf("there is no table %q; choose one of %s", name, strings.Join(Tables(), ", "))
	}
	if spec, ok := specTables[name]; ok {
		f, err := readTable(folder, spec)
		if err != nil {
			return nil, err
		}
		return Summary(f), nil
	}
	all, err := Compare(folder)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	measured := false
	for _, c := range all {
		if c.Item == "Table "+name {
			cells = append(cells, c)
			measured = measured || c.Measured != nil
		}
	}
	if !measured {
		return nil, missing(folder, cells[0].Spec)
	}
	return cells, nil
}

func readTable(folder, spec string) (*result.File, error) {
	f, err := readIfThere(folder, spec)
	if err == nil && f == nil {
		err = missing(folder, spec)
	}
	return f, err
}

func missing(folder, spec string) error {
	return errors.Errorf("%s holds no result of %s; make it with `phe run %s --out %s`", folder, spec, spec, folder)
}

// Markdown renders cells beside the paper's numbers. The difference is given in points and in the paper's standard deviations.
func Markdown(cells []Cell) string {
	var b strings.Builder
	fmt.Fprintln(&b, "| item | dataset | method | metric | paper | measured | difference | in paper's sd | seeds | s per seed | convention | backend |")
	fmt.Fprintln(&b, "|---|---|---|---|---:|---:|---:|---:|---:|---:|---|---|")
	for _, c := range cells {
		difference, deviations := "", ""
		if c.Paper != nil && c.Measured != nil {
			difference = fmt.Sprintf("%+.*f", decimals(c.Metric), *c.Measured-*c.Paper)
		}
		if d, ok := c.Deviations(); ok {
			deviations = fmt.Sprintf("%+.1f", d)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %d | %s | %s | %s |\n", c.Item, c.Dataset, c.Method, c.Metric,
			plusMinus(c.Paper, c.PaperSD, 1, c.Metric), plusMinus(c.Measured, c.MeasuredSD, 2, c.Metric), difference, deviations,
			c.Seeds, optional(c.Seconds, 1), c.Convention, c.Backend)
	}
	return b.String()
}

// ResultMarkdown renders one result, a row a method.
func ResultMarkdown(f *result.File) string {
	var b strings.Builder
	fmt.Fprintln(&b, "| method | scheme | parameters | accuracy % | log-likelihood | seeds | s per seed |")
	fmt.Fprintln(&b, "|---|---|---:|---:|---:|---:|---:|")
	cells := Summary(f)
	for i, m := range f.Methods {
		accuracy, logLikelihood := cells[2*i], cells[2*i+1]
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %d | %s |\n", accuracy.Method, m.Scheme, m.Parameters,
			plusMinus(accuracy.Measured, accuracy.MeasuredSD, 2, "accuracy"),
			plusMinus(logLikelihood.Measured, logLikelihood.MeasuredSD, 4, "log_likelihood"), accuracy.Seeds, optional(accuracy.Seconds, 1))
	}
	return b.String()
}

func decimals(metric string) int {
	if metric == "parameters" {
		return 0
	}
	return 2
}

func plusMinus(value, sd *float64, digits int, metric string) string {
	if metric == "parameters" {
		digits = 0
	}
	s := optional(value, digits)
	if value != nil && sd != nil {
		s += fmt.Sprintf(" ± %.*f", digits, *sd)
	}
	return s
}

func optional(value *float64, digits int) string {
	if value == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", digits, *value)
}
