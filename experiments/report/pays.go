package report

import (
	"slices"

	"gophe/experiments/measure"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/table"
)

// paysResults lists the results of the question when online learning pays. The paper's shuffled stream is the first of each data set.
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
	gain := func(_ onePassStream, r measure.Row) string { return r.Less(r.Initial(), measure.Accuracy).Interval(1) }
	regret := func(_ onePassStream, r measure.Row) string { return r.Over(measure.Regret).Text(1) }
	lost := func(_ onePassStream, r measure.Row) string { return r.Over(measure.Forgetting).Text(1) }
	made := func(streams []onePassStream, methods []string, cell func(onePassStream, measure.Row) string, above string) table.Table {
		var each []passColumn
		for _, method := range methods {
			each = append(each, passColumn{method, method, cell})
		}
		return *columns(streams, above, each)
	}
	methods := []string{"PHE", "EE", "P-EE", "SlowAda", "MediumAda", "FastAda"}
	compared := append(slices.Clone(methods), "PHE replay", "PHE (frozen)", baseline.ItemMajority)
	return table.Page{
		made(all, methods, gain, "Accuracy along the stream, in points above the same initial model never updated, paired by seed, "+
			"± half of the 95 % interval:\n\n"),
		made(changing, compared, regret, "Regret: errors in 1000 rows beyond those of "+measure.Reference+
			", which learns from all rows seen so far:\n\n"),
		made(changing, methods, lost, "Forgetting: points lost on the first test (the first group, the items known at the start, "+
			"the items not swapped) by the end:\n\n"),
	}
}
