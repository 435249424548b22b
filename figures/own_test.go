package figures

import "testing"

// A plot of your own has the figures' type and colours.
func TestOwnPlot(t *testing.T) {
	p := NewPlot("Step", "Belief")
	if p.X.Label.Text != "Step" || p.Y.Label.Text != "Belief" || p.Legend.TextStyle.Font != sans(7) || p.X.Tick.Label.Font != sans(7) {
		t.Errorf("labels %q and %q, legend in %v, ticks in %v", p.X.Label.Text, p.Y.Label.Text, p.Legend.TextStyle.Font, p.X.Tick.Label.Font)
	}
	if Color("PHE") != blue || Color("SlowAda") != orange {
		t.Errorf("PHE is %v and SlowAda %v", Color("PHE"), Color("SlowAda"))
	}
	if first, again := Color("of mine"), Color("of mine"); first != again || first.A != 255 {
		t.Errorf("another name has %v and then %v", first, again)
	}
}
