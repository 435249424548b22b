package lesson

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/notebooks/cell"
	"gophe/phe/hash"
)

// Draws returns the picture of Mushroom's result over twenty draws of the hash functions. Scores come from the result. From the items with
// their known rows and, in the same order, with later ones, it computes what merging keeps out of reach and what one draw tells apart. Its
// controls are "draw", "B", "K", "P", "epochs a step" and "remedy".
func Draws(f *result.File, known, later []hash.Item, names map[uint64]string) func(at cell.Position) *draw.Figure {
	return func(at cell.Position) *draw.Figure {
		n, b, k, p, epochs := at.Count("draw"), at.Count("B"), at.Count("K"), at.Count("P"), at.Text("epochs a step")
		initial := "PHE" + map[string]string{"best of 64": " remedy"}[at.Text("remedy")]
		update := strings.NewReplacer(" 15 epochs", "", "until convergence epochs", "converged").Replace(" " + epochs + " epochs")
		scores, title := f, initial+", epochs a step: "+epochs
		if b != 5 || k != 3 || p != 1 || f.Method(initial+update+" h1", false) == nil {
			scores, title = &result.File{}, "The result has no run of these settings"
		}
		family := func(draw int) hash.Family {
			seed := cell.Must(hash.Best(hash.CarterWegman, k, b, p, known, int64(1000*draw), 1+63*strings.Count(initial, "remedy")))
			return cell.Must(hash.NewFamily(hash.CarterWegman, k, b, p, seed))
		}
		mean := func(method string) float64 { return cell.Value(measure.Find(scores, method).Mean(measure.Accuracy)) }
		var draws, phe, ada, x, seeds, ends, line, edges, reached []float64
		for n := 1.0; n <= 20; n++ {
			h, merged := fmt.Sprint(" h", n), family(int(n)).Merged
			draws, phe = append(draws, n), append(phe, mean(initial+update+h))
			ada = append(ada, max(mean("SlowAda"+h), mean("MediumAda"+h), mean("FastAda"+h)))
			ends, line = append(ends, n-0.4, n+0.4, n), append(line, mean(initial+h+" (frozen)"), mean(initial+h+" (frozen)"), mean(""))
			for _, accuracy := range measure.Find(scores, initial+update+h).Values(measure.Accuracy) {
				x, seeds = append(x, n), append(seeds, accuracy)
			}
			right, all, after := 0.0, 0.0, merged(later)
			for i, group := range merged(known) {
				_, said := told(group, names)
				_, came := told(after[i], names)
				right, all = right+came[floats.MaxIdx(said)], all+floats.Sum(came)
			}
			edges, reached = append(edges, n-0.5, n+0.5), append(reached, 100*right/all, 100*right/all)
		}
		left := draw.New("Draw of the hash functions", "Accuracy (%)").Title(title).X(0.3, 20.7).Y(50, 101).At(float64(n), "").
			Band("out of reach", edges, reached, slices.Repeat([]float64{100}, len(edges)), draw.Faint()).
			Line("frozen", ends, line, draw.Method("PHE")).Level("P-EE", mean("P-EE"), 0.3, 20.7, draw.Method("P-EE"), draw.Dashed()).
			Dots("best Ada", draws, ada, draw.Method("SlowAda")).
			Dots("PHE", draws, phe, draw.Method("PHE")).Dots("a seed", x, seeds, draw.Method("PHE"), draw.Thin())
		own := family(n)
		right := apart(own.Merged(known), names).Title(fmt.Sprintf("Draw %d loses %s nats", n, draw.Number(own.Lost(known))))
		return draw.Row("Left: scores are read from the committed result (B = 5, K = 3, P = 1). Grey is out of reach for counts of the "+
			"known rows if merged items count together. Right: what the draw tells apart. Items of one bar share all buckets and the row "+
			"of weights. Grey and bars are computed here.", left, right)
	}
}

// apart draws groups of items as bars of their rows by class.
func apart(groups [][]hash.Item, names map[uint64]string) *draw.Chart {
	c, labels := draw.New("Known rows", "").Size(200, 200), make([]string, len(groups))
	c.XAxis.Ticks = draw.RoundTicks(3)
	for i, group := range groups {
		name, rows := told(group, names)
		labels[i] = name
		for class, word := range []string{"edible", "poisonous"} {
			bar := func(c *draw.Curve) { c.Style.Width, c.Names = 6, []string{"", draw.Number(rows[class]) + " rows"} }
			c.Level(word, -float64(i), floats.Sum(rows[:class]), floats.Sum(rows[:class+1]), draw.Colour(2+class), bar)
		}
	}
	return c.NamesY(labels...)
}

// told returns the names of merged items, and their rows by class.
func told(group []hash.Item, names map[uint64]string) (name string, rows []float64) {
	rows = make([]float64, len(group[0].Classes))
	for _, item := range group {
		name += " =\n" + names[item.Key] // a line each: all items fit, however merged
		floats.Add(rows, item.Classes)
	}
	return name[len(" =\n"):], rows
}
