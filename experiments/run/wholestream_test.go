package run

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// The runner leads the model of package stream as a program with late labels would: it learns the initial rows at once, and then asks about
// all rows of a step before it brings their labels. The scores are those of the forecasts that Ask gave, to the four decimals of a result,
// and head and census count as memory.
func TestPheStreamByHand(t *testing.T) {
	s := tinyOf(t, protocol.Order)
	s.Methods = []spec.Method{{Name: "phe stream", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.PheStream, Memory: 1 << 13}}
	f := resultOf(t, s)
	table := fixture.MustLoad(t, "adult")
	own := schema.Schema{Target: schema.Target{Column: "income", Kind: schema.Classes, Classes: table.Classes}}
	for _, c := range table.Categorical {
		own.Columns = append(own.Columns, schema.Column{Name: c.Name, Kind: schema.Category})
	}
	for _, n := range table.Numeric {
		own.Columns = append(own.Columns, schema.Column{Name: n.Name, Kind: schema.Number})
	}
	own.Columns = append(own.Columns, schema.Column{Name: "income", Kind: schema.Label})
	l := filetest.Must(stream.New(own, stream.Options{Memory: 1 << 13}))(t)
	record := func(row int32, label string) (fields []string) {
		for _, c := range table.Categorical {
			fields = append(fields, c.Values[row])
		}
		for _, n := range table.Numeric {
			fields = append(fields, fmt.Sprint(n.Values[row]))
		}
		return append(fields, label)
	}
	p := protocoltest.MustPlan(t, s.Protocol, table)
	for _, row := range p.Initial {
		_, _, err := l.Step(record(row, table.Classes[table.Labels[row]]))
		filetest.Check(t, err)
	}
	method := methodOf(t, f, "phe stream", false)
	for step, rows := range p.Steps {
		sum := 0.0
		for _, row := range rows {
			forecast := filetest.Must(l.Ask(strconv.Itoa(int(row)), record(row, "")))(t)
			sum += math.Log([]float64{1 - forecast.Probability, forecast.Probability}[table.Labels[row]])
		}
		filetest.WantNear(t, method.Runs[0].LogLikelihood[step], sum/float64(len(rows)), 0.51e-4, "step %d: log-likelihood", step)
		for _, row := range rows {
			filetest.Check(t, l.Label(strconv.Itoa(int(row)), table.Classes[table.Labels[row]]))
		}
	}
	n := method.TotalParameters // the census has 2¹⁸ counters
	filetest.WantEqual(t, method.Parameters, 1<<11, "numbers in the tables")
	filetest.Want(t, n >= 1<<18+1<<11+500 && n <= 1<<19, "%d numbers in all", n)
}
