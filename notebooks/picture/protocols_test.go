package picture

import (
	"strings"
	"testing"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/notebooks/play"
	"gophe/phe/disk/filetest"
)

func planOf(t testing.TB, name string) *protocol.Plan {
	t.Helper()
	s := filetest.Must(spec.Load(name))(t)
	_, plan := TableOf(s)
	return plan
}

// In the stream by group each odor has its place. In the shuffled stream all but the rarest come everywhere.
func TestTimeline(t *testing.T) {
	late, mixed := newTimeline(planOf(t, "mushroom-by-group")), newTimeline(planOf(t, "mushroom-online"))
	filled := func(t timeline, item string) (columns int) {
		for i, name := range t.items {
			for _, share := range t.lines[i][initialColumns:] {
				if name == item && share > 0 {
					columns++
				}
			}
		}
		return columns
	}
	if n := filled(late, "FOUL"); n == 0 || n > 20 {
		t.Errorf("by group, FOUL comes in %d of 40 columns", n)
	}
	if n := filled(mixed, "FOUL"); n < 35 {
		t.Errorf("shuffled, FOUL comes in %d of 40 columns", n)
	}
	if first, last := late.lines[0][0], late.lines[len(late.items)-1][0]; first != 1 || last != 0 {
		t.Errorf("items %v, initial %v to %v", late.items, first, last)
	}
}

// Moving on shows more of the stream.
func TestPlans(t *testing.T) {
	draw, at := Plans("mushroom"), play.NewPosition(play.Choice("protocol", "by-group"), play.Player("stream", 0, 100, 30))
	shown := func(at play.Position) (cells int) {
		list := draw(at).Marks(400)
		for _, m := range list {
			if !strings.HasSuffix(m.Text, " 0") {
				cells++
			}
		}
		return cells
	}
	if early, late := shown(at), shown(at.With("stream", 100)); early == 0 || early >= late {
		t.Errorf("%d cells, then %d", early, late)
	}
}
