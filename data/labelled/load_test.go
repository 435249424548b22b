package labelled

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gophe/data/column"
	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestLoadUnknownName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", "unknown"}, {"Adult", "unknown"}, {"../adult", "unknown"}, {"retail", "package sales"}, {"covertype-50000", "unknown"},
	} {
		_, err := Load(c.name, files.Options{})
		filetest.WantError(t, err, c.want, "can be loaded: adult, bank, mushroom, mushroom-8124, covertype, covertype-49999")
	}
}

func TestLoadAltered(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(files.PathVariable, folder)
	path := datatest.Write(t, filepath.Join(folder, "adult.csv.gz"), datatest.Compress(t, adultHeader+adultRow))
	_, err := Load("adult", files.Options{})
	filetest.WantError(t, err, path, "altered", "declared 6f8f2bab", "1 complete rows, declared 45222", "data/uci/adult.csv.gz",
		"remedy: accept altered")

	table := filetest.Must(Load("adult", files.Options{AllowAltered: true}))(t)
	filetest.True(t, !table.Verified && table.NumRows() == 1 && len(table.SHA256) == 64, "got %+v", table)
	filetest.Want(t, table.Path, path, "path")

	t.Setenv(files.PathVariable, filepath.Join(folder, "uci"))
	path = datatest.Write(t, filepath.Join(folder, "uci", "adult.csv.gz"), datatest.Compress(t, adultHeader+adultRow))
	filetest.WantError(t, filetest.Failure(Load("adult", files.Options{})), "git checkout -- "+path)
}

func BenchmarkLoad(b *testing.B) {
	for name, bytes := range map[string]int64{"adult": 5277522, "covertype": 75170064} {
		b.Run(name, func(b *testing.B) {
			b.Setenv(files.PathVariable, "")
			b.ReportAllocs()
			b.SetBytes(bytes)
			for b.Loop() {
				filetest.Must(Load(name, files.Options{}))(b)
			}
		})
	}
}

const (
	adultHeader = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain," +
		"capital-loss,hours-per-week,native-country,income\n"
	adultRow = "39,State-gov,77516,Bachelors,13,Never-married,Adm-clerical,Not-in-family,White,Male,2174,0,40,United-States,<=50K\n"
)

func FuzzParse(f *testing.F) {
	f.Add(adultHeader + adultRow)
	f.Add(adultHeader + "?" + adultRow)
	f.Add(adultHeader + strings.ReplaceAll(adultRow, ",", ",\""))
	f.Add(adultHeader + adultRow + strings.Replace(adultRow, "77516", "-1e15", 1) + strings.Replace(adultRow, "77516", "1e-15", 1))
	f.Add(strings.ReplaceAll(adultHeader+adultRow, "\n", "\r\n"))
	f.Add("\ufeff" + adultHeader)
	f.Add("")
	f.Fuzz(func(t *testing.T, content string) {
		d := filetest.Must(lookUp("adult"))(t)
		columns, err := d.Parse("adult.csv", strings.NewReader(content))
		if err != nil {
			filetest.True(t, columns == nil && strings.HasPrefix(err.Error(), "adult.csv:"),
				"columns %v, error %v", columns, err)
			return
		}
		table := filetest.Must(newTable(columns, nil))(t)
		n := table.NumRows()
		if n == 0 || len(table.Categorical) != 8 || len(table.Numeric) != 6 {
			t.Fatalf("%d rows, %d + %d columns", n, len(table.Categorical), len(table.Numeric))
		}
		for _, c := range table.Categorical {
			missing := slices.Contains(c.Values, "?") || slices.Contains(c.Values, "")
			filetest.True(t, !missing && len(c.Values) == n, "column %q: %q", c.Name, c.Values)
		}
		for _, c := range table.Numeric {
			bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(float64(float32(v)), 0) }
			filetest.True(t, len(c.Values) == n && !slices.ContainsFunc(c.Values, bad), "column %q: %v", c.Name, c.Values)
		}
		for _, l := range table.Labels {
			filetest.True(t, l >= 0 && int(l) < len(table.Classes), "label %d", l)
		}
	})
}

var tables sync.Map // by name: what loaded has loaded

// loaded returns the table of a committed file, read once for all tests: do not alter it.
func loaded(t testing.TB, name string) *Table {
	t.Helper()
	if table, ok := tables.Load(name); ok {
		return table.(*Table)
	}
	t.Setenv(files.PathVariable, "")
	table := filetest.Must(Load(name, files.Options{}))(t)
	tables.Store(name, table)
	return table
}

// mushroomOdor returns Mushroom with the only feature that the paper uses.
func mushroomOdor(t testing.TB) *Table {
	t.Helper()
	return filetest.Must(loaded(t, "mushroom").Select([]string{"odor"}))(t)
}

