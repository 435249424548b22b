package draw

import "testing"

// A chart of your own has the figures' type and colours.
func TestOwnChart(t *testing.T) {
	p := New("Step", "Belief").axes()
	if p.X.Label.Text != "Step" || p.Y.Label.Text != "Belief" || p.X.Tick.Label.Font != sans(7) {
		t.Errorf("labels %q and %q, ticks in %v", p.X.Label.Text, p.Y.Label.Text, p.X.Tick.Label.Font)
	}
	if colorOf("PHE") != blue || colorOf("SlowAda") != orange {
		t.Errorf("PHE is %v and SlowAda %v", colorOf("PHE"), colorOf("SlowAda"))
	}
	if first, again := colorOf("of mine"), colorOf("of mine"); first != again || first.A != 255 {
		t.Errorf("another name has %v and then %v", first, again)
	}
}
