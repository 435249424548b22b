package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/phe/nearest"
)

// Tables returns the names that Table knows.
func Tables() []string {
	names := []string{"1", "4", "5", "6", "double", "buckets", "hash-functions", "pays", "speed", "hours", "one-pass", "late-column", "late-items", "glance"}
	return append(names, slices.Sorted(maps.Keys(resultTables))...)
}

// resultTables holds the results that a table shows whole, by their specs. All but the first may be missing.
var resultTables = map[string][]string{
	"demo":       {"retail-demo"},
	"schemes":    {"adult-schemes", "adult-rows"},
	"frontier":   {"adult-frontier", "bank-frontier"},
	"hashes":     {"adult-hashes"},
	"order":      {"adult-order"},
	"two-items":  {"two-items"},
	"adaptation": {"adult-adaptation", "bank-adaptation", "mushroom-adaptation", "covertype-adaptation"},
	"by-group":   {"adult-by-group", "bank-by-group", "mushroom-by-group", "covertype-by-group"},
	"grown":      {"adult-grown", "retail-grown"},
	"growing":    {"adult-growing", "bank-growing", "mushroom-growing", "covertype-growing"},
	"swapped":    {"adult-swapped", "bank-swapped", "mushroom-swapped", "covertype-swapped"},
	"unlearning": {"covertype-unlearning"},
	"outgrown":   {"mushroom-outgrown"},
	"rates":      {"adult-rates", "movielens-small-rates"},
	"forgetting": {"adult-forgetting", "bank-forgetting", "mushroom-forgetting", "covertype-forgetting", "adult-forgetting-shuffled", "covertype-forgetting-shuffled"},
	"retail":     {"retail-online", "retail-group", "retail-group-separate"},
	"forecast":   {"retail-forecast"},
	"counts":     {"retail-counts"},
	"options":    {"retail-forecast-options"},
	"published":  {"retail-forecast-published"},
	"movielens":  {"movielens-small-wide", "movielens-50k-wide", "movielens-small", "movielens-50k", "movielens-32m"},
	"genres":     {"movielens-small-genres"},
	"steps":      {"movielens-50k-steps"},
	"collisions": {"movielens-small-buckets"},
	"assembly":   {"movielens-small-assembly", "movielens-50k-assembly"},
	"generated":  {"movielens-generated", "movielens-generated-3m"},
	"covertype":  {"covertype-epochs", "covertype-online-10", "covertype-full-stream", "covertype-full-stream-20"},
}

// paperItems holds the item of the paper that a table shows, by the table's name.
var paperItems = map[string]string{"1": "Table 1", "4": "Table 4", "5": "Table 5", "6": "Table 6", "double": "Double memory",
	"buckets": "Ablation B", "hash-functions": "Ablation K"}

// isPath tells whether the name of a table is the path of a result.
func isPath(name string) bool { return strings.HasSuffix(name, ".json") }

// Table renders a table as Markdown from the results in a folder. Numbers and "double" are the paper's tables. "speed" has the
// cost of PHE next to the authors' program, and "one-pass" one pass next to published results. The other names show results whole,
// each in a table of its own. The path of a result, which ends in .json, shows this result.
func Table(name string, folder *result.Folder) (string, error) {
	if isPath(name) {
		f, err := result.Read(name)
		if err != nil {
			return "", err
		}
		return ResultMarkdown(f), nil
	}
	switch name {
	case "speed":
		return speedMarkdown(folder)
	case "hours":
		return hoursMarkdown(folder)
	case "pays":
		return paysMarkdown(folder)
	case "one-pass":
		return onePassMarkdown(folder)
	case "late-column":
		return lateColumnMarkdown(folder)
	case "glance":
		return glanceMarkdown(folder)
	case "late-items":
		return lateMarkdown(folder, lateSpecs)
	}
	if specs, ok := resultTables[name]; ok {
		files, err := readTable(folder, specs)
		if err != nil {
			return "", err
		}
		if name == "demo" {
			return demoMarkdown(files[0]), nil
		}
		if name == "schemes" { // one table: the second result has one more method on the same data
			return ResultMarkdown(files...), nil
		}
		var tables []string
		results := map[string]int{} // of each data set
		for _, f := range files {
			results[f.Methods[0].Dataset]++
		}
		for _, f := range files {
			heading := ""
			if dataset := f.Methods[0].Dataset; results[dataset] > 1 {
				heading = f.Name + "\n\n"
			} else if len(files) > 1 {
				heading = dataset + "\n\n"
			}
			tables = append(tables, heading+ResultMarkdown(f))
		}
		if name == "order" {
			gap, err := exactOrderGap(200, 100)
			if err != nil {
				return "", err
			}
			tables = append(tables, fmt.Sprintf("Exact Bayes, 200 observations of hashed items in 100 random orders: no entry of the posterior's mean or covariance differs by more than %.0e (Prop. 3.1).\n", gap))
		}
		return strings.Join(tables, "\n"), nil
	}
	cells, err := TableCells(name, folder)
	if err != nil {
		return "", err
	}
	return compare.Markdown(cells), nil
}

