package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/table"
)

// level is the distance in points below which two methods of a stream are level.
const level = 0.1

// rivals are what docs/one-pass.md compares one pass with. A score that is not there is nil.
var rivals = []struct {
	name string
	of   func(s onePassStream) *float64
}{
	{"PHE, published update", onePassStream.update},
	{"PHE, frozen", onePassStream.still},
	{"PHE, Adam on all parameters", func(s onePassStream) *float64 { return measure.Find(s.own, "PHE all parameters").Mean(s.metric()) }},
	{"best one-hot model", onePassStream.oneHot},
}

func (s onePassStream) onePass() *float64 {
	return measure.Find(s.own, fromNothing).Mean(s.metric())
}

// update returns the score of the published update.
func (s onePassStream) update() *float64 { return measure.Find(s.published, "PHE").Mean(s.metric()) }

// still returns the score of the frozen model.
func (s onePassStream) still() *float64 { return s.frozen().Mean(s.metric()) }

// oneHot returns the score of the best model with a weight for each item.
func (s onePassStream) oneHot() (best *float64) {
	for _, name := range []string{"AdPredictor", bayesianName, refittedName} {
		if score := measure.Find(s.own, name).Mean(s.metric()); score != nil && (best == nil || *score > *best) {
			best = score
		}
	}
	return best
}

// standing counts the streams on which one pass is ahead of a rival, and behind it.
func standing(streams []onePassStream, rival func(onePassStream) *float64) (all, ahead, behind int) {
	for _, s := range streams {
		own, other := s.onePass(), rival(s)
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
	return all, ahead, behind
}

// standingTable returns the number of streams on which one pass is ahead of a rival, level with it, and behind.
func standingTable(folder *result.Folder) (table.Page, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return nil, err
	}
	t := table.New(1, "one pass against", "streams", "ahead", "level", "behind")
	for _, rival := range rivals {
		all, ahead, behind := standing(streams, rival.of)
		t.Add(rival.name, all, ahead, all-ahead-behind, behind)
	}
	return t.Page(), nil
}

// behindText returns the number of streams on which one pass is behind a rival, and the number of all: "3 of 36".
func behindText(folder *result.Folder, name string) (string, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return "", err
	}
	for _, rival := range rivals {
		if rival.name == name {
			all, _, behind := standing(streams, rival.of)
			return fmt.Sprintf("%d of %d", behind, all), nil
		}
	}
	return "", errors.Errorf("one pass has no rival %q", name)
}

// lossesTable returns every stream on which one pass is behind PHE, whether PHE is updated or frozen. The largest loss comes first.
func lossesTable(folder *result.Folder) (table.Page, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return nil, err
	}
	points := map[string]float64{}
	for _, s := range streams {
		own, updated, still := s.onePass(), s.update(), s.still()
		if own != nil && updated != nil && still != nil && max(*updated, *still)-*own >= level {
			points[s.name] = max(*updated, *still) - *own
		}
	}
	streams = slices.DeleteFunc(streams, func(s onePassStream) bool { return points[s.name] == 0 })
	slices.SortStableFunc(streams, func(a, b onePassStream) int { return cmp.Compare(points[b.name], points[a.name]) })
	t := table.New(1, "stream", "one pass", "PHE, published update", "PHE, frozen", "best one-hot model")
	for _, s := range streams {
		score := func(r measure.Row) string { return r.Over(s.metric()).Text(1) }
		t.Add(s.name, score(measure.Find(s.own, fromNothing)), score(measure.Find(s.published, "PHE")),
			score(s.frozen()), measure.Optional(s.oneHot(), 1))
	}
	return t.Page(), nil
}
