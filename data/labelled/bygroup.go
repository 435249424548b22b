package labelled

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/splits"
)

// ByGroup returns the stream in which the items of the incremental column come in groups. A group ends when the next begins. It is the
// paper's continual learning, cut into steps. GroupSplit(numGroups, Stratified) makes the groups, at least two.
//
// Initial holds the training rows of group 1. Each later group's training rows are shuffled and cut into steps of chunkRows, at most
// maxStepsPerGroup (0: all). A group's last step may be shorter, but has at least 2 rows. The first step of each group is a
// Change. Each group has a Test: "group 1", "group 2", ….
func (t *Table) ByGroup(numGroups, chunkRows, maxStepsPerGroup int) (*Stream, error) {
	if err := checkSteps("stream by group", chunkRows, maxStepsPerGroup); err != nil {
		return nil, err
	}
	if numGroups < 2 {
		return nil, errors.Errorf("stream by group: %d groups, want at least 2", numGroups)
	}
	groups, err := t.GroupSplit(numGroups, Stratified)
	if err != nil {
		return nil, errors.WithMessage(err, "stream by group")
	}
	s := &Stream{Table: t, Initial: groups[0].Train}
	for g, group := range groups {
		learned := len(group.Train)
		if g > 0 {
			steps := splits.Chunks(group.Train, chunkRows, maxStepsPerGroup)
			if len(steps) == 0 {
				return nil, errors.Errorf("stream by group: group %d (%s) has %d training rows, too few for a step",
					g+1, naming(group.Items), len(group.Train))
			}
			s.Changes = append(s.Changes, Change{len(s.Steps), naming(group.Items)})
			s.Steps = append(s.Steps, steps...)
			learned = len(slices.Concat(steps...))
		}
		s.addTest(splits.Test{Name: fmt.Sprintf("group %d", g+1), Items: group.Items, Train: learned, Rows: group.Test})
	}
	return s, nil
}
