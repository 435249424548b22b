package picture

import (
	"testing"

	"gophe/figures"
	"gophe/notebooks/play"
)

// BenchmarkWidgets measures a move of each widget, from its position to the drawn picture: it answers before a reader notices.
func BenchmarkWidgets(b *testing.B) {
	frontier := Frontier(committed(b, "adult-frontier"), committed(b, "bank-frontier"))
	lookup, lookupAt := Lookup(educations), lookupPosition()
	h, c := odors(b)
	knobs, _ := Knobs(h, c, "NONE")
	plans := Plans("adult")
	visitor, visitorAt := visitor()
	fans := december(b, 20)
	logit := play.NewPosition(play.Slider("μ", -6, 6, 0.5, -4), play.Slider("σ", 0.25, 5, 0.25, 5), play.Choice("label", "1", "0"))
	clicked := play.NewPosition(twoItemControls...).With("item 1", "")
	along := play.NewPosition(play.Choice("protocol", "online"), play.Player("stream", 0, 100, 90))
	day := play.NewPosition(play.Player("day", 1, 20, 20), play.Choice("product", fans.Products...), play.Choice("forecast", "Counting rule"))
	grid := play.NewPosition(play.Player("items", 1, 400, 400), play.Slider("B", 3, 31, 2, 31))
	for name, draw := range map[string]func() *figures.Figure{
		"Frontier":           func() *figures.Figure { return frontier(play.NewPosition(frontierControls...)) },
		"OneRow":             func() *figures.Figure { return OneRow(play.NewPosition(beliefControls()...)) },
		"Lookup":             func() *figures.Figure { return lookup(lookupAt) },
		"TwoItems":           func() *figures.Figure { return TwoItems(make([]int, 100)...)(clicked) },
		"Knobs":              func() *figures.Figure { return knobs(knobsAt(0.5, 0.5, 0.99)) },
		"OneLogit":           func() *figures.Figure { return OneLogit(logit) },
		"FullBesideDiagonal": func() *figures.Figure { return FullBesideDiagonal(ringPosition()) },
		"Plans":              func() *figures.Figure { return plans(along) },
		"Visitor":            func() *figures.Figure { return visitor.Draw(visitorAt) },
		"Fans":               func() *figures.Figure { return fans.Draw(day) },
		"Grid":               func() *figures.Figure { return Grid(grid) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := draw().SVG(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