func (t *Table) column(name string) []string {
	return t.Categorical[slices.IndexFunc(t.Categorical, func(c column.Categorical) bool { return c.Name == name })].Values
}

// facts are the declared facts of a data set.
type facts struct {
	name, incremental         string
	rows, categories, numbers int
	tokens                    int // distinct, over all categorical columns
	classes                   []string
	ofClass                   []int
	items                     map[string]int // of the incremental column; nil leaves them unchecked
	numeric                   []string
	largest                   []float64 // of the numeric columns
	firstRow                  []float64 // of the numeric columns, before division
	firstItems                []string  // of the categorical columns
}

// ofCovertype are the numbers of Covertype.
var ofCovertype = []string{"elevation", "aspect", "slope", "horizontal_distance_to_hydrology", "vertical_distance_to_hydrology",
	"horizontal_distance_to_roadways", "hillshade_9am", "hillshade_noon", "hillshade_3pm", "horizontal_distance_to_fire_points"}

// covertype holds the facts of the whole file, which TestCovertype reads.
var covertype = facts{
	name: "covertype", incremental: "wilderness_area", rows: 581012, categories: 2, numbers: 10, tokens: 44,
	classes: []string{"1", "2", "3", "4", "5", "6", "7"}, ofClass: []int{211840, 283301, 35754, 2747, 9493, 17367, 20510},
	items:      map[string]int{"A1": 260796, "A2": 29884, "A3": 253364, "A4": 36968},
	numeric:    ofCovertype,
	largest:    []float64{3858, 360, 66, 1397, 601, 7117, 254, 254, 254, 7173},
	firstRow:   []float64{2596, 51, 3, 258, 0, 510, 221, 232, 148, 6279},
	firstItems: []string{"A1", "S29"},
}

// dataSets holds the facts of uci/README.md and of the protocol.
var dataSets = []facts{
	{
		name: "adult", incremental: "education", rows: 45222, categories: 8, numbers: 6, tokens: 98,
		classes: []string{"<=50K", ">50K"}, ofClass: []int{45222 - 11208, 11208},
		numeric:    []string{"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"},
		largest:    []float64{90, 1490400, 16, 99999, 4356, 99},
		firstRow:   []float64{39, 77516, 13, 2174, 0, 40},
		firstItems: []string{"State-gov", "Bachelors", "Never-married", "Adm-clerical", "Not-in-family", "White", "Male", "United-States"},
	},
	{
		name: "bank", incremental: "poutcome", rows: 45211, categories: 9, numbers: 7, tokens: 44,
		classes: []string{"no", "yes"}, ofClass: []int{45211 - 5289, 5289},
		items:      map[string]int{"unknown": 36959, "failure": 4901, "other": 1840, "success": 1511},
		numeric:    []string{"age", "balance", "day", "duration", "campaign", "pdays", "previous"},
		largest:    []float64{95, 102127, 31, 4918, 63, 871, 275},
		firstRow:   []float64{58, 2143, 5, 261, 1, -1, 0},
		firstItems: []string{"management", "married", "tertiary", "no", "yes", "no", "unknown", "may", "unknown"},
	},
	{
		name: "mushroom", incremental: "odor", rows: 8416, categories: 22, tokens: 117,
		classes: []string{"EDIBLE", "POISONOUS"}, ofClass: []int{4488, 3928},
		items: map[string]int{"NONE": 3808, "FOUL": 2160, "FISHY": 576, "SPICY": 576, "ALMOND": 400, "ANISE": 400,
			"PUNGENT": 256, "CREOSOTE": 192, "MUSTY": 48},
		firstItems: []string{"CONVEX", "SMOOTH", "WHITE", "BRUISES", "ALMOND"},
	},
	{
		name: "mushroom-8124", incremental: "odor", rows: 8124, categories: 22, tokens: 117,
		classes: []string{"e", "p"}, ofClass: []int{4208, 3916},
		items:      map[string]int{"n": 3528, "f": 2160, "y": 576, "s": 576, "a": 400, "l": 400, "p": 256, "c": 192, "m": 36},
		firstItems: []string{"x", "s", "n", "t", "p"},
	},
	{
		name: "covertype-49999", incremental: "wilderness_area", rows: 49999, categories: 2, numbers: 10, tokens: 42,
		classes: []string{"1", "2", "3", "4", "5", "6", "7"}, ofClass: []int{10151, 28792, 2160, 2160, 2416, 2160, 2160},
		items:    map[string]int{"A1": 25651 + 12825, "A2": 333 + 166, "A3": 4233 + 2116, "A4": 3117 + 1558},
		numeric:  ofCovertype,
		largest:  []float64{3849, 360, 61, 1343, 554, 7117, 254, 254, 248, 7173},
		firstRow: covertype.firstRow, firstItems: covertype.firstItems,
	},
}

