package baseline

import "gophe/phe/count"

// singles is the largest quantity up to which each has a cell of its own.
const singles = 50

// packs are the quantities above singles sold at least seven times before 2011-02-01, when online learning begins. The
// next ones, 300, 408 and 720, were sold six times.
var packs = []int{60, 64, 70, 72, 75, 80, 90, 96, 100, 108, 120, 128, 144, 160, 192, 200, 216, 240, 288, 384, 480, 600}

var cells = newCells()

// Cells are 95 cells of Online Retail's quantities: 1 … 50 singly, the common pack sizes above 50 singly, and the ranges
// between and above them. Goods come in dozens and hundreds, which no smooth distribution describes. A distribution with a thinner tail
// than count's would give the largest order of the file (80,995) a log probability that decides a whole year's mean.
func Cells() count.Cells { return cells }

func newCells() count.Cells {
	var lower []int
	for y := 1; y <= singles+1; y++ {
		lower = append(lower, y)
	}
	for _, y := range packs {
		lower = append(lower, y, y+1)
	}
	c, err := count.NewCells(lower...)
	if err != nil {
		panic(err) // the list is in this file
	}
	return c
}
