package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/data/labelled"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// source is a result file with the methods that a figure can show.
type source struct {
	*result.File
	methods []method // with their finished runs only; a method without any is left out
	left    []string // runs that are not finished: "PHE (2 of 5 seeds)"
	days    []time.Time
}

// fail ends the figure with an error that names the result.
func (s *source) fail(format string, args ...any) {
	check(errors.WithMessagef(errors.Errorf(format, args...), "result %q", s.Name))
}

// readSources checks that the files are results of one of the protocols, or of any if none is given. It leaves out runs that
// are not finished. A name has the same style in all files. It also checks the width sigma of the figure's Gaussian filter.
func readSources(files []*result.File, sigma float64, protocols ...string) (sources []*source) {
	if !(sigma >= 0 && sigma <= 1e6) {
		failf("smoothing by σ = %v steps is impossible; choose a finite σ of 0 or more, up to 1,000,000", sigma)
	}
	if len(files) == 0 || slices.Contains(files, nil) {
		failf("a result%s is missing; %s", ofProtocol(protocols), remedy)
	}
	var styles draw.Palette
	for _, f := range files {
		sources = append(sources, readSource(f, protocols, &styles))
	}
	return sources
}

// charted draws a chart of each source. It returns the charts and the methods that they show.
func charted(sources []*source, of func(s *source) (*draw.Chart, []method)) (charts []*draw.Chart, drawn []method) {
	for _, s := range sources {
		chart, methods := of(s)
		charts, drawn = append(charts, chart), append(drawn, methods...)
	}
	return charts, drawn
}

// withOnePass adds One pass to the published result of the same stream. The result that brought it is dropped.
func withOnePass(sources []*source) (kept []*source) {
	for _, own := range sources {
		m := own.find(onePassName, false)
		published := -1
		if m != nil {
			published = slices.IndexFunc(sources, func(s *source) bool {
				return s.find(onePassName, false) == nil && s.methods[0].Dataset == m.Dataset && s.methods[0].Protocol == m.Protocol
			})
		}
		if published < 0 {
			kept = append(kept, own)
			continue
		}
		to := sources[published]
		if to.Stream.Initial != own.Stream.Initial || to.Stream.Steps != own.Stream.Steps {
			failf("results %q and %q are of different streams; make both again: `phe run %s %s`", to.Name, own.Name, to.Name, own.Name)
		}
		to.methods = append([]method{*m}, to.methods...)
	}
	return kept
}

// remedy ends every error about a missing result.
const remedy = "`phe list` names the specs, and `phe run NAME` makes the result"

func ofProtocol(protocols []string) string {
	if len(protocols) == 0 {
		return ""
	}
	return " of protocol " + strings.Join(protocols, " or ")
}

func readSource(f *result.File, protocols []string, styles *draw.Palette) *source {
	s := &source{File: f}
	for _, m := range f.Methods {
		if len(protocols) > 0 && !slices.Contains(protocols, m.Protocol) {
			s.fail("its protocol is %q, and the figure needs a result%s; %s", m.Protocol, ofProtocol(protocols), remedy)
		}
		all := len(m.Runs)
		m.Runs = slices.DeleteFunc(slices.Clone(m.Runs), func(r result.Run) bool {
			return r.Status != result.Complete && r.Status != result.Diverged
		})
		if unfinished := all - len(m.Runs); unfinished > 0 {
			s.left = append(s.left, fmt.Sprintf("%s (%d of %d seeds)", suffixed(m.Name, m.Frozen), unfinished, all))
		}
		if len(m.Runs) > 0 {
			s.methods = append(s.methods, newMethod(s, &m, styles))
		}
	}
	if len(s.methods) == 0 {
		s.fail("none of its runs is finished; `phe run %s --resume` continues them", f.Name)
	}
	for step, day := range f.Stream.Days {
		date, err := time.Parse(time.DateOnly, day)
		if err != nil {
			s.fail("step %d has no date; make the result again: `phe run %s`: %v", step, s.Name, err)
		}
		s.days = append(s.days, date)
	}
	return s
}

// markChanges draws a dotted line wherever the stream shows something new.
func (s *source) markChanges(c *draw.Chart) {
	for _, change := range s.Stream.Changes {
		c.At(float64(change.Step), "")
	}
}

// title returns data set and column.
func (s *source) title() string {
	dataset := s.Manifest.Dataset
	if len(s.Methods) > 0 {
		dataset = s.Methods[0].Dataset
	}
	return cmp.Or(titles[dataset], dataset)
}

// dataset returns the title without the column. Ratings keep their whole title, which names the set of ratings.
func (s *source) dataset() string {
	if len(s.Methods) > 0 && s.isRatings() {
		return s.title()
	}
	name, _, _ := strings.Cut(s.title(), " (")
	return name
}

// isRatings reports whether the stream is of ratings.
func (s *source) isRatings() bool { return s.Methods[0].Protocol == protocol.Recommend }

// find returns the method of that name, or nil.
func (s *source) find(name string, frozen bool) *method {
	for i := range s.methods {
		if m := &s.methods[i]; m.Name == name && m.Frozen == frozen {
			return m
		}
	}
	return nil
}

// metric returns the metric of all its methods.
func (s *source) metric() metric { return s.methods[0].metric }

// shown returns the online methods and frozen PHE. Two rules without a model represent all such rules. A reconstruction has
// none, because rules do not know the quantity and its models do.
func (s *source) shown() []method {
	return slices.DeleteFunc(slices.Clone(s.methods), func(m method) bool {
		yardstick := s.metric() != reconstruction && slices.Contains(baselinesShown, m.Name)
		return m.Frozen && m.Name != "PHE" || m.isRule() && !yardstick
	})
}

// baselinesShown are the rules that are drawn: the simplest and the best.
var baselinesShown = []string{"Median of nine", "Counting rule", "Global mean", "Biases"}

// sourceNotes returns the sentences on conventions, splits, unfinished runs and diverged seeds, whose fate is a text.
func sourceNotes(sources []*source, fate string) string {
	var diverged, conventions, cuts, left []string
	for _, s := range sources {
		for _, m := range s.methods {
			conventions = append(conventions, cmp.Or(choices[m.Convention], m.Convention))
		}
		cuts = append(cuts, s.cut())
		for _, item := range s.left {
			left = append(left, s.dataset()+" "+item)
		}
		diverged = append(diverged, divergences(s.dataset()+": ", s.methods, fate))
	}
	return sentences(listed("Split into training and test rows: %s.", " and ", cuts), listed("Convention: %s.", " and ", conventions),
		sentences(diverged...), listed("Not finished and left out: %s.", ", ", left))
}

// choices names whose choices a convention has where the paper and its authors' program differ.
var choices = map[string]string{protocol.Authors: "the authors' program", protocol.Paper: "the paper's text", protocol.Ours: "our choices"}

// cut returns how the spec divides a group's rows, in words, or nothing if it does not divide them.
func (s *source) cut() string {
	switch cut := spec.Recorded(s.Manifest.Spec).Protocol.Cut; cut {
	case labelled.FileOrder:
		return "in the order of the file"
	case labelled.Stratified:
		return "at random within each item and class"
	default:
		return string(cut)
	}
}