// TestDataSets compares each data set with its facts.
func TestDataSets(t *testing.T) {
	for _, c := range dataSets {
		t.Run(c.name, func(t *testing.T) { c.check(t, loaded(t, c.name)) })
	}
}

func (c facts) check(t *testing.T, table *Table) {
	t.Helper()
	filetest.Want(t, table.Name, c.name, "name")
	filetest.Want(t, table.Verified, true, "verified")
	filetest.Want(t, table.NumRows(), c.rows, "rows")
	filetest.Want(t, table.Categorical[table.Incremental].Name, c.incremental, "incremental column")
	filetest.Want(t, [2]int{len(table.Categorical), len(table.Numeric)}, [2]int{c.categories, c.numbers},
		"columns of items and of numbers")
	filetest.Want(t, table.Classes, c.classes, "classes")
	for class, n := range datatest.Counts(table.Labels) {
		filetest.True(t, n == c.ofClass[class], "%d rows of class %q, want %d", n, c.classes[class], c.ofClass[class])
	}
	c.checkItems(t, table)
	for i, column := range table.Numeric {
		filetest.Want(t, column.Name, c.numeric[i], "column %d", i)
		filetest.Want(t, len(column.Values), c.rows, "column %q: values", column.Name)
		filetest.Want(t, slices.Max(column.Values), 1, "column %q: the largest value", column.Name)
		filetest.Want(t, column.Values[0], c.firstRow[i]/c.largest[i], "column %q: the first value", column.Name)
	}
}

// checkItems compares the categorical columns.
func (c facts) checkItems(t *testing.T, table *Table) {
	t.Helper()
	items := datatest.Counts(table.column(c.incremental))
	filetest.True(t, c.items == nil || maps.Equal(items, c.items), "items %v, want %v", items, c.items)
	tokens := 0
	for i, column := range table.Categorical {
		tokens += len(datatest.Counts(column.Values))
		filetest.Want(t, len(column.Values), c.rows, "column %q: values", column.Name)
		known := i < len(c.firstItems)
		filetest.True(t, !known || column.Values[0] == c.firstItems[i], "column %q: the first value is %q", column.Name, column.Values[0])
	}
	filetest.True(t, tokens == c.tokens, "%d distinct tokens, want %d", tokens, c.tokens)
}

// TestNoValueIsMissing checks that "?" and "unknown" are items, whose rows stay.
func TestNoValueIsMissing(t *testing.T) {
	for _, c := range []struct {
		name, column, item string
		want               int
	}{{"mushroom", "stalk_root", "?", 2480}, {"mushroom-8124", "stalk_root", "?", 2480}, {"bank", "contact", "unknown", 13020}} {
		items := datatest.Counts(loaded(t, c.name).column(c.column))
		filetest.Want(t, items[c.item], c.want, "%s: rows with %s %q", c.name, c.column, c.item)
	}
}

// TestCovertype reads the whole file once, in a process of its own: the columns kept weigh 67 MB, and in one piece instead of
// blocks gota takes 670 MB.
func TestCovertype(t *testing.T) {
	datatest.LimitPeak(t, 300, func() {
		whole := loaded(t, "covertype")
		covertype.check(t, whole)
		checkPrefix(t, whole, loaded(t, "covertype-49999"))
	})
}

// checkPrefix checks that the authors' sample is the first rows of the whole, divided by its own maxima, with the whole file's
// checksum.
func checkPrefix(t *testing.T, whole, prefix *Table) {
	t.Helper()
	filetest.True(t, whole.SHA256 == prefix.SHA256 && whole.Path == prefix.Path,
		"%s of %s, %s of %s", prefix.SHA256, prefix.Path, whole.SHA256, whole.Path)
	n := prefix.NumRows()
	filetest.True(t, slices.Equal(prefix.Labels, whole.Labels[:n]), "other labels")
	for i, c := range prefix.Categorical {
		filetest.True(t, slices.Equal(c.Values, whole.Categorical[i].Values[:n]), "column %q differs", c.Name)
	}
	soils := datatest.Counts(whole.column("soil_type"))
	filetest.Want(t, [3]int{len(soils), soils["S29"], soils["S15"]}, [3]int{40, 115247, 3}, "soil types, and rows of S29 and S15")
	elevation := whole.Numeric[0].Values[n-1] / prefix.Numeric[0].Values[n-1]
	filetest.True(t, elevation >= 0.99 && elevation < 1, "elevations are in the proportion %v, want 3849/3858", elevation)
}
