package report

import (
	"slices"

	"gophe/experiments/measure"
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
func paysTables(s *source) table.Page {
	var all, changing []onePassStream
	for _, name := range paysResults {
		f := s.find(name)
		if f == nil {
			continue
		}
		if first := &f.Methods[0]; first.Protocol == protocol.Online {
			all = append(all, onePassStream{name: first.Dataset + ", shuffled", own: f})
		} else {
			changing = append(changing, onePassStream{name: first.Dataset + ", " + first.Protocol, own: f})
			all = append(all, changing[len(changing)-1])
		}
	}
	if len(all) == 0 {
		s.get("adult-by-group")
	}
	gain := func(r measure.Row) measure.Estimate {
		return r.Less(measure.Find(r.File, modelOf(r.Name)+" (frozen)"), measure.Accuracy)
	}
	regret := func(r measure.Row) measure.Estimate { return r.Over(measure.Regret) }
	lost := func(r measure.Row) measure.Estimate { return r.Over(measure.Forgetting) }
	methods := []string{"PHE", "EE", "P-EE", "SlowAda", "MediumAda", "FastAda"}
	compared := append(slices.Clone(methods), "PHE replay", "PHE (frozen)", baseline.ItemMajority)
	return table.Page{
		paysTable(all, methods, gain, "Accuracy along the stream, in points above the same initial model never updated, paired by seed:\n\n"),
		paysTable(changing, compared, regret, "\nRegret: errors in 1000 rows beyond those of "+measure.Reference+", which learns from all rows seen so far:\n\n"),
		paysTable(changing, methods, lost, "\nForgetting: points lost on the first test (the first group, the items known at the start, the items not swapped) by the end:\n\n"),
	}
}

// paysTable returns a table with a column for each method.
func paysTable(streams []onePassStream, methods []string, of func(measure.Row) measure.Estimate, above string) table.Table {
	var all []passColumn
	for _, method := range methods {
		all = append(all, passColumn{method, method, func(_ onePassStream, r measure.Row) string { return of(r).Text(1) }})
	}
	return *columns(streams, above, all)
}

// modelOf returns the name of the frozen model that a method started from.
func modelOf(method string) string {
	switch method {
	case "SlowAda", "MediumAda", "FastAda":
		return "Ada"
	}
	return method
}
