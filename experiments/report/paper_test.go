package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/paper"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// typedTable is a table of the paper, typed once more from its text, column by column as it stands there. Where one row is
// compared with several results, specs has them all.
type typedTable struct {
	item, protocol, metric string
	methods                string              // of the columns
	rows                   string              // a data set, and "mean±deviation" or a plain number for each method
	specs                  map[string][]string // by data set
}

var typedTables = []typedTable{
	{item: "Table 1", protocol: "online", metric: "accuracy",
		methods: "SlowAda MediumAda FastAda PHE EE P-EE",
		rows: `adult     82.2±0.7 74.8±4.5 71.1±4.0 84.1±0.2 84.2±0.0 84.8±0.0
		       bank      89.7±0.1 89.0±0.9 86.9±1.6 89.6±0.0 90.0±0.0 90.1±0.0
		       mushroom  97.7±0.7 97.9±0.5 98.3±0.3 98.8±0.0 98.8±0.0 98.8±0.0
		       covertype 63.5±0.5 59.1±1.2 55.3±1.2 64.3±0.2 64.3±0.1 64.0±0.4`,
		specs: map[string][]string{"adult": {"adult-online"}, "bank": {"bank-online", "bank-online-100"}, "mushroom": {"mushroom-online", "mushroom-8124-online"},
			"covertype": {"covertype-full-online", "covertype-online"}}},
	{item: "Table 4", protocol: "online", metric: "parameters",
		methods: "PHE P-EE",
		rows: `adult     346  3920
		       bank      346  1760
		       covertype 346  1760
		       mushroom  56   90`,
		specs: map[string][]string{"adult": {"adult-online"}, "bank": {"bank-online"}, "mushroom": {"mushroom-online"}, "covertype": {"covertype-full-online"}}},
	{item: "Table 1", protocol: "online", metric: "compression_ratio",
		methods: "PHE_/_P-EE",
		rows: `adult     0.09
		       bank      0.2
		       covertype 0.2
		       mushroom  0.62`,
		specs: map[string][]string{"adult": {"adult-online"}, "bank": {"bank-online"}, "mushroom": {"mushroom-online"}, "covertype": {"covertype-full-online"}}},
	{item: "Table 1", protocol: "none", metric: "compression_ratio",
		methods: "PHE_/_P-EE",
		rows: `retail 0.02
		       ml-32m 0.04`,
		specs: map[string][]string{"retail": {""}, "ml-32m": {""}}},
	{item: "Table 4", protocol: "online", metric: "compression_ratio",
		methods: "PHE_/_P-EE",
		rows: `adult     0.09
		       bank      0.2
		       covertype 0.2
		       mushroom  0.62`,
		specs: map[string][]string{"adult": {"adult-online"}, "bank": {"bank-online"}, "mushroom": {"mushroom-online"}, "covertype": {"covertype-full-online"}}},
	{item: "Table 4", protocol: "none", metric: "compression_ratio",
		methods: "PHE_/_P-EE",
		rows: `retail 0.02
		       ml-32m 0.04`,
		specs: map[string][]string{"retail": {""}, "ml-32m": {""}}},
	{item: "Table 4", protocol: "none", metric: "parameters",
		methods: "PHE P-EE",
		rows: `retail        5014   332760
		       ml-32m 460414 11541320`,
		specs: map[string][]string{"retail": {""}, "ml-32m": {""}}},
	{item: "Table 5", protocol: "group", metric: "final_average",
		methods: "SlowAda MediumAda FastAda P-EE PHE",
		rows: `adult     76.1±1.8 75.0±4.7 71.6±3.1  85.6±0.1 78.9±3.0
		       bank      63.0±4.0 67.5±4.5 69.9±1.2  70.5±0.7 70.1±1.4
		       mushroom  75.5±7.6 90.1±8.6 84.7±12.3 96.8±0.0 91.6±7.6
		       covertype 41.7±4.0 43.8±5.7 39.5±5.1  52.2±1.1 48.8±2.3`,
		specs: map[string][]string{"adult": {"adult-group", "adult-group-stratified"}, "bank": {"bank-group", "bank-group-stratified", "bank-group-all-columns"},
			"mushroom": {"mushroom-group", "mushroom-group-stratified", "mushroom-group-large"}, "covertype": {"covertype-group", "covertype-group-stratified", "covertype-full-group"}}},
	{item: "Table 6", protocol: "online", metric: "accuracy", // the paper's has a row a scope and a column a data set
		methods: "P-EE_all-columns P-EE_incremental-column P-EE_all-parameters",
		rows: `adult     84.7±0.0 84.8±0.0 83.3±0.1
		       bank      90.0±0.0 90.1±0.0 89.5±0.0
		       mushroom  98.8±0.0 98.8±0.0 98.8±0.0
		       covertype 64.1±0.0 64.0±0.4 64.0±0.1`,
		specs: map[string][]string{"adult": {"adult-scopes"}, "bank": {"bank-scopes"}, "mushroom": {"mushroom-scopes"}, "covertype": {"covertype-scopes"}}},
	{item: "Double memory", protocol: "online", metric: "accuracy",
		methods: "SlowAda MediumAda FastAda",
		rows: `adult     83.6±0.9 79.9±2.2 76.1±2.5
		       bank      89.7±0.1 89.4±0.3 87.7±1.6
		       mushroom  97.9±1.5 98.4±0.5 98.5±0.2
		       covertype 64.2±0.6 61.6±1.0 55.8±3.2`,
		specs: map[string][]string{"adult": {"adult-double"}, "bank": {"bank-double"}, "mushroom": {"mushroom-double"}, "covertype": {"covertype-double"}}},
	{item: "Table 1", protocol: "daily", metric: "absolute_error",
		methods: "SlowAda MediumAda FastAda PHE EE P-EE",
		rows:    "retail 49.1±82.9 22.7±20.3 - 3.0±0.2 3.7±0.1 3.2±0.4",
		specs:   map[string][]string{"retail": {"retail-online"}}},
	{item: "Table 5", protocol: "products", metric: "final_absolute_error",
		methods: "SlowAda MediumAda FastAda P-EE PHE",
		rows:    "retail 16.8±17.6 38.9±50.9 - 2.92±0.16 2.73±0.23",
		specs:   map[string][]string{"retail": {"retail-group", "retail-group-separate"}}},
	{item: "Table 6", protocol: "daily", metric: "absolute_error",
		methods: "P-EE_all-columns P-EE_incremental-column P-EE_all-parameters",
		rows:    "retail 3.4±0.3 3.2±0.4 287.9±125.5",
		specs:   map[string][]string{"retail": {"retail-scopes"}}},
	{item: "Double memory", protocol: "daily", metric: "absolute_error",
		methods: "SlowAda MediumAda FastAda",
		rows:    "retail 6.4±0.6 8.2±2.3 -",
		specs:   map[string][]string{"retail": {"retail-double"}}},
	{item: "Ablation B", protocol: "products", metric: "final_absolute_error", // Supp. G.5, without a number
		methods: "PHE_B=40 PHE_B=60 PHE_B=80 PHE_B=109",
		rows:    "retail 2.83±0.23 2.65±0.16 2.56±0.10 2.58±0.09",
		specs:   map[string][]string{"retail": {"retail-buckets"}}},
	{item: "Ablation K", protocol: "products", metric: "final_absolute_error",
		methods: "PHE_K=1 PHE_K=2 PHE_K=3 PHE_K=4 PHE_K=5",
		rows:    "retail 2.66±0.34 2.58±0.09 2.63±0.16 2.78±0.18 2.76±0.13",
		specs:   map[string][]string{"retail": {"retail-hashes"}}},
	{item: "Table 1", protocol: "recommend", metric: "sample_error",
		methods: "SlowAda MediumAda FastAda PHE EE P-EE",
		rows: `ml-32m          15.3±0.1 15.1±0.1 15.1±0.1 14.7±0.0 15.1±0.0 14.7±0.0
		       ml-latest-small 15.3±0.1 15.1±0.1 15.1±0.1 14.7±0.0 15.1±0.0 14.7±0.0
		       movielens-50k   15.3±0.1 15.1±0.1 15.1±0.1 14.7±0.0 15.1±0.0 14.7±0.0`, // the paper has the first; the others are ours
		specs: map[string][]string{"ml-32m": {"movielens-32m"}, "ml-latest-small": {"movielens-small", "movielens-small-wide"},
			"movielens-50k": {"movielens-50k", "movielens-50k-wide"}}},
	{item: "Double memory", protocol: "recommend", metric: "sample_error",
		methods: "SlowAda MediumAda FastAda",
		rows: `ml-32m          15.4±0.1 15.1±0.0 15.2±0.1
		       ml-latest-small 15.4±0.1 15.1±0.0 15.2±0.1`,
		specs: map[string][]string{"ml-32m": {"movielens-32m-double"}, "ml-latest-small": {"movielens-small-double"}}},
	{item: "Double memory", protocol: "online", metric: "accuracy", // the last column repeats Table 1
		methods: "PHE",
		rows: `adult     84.1±0.2
		       bank      89.6±0.0
		       mushroom  98.8±0.0
		       covertype 64.3±0.2`,
		specs: map[string][]string{"adult": {"adult-online"}, "bank": {"bank-online"}, "mushroom": {"mushroom-online"}, "covertype": {"covertype-full-online"}}},
	{item: "Double memory", protocol: "daily", metric: "absolute_error",
		methods: "PHE",
		rows:    "retail 3.0±0.2",
		specs:   map[string][]string{"retail": {"retail-online"}}},
	{item: "Double memory", protocol: "recommend", metric: "sample_error",
		methods: "PHE",
		rows: `ml-32m          14.7±0.0
		       ml-latest-small 14.7±0.0`,
		specs: map[string][]string{"ml-32m": {"movielens-32m"}, "ml-latest-small": {"movielens-small-double"}}},
}

