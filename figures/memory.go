package figures

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

const (
	mebibyte     = 1 << 20
	float32Bytes = 4
)

// Memory draws memory while users keep appearing, from a result of protocol recommend. Panel (a) shows the memory of the process along the
// stream, for each online method, against the number of users seen so far. Panel (b) shows the size of the embedding module, which is
// fixed, and the size of a table with a row for each of these users.
func Memory(f *result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources([]*result.File{f}, 0, protocol.Recommend)
	s := sources[0]
	users := s.Stream.Users
	held := draw.New("Users seen", "Memory (MB)").Title("(a) Process, " + s.title())
	tables := draw.New("Users seen", "Memory (MB)").Title("(b) Embeddings alone")
	held.XAxis.Ticks, tables.XAxis.Ticks = draw.RoundTicks(2), draw.RoundTicks(2)
	var drawn []method
	var along, sizes []string
	for _, m := range s.methods {
		c := m.memoryCurve(users)
		if m.Frozen || len(c.Mean) == 0 {
			continue
		}
		size := float64(m.Parameters) * float32Bytes / mebibyte
		held.Curves, drawn = append(held.Curves, c), append(drawn, m)
		tables.Curves = append(tables.Curves, draw.Curve{Label: m.label, Style: m.style, X: []float64{0, float64(users[len(users)-1])},
			Mean: []float64{size, size}})
		along = append(along, fmt.Sprintf("%s %s to %s", m.label, draw.Decimals(c.Mean[0], 0), draw.Decimals(c.Mean[len(c.Mean)-1], 0)))
		sizes = append(sizes, fmt.Sprintf("%s %s", m.label, draw.Decimals(float64(m.Parameters), 0)))
	}
	if len(drawn) == 0 {
		s.fail("it has no memory of an online method; make it again: `phe run %s`", s.Name)
	}
	rows, dim := s.userRows()
	tables.Curves = append(tables.Curves, rows)
	fromZero(held)
	fromZero(tables)
	hasItems := func(m method) bool { return m.Base() == "EE" || m.Base() == "P-EE" }
	return draw.Tiled([]*draw.Chart{held, tables}, 2).Figure(5.6*vg.Centimeter, 0, sentences(
		fmt.Sprintf("(a): memory of the whole process, in MB of 1,048,576 bytes%s; from the first to the last measurement %s; "+
			"the most in the whole run %s.", when(s.Manifest.Parallel != "", " ("+s.Manifest.Parallel+")"), strings.Join(along, ", "),
			draw.Decimals(s.Manifest.PeakMemoryMB, 0)),
		when(slices.ContainsFunc(held.Curves, grows),
			"The process grows although the embeddings do not: it also holds the data, the scores so far and memory that Go keeps."),
		fmt.Sprintf("(b): parameters of one seed's embedding module, at 4 bytes each (%s); their number is fixed. Thin line: a table "+
			"with one row for each user seen so far, without films; a row has means and standard deviations (d = %d).",
			strings.Join(sizes, ", "), dim),
		seedsSentence("Lines", "bands", drawn),
		when(slices.ContainsFunc(drawn, hasItems), "EE and P-EE have a row for every item of the whole stream from the beginning."),
		sourceNotes(sources, "counts up to there"))), nil
}

// grows reports whether the last quarter of the measurements is on average more than 5 % above the first quarter. A process
// goes up and down by more than that between two measurements.
func grows(c draw.Curve) bool {
	quarter := max(1, len(c.Mean)/4)
	return stat.Mean(c.Mean[len(c.Mean)-quarter:], nil) > 1.05*stat.Mean(c.Mean[:quarter], nil)
}

// memoryCurve returns the process's memory at each number of users seen. It is empty if memory was not measured.
func (m *method) memoryCurve(users []int) draw.Curve {
	held := series{}
	var x []float64
	for _, run := range m.Runs {
		for i, at := range run.Memory {
			if at.Step < 1 || at.Step > len(users) {
				m.source.fail("%s: seed %d has a measurement after step %d, but the stream counts the users of %d steps; "+
					"make the result again: `phe run %s`", m.label, run.Seed, at.Step, len(users), m.source.Name)
			}
			if i == len(x) {
				x = append(x, float64(users[at.Step-1]))
			}
			held[run.Seed] = append(held[run.Seed], at.Megabytes)
		}
	}
	c := m.curve(held, 0)
	c.X = x
	return c
}

// userRows returns the size of a table with one row for each user seen so far, and the dimension of its rows.
func (s *source) userRows() (draw.Curve, int) {
	dim := spec.Recorded(s.Manifest.Spec).Model.Encoder.EmbeddingDim
	thin := draw.Style{Color: color.NRGBA{A: 255}, Width: vg.Points(0.5), Layer: -100}
	c := draw.Curve{Label: "one row per user", Style: thin, X: []float64{0}, Mean: []float64{0}}
	for _, n := range s.Stream.Users {
		c.X = append(c.X, float64(n))
		c.Mean = append(c.Mean, float64(n*dim*2*float32Bytes)/mebibyte)
	}
	return c, dim
}

// fromZero makes the panel's y axis begin at 0 and cover all lines.
func fromZero(p *draw.Chart) {
	for _, c := range p.Curves {
		p.YAxis.High = max(p.YAxis.High, 1.1*slices.Max(c.Mean))
	}
}
