package bench_test

import (
	"math"
	"testing"

	"gophe/experiments/bench"
)

// A row has the times of all replicas and a replica's share. A rival's row names it, and a figure that is left out says why.
func TestTable(t *testing.T) {
	ours := bench.Key{Program: "gophe", Work: "Adult PHE", Replicas: 4}
	theirs, large := ours, ours
	theirs.Program, theirs.Replicas, large.Replicas = "jax", 1, 256
	got := bench.Table([]bench.Line{
		{Key: ours, Step: bench.Figure{Seconds: 0.002}, Row: bench.Figure{Seconds: 1e-5}, CompileSeconds: 3.14159},
		{Key: theirs, Step: bench.Figure{Seconds: 0.00012346}, Row: bench.Figure{LeftOut: "left out: needs 7 min"}, CompileSeconds: 12},
		{Key: large, Step: bench.Figure{LeftOut: "left out: needs 5.0 GiB"}, Row: bench.Figure{LeftOut: "left out: needs 5.0 GiB / 9 min"}, CompileSeconds: 3},
	})
	const want = `| work × replicas | a step, ms | stream, rows/s | a replica's share: ms a step, µs a row | compiling, s |
|---|---:|---:|---:|---:|
| Adult PHE × 4 | 2 | 100000 | 0.5, 2.5 | 3.14 |
| Adult PHE × 1, JAX | 0.123 | left out: needs 7 min | 0.123, – | 12 |
| Adult PHE × 256 | left out: needs 5.0 GiB | left out: needs 5.0 GiB / 9 min | –, – | – |
`
	if got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}

// Time and memory grow in proportion to replicas, from the last two lines on. Tables are the least growth of memory.
func TestExpected(t *testing.T) {
	const gib = 1 << 30
	line := func(replicas int, peak, step, row float64) bench.Line {
		return bench.Line{Key: bench.Key{Replicas: replicas}, PeakBytes: peak, CompileSeconds: 10, Step: bench.Figure{Seconds: 1, Needs: step}, Row: bench.Figure{Seconds: 1, Needs: row}}
	}
	limits := bench.Limits{Seconds: 120, Bytes: 4 * gib}
	for _, c := range []struct {
		name         string
		fewer        []bench.Line
		replicas     int
		tables       float64
		peak, needs  float64
		step, stream string
	}{
		{"nothing is known", nil, 1, gib, 0, 0, "", ""},
		{"from one line", []bench.Line{line(1, gib, 2, 30)}, 5, gib / 8, 1.5 * gib, 10, "", "left out: needs 3 min"},
		{"from two lines", []bench.Line{line(1, gib, 2, 3), line(5, 2*gib, 6, 3)}, 9, 1, 3 * gib, 10, "", ""},
		{"tables grow faster", []bench.Line{line(1, gib, 2, 3), line(5, gib, 2, 3)}, 9, gib, 5 * gib, 2, "left out: needs 5.0 GiB", "left out: needs 5.0 GiB"},
		{"both", []bench.Line{line(1, gib, 100, 3)}, 5, gib, 5 * gib, 500, "left out: needs 5.0 GiB / 9 min", "left out: needs 5.0 GiB"},
	} {
		got := limits.Expected(bench.Key{Replicas: c.replicas}, c.fewer, c.tables)
		if math.Abs(got.PeakBytes-c.peak) > 1 || math.Abs(got.Step.Needs-c.needs) > 1e-9 || got.Step.LeftOut != c.step || got.Row.LeftOut != c.stream {
			t.Errorf("%s: %+v; want %g GiB, %g s, %q and %q", c.name, got, c.peak/gib, c.needs, c.step, c.stream)
		}
	}
	if got := (bench.Limits{Seconds: 480}).Expected(bench.Key{Replicas: 99}, []bench.Line{line(1, gib, 2, 3)}, gib); got.Step.LeftOut != "" {
		t.Errorf("a limit of memory where there is none: %q", got.Step.LeftOut)
	}
}
