package report

import (
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// One pass is ahead on Adult, level on Bank, and behind the frozen model and a one-hot model on Mushroom. A stream without a rival does not
// count for it. The loss on Mushroom is listed.
func TestStanding(t *testing.T) {
	folder := t.TempDir()
	at := func(name string, frozen bool, accuracy float64) result.Method {
		return methodWith(name, frozen, protocol.Swapped, runOf(0, accuracy, accuracy))
	}
	for name, scores := range map[string][5]float64{ // one pass, PHE, frozen, AdPredictor, refitted regression
		"adult-swapped":    {0.9, 0.89, 0.5, 0.8, 0.7},
		"bank-swapped":     {0.9, 0.9009, 0.8991, 0.9, 0.9},
		"mushroom-swapped": {0.8, 0.7, 0.802, 0.81, 0.95},
	} {
		write(t, folder, name+"-one-pass", at(fromNothing, false, scores[0]), at("AdPredictor", false, scores[3]), at(refittedName, false, scores[4]))
		write(t, folder, name, at("PHE", false, scores[1]), at("PHE", true, scores[2]))
	}
	write(t, folder, "covertype-swapped-one-pass", at(fromNothing, false, 0.1))
	open := result.OpenFolder(folder)
	fixture.WantText(t, filetest.Must(standingTable(open))(t).String(), "| PHE, published update | 3 | 2 | 1 | 0 |", "| PHE, frozen | 3 | 1 | 1 | 1 |",
		"| PHE, Adam on all parameters | 0 | 0 | 0 | 0 |", "| best one-hot model | 3 | 1 | 1 | 1 |")
	const want = "| stream | one pass | PHE, published update | PHE, frozen | best one-hot model |\n|---|---:|---:|---:|---:|\n" +
		"| mushroom-swapped | 80.0 | 70.0 | 80.2 | 95.0 |\n"
	if got := filetest.Must(lossesTable(open))(t).String(); got != want {
		t.Errorf("losses:\n%s", got)
	}
	if got := filetest.Must(behindText(open, "best one-hot model"))(t); got != "1 of 3" {
		t.Errorf("behind a one-hot model on %q, want 1 of 3", got)
	}
	_, err := behindText(open, "nobody")
	filetest.WantError(t, err, `"nobody"`)
}
