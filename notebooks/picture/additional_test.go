package picture

import (
	"math"
	"strings"
	"testing"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/figures/draw/drawtest"
	"gophe/phe/disk/filetest"
)

// The ablations have a point for each size of the paper.
func TestAblations(t *testing.T) {
	folder := result.OpenFolder("../../experiments/out")
	buckets := filetest.Must(report.TableCells("buckets", folder))(t)
	hashes := filetest.Must(report.TableCells("hash-functions", folder))(t)
	marks, published := drawtest.ByText(t, Ablations(buckets, hashes), "ablations"), 0
	for text := range marks {
		if strings.HasPrefix(text, "paper, ") {
			published++
		}
	}
	if want := numbered(buckets) + numbered(hashes); published != want || want < 8 {
		t.Errorf("%d points of the paper, want %d: %v", published, want, marks)
	}
}

// numbered counts the paper's cells whose method has a number.
func numbered(cells []report.Cell) (n int) {
	for _, c := range cells {
		if strings.Contains(c.Method, "=") && !strings.Contains(c.Method, "frozen") && c.Paper != nil && c.PaperSD != nil && !math.IsNaN(*c.Paper) {
			n++
		}
	}
	return n
}
