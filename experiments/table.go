package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
)

// Tables lists what Table can make.
func Tables() []string { return []string{"1", "4", "schemes", "speed", "demo"} }

// Table renders a table as Markdown from the results in a folder: "1" and "4" are the paper's, "schemes" compares the
// ways to take the expectation over the posterior, "speed" their cost with the authors' program's, and "demo" shows what
// `make demo` ran.
func Table(name, folder string) (string, error) {
	if name == "speed" {
		return speedMarkdown(folder)
	}
	if specs, ok := specTables[name]; ok {
		files, err := readTable(folder, specs)
		if err != nil {
			return "", err
		}
		return ResultMarkdown(files...), nil
	}
	cells, err := TableCells(name, folder)
	if err != nil {
		return "", err
	}
	return Markdown(cells), nil
}

// specTables are the tables that show results whole, by the names of their specs; all but the first may be missing.
var specTables = map[string][]string{"schemes": {"adult-schemes", "adult-rows"}, "demo": {"adult-demo"}}

// TableCells are the cells that Table renders.
func TableCells(name, folder string) ([]Cell, error) {
	if !slices.Contains(Tables(), name) {
		return nil, errors.Errorf("there is no table %q; choose one of %s", name, strings.Join(Tables(), ", "))
	}
	if name == "speed" {
		return nil, errors.Errorf("table %q comes as Markdown only, as it has no cells; leave out --json", name)
	}
	if specs, ok := specTables[name]; ok {
		files, err := readTable(folder, specs)
		var cells []Cell
		for _, f := range files {
			cells = append(cells, Summary(f)...)
		}
		return cells, err
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

func readTable(folder string, specs []string) ([]*result.File, error) {
	var files []*result.File
	for i, spec := range specs {
		f, err := readIfThere(folder, spec)
		if err == nil && f == nil && i == 0 {
			err = missing(folder, spec)
		}
		if err != nil {
			return nil, err
		}
		if f != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// AuthorsSeconds is what one seed of PHE on the Adult stream takes in the authors' PyTorch program, on two cores with
// nothing else running (PROTOCOL, "Reference figures of the authors' program").
const AuthorsSeconds = 269

// speedMarkdown tells the wall time of whole runs of PHE alone: compilation, and the frozen model's predictions, included.
func speedMarkdown(folder string) (string, error) {
	files, err := readTable(folder, []string{"adult-phe-moments", "adult-phe-local"})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintln(&b, "| scheme | backend | seeds | s, all seeds | s per seed | times faster than the authors' 269 s | peak memory MB |")
	fmt.Fprintln(&b, "|---|---|---:|---:|---:|---:|---:|")
	for _, f := range files {
		m := f.Methods[0]
		if f.Status != result.Complete {
			return "", errors.Errorf("the run of %s is %s; finish it with `phe run %s --resume --out %s`", f.Name, f.Status, f.Name, folder)
		}
		perSeed := f.Manifest.Seconds / float64(len(m.Runs))
		fmt.Fprintf(&b, "| %s | %s | %d | %.1f | %.1f | %.0f | %.0f |\n", m.Scheme, f.Manifest.Backend, len(m.Runs),
			f.Manifest.Seconds, perSeed, AuthorsSeconds/perSeed, f.Manifest.PeakMemoryMB)
	}
	return b.String(), nil
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

// ResultMarkdown renders results, a row a method. Its difference is to the first method, paired: seed by seed, on the
// same rows.
func ResultMarkdown(files ...*result.File) string {
	var b strings.Builder
	first := files[0].Methods[0]
	fmt.Fprintf(&b, "| method | scheme | loss | parameters | accuracy %% | less %s, paired | log-likelihood | seeds | s per seed |\n", first.Name)
	fmt.Fprintln(&b, "|---|---|---|---:|---:|---:|---:|---:|---:|")
	for _, f := range files {
		cells := Summary(f)
		for i, m := range f.Methods {
			accuracy, logLikelihood := cells[2*i], cells[2*i+1]
			mean, sd := pairedDifference(m, first)
			fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s | %d | %s |\n", accuracy.Method, m.Scheme, m.Loss, m.Parameters,
				plusMinus(accuracy.Measured, accuracy.MeasuredSD, 2, "accuracy"), plusMinus(mean, sd, 2, "accuracy"),
				plusMinus(logLikelihood.Measured, logLikelihood.MeasuredSD, 4, "log_likelihood"), accuracy.Seeds, optional(accuracy.Seconds, 1))
		}
	}
	return b.String()
}

// pairedDifference is the mean and deviation over seeds of how far a's accuracy lies above b's, in points; nil where
// there is nothing to pair, and no deviation of one seed.
func pairedDifference(a, b result.Method) (mean, sd *float64) {
	var differences []float64
	for _, ra := range a.Runs {
		rb := b.Run(ra.Seed)
		if rb != nil && ra.Status == result.Complete && rb.Status == result.Complete && len(ra.Accuracy) == len(rb.Accuracy) {
			differences = append(differences, 100*(stat.Mean(ra.Accuracy, nil)-stat.Mean(rb.Accuracy, nil)))
		}
	}
	if len(differences) == 0 || (a.Name == b.Name && a.Frozen == b.Frozen) {
		return nil, nil
	}
	m, s := stat.MeanStdDev(differences, nil)
	if math.IsNaN(s) {
		return &m, nil
	}
	return &m, &s
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
