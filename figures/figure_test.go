package figures

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "rewrite the golden images in testdata; then look at them")

// TestGolden compares with pictures drawn from synthetic data (see synthetic), as the names of the goldens say: many seeds, a single one, and
// diverged ones.
func TestGolden(t *testing.T) {
	diverged := pick(synthetic(120, 3), 0, 3, 5)
	diverge(&diverged.Methods[2], 60)
	diverged.Methods[1].Name = "MyHash"
	for name, file := range map[string]*result.File{
		"synthetic-paper": synthetic(317, 5), "synthetic-demo": pick(synthetic(120, 1), 0, 3, 4, 5, 6, 7), "synthetic-diverged": diverged,
	} {
		golden := filepath.Join("testdata", name+".golden.svg")
		got := filetest.Must(filetest.Must(Figure3(file, 5))(t).SVG())(t)
		if *update {
			filetest.Check(t, os.WriteFile(golden, got, 0o644))
		}
		if !bytes.Equal(got, filetest.Must(os.ReadFile(golden))(t)) {
			t.Errorf("%s is drawn otherwise; if meant, run go test ./figures -update and look", golden)
		}
	}
}

// labelled joins the labels of ticks.
func labelled(ticks []plot.Tick, by string) string {
	var labels []string
	for _, mark := range ticks {
		labels = append(labels, mark.Label)
	}
	return strings.Join(labels, by)
}
