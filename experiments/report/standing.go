package report

import (
	"cmp"
	"slices"

	"gophe/experiments/measure"
	"gophe/experiments/table"
)

// level is the distance in points below which two methods of a stream are level.
const level = 0.1

// oneHot are the models with a weight for each item.
var oneHot = []string{"AdPredictor", bayesianName, refittedName}

// rivals are the methods with which docs/one-pass.md compares one pass. The best of several counts.
var rivals = []struct {
	name   string
	labels []string
}{
	{"PHE, published update", []string{publishedPHE}},
	{"PHE, frozen", []string{frozenPHE}},
	{"PHE, Adam on all parameters", []string{"PHE all parameters"}},
	{"best one-hot model", oneHot},
}

// standingTable returns the number of streams on which one pass is ahead of a rival, level with it, and behind.
func standingTable(s *source) table.Page {
	streams := s.onePassStreams()
	t := table.New(1, "one pass against", "streams", "ahead", "level", "behind")
	for _, rival := range rivals {
		var all, ahead, behind int
		for _, s := range streams {
			own, other := s.score(fromNothing), s.score(rival.labels...)
			if own == nil || other == nil {
				continue
			}
			all++
			if *own-*other >= level {
				ahead++
			} else if *other-*own >= level {
				behind++
			}
		}
		t.Add(rival.name, all, ahead, all-ahead-behind, behind)
	}
	return t.Page()
}

// behind returns the number of streams on which one pass is behind a rival, and the number of all: "3 of 36".
func (s *source) behind(rival string) string {
	for _, row := range standingTable(s)[0].Rows {
		if row[0] == rival {
			return row[4] + " of " + row[1]
		}
	}
	s.failf("one pass has no rival %q", rival)
	return ""
}

// lossesTable returns every stream on which one pass is behind PHE, whether PHE is updated or frozen. The largest loss comes first.
func lossesTable(s *source) table.Page {
	streams := s.onePassStreams()
	points := map[string]float64{}
	for _, s := range streams {
		own, phe := s.score(fromNothing), s.score(publishedPHE, frozenPHE)
		if own != nil && phe != nil && s.published != nil && *phe-*own >= level {
			points[s.name] = *phe - *own
		}
	}
	streams = slices.DeleteFunc(streams, func(s onePassStream) bool { return points[s.name] == 0 })
	slices.SortStableFunc(streams, func(a, b onePassStream) int { return cmp.Compare(points[b.name], points[a.name]) })
	t := table.New(1, "stream", "one pass", "PHE, published update", "PHE, frozen", "best one-hot model")
	for _, s := range streams {
		text := func(label string) string { return s.row(label).Over(s.metric()).Text(1) }
		t.Add(s.name, text(fromNothing), text(publishedPHE), text(frozenPHE), measure.Optional(s.score(oneHot...), 1))
	}
	return t.Page()
}
