package experiments

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// The validation part is of the initial rows, whatever the protocol: no row of the stream or of a test is learned or scored.
func TestValidationLeavesTheStreamAlone(t *testing.T) {
	table := mustLoad(t, "adult")
	for name, p := range full {
		if p.Windows != "" || name == TwoItems || name == Recommend {
			continue
		}
		p.MaxChunks = 0
		whole := mustPlan(t, p, table)
		p.Validation = 0.2
		part := mustPlan(t, p, table)
		initial, used := slices.Sorted(slices.Values(whole.Initial)), learned(part)
		if slices.Sort(used); !slices.Equal(used, initial) {
			t.Errorf("%s: the validation plan has %d rows, which are not the %d initial ones", name, len(used), len(initial))
		}
		if want := len(initial) - int(math.Round(0.2*float64(len(initial)))); len(part.Initial) != want || len(part.Tests) != 0 || !part.scored {
			t.Errorf("%s: %d of %d rows are learned first, want %d; %d tests", name, len(part.Initial), len(initial), want, len(part.Tests))
		}
		for _, row := range append(slices.Concat(whole.Steps...), tested(whole)...) {
			if _, found := slices.BinarySearch(used, row); found {
				t.Errorf("%s: row %d of the stream or of a test is in the validation plan", name, row)
				break
			}
		}
		if again := mustPlan(t, p, table); !slices.Equal(again.Initial, part.Initial) {
			t.Errorf("%s: two plans differ", name)
		}
		if name == InOrder && !slices.Equal(slices.Concat(part.Initial, slices.Concat(part.Steps...)), whole.Initial) {
			t.Errorf("%s: the last initial rows are not the held-out ones", name)
		}
		if p.ChunkRows > 0 && len(part.Steps[0]) != whole.largestStep() || p.ChunkRows == 0 && len(part.Steps) != 1 {
			t.Errorf("%s: steps %s", name, sizesOf(part))
		}
	}
	p := full[InOrder]
	p.InitialFraction, p.Validation = 0.003, 0.05
	if _, err := newPlan(p, table); err == nil || !strings.Contains(err.Error(), "validation 0.05 of 5 initial rows holds out 0") {
		t.Errorf("nothing is held out: %v", err)
	}
}
