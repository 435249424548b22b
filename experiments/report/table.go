package report

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/table"
	"gophe/phe/remedy/nearest"
)

// known is a table of `phe table`. It shows an item of the paper, or results, or what its own function makes.
type known struct {
	name string
	item string                             // of the paper, in a table of cells
	own  func(*source) table.Page           // makes a table that is more than the rows of results
	all  func(...*result.File) *table.Table // makes one table of all results; nil where each result has its own table

	results string // specs of the results; all but the first may be missing
	below   string // a text at the end
}

// tables are all tables, in the order of the command's help.
var tables = []known{
	{name: "1", item: "Table 1"}, {name: "4", item: "Table 4"}, {name: "5", item: "Table 5"}, {name: "6", item: "Table 6"},
	{name: "double", item: "Double memory"}, {name: "buckets", item: "Ablation B"}, {name: "hash-functions", item: "Ablation K"},
	{name: "claims", own: claimTables}, {name: "pays", own: paysTables}, {name: "speed", own: speedTable}, {name: "hours", own: hoursTable},
	{name: "one-pass", own: onePassTables}, {name: "late-column", own: lateColumnTable}, {name: "late-items", own: lateTables},
	{name: "adaptation", results: "adult-adaptation bank-adaptation mushroom-adaptation covertype-adaptation"},
	{name: "assembly", results: "movielens-small-assembly movielens-50k-assembly mushroom-assembly"},
	{name: "by-group", results: "adult-by-group bank-by-group mushroom-by-group covertype-by-group"},
	{name: "collisions", results: "movielens-small-buckets"},
	{name: "counts", results: "retail-counts"},
	{name: "covertype", results: "covertype-epochs covertype-online-10 covertype-full-stream covertype-full-stream-20"},
	{name: "demo", results: "retail-demo", all: demoTable},
	{name: "forecast", results: "retail-forecast"},
	{name: "forgetting", results: "adult-forgetting bank-forgetting mushroom-forgetting covertype-forgetting " +
		"adult-forgetting-shuffled covertype-forgetting-shuffled"},
	{name: "frontier", results: "adult-frontier bank-frontier"},
	{name: "generated", results: "movielens-generated movielens-generated-3m"},
	{name: "genres", results: "movielens-small-genres"},
	{name: "growing", results: "adult-growing bank-growing mushroom-growing covertype-growing"},
	{name: "grown", results: "adult-grown retail-grown"},
	{name: "hashes", results: "adult-hashes"},
	{name: "movielens", results: "movielens-small-wide movielens-50k-wide movielens-small movielens-50k movielens-32m"},
	{name: "options", results: "retail-forecast-options"},
	{name: "order", results: "adult-order", below: "\nExact Bayes, 200 observations of hashed items in 100 random orders: " +
		"no entry of the posterior's mean or covariance differs by more than " + exactGap + " (Prop. 3.1).\n"},
	{name: "outgrown", results: "mushroom-outgrown"},
	{name: "published", results: "retail-forecast-published"},
	{name: "rates", results: "adult-rates movielens-small-rates"},
	{name: "retail", results: "retail-online retail-group retail-group-separate"},
	{name: "schemes", results: "adult-schemes adult-rows", all: ResultTable}, // the second has one more method on the same data
	{name: "steps", results: "movielens-50k-steps"},
	{name: "swapped", results: "adult-swapped bank-swapped mushroom-swapped covertype-swapped"},
	{name: "two-items", results: "two-items"},
	{name: "unlearning", results: "covertype-unlearning"},
}

// exactGap is the largest difference between exact posteriors of one set of observations in several orders, as a test measures it.
const exactGap = "2e-16"

// Tables returns the names that Table knows.
func Tables() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

// lookUp returns the table of a name, and the results that it shows. The path of a result, which ends in .json, shows this result.
func (s *source) lookUp(name string) (t known, files []*result.File) {
	if strings.HasSuffix(name, ".json") {
		f, err := result.Read(name)
		if s.fail(err); err == nil {
			files = append(files, f)
		}
		return t, files
	}
	at := slices.Index(Tables(), name)
	if at < 0 {
		s.failf("there is no table %q; %s", name, nearest.Choose(name, Tables()))
		return t, nil
	}
	return tables[at], s.results(strings.Fields(tables[at].results))
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
	switch t, files := s.lookUp(name); {
	case t.item != "":
		return CellTable(s.cellsOf(t.item)).Page()
	case t.own != nil:
		return t.own(s)
	case t.all != nil:
		return t.all(files...).Page()
	default:
		return eachResult(files, t.below)
	}
}

// eachResult returns a table for each result, and a text below. Results of several data sets, or of one, have headings.
func eachResult(files []*result.File, below string) (page table.Page) {
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
		if i == len(files)-1 {
			t.Below += below
		}
		page = append(page, *t)
	}
	return page
}

// TableCells returns the cells that Table renders.
func TableCells(name string, folder *result.Folder) (cells []Cell, err error) {
	s := &source{folder: folder}
	t, files := s.lookUp(name)
	if t.own != nil {
		return nil, errors.Errorf("table %q comes as Markdown only, as it has no cells; leave out --json, --csv and --grid", name)
	}
	if t.item != "" {
		return s.cellsOf(t.item), s.err
	}
	for _, f := range files {
		cells = append(cells, Summary(f)...)
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
func HasGrid(name string) bool {
	return slices.ContainsFunc(tables, func(t known) bool { return t.name == name && t.item != "" })
}
