package figures

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// Figure1 draws Fig. 1 from results of protocol group; the paper shows Mushroom and Adult. It shows PHE's accuracy on each
// group's test rows before and after that group was learned. Before the first group the model is untrained. Bars are means over
// seeds, whiskers ±1 standard deviation (n−1). A diamond is the model that learned the first group only.
func Figure1(files []*result.File) (*Figure, error) {
	sources, err := readSources(files, protocol.GroupWise)
	if err != nil {
		return nil, err
	}
	var panels []*panel
	var drawn []method
	frozen := false
	for _, s := range sources {
		if err := s.needTests(); err != nil {
			return nil, err
		}
		online := s.find("PHE", false)
		if online == nil {
			return nil, errors.Errorf("result %q has no finished run of PHE; `phe run %s` makes one", s.Name, s.Name)
		}
		p, err := barPanel(&s, online, s.find("PHE", true))
		if err != nil {
			return nil, errors.WithMessagef(err, "result %q", s.Name)
		}
		frozen = frozen || p.bars[0].frozen.seeds > 0
		panels, drawn = append(panels, p), append(drawn, *online)
	}
	g := tiled(panels, columnsFor(len(panels)))
	g.legend = []key{{label: beforeName, fill: beforeFill}, {label: afterName, fill: afterFill}}
	says := []string{
		"PHE's accuracy on each group's test rows, right before and right after the group was learned; " +
			"before the first group the model is untrained.",
		seedsSentence("Bars", "whiskers", drawn),
	}
	if frozen {
		g.legend = append(g.legend, key{label: frozenName, mark: frozenMark})
		says = append(says, "Diamonds: the same model, which learned group 1 only.")
	}
	says = append(says, cutWhiskers(panels)...)
	says = append(says, sourceNotes(sources, "counts up to there")...)
	height := 4.6*vg.Centimeter*vg.Length(len(g.panels)) + legendLine
	return New(g, g.width(), height, strings.Join(says, " ")), nil
}

// Figure8 draws Fig. 8, which is Fig. 1 for all data sets.
func Figure8(files []*result.File) (*Figure, error) { return Figure1(files) }

// barPanel returns the panel of one data set's groups.
func barPanel(s *source, online, frozen *method) (*panel, error) {
	p := &panel{title: s.title(), yLabel: "Accuracy (%)"}
	for a, test := range s.Stream.Tests {
		group := barGroup{name: groupName(test, a)}
		before := a - 1
		if a == 0 {
			before = result.Untrained
		}
		var err error
		if group.before, err = online.estimateTest(a, before); err != nil {
			return nil, err
		}
		if group.after, err = online.estimateTest(a, a); err != nil {
			return nil, err
		}
		if frozen != nil {
			if group.frozen, err = frozen.estimateTest(a, a); err != nil {
				return nil, err
			}
		}
		p.bars = append(p.bars, group)
	}
	return p, nil
}

// groupName returns the test set's name with a capital.
func groupName(test result.Test, index int) string {
	name := cmp.Or(test.Name, fmt.Sprintf("group %d", index+1))
	return strings.ToUpper(name[:1]) + name[1:]
}
