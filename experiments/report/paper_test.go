package report

import (
	"slices"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
)

// paperCells is the number of cells of the paper. TestReport holds their values to docs/reproduction/cells.csv.
const paperCells = 219

// A paper's cell names the spec that measures it: of its data set and protocol, and with its method.
func TestPaperSpecs(t *testing.T) {
	for _, table := range paperTables() {
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
