package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// Figure1 draws Fig. 1 from results of protocol group, where the paper shows Mushroom and Adult, and Fig. 8, which is the same for all
// data sets. It shows PHE's accuracy on each group's test rows before and after that group was learned. Before the first group the model
// is untrained. A diamond is the model that learned the first group only.
func Figure1(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources(files, 0, protocol.GroupWise)
	charts, drawn := charted(sources, (*source).barChart)
	g := draw.Tiled(charts, 0)
	g.UseLegend()
	return g.Figure(4.6*vg.Centimeter, 1, sentences(
		"PHE's accuracy on each group's test rows, right before and right after the group was learned; "+
			"before the first group the model is untrained.",
		seedsSentence("Bars", "whiskers", drawn),
		when(len(g.Legend) > 2, "Diamonds: the same model, which learned group 1 only."), draw.CutBands(charts),
		sourceNotes(sources, "counts up to there"))), nil
}

// barChart returns the chart of a data set's groups, and the method that it shows.
func (s *source) barChart() (*draw.Chart, []method) {
	s.needTests()
	online, frozen := s.find("PHE", false), s.find("PHE", true)
	if online == nil {
		s.fail("it has no finished run of PHE; `phe run %s` makes one", s.Name)
	}
	var groups []draw.BarGroup
	for a, test := range s.Stream.Tests {
		group := draw.BarGroup{Name: groupName(test, a), After: online.estimateTest(a, a)}
		group.Before = online.estimateTest(a, a-1) // result.Untrained before the first group
		if frozen != nil {
			group.Frozen = frozen.estimateTest(a, a)
		}
		groups = append(groups, group)
	}
	return draw.New("", "Accuracy (%)").Title(s.title()).Bars(groups...), []method{*online}
}

// groupName returns the test set's name with a capital.
func groupName(test result.Test, index int) string {
	name := cmp.Or(test.Name, fmt.Sprintf("group %d", index+1))
	return strings.ToUpper(name[:1]) + name[1:]
}

// Figure9 draws Fig. 9 from results of protocol group: the groups of items of each data set, with their numbers of training and
// test rows. The runs need not be finished.
func Figure9(files []*result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	if len(files) == 0 || slices.Contains(files, nil) {
		failf("a result of protocol group is missing; %s", remedy)
	}
	var lists draw.Lists
	var sources []*source
	for _, f := range files {
		s := &source{File: f}
		s.needTests()
		list := draw.List{Title: s.title()}
		for a, test := range s.Stream.Tests {
			test.Name = groupName(test, a)
			list.Groups = append(list.Groups, test)
		}
		sources, lists = append(sources, s), append(lists, list)
	}
	const says = "Groups of items, in the order in which they are learned, and their numbers of rows; bars are to scale within a data set."
	return lists.Figure(sentences(says, sourceNotes(sources, ""))), nil
}
