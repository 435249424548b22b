package figures

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// Figure1 draws Fig. 1 from results of protocol group, where the paper shows Mushroom and Adult, and Fig. 8, which is the same for all
// data sets. It shows PHE's accuracy on each
// group's test rows before and after that group was learned. Before the first group the model is untrained. Bars are means over
// seeds, whiskers ±1 standard deviation (n−1). A diamond is the model that learned the first group only.
func Figure1(files []*result.File) (*draw.Figure, error) {
	sources, err := readSources(files, 0, protocol.GroupWise)
	if err != nil {
		return nil, err
	}
	charts, drawn, err := charted(sources, (*source).barChart)
	if err != nil {
		return nil, err
	}
	g := draw.Tiled(charts, 0)
	g.UseLegend()
	frozen := ""
	if len(g.Legend) > 2 {
		frozen = "Diamonds: the same model, which learned group 1 only."
	}
	return g.Figure(4.6*vg.Centimeter, 1, sentences(
		"PHE's accuracy on each group's test rows, right before and right after the group was learned; "+
			"before the first group the model is untrained.",
		seedsSentence("Bars", "whiskers", drawn), frozen, draw.CutBands(charts), sourceNotes(sources, "counts up to there"))), nil
}

// barChart returns the chart of a data set's groups, and the method that it shows.
func (s *source) barChart() (*draw.Chart, []method, error) {
	if err := s.needTests(); err != nil {
		return nil, nil, err
	}
	online, frozen := s.find("PHE", false), s.find("PHE", true)
	if online == nil {
		return nil, nil, errors.Errorf("it has no finished run of PHE; `phe run %s` makes one", s.Name)
	}
	c := draw.New("", "Accuracy (%)").Title(s.title())
	for a, test := range s.Stream.Tests {
		group := draw.BarGroup{Name: groupName(test, a)}
		before := a - 1
		if a == 0 {
			before = result.Untrained
		}
		var err error
		if group.Before, err = online.estimateTest(a, before); err != nil {
			return nil, nil, err
		}
		if group.After, err = online.estimateTest(a, a); err != nil {
			return nil, nil, err
		}
		if frozen != nil {
			if group.Frozen, err = frozen.estimateTest(a, a); err != nil {
				return nil, nil, err
			}
		}
		c.Groups = append(c.Groups, group)
	}
	return c, []method{*online}, nil
}

// groupName returns the test set's name with a capital.
func groupName(test result.Test, index int) string {
	name := cmp.Or(test.Name, fmt.Sprintf("group %d", index+1))
	return strings.ToUpper(name[:1]) + name[1:]
}
