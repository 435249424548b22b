package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// regretFile has two seeds. PHE's regret is 10·(0.9−0.8) + 20·(0.8−0.9) = 1, −1 and 2, 4.
func regretFile(protocol string) *result.File {
	method := func(name string, frozen bool, shares ...[]float64) result.Method {
		m := result.Method{Name: name, Frozen: frozen, Dataset: "bank", Protocol: protocol}
		for seed, accuracy := range shares {
			m.Runs = append(m.Runs, result.Run{Seed: int64(seed), Status: result.Complete, Rows: []int{10, 20}, Accuracy: accuracy})
		}
		return m
	}
	return &result.File{Name: "hand-" + protocol, Stream: result.Stream{Changes: []result.Change{{Step: 1, What: "group 2"}}},
		Methods: []result.Method{
			method("PHE", false, []float64{0.8, 0.9}, []float64{0.7, 0.7}),
			method("P-EE replay", false, []float64{0.9, 0.8}, []float64{0.9, 0.8}),
			method("EE", true, []float64{0.1, 0.1}, []float64{0.1, 0.1}), // not shown
		}}
}

func TestPaysRegret(t *testing.T) {
	fig := filetest.Must(Pays([]*result.File{regretFile("swapped"), regretFile("by-group")}, "P-EE replay", 0))(t)
	row := fig.Content.(*draw.Grid).Rows[0]
	if len(row) != 2 || row[0].Heading != "Bank, by group" || row[1].Heading != "Bank, swapped" {
		t.Fatalf("panels %q and %q", row[0].Heading, row[1].Heading)
	}
	phe, reference := row[0].Curves[0], row[0].Curves[1]
	if len(row[0].Curves) != 2 || !slices.Equal(reference.Mean, []float64{0, 0}) || reference.StdDev != nil {
		t.Errorf("the reference is %v ± %v", reference.Mean, reference.StdDev)
	}
	for step, want := range []struct{ mean, stdDev float64 }{{1.5, math.Sqrt(0.5)}, {1.5, 5 / math.Sqrt2}} {
		if !near(phe.Mean[step], want.mean) || !near(phe.StdDev[step], want.stdDev) {
			t.Errorf("step %d: %v ± %v, want %+v", step, phe.Mean[step], phe.StdDev[step], want)
		}
	}
	if row[0].YAxis.Low != row[1].YAxis.Low || row[0].YAxis.High != row[1].YAxis.High || row[0].YAxis.Low >= 0 || row[0].YAxis.High <= 1.5 {
		t.Errorf("y from %v to %v, and from %v to %v", row[0].YAxis.Low, row[0].YAxis.High, row[1].YAxis.Low, row[1].YAxis.High)
	}
	if len(row[0].Changes) != 1 {
		t.Errorf("changes %v", row[0].Changes)
	}
}

// Data sets are rows and protocols columns, in the study's order. A missing result leaves its place empty.
func TestPaysGrid(t *testing.T) {
	files := paysFiles(20, 1) // by-group of the four data sets, then growing, then swapped
	fig := filetest.Must(Pays([]*result.File{files[9], files[0], files[5]}, "P-EE replay", 1))(t)
	g := fig.Content.(*draw.Grid)
	var got []string
	for _, p := range panels(fig) {
		if p == nil {
			got = append(got, "–")
		} else {
			got = append(got, p.Heading)
		}
	}
	if want := "– | Bank, growing | Bank, swapped | Adult, by group | – | –"; strings.Join(got, " | ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " | "), want)
	}
	if len(g.Legend) != 6 { // PHE, P-EE, SlowAda, FastAda, frozen PHE and the reference
		t.Errorf("%d keys in the legend, want 6", len(g.Legend))
	}
	fixture.WantText(t, fig.Caption, "Left out: EE, MediumAda, Majority (see `phe table by-group`, `phe table growing`, `phe table swapped`).")
}

func TestPaysErrors(t *testing.T) {
	file := regretFile("swapped")
	filetest.WantError(t, filetest.Failure(Pays([]*result.File{file}, "oracle", 0)), "phe run hand-swapped")
	for i := range file.Methods[0].Runs {
		file.Methods[0].Runs[i].Seed += 10
	}
	fig, err := Pays([]*result.File{file}, "P-EE replay", 0)
	if err != nil || !strings.Contains(fig.Caption, "Bank PHE (no seed in common with P-EE replay)") {
		t.Errorf("other seeds: error %v", err)
	}
}

func ExamplePays() {
	files := []*result.File{regretFile("by-group"), regretFile("swapped")} // usually from result.Read
	fig, err := Pays(files, "P-EE replay", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fig.Caption)
	// Output: Cumulative regret: wrong rows up to the step, minus the wrong rows of P-EE replay with the same seed; below zero a method is ahead. Dotted: the stream shows something new. Lines: mean over 2 seeds; bands: ±1 standard deviation between seeds. Heavy lines with a band: PHE; the other lines have no band. Not smoothed. Bands that reach an edge of their panel go on beyond it.
}
