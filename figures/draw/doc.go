// Package draw draws the charts of the paper's figures and of notebooks.
//
//	draw.New("Buckets B", "Share of pairs").LogX().LogY().
//		Line("theory", buckets, theory).Dots("measured", buckets, shares).
//		Figure("Pairs of items in one bucket")
//
// A Figure is a picture with a caption. It holds charts in one of two layouts. In a Row each chart has a legend and a width of its
// own. In a Grid the axes are aligned, and the names of the curves are at their right ends or in one legend. Each point of a curve
// has a mark, so that a page can show its value.
package draw
