package protocol_test

import (
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe/disk/filetest"
	"math"
	"slices"
	"testing"
)

// The validation part is of the initial rows, whatever the protocol: no row of the stream or of a test is learned or scored.
func TestValidationLeavesTheStreamAlone(t *testing.T) {
	table := fixture.MustLoad(t, "adult")
	for name, p := range protocoltest.Full {
		if p.Windows != "" || name == protocol.TwoItems || name == protocol.Recommend {
			continue
		}
		p.MaxChunks = 0
		whole := protocoltest.MustPlan(t, p, table)
		p.Validation = 0.2
		part := protocoltest.MustPlan(t, p, table)
		initial, used := slices.Sorted(slices.Values(whole.Initial)), learned(part)
		if slices.Sort(used); !slices.Equal(used, initial) {
			t.Errorf("%s: the validation plan has %d rows, which are not the %d initial ones", name, len(used), len(initial))
		}
		if want := len(initial) - int(math.Round(0.2*float64(len(initial)))); len(part.Initial) != want || len(part.Tests) != 0 || !part.Scored {
			t.Errorf("%s: %d of %d rows are learned first, want %d; %d tests", name, len(part.Initial), len(initial), want, len(part.Tests))
		}
		for _, row := range append(slices.Concat(whole.Steps...), tested(whole)...) {
			if _, found := slices.BinarySearch(used, row); found {
				t.Errorf("%s: row %d of the stream or of a test is in the validation plan", name, row)
				break
			}
		}
		if again := protocoltest.MustPlan(t, p, table); !slices.Equal(again.Initial, part.Initial) {
			t.Errorf("%s: two plans differ", name)
		}
		if name == protocol.InOrder && !slices.Equal(slices.Concat(part.Initial, slices.Concat(part.Steps...)), whole.Initial) {
			t.Errorf("%s: the last initial rows are not the held-out ones", name)
		}
		if p.ChunkRows > 0 && len(part.Steps[0]) != whole.LargestStep() || p.ChunkRows == 0 && len(part.Steps) != 1 {
			t.Errorf("%s: steps %s", name, protocoltest.SizesOf(part))
		}
	}
	p := protocoltest.Full[protocol.InOrder]
	p.InitialFraction, p.Validation = 0.003, 0.05
	filetest.WantError(t, filetest.Failure(protocol.NewPlan(p, table)), "validation 0.05 of 5 initial rows holds out 0")
}
