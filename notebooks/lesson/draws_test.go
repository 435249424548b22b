package lesson

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/spec"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/cell"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// odors counts the rows of Mushroom's odors by class as notebook 4.1 does: the initial ones, and those of the stream.
func odors(t *testing.T, s spec.Spec) (known, later []hash.Item, names map[uint64]string) {
	table, plan := TableOf(s)
	numbers, tokens := table.Categorical[0].Itemise()
	names = map[uint64]string{}
	count := func(rows []int32) []hash.Item {
		items := make([]hash.Item, len(tokens))
		for i, token := range tokens {
			items[i] = hash.Item{Key: hash.CarterWegman.Key(token), Classes: make([]float64, 2)}
			names[items[i].Key] = token
		}
		for _, row := range rows {
			items[numbers[row]].Weight++
			items[numbers[row]].Classes[table.Labels[row]]++
		}
		return items
	}
	return count(plan.Initial), count(slices.Concat(plan.Steps...)), names
}

// Scores are the result's. What is computed fits them: the picture takes the draws that the runs took, and no seed is in the grey.
func TestDraws(t *testing.T) {
	t.Setenv("GONB_DIR", "../../notebooks")
	s, f := filetest.Must(spec.Load("mushroom-draws"))(t), cell.Read("mushroom-draws")
	known, later, names := odors(t, s)
	picture := Draws(f, known, later, names)
	drawn := func(epochs, remedy string) *draw.Figure {
		return picture(cell.NewPosition(cell.Player("draw", 1, 20, 6), cell.Slider("B", 2, 16, 1, 5), cell.Slider("K", 1, 5, 1, 3),
			cell.Slider("P", 1, 16, 1, 1), cell.Choice("epochs a step", epochs), cell.Choice("remedy", remedy)))
	}
	chosen := 0
	for _, m := range s.Methods {
		e, draw := s.Config(m, 1).Encoder, 0
		if _, err := fmt.Sscanf(m.Name[strings.LastIndex(m.Name, " ")+1:], "h%d", &draw); err == nil && e.HashSeed != int64(1000*draw) {
			t.Errorf("%s has hash_seed %d; the picture takes %d", m.Name, e.HashSeed, 1000*draw)
		}
		if ran := f.Method(m.Name, false); ran != nil && ran.HashSeed > 0 {
			e = filetest.Must(e.Chosen(known))(t)
			filetest.Want(t, e.HashSeed, ran.HashSeed, "the hash_seed by which the picture takes %s", m.Name)
			chosen++
		}
	}
	filetest.True(t, chosen >= 40, "%d methods with the remedy", chosen)
	for _, at := range [][2]string{{"15", "none"}, {"until convergence", "none"}, {"15", "best of 64"}} {
		by := drawtest.BySeries(drawn(at[0], at[1]))
		for series, want := range map[string]int{"PHE": 20, "a seed": 100, "best Ada": 20, "P-EE": 2} {
			filetest.Want(t, len(by[series]), want, "%v: marks of %s", at, series)
		}
		edge := func(m draw.Mark) (low float64) {
			_, err := fmt.Sscanf(m.Text[strings.LastIndex(m.Text, ": ")+2:], "%f", &low)
			filetest.Check(t, err)
			return low
		}
		for i, seed := range by["a seed"] {
			score, grey := edge(seed), edge(by["out of reach"][i/5*2])
			filetest.True(t, score <= grey, "%v, seed %d: %g is in the grey from %g on", at, i, score, grey)
		}
	}
	mean := *measure.Find(f, "PHE h13").Mean(measure.Accuracy)
	has(t, drawtest.ByText(drawn("15", "none")), "PHE, 13: "+draw.Number(mean), "poisonous, 58 rows: odor_n =\nodor_m",
		"edible, 1019 rows: odor_n =\nodor_m")
	// A row of another number of epochs is found by its name.
	for i, m := range f.Methods {
		if n, found := strings.CutPrefix(m.Name, "PHE converged "); found {
			f.Methods[i].Name = "PHE 20 epochs " + n
		}
	}
	filetest.Want(t, len(drawtest.BySeries(drawn("20", "none"))["PHE"]), 20, "draws of 20 epochs")
}
