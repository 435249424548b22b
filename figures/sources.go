package figures

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gophe/data/tables"

	"github.com/pkg/errors"

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

// readSources checks that the files are results of one of the protocols, or of any if none is given. It leaves out runs that
// are not finished. A name has the same style in all files. It also checks the width sigma of the figure's Gaussian filter.
func readSources(files []*result.File, sigma float64, protocols ...string) ([]source, error) {
	if err := checkSigma(sigma); err != nil {
		return nil, err
	}
	if len(files) == 0 || slices.Contains(files, nil) {
		return nil, errors.Errorf("a result%s is missing; %s", ofProtocol(protocols), remedy)
	}
	var styles draw.Palette
	var sources []source
	for _, f := range files {
		s, err := readSource(f, protocols, &styles)
		if err != nil {
			return nil, errors.WithMessagef(err, "result %q", f.Name)
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// charted draws a chart of each source. It returns the charts and the methods that they show. An error names the result.
func charted(sources []source, of func(s *source) (*draw.Chart, []method, error)) (charts []*draw.Chart, drawn []method, err error) {
	for i := range sources {
		chart, methods, err := of(&sources[i])
		if err != nil {
			return nil, nil, errors.WithMessagef(err, "result %q", sources[i].Name)
		}
		charts, drawn = append(charts, chart), append(drawn, methods...)
	}
	return charts, drawn, nil
}

// withOnePass adds One pass to the published result of the same stream. The result that brought it is dropped.
func withOnePass(sources []source) ([]source, error) {
	var kept []source
	for i := range sources {
		own := &sources[i]
		published := -1
		if m := own.find(onePassName, false); m != nil {
			published = slices.IndexFunc(sources, func(s source) bool {
				return s.find(onePassName, false) == nil && s.methods[0].Dataset == m.Dataset && s.methods[0].Protocol == m.Protocol
			})
		}
		if published < 0 {
			kept = append(kept, *own)
			continue
		}
		to := &sources[published]
		if !to.sameStream(own) {
			return nil, errors.Errorf("results %q and %q are of different streams; make both again: `phe run %s %s`", to.Name, own.Name, to.Name, own.Name)
		}
		to.methods = append([]method{*own.find(onePassName, false)}, to.methods...)
		if at := slices.IndexFunc(kept, func(s source) bool { return s.File == to.File }); at >= 0 {
			kept[at] = *to
		}
	}
	return kept, nil
}

// sameStream reports whether both results begin with as many rows and have as many steps.
func (s *source) sameStream(other *source) bool {
	return s.Stream.Initial == other.Stream.Initial && s.Stream.Steps == other.Stream.Steps
}

// remedy ends every error about a missing result.
const remedy = "`phe list` names the specs, and `phe run NAME` makes the result"

func ofProtocol(protocols []string) string {
	if len(protocols) == 0 {
		return ""
	}
	return " of protocol " + strings.Join(protocols, " or ")
}

func readSource(f *result.File, protocols []string, styles *draw.Palette) (source, error) {
	s := source{File: f}
	var finished []result.Method
	for _, m := range f.Methods {
		if len(protocols) > 0 && !slices.Contains(protocols, m.Protocol) {
			return s, errors.Errorf("its protocol is %q, and the figure needs a result%s; %s", m.Protocol, ofProtocol(protocols), remedy)
		}
		all := len(m.Runs)
		m.Runs = slices.DeleteFunc(slices.Clone(m.Runs), func(r result.Run) bool {
			return r.Status != result.Complete && r.Status != result.Diverged
		})
		if unfinished := all - len(m.Runs); unfinished > 0 {
			s.left = append(s.left, fmt.Sprintf("%s (%d of %d seeds)", suffixed(m.Name, m.Frozen), unfinished, all))
		}
		if len(m.Runs) > 0 {
			finished = append(finished, m)
		}
	}
	if len(finished) == 0 {
		return s, errors.Errorf("none of its runs is finished; `phe run %s --resume` continues them", f.Name)
	}
	s.methods = nameMethods(finished, styles)
	for step, day := range f.Stream.Days {
		date, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return s, errors.Wrapf(err, "step %d has no date; make the result again: `phe run %s`", step, s.Name)
		}
		s.days = append(s.days, date)
	}
	return s, nil
}

// markChanges draws a dotted line wherever the stream shows something new.
func (s *source) markChanges(c *draw.Chart) {
	for _, change := range s.Stream.Changes {
		c.At(float64(change.Step), "")
	}
}

// title returns data set and column.
func (s *source) title() string {
	if len(s.Methods) > 0 {
		return title(s.Methods[0].Dataset)
	}
	return title(s.Manifest.Dataset)
}

// dataset returns the title without the column. Ratings keep their whole title, which names the set of ratings.
func (s *source) dataset() string {
	if len(s.Methods) > 0 && s.Methods[0].Protocol == protocol.Recommend {
		return s.title()
	}
	name, _, _ := strings.Cut(s.title(), " (")
	return name
}

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

// isRule reports whether the method predicts without a model, and so without parameters.
func (m *method) isRule() bool { return m.metric.isError() && m.Parameters == 0 }

// sourceNotes returns the sentences on conventions, splits, diverged seeds and runs that are not finished. The fate says what
// happened to diverged seeds.
func sourceNotes(sources []source, fate string) string {
	var diverged, conventions, cuts, left []string
	for _, s := range sources {
		for _, m := range s.methods {
			if whose := convention(m.Convention); whose != "" && !slices.Contains(conventions, whose) {
				conventions = append(conventions, whose)
			}
		}
		if cut := s.cut(); cut != "" && !slices.Contains(cuts, cut) {
			cuts = append(cuts, cut)
		}
		for _, item := range s.left {
			left = append(left, s.dataset()+" "+item)
		}
	}
	for _, s := range sources {
		diverged = append(diverged, divergences(s.dataset()+": ", s.methods, fate))
	}
	return sentences(listed("Split into training and test rows: %s.", " and ", cuts), listed("Convention: %s.", " and ", conventions),
		sentences(diverged...), listed("Not finished and left out: %s.", ", ", left))
}

// convention names the source of a choice on which the paper and its authors' program differ.
func convention(name string) string {
	switch name {
	case protocol.Authors:
		return "the authors' program"
	case protocol.Paper:
		return "the paper's text"
	}
	return name
}

// cut returns how the spec divides a group's rows, in words, or nothing if it does not divide them.
func (s *source) cut() string {
	switch cut := spec.Recorded(s.Manifest.Spec).Protocol.Cut; cut {
	case tables.FileOrder:
		return "in the order of the file"
	case tables.Stratified:
		return "at random within each item and class"
	default:
		return string(cut)
	}
}

// embeddingDim returns the dimension of an embedding in the spec, or the specs' default.
func (s *source) embeddingDim() int {
	return spec.Recorded(s.Manifest.Spec).Model.Encoder.EmbeddingDim
}
