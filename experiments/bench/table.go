package bench

import (
	"fmt"
	"slices"
	"strings"
)

// NotMeasured is what stands in place of the GPU's table until there is one.
const NotMeasured = "The GPU backend (xla:cuda) was not measured: no machine with a GPU was at hand. `make gpu-bundle` packs what is needed to do it."

// rivals of this program, in the order of the table's columns. PyTorch compiles in two ways; the faster one counts.
var rivals = []struct {
	heading    string
	frameworks []string
}{
	{"JAX", []string{"jax"}}, {"PyTorch, eager", []string{"torch-eager"}}, {"PyTorch, compiled", []string{"torch-compile", "torch-graphs"}},
}

// own is this program's name as a framework.
const own = "gophe"

// GPUTable renders the records of a check as Markdown: each rival's time as a multiple of ours for the same work, and then
// memory and scores. Without records it says that nothing was measured.
func GPUTable(folder string) (string, error) {
	records, err := ReadGPU(folder)
	if err != nil {
		return "", err
	}
	measured := collect(records)
	if len(measured.order) == 0 {
		return NotMeasured + "\n", nil
	}
	return measured.ratios() + "\n" + measured.costs(), nil
}

// measured holds all measurements of each workload and framework.
type measured struct {
	order  []Workload
	times  map[Workload]map[string][]float64 // seconds
	memory map[Workload]map[string]float64   // of the device, the most
	scores map[Workload]string               // this program's
}

func collect(records []Record) measured {
	m := measured{times: map[Workload]map[string][]float64{}, memory: map[Workload]map[string]float64{}, scores: map[Workload]string{}}
	for _, r := range records {
		if r.Measurement == nil || r.Status != "ok" {
			continue
		}
		w, framework := r.Measurement.Workload(), r.Measurement.Framework
		if m.times[w] == nil {
			m.times[w], m.memory[w] = map[string][]float64{}, map[string]float64{}
			m.order = append(m.order, w)
		}
		m.times[w][framework] = append(m.times[w][framework], r.Measurement.Total())
		if r.DeviceMB != nil {
			m.memory[w][framework] = max(m.memory[w][framework], *r.DeviceMB)
		}
		if framework == own && (m.scores[w] == "" || !strings.HasPrefix(r.Scores, "agree")) { // the worst one stays
			m.scores[w] = r.Scores
		}
	}
	return m
}

// ratios returns a row for each workload: this program's time, and each rival's time as a multiple of it.
func (m measured) ratios() string {
	var b strings.Builder
	fmt.Fprint(&b, "| workload (steps + chunks) | s |")
	for _, r := range rivals {
		fmt.Fprintf(&b, " %s takes |", r.heading)
	}
	fmt.Fprint(&b, "\n|---|---:|---:|---:|---:|\n")
	for _, w := range m.order {
		ours := m.times[w][own]
		if len(ours) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %.2f |", w, median(ours))
		for _, r := range rivals {
			fmt.Fprintf(&b, " %s |", times(m.fastest(w, r.frameworks), ours))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// fastest returns the times of the framework with the least median; none where none was measured.
func (m measured) fastest(w Workload, frameworks []string) (seconds []float64) {
	for _, framework := range frameworks {
		if own := m.times[w][framework]; len(own) > 0 && (seconds == nil || median(own) < median(seconds)) {
			seconds = own
		}
	}
	return seconds
}

// costs returns a row for each workload: the device's memory, and whether the scores equal a processor's.
func (m measured) costs() string {
	var b strings.Builder
	fmt.Fprint(&b, "| workload (steps + chunks) | memory, MB | JAX's, MB | PyTorch's, MB | scores |\n|---|---:|---:|---:|---|\n")
	for _, w := range m.order {
		if len(m.times[w][own]) > 0 {
			memory := m.memory[w]
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", w, megabytes(memory, own), megabytes(memory, "jax"), megabytes(memory, "torch-eager"), m.scores[w])
		}
	}
	return b.String()
}

// String describes the work in a few words.
func (w Workload) String() string {
	s := fmt.Sprintf("%s %s, %d seeds", w.Task, w.Scheme, w.Seeds)
	if w.Seeds == 1 {
		s = strings.TrimSuffix(s, "s")
	}
	if w.Task == "ncf" {
		s += fmt.Sprintf(", batch %d, %d rows", w.Batch, w.Rows)
	}
	return fmt.Sprintf("%s, %d + %d", s, w.Steps, w.Chunks)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// times returns their median time divided by ours, or – where nothing was measured.
func times(theirs, ours []float64) string {
	if len(theirs) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f ×", median(theirs)/median(ours))
}

func megabytes(memory map[string]float64, framework string) string {
	if mb, ok := memory[framework]; ok {
		return fmt.Sprintf("%.0f", mb)
	}
	return "–"
}
