package report

import (
	"slices"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/table"
)

// paysResults lists the results of the question when online learning pays. The paper's shuffled stream is the first of each
// data set.
var paysResults = []string{
	"adult-online", "adult-by-group", "adult-growing", "adult-swapped",
	"bank-online", "bank-by-group", "bank-growing", "bank-swapped",
	"mushroom-online", "mushroom-by-group", "mushroom-growing", "mushroom-swapped",
	"covertype-online", "covertype-by-group", "covertype-growing", "covertype-swapped",
}

// paysTables returns three tables: each method's gain over its frozen model, its regret, and its forgetting.
func paysTables(folder *result.Folder) (table.Page, error) {
	methods := []string{"PHE", "EE", "P-EE", "SlowAda", "MediumAda", "FastAda"}
	compared := append(slices.Clone(methods), "PHE replay", "PHE (frozen)", baseline.ItemMajority)
	gain := newPays("Accuracy along the stream, in points above the same initial model never updated, paired by seed:\n\n", methods,
		func(r measure.Row) measure.Estimate {
			return r.Less(measure.Find(r.File, modelOf(r.Name)+" (frozen)"), measure.Accuracy)
		})
	regret := newPays("\nRegret: errors in 1000 rows beyond those of "+measure.Reference+", which learns from all rows seen so far:\n\n", compared,
		func(r measure.Row) measure.Estimate { return r.Over(measure.Regret) })
	lost := newPays("\nForgetting: points lost on the first test (the first group, the items known at the start, the items not swapped) by the end:\n\n", methods,
		func(r measure.Row) measure.Estimate { return r.Over(measure.Forgetting) })
	for _, name := range paysResults {
		f, err := folder.Find(name)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		if first := &f.Methods[0]; first.Protocol == protocol.Online {
			gain.add(first.Dataset+", shuffled", f)
		} else {
			for _, t := range []pays{gain, regret, lost} {
				t.add(first.Dataset+", "+first.Protocol, f)
			}
		}
	}
	if len(gain.Rows) == 0 {
		return nil, missing(folder, "adult-by-group")
	}
	return table.Page{*gain.Table, *regret.Table, *lost.Table}, nil
}

// modelOf returns the name of the frozen model that a method started from.
func modelOf(method string) string {
	switch method {
	case "SlowAda", "MediumAda", "FastAda":
		return "Ada"
	}
	return method
}

// pays is a table with a column for each method and a row for each stream.
type pays struct {
	*table.Table
	methods []string
	of      func(measure.Row) measure.Estimate
}

func newPays(above string, methods []string, of func(measure.Row) measure.Estimate) pays {
	t := table.New(1, append([]string{"stream"}, methods...)...)
	t.Above = above
	return pays{t, methods, of}
}

func (p pays) add(stream string, f *result.File) {
	cells := []any{stream}
	for _, method := range p.methods {
		e := measure.Estimate{}
		if r := measure.Find(f, method); r.Method != nil {
			e = p.of(r)
		}
		cells = append(cells, e.Text(1))
	}
	p.Add(cells...)
}
