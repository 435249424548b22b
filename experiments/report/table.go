package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/table"
	"gophe/phe/remedy/nearest"
)

// Tables returns the names that Table knows.
func Tables() []string {
	names := []string{"1", "4", "5", "6", "double", "buckets", "hash-functions", "pays", "speed", "hours", "one-pass", "late-column",
		"late-items"}
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
	"assembly":   {"movielens-small-assembly", "movielens-50k-assembly", "mushroom-assembly"},
	"generated":  {"movielens-generated", "movielens-generated-3m"},
	"covertype":  {"covertype-epochs", "covertype-online-10", "covertype-full-stream", "covertype-full-stream-20"},
}

// paperItems holds the item of the paper that a table shows, by the table's name.
var paperItems = map[string]string{"1": "Table 1", "4": "Table 4", "5": "Table 5", "6": "Table 6", "double": "Double memory",
	"buckets": "Ablation B", "hash-functions": "Ablation K"}

// ownTables holds the tables that are more than the rows of results, by their names.
var ownTables = map[string]func(*source) table.Page{
	"speed": speedTable, "hours": hoursTable, "pays": paysTables, "one-pass": onePassTables, "late-column": lateColumnTable,
	"late-items": lateTables,
}

// Table returns a table from the results in a folder. Numbers and "double" are the paper's tables. "speed" has the cost of PHE next to the
// authors' program, and "one-pass" one pass next to published results. The other names show results whole, each in a table of its own. The
// path of a result, which ends in .json, shows this result.
func Table(name string, folder *result.Folder) (table.Page, error) {
	s := &source{folder: folder}
	page := s.table(name)
	return page, s.err
}

func (s *source) table(name string) table.Page {
	if own := ownTables[name]; own != nil {
		return own(s)
	}
	if files := s.resultsOf(name); files != nil {
		return tablesOf(name, files)
	}
	return CellTable(s.cellsOf(s.item(name))).Page()
}

// item returns the item of the paper that a table shows.
func (s *source) item(name string) string {
	item, ok := paperItems[name]
	if !ok {
		s.failf("there is no table %q; %s", name, nearest.Choose(name, Tables()))
	}
	return item
}

// resultsOf returns the results that a table shows whole. It returns none for a table of another kind.
func (s *source) resultsOf(name string) []*result.File {
	if strings.HasSuffix(name, ".json") {
		f, err := result.Read(name)
		if s.fail(err); err != nil {
			return nil
		}
		return []*result.File{f}
	}
	return s.results(resultTables[name])
}

// exactGap is the largest difference between exact posteriors of one set of observations in several orders, as a test measures it.
const exactGap = "2e-16"

// tablesOf returns a table for each result. Results of several data sets, or of one, have headings.
func tablesOf(name string, files []*result.File) (page table.Page) {
	switch name {
	case "demo":
		return demoTable(files[0]).Page()
	case "schemes": // one table: the second result has one more method on the same data
		return ResultTable(files...).Page()
	}
	results := map[string]int{} // of each data set
	for _, f := range files {
		results[f.Methods[0].Dataset]++
	}
	for i, f := range files {
		t := ResultTable(f)
		if dataset := f.Methods[0].Dataset; results[dataset] > 1 {
			t.Above = f.Name + "\n\n"
		} else if len(files) > 1 {
			t.Above = dataset + "\n\n"
		}
		if i > 0 {
			t.Above = "\n" + t.Above
		}
		page = append(page, *t)
	}
	if name == "order" {
		page[len(page)-1].Below += "\nExact Bayes, 200 observations of hashed items in 100 random orders: no entry of the posterior's mean " +
			"or covariance differs by more than " + exactGap + " (Prop. 3.1).\n"
	}
	return page
}

// TableCells returns the cells that Table renders.
func TableCells(name string, folder *result.Folder) ([]Cell, error) {
	if ownTables[name] != nil {
		return nil, errors.Errorf("table %q comes as Markdown only, as it has no cells; leave out --json, --csv and --grid", name)
	}
	s := &source{folder: folder}
	var cells []Cell
	files := s.resultsOf(name)
	for _, f := range files {
		cells = append(cells, Summary(f)...)
	}
	if files == nil {
		cells = s.cellsOf(s.item(name))
	}
	return cells, s.err
}

// cellsOf picks the cells of one item of the paper. At least one must be measured.
func (s *source) cellsOf(item string) []Cell {
	cells := About(s.compare(), item)
	if s.err == nil && !slices.ContainsFunc(cells, func(c Cell) bool { return c.Measured != nil && c.Spec != "" }) {
		s.get(cells[0].Spec) // the error names the command that makes it
	}
	return cells
}

// HasGrid reports whether Grid can show a table. It needs one metric for all cells, as in the tables of the paper.
func HasGrid(table string) bool { return paperItems[table] != "" }
