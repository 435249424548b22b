package bench

import (
	"flag"
	"os"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "write the tables of docs/backends.md, and with a compiler the kernels")

// A row has the times of all replicas and a replica's share. A rival's row names it, and has its times as multiples of ours for the same
// work. A line that is left out says why.
func TestTable(t *testing.T) {
	ours := Key{Program: "gophe", Work: "Adult PHE", Replicas: 4}
	theirs, alone, large, above, other := ours, ours, ours, ours, ours
	theirs.Program, alone.Program, above.Program, other.Work = "jax", "jax", "jax", "Ratings NCF"
	alone.Replicas, large.Replicas, above.Replicas = 1, 256, 256
	got := Table([]Line{
		{Key: other, StepSeconds: 1, RowSeconds: 1},
		{Key: theirs, StepSeconds: 0.001, RowSeconds: 3e-5, CompileSeconds: 10},
		{Key: ours, StepSeconds: 0.002, RowSeconds: 1e-5, CompileSeconds: 3.14159},
		{Key: alone, StepSeconds: 0.00012346, CompileSeconds: 12},
		{Key: large, LeftOut: "left out: needs 5.0 GiB / 9 min", CompileSeconds: 3},
		{Key: above, StepSeconds: 0.25, RowSeconds: 0.5, CompileSeconds: 3},
	})
	const want = `
| work × replicas | a step, ms | stream, rows/s | times ours: a step, a row | a replica's share: ms a step, µs a row | compiling, s |
|---|---:|---:|---:|---:|---:|
| Ratings NCF × 4 | 1000 | 1 | – | 250, 250000 | – |
| Adult PHE × 4, JAX | 1 | 33333 | 0.5, 3 | 0.25, 7.5 | 10 |
| Adult PHE × 4 | 2 | 100000 | – | 0.5, 2.5 | 3.14 |
| Adult PHE × 1, JAX | 0.123 | – | – | 0.123, – | 12 |
| Adult PHE × 256 | left out: needs 5.0 GiB / 9 min | – | – | – | – |
| Adult PHE × 256, JAX | 250 | 2 | – | 0.977, 1953 | 3 |
`
	filetest.Want(t, "\n"+got.String(), want, "table")
}

// The page shows the lines that were measured on a GPU, and the kernels that were compiled for one.
func TestPage(t *testing.T) {
	const page = "../../docs/backends.md"
	text := string(filetest.Must(os.ReadFile(page))(t))
	for part, want := range map[string]string{
		"h200":    Table(filetest.Must(readLines("testdata/h200.jsonl"))(t)).String(),
		"kernels": kernels(committedKernels(t)),
	} {
		begin, end := "<!-- "+part+" -->\n", "<!-- "+part+" end -->"
		before, rest, _ := strings.Cut(text, begin)
		shown, after, _ := strings.Cut(rest, end)
		if *update {
			text = before + begin + want + end + after
		} else if shown != want {
			t.Errorf("%s shows\n%s\nwant\n%s\nrun this test with -update", page, shown, want)
		}
	}
	if *update {
		filetest.Check(t, os.WriteFile(page, []byte(text), 0o644))
	}
}

// Time grows in proportion to replicas, and memory as between the last two lines. Tables are the least growth of memory.
func TestExpected(t *testing.T) {
	const gib = 1 << 30
	line := func(replicas int, peak, seconds float64) Line {
		return Line{Key: Key{Replicas: replicas}, PeakBytes: peak, CompileSeconds: 10, Seconds: seconds}
	}
	limited := limits{seconds: 120, bytes: 4 * gib}
	for _, c := range []struct {
		name                  string
		fewer                 []Line
		replicas              int
		tables, peak, seconds float64
		leftOut               string
	}{
		{"nothing is known", nil, 1, gib, 0, 0, ""},
		{"from one line", []Line{line(1, gib, 2)}, 5, gib / 8, 1.5 * gib, 10, ""},
		{"from two lines", []Line{line(1, gib, 2), line(5, 2*gib, 6)}, 10, 1, 3.25 * gib, 12, ""},
		{"tables grow faster", []Line{line(1, gib, 2), line(5, gib, 2)}, 9, gib, 5 * gib, 3.6, "left out: needs 5.0 GiB"},
		{"time", []Line{line(1, gib, 23)}, 5, 1, gib + 4, 115, "left out: needs 3 min"},
		{"both", []Line{line(1, gib, 100)}, 5, gib, 5 * gib, 500, "left out: needs 5.0 GiB / 9 min"},
	} {
		got := limited.expected(Key{Replicas: c.replicas}, c.fewer, c.tables)
		filetest.Near(t, got.PeakBytes, c.peak, 1, "%s: bytes", c.name)
		filetest.Near(t, got.Seconds, c.seconds, 1e-9, "%s: seconds", c.name)
		filetest.Want(t, got.LeftOut, c.leftOut, "%s: reason", c.name)
	}
	got := limits{seconds: 480}.expected(Key{Replicas: 99}, []Line{line(1, gib, 2)}, gib)
	filetest.Want(t, got.LeftOut, "", "a limit of memory where there is none")
}