// paperNumbers are the typed tables' cells: a cell's name, and its number.
func paperNumbers() map[string]string {
	numbers := map[string]string{}
	for _, table := range typedTables {
		methods := strings.Fields(table.methods)
		for _, line := range strings.Split(table.rows, "\n") {
			fields := strings.Fields(line)
			for _, spec := range table.specs[fields[0]] {
				for i, number := range fields[1:] {
					method := strings.ReplaceAll(methods[i], "_", " ")
					numbers[strings.Join([]string{table.item, table.protocol, table.metric, spec, fields[0], method}, " | ")] = plainly(number)
				}
			}
		}
	}
	return numbers
}

// plainly leaves zeros at the end out: 84.0±0.20 is 84±0.2.
func plainly(number string) string {
	if number == "-" { // FastAda on Retail
		return number
	}
	parts := strings.Split(number, "±")
	for i, part := range parts {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil {
			panic(err) // typed above
		}
		parts[i] = strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strings.Join(parts, "±")
}

// Every number of paper.json, and of the sizes that are computed, is the paper's; and none of the paper's is missing.
func TestPaperNumbers(t *testing.T) {
	want, got := paperNumbers(), map[string]string{}
	cells, err := compare.Compare(result.OpenFolder(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		dataset, _, _ := strings.Cut(c.Dataset, "-")
		if c.Protocol == protocol.Recommend || c.Dataset == "ml-32m" {
			dataset = c.Dataset
		}
		key := strings.Join([]string{c.Item, c.Protocol, c.Metric, c.Spec, dataset, c.Method}, " | ")
		if _, twice := got[key]; twice {
			t.Errorf("%s is there twice", key)
		}
		switch {
		case c.Paper == nil:
			got[key] = "-"
		case c.PaperSD == nil:
			got[key] = strconv.FormatFloat(*c.Paper, 'f', -1, 64)
		default:
			got[key] = plainly(fmt.Sprintf("%v±%v", *c.Paper, *c.PaperSD))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s: %q, the paper has %q", key, got[key], want[key])
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: %q, which the paper does not have", key, got[key])
		}
	}
	if len(want) != 42+12+55+12+12+6+10+3+3+4+5+30+6+12+7 {
		t.Errorf("%d numbers typed", len(want))
	}
}

// A paper's cell names the spec that measures it: of its data set and protocol, and with its method.
func TestPaperSpecs(t *testing.T) {
	for _, table := range paper.Tables() {
		s, err := spec.Load(table.Spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Dataset != table.Dataset || s.Protocol.Name != table.Protocol {
			t.Errorf("%s: spec %s runs %s %s, the cell says %s %s", table.Item, table.Spec, s.Dataset, s.Protocol.Name, table.Dataset, table.Protocol)
		}
		if table.Metric != measure.Parameters && table.Metric != measure.CompressionRatio && !slices.Contains(measure.Metrics(&result.Method{Protocol: table.Protocol, Convention: s.Convention}), table.Metric) {
			t.Errorf("%s: protocol %s has no %s", table.Item, table.Protocol, table.Metric)
		}
		substitute := s
		if table.Substitute != "" {
			if substitute, err = spec.Load(table.Substitute); err != nil {
				t.Error(err)
			}
		}
		for _, c := range table.Cells {
			for _, filling := range []spec.Spec{s, substitute} {
				if table.Metric != measure.CompressionRatio && !slices.ContainsFunc(filling.Methods, func(m spec.Method) bool { return m.Name == c.Method }) {
					t.Errorf("%s: spec %s has no method %s to fill the cell", table.Item, filling.Name, c.Method)
				}
			}
		}
		if (table.Dataset == "ml-32m") != (table.Substitute != "") || (table.Protocol == protocol.Recommend && table.Dataset != "ml-32m") != (table.For == "ml-32m") {
			t.Errorf("%s of %s: substitute %q, for %q", table.Spec, table.Dataset, table.Substitute, table.For)
		}
		if cut := s.Protocol.Cut; strings.HasSuffix(table.Spec, "-stratified") != (cut == "stratified") {
			t.Errorf("%s cuts %s", table.Spec, cut)
		}
	}
}
