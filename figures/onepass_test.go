package figures

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// onePassPair returns a stream's two results. One pass is 10 and 30 points ahead of PHE. It is 40 points ahead of the frozen
// model in their only common seed.
func onePassPair(protocol string) []*result.File {
	rows := []int{10, 10}
	published := handFile(protocol, hand("PHE", rows, []float64{0.8, 0.6}, []float64{0.4, 0.6}),
		hand("PHE frozen", rows, []float64{0.3, 0.5}), hand("EE", rows, []float64{0, 0})) // EE is not shown
	own := handFile(protocol, hand("One pass", rows, []float64{0.7, 0.9}, []float64{0.9, 0.7}))
	own.Name += "-one-pass"
	published.Stream.Changes = []result.Change{{Step: 1, What: "group 2"}}
	return []*result.File{published, own}
}

// Leads are paired by seed, and streams are listed by protocol. A stream by group also has a panel.
func TestOnePassLeads(t *testing.T) {
	fig := filetest.Must(OnePass(slices.Concat(onePassPair("swapped"), onePassPair("by-group")), 0))(t)
	plot := fig.Content.(draw.Leads)
	p := plot.Above.Rows[0][0]
	if got := plot.Above.Rows; len(got) != 1 || len(got[0]) != 1 || p.Heading != "Bank, by group" || len(p.Changes) != 1 {
		t.Errorf("%d panels along streams, the first is %q with changes %v", len(got), p.Heading, p.Changes)
	}
	var labels []string
	for _, c := range p.Curves {
		labels = append(labels, c.Label)
	}
	if want := []string{"PHE frozen", "PHE", "One pass"}; !slices.Equal(labels, want) || !near(p.Curves[2].Mean[0], 80) {
		t.Errorf("curves %q, want %q; one pass begins at %v", labels, want, p.Curves[2].Mean[0])
	}
	if len(plot.Rows) != 2 || plot.Rows[0].Name != "Bank, by group" || plot.Rows[1].Name != "Bank, swapped" {
		t.Fatalf("leads %+v", plot.Rows)
	}
	update, frozen := plot.Rows[0].By[0], plot.Rows[0].By[1]
	if update.Seeds != 2 || !near(update.Mean, 20) || !near(update.StdDev, 10*math.Sqrt2) || frozen.Seeds != 1 || !near(frozen.Mean, 40) {
		t.Errorf("over the update %+v, over the frozen model %+v", update, frozen)
	}
}

// Without a stream by group there are no panels above.
func ExampleOnePass() {
	fig, err := OnePass(onePassPair("swapped"), 10) // usually from result.Read
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fig.Caption)
	// Output: Points: mean over 2 seeds; whiskers: ±1 standard deviation between seeds. Frozen: the initial model of PHE, never updated. For each stream: accuracy of one pass from nothing, minus the other model's accuracy with the same seed. The axis is linear near zero and logarithmic beyond.
}
