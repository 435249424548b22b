package figures

import (
	"slices"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

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
