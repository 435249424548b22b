package run

import (
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"testing"
)

// A quick look at any protocol is valid, and no larger than the whole.
func TestQuick(t *testing.T) {
	for name, p := range protocoltest.Full {
		for _, maxChunks := range []int{0, 5, 1000} {
			p := p
			if name == protocol.GroupWise || name == protocol.Products || name == protocol.TwoItems && maxChunks == 0 {
				continue
			}
			p.MaxChunks, p.InitialEpochs = maxChunks, 100
			spec := tinyOf(t, name)
			spec.Protocol = p
			quick := spec.Quick()
			want := p
			want.InitialEpochs, want.MaxChunks = 10, fixture.Pick(maxChunks == 5, 5, 30)
			if quick.Protocol != want || quick.Validate() != nil || quick.Name != "tiny-quick" {
				t.Errorf("%s: %+v, want %+v; %v", name, quick.Protocol, want, quick.Validate())
			}
		}
	}
	for _, name := range []string{protocol.GroupWise, protocol.Products} { // a few groups only, and each is needed
		spec := tinyOf(t, name)
		if quick := spec.Quick(); quick.Protocol.InitialEpochs != 1 || quick.Protocol.MaxChunks != 0 || quick.Validate() != nil {
			t.Errorf("%+v, %v", quick.Protocol, quick.Validate())
		}
	}
}
