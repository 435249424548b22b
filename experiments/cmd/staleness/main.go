// Command staleness measures what stale priors cost when several learners share one pass over Adult and Covertype.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	for _, d := range []string{"adult", "covertype"} {
		t, err := loadTable(d)
		if err != nil {
			panic(err)
		}
		for _, p := range []string{paper, streamTau, streamKeep} {
			m, err := newModel(t, p)
			if err != nil {
				panic(err)
			}
			start := time.Now()
			one, err := m.one()
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(os.Stderr, "%s %s rows %d columns %d loss %.4f in %s\n", d, p, m.rows, m.config.Columns, mean(one), time.Since(start))
			for _, tr := range []trial{{Learners: 1, Chunk: 100, Share: -1, Entries: 1}, {Learners: 8, Chunk: 100, Share: -1, Entries: 1}, {Learners: 8, Chunk: 100, Share: -1, Entries: -1}, {Learners: 8, Chunk: 100, Share: -1, Entries: 10}} {
				start = time.Now()
				losses, w, err := m.run(tr)
				if err != nil {
					panic(err)
				}
				fmt.Fprintf(os.Stderr, "   %+v: %.4f lost, at work %.2f in %s\n", tr, mean(losses)-mean(one), w, time.Since(start))
			}
		}
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