// TableCells returns the cells that Table renders.
func TableCells(name string, folder *result.Folder) ([]compare.Cell, error) {
	if slices.Contains([]string{"speed", "hours", "pays", "late-column", "late-items", "glance"}, name) {
		return nil, errors.Errorf("table %q comes as Markdown only, as it has no cells; leave out --json, --csv and --grid", name)
	}
	if name == "one-pass" {
		return onePassCells(folder)
	}
	if isPath(name) {
		f, err := result.Read(name)
		if err != nil {
			return nil, err
		}
		return compare.Summary(f), nil
	}
	if specs, ok := resultTables[name]; ok {
		files, err := readTable(folder, specs)
		var cells []compare.Cell
		for _, f := range files {
			cells = append(cells, compare.Summary(f)...)
		}
		return cells, err
	}
	item, ok := paperItems[name]
	if !ok {
		return nil, errors.Errorf("there is no table %q; %s", name, nearest.Choose(name, Tables()))
	}
	all, err := compare.Compare(folder)
	if err != nil {
		return nil, err
	}
	return cellsOf(item, all, folder)
}

// cellsOf picks the cells of one item of the paper. At least one must be measured.
func cellsOf(item string, all []compare.Cell, folder *result.Folder) ([]compare.Cell, error) {
	var cells []compare.Cell
	measured := false
	for _, c := range all {
		if c.Item == item {
			cells = append(cells, c)
			measured = measured || c.Measured != nil && c.Spec != ""
		}
	}
	if !measured {
		return nil, missing(folder, cells[0].Spec)
	}
	return cells, nil
}

func readTable(folder *result.Folder, specs []string) ([]*result.File, error) {
	var files []*result.File
	for i, spec := range specs {
		f, err := folder.Find(spec)
		if err == nil && f == nil && i == 0 {
			err = missing(folder, spec)
		}
		if err == nil && f != nil && isDaily(f) { // its table pairs methods day by day
			err = f.LoadSeries()
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

// AuthorsSeconds is the time of one seed of PHE on the Adult stream in the authors' PyTorch program. It was measured on two cores
// with nothing else running (PROTOCOL, "Reference figures of the authors' program").
const AuthorsSeconds = 269

// speedMarkdown renders the wall time of whole runs of PHE. It includes compilation and the frozen model's predictions.
func speedMarkdown(folder *result.Folder) (string, error) {
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
			return "", unfinished(folder, f)
		}
		perSeed := f.Manifest.Seconds / float64(len(m.Runs))
		fmt.Fprintf(&b, "| %s | %s | %d | %.1f | %.1f | %.0f | %.0f |\n", m.Scheme, f.Manifest.Backend, len(m.Runs),
			f.Manifest.Seconds, perSeed, AuthorsSeconds/perSeed, f.Manifest.PeakMemoryMB)
	}
	return b.String(), nil
}

// isDaily tells whether the steps of a result are days.
func isDaily(f *result.File) bool {
	return f.Methods[0].Protocol == protocol.Daily || f.Methods[0].Protocol == protocol.Recommend
}

// ResultMarkdown renders results with a row for each method, by the metrics of their protocol. Differences are to the first
// method, by the leading metric. They are paired by seed on the same rows, or by day.
func ResultMarkdown(files ...*result.File) string {
	first := &files[0].Methods[0]
	if isDaily(files[0]) {
		return forecastMarkdown(files[0])
	}
	var b strings.Builder
	metrics := measure.Metrics(first)
	fmt.Fprintf(&b, "| method | scheme | loss | parameters | %s | less %s, paired |", measure.Named(metrics[0]).Heading, first.Name)
	for _, metric := range metrics[1:] {
		fmt.Fprintf(&b, " %s |", measure.Named(metric).Heading)
	}
	fmt.Fprintf(&b, " seeds | s per seed |\n|---|---|---|---:|---:|%s---:|---:|\n", strings.Repeat("---:|", len(metrics)))
	for _, f := range files {
		cells := compare.Summary(f)
		for i := range f.Methods {
			m, own := &f.Methods[i], cells[i*len(metrics):(i+1)*len(metrics)]
			parameters := fmt.Sprint(m.Parameters)
			if f.Manifest.Own[m.Name] != "" {
				parameters = "not counted"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |", m.Label(), cmp.Or(m.Scheme, "none"), cmp.Or(m.Loss, "none"), parameters)
			for k, c := range own {
				fmt.Fprintf(&b, " %s |", measure.PlusMinus(c.Measured, c.MeasuredSD, measure.Named(c.Metric).Digits))
				if k == 0 {
					mean, sd := measure.PairedDifference(metrics[0], f, m, files[0], first)
					fmt.Fprintf(&b, " %s |", measure.PlusMinus(mean, sd, measure.Named(c.Metric).Digits))
				}
			}
			fmt.Fprintf(&b, " %d | %s |\n", own[0].Seeds, measure.Optional(own[0].Seconds, 1))
		}
	}
	for _, f := range files {
		b.WriteString(compare.OwnNote(f))
	}
	return b.String()
}

// HasGrid tells whether compare.Grid can show a table. It needs one metric for all cells, as in the tables of the paper.
func HasGrid(table string) bool { return paperItems[table] != "" }
