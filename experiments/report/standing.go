package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/compare"
	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// level is the distance in points below which two methods of a stream are level.
const level = 0.1

// rivals are what docs/one-pass.md compares one pass with.
var rivals = []struct {
	name string
	of   func(s onePassStream) (score float64, ok bool)
}{
	{"PHE, published update", onePassStream.update},
	{"PHE, frozen", onePassStream.still},
	{"PHE, Adam on all parameters", func(s onePassStream) (float64, bool) {
		return s.score(s.own, s.own.Method("PHE all parameters", false))
	}},
	{"best one-hot model", onePassStream.oneHot},
}

// score returns the mean of a method's leading metric over seeds. The method may be nil.
func (s onePassStream) score(f *result.File, m *result.Method) (score float64, ok bool) {
	if f == nil || m == nil {
		return 0, false
	}
	mean, _, _ := measure.OverSeeds(s.metric(), f, m)
	if mean == nil {
		return 0, false
	}
	return *mean, true
}

func (s onePassStream) onePass() (float64, bool) {
	return s.score(s.own, s.own.Method(compare.FromNothingName, false))
}

// update returns the score of the published update.
func (s onePassStream) update() (float64, bool) {
	if s.published == nil {
		return 0, false
	}
	return s.score(s.published, s.published.Method("PHE", false))
}

// still returns the score of the frozen model.
func (s onePassStream) still() (float64, bool) { return s.score(s.frozen()) }

// oneHot returns the score of the best model with a weight for each item.
func (s onePassStream) oneHot() (best float64, ok bool) {
	for _, name := range []string{"AdPredictor", compare.BayesianName, compare.RefittedName} {
		if score, has := s.score(s.own, s.own.Method(name, false)); has && (!ok || score > best) {
			best, ok = score, true
		}
	}
	return best, ok
}

// count counts the streams on which one pass is ahead of a rival, and behind it.
func count(streams []onePassStream, rival func(onePassStream) (float64, bool)) (all, ahead, behind int) {
	for _, s := range streams {
		own, has := s.onePass()
		other, ok := rival(s)
		if !has || !ok {
			continue
		}
		all++
		if own-other >= level {
			ahead++
		} else if other-own >= level {
			behind++
		}
	}
	return all, ahead, behind
}

// standingMarkdown renders the number of streams on which one pass is ahead of a rival, level with it, and behind.
func standingMarkdown(folder *result.Folder) (string, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| one pass against | streams | ahead | level | behind |\n|---|---:|---:|---:|---:|\n")
	for _, rival := range rivals {
		all, ahead, behind := count(streams, rival.of)
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", rival.name, all, ahead, all-ahead-behind, behind)
	}
	return b.String(), nil
}

// behindText returns the number of streams on which one pass is behind a rival, and the number of all: "3 of 36".
func behindText(folder *result.Folder, name string) (string, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return "", err
	}
	for _, rival := range rivals {
		if rival.name == name {
			all, _, behind := count(streams, rival.of)
			return fmt.Sprintf("%d of %d", behind, all), nil
		}
	}
	return "", errors.Errorf("one pass has no rival %q", name)
}

// lossesMarkdown renders every stream on which one pass is behind PHE, whether PHE is updated or frozen. The largest loss comes first.
func lossesMarkdown(folder *result.Folder) (string, error) {
	streams, err := onePassStreams(folder)
	if err != nil {
		return "", err
	}
	type loss struct {
		points float64
		row    string
	}
	var losses []loss
	for _, s := range streams {
		own, has := s.onePass()
		updated, published := s.update()
		still, frozen := s.still()
		if !has || !published || !frozen {
			continue
		}
		points := max(updated, still) - own
		if points < level {
			continue
		}
		best, hasBest := s.oneHot()
		oneHot := "–"
		if hasBest {
			oneHot = measure.Optional(&best, 1)
		}
		f, _ := s.frozen()
		losses = append(losses, loss{points, fmt.Sprintf("| %s | %s | %s | %s | %s |\n", s.name, s.tenths(s.own, compare.FromNothingName, false),
			s.tenths(s.published, "PHE", false), s.tenths(f, "PHE", true), oneHot)})
	}
	slices.SortStableFunc(losses, func(a, b loss) int { return cmp.Compare(b.points, a.points) })
	var b strings.Builder
	b.WriteString("| stream | one pass | PHE, published update | PHE, frozen | best one-hot model |\n|---|---:|---:|---:|---:|\n")
	for _, l := range losses {
		b.WriteString(l.row)
	}
	return b.String(), nil
}

// tenths returns a method's score with one digit.
func (s onePassStream) tenths(f *result.File, name string, frozen bool) string {
	mean, sd, _ := measure.OverSeeds(s.metric(), f, f.Method(name, frozen))
	return measure.PlusMinus(mean, sd, 1)
}
