package streams

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
)

// Study is what to run: every model over every stream, at every budget, with every draw of the hash functions.
type Study struct {
	Streams []string `json:"streams"`
	Models  []Model  `json:"models"`
	Numbers []int    `json:"numbers"` // budgets, of 4 bytes each
	Draws   int      `json:"draws"`   // seeds 1 … Draws
	OneHot  bool     `json:"one_hot"`
	Wabbit  *Wabbit  `json:"-"`
}

// Result is what a study measured.
type Result struct {
	Study     Study              `json:"study"`
	Versions  map[string]string  `json:"versions"`
	Data      map[string]string  `json:"data"` // SHA-256 of each stream's file
	BaseRates map[string]float64 `json:"base_rates"`
	Outcomes  []Outcome          `json:"outcomes"`
	Rivals    []Rival            `json:"rivals,omitempty"`
}

// Rival is one run of another program or of a plain model.
type Rival struct {
	Stream  string  `json:"stream"`
	Name    string  `json:"name"`
	Setting string  `json:"setting"`
	Numbers int     `json:"numbers"` // budget; of one-hot models, weights and sums at the end
	Loss    float64 `json:"loss"`
}

// Run runs the study and prints a line for each figure.
func (s Study) Run(out io.Writer) (*Result, error) {
	r := &Result{Study: s, Versions: map[string]string{"go": runtime.Version()}, Data: map[string]string{}, BaseRates: map[string]float64{}}
	if s.Wabbit != nil {
		version, err := s.Wabbit.Version()
		if err != nil {
			return nil, err
		}
		r.Versions["vowpal_wabbit"] = version
	}
	for _, name := range s.Streams {
		t, err := Load(name)
		if err != nil {
			return nil, err
		}
		r.Data[name], r.BaseRates[name] = t.SHA256, BaseRate(t)
		fmt.Fprintf(out, "%s: %d rows, base rate %.4f\n", name, t.NumRows(), r.BaseRates[name])
		for _, numbers := range s.Numbers {
			for _, m := range s.Models {
				if err := s.draws(out, r, t, m, numbers); err != nil {
					return nil, err
				}
			}
			if err := s.wabbit(out, r, t, numbers); err != nil {
				return nil, err
			}
		}
		if s.OneHot {
			if err := s.oneHot(out, r, t); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// draws runs one model with every draw of the hash functions.
func (s Study) draws(out io.Writer, r *Result, t *Table, m Model, numbers int) error {
	sum, least, most, rows := 0.0, math.Inf(1), math.Inf(-1), 0.0
	var last Outcome
	for seed := range s.Draws {
		c := m.Config(t, numbers)
		c.Seed = int64(seed + 1)
		o, err := Run(t, string(m), c)
		if err != nil {
			return err
		}
		o.Numbers = numbers
		r.Outcomes = append(r.Outcomes, o)
		sum, least, most, rows, last = sum+o.Loss, min(least, o.Loss), max(most, o.Loss), rows+o.Rows, o
	}
	n := float64(s.Draws)
	fmt.Fprintf(out, "  %7d numbers  %-26s %.4f (%.4f to %.4f)  %.0f rows/cpu-s", numbers, m, sum/n, least, most, rows/n)
	if t.Head == onepass.Gaussian {
		fmt.Fprintf(out, "  90 %% interval covers %.3f", last.Covers)
	}
	fmt.Fprintln(out)
	return nil
}

// wabbit runs Vowpal Wabbit's settings, and prints the best of them.
func (s Study) wabbit(out io.Writer, r *Result, t *Table, numbers int) error {
	if s.Wabbit == nil || t.Head == onepass.Softmax {
		return nil
	}
	if err := s.Wabbit.Prepare(t); err != nil {
		return err
	}
	best := Rival{Loss: math.Inf(1)}
	worst := 0.0
	for _, setting := range Settings(t) {
		loss, err := s.Wabbit.Run(t, setting, numbers)
		if err != nil {
			return err
		}
		rival := Rival{t.Name, "Vowpal Wabbit", setting.Name, numbers, loss}
		r.Rivals = append(r.Rivals, rival)
		worst = max(worst, loss)
		if loss < best.Loss {
			best = rival
		}
	}
	fmt.Fprintf(out, "  %7d numbers  %-26s %.4f (%s; worst of %d: %.4f)\n", numbers, "Vowpal Wabbit, best", best.Loss, best.Setting, len(Settings(t)), worst)
	return nil
}

// oneHot runs the one-hot models at every rate, and prints the best of each.
func (s Study) oneHot(out io.Writer, r *Result, t *Table) error {
	for _, pairs := range []bool{false, true} {
		name := "one-hot"
		if pairs {
			name = "one-hot, pairs"
		}
		best := Rival{Loss: math.Inf(1)}
		for _, rate := range OneHotRates() {
			loss, weights, err := OneHot{rate, pairs}.Run(t)
			if err != nil {
				return err
			}
			rival := Rival{t.Name, name, fmt.Sprintf("AdaGrad, rate %g", rate), 2 * weights, loss}
			r.Rivals = append(r.Rivals, rival)
			if loss < best.Loss {
				best = rival
			}
		}
		fmt.Fprintf(out, "  %7d numbers  %-26s %.4f (%s)\n", best.Numbers, name+", best", best.Loss, best.Setting)
	}
	return nil
}

// Write writes the result as JSON.
func (r *Result) Write(path string) error {
	content, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = os.WriteFile(path, append(content, '\n'), 0o644)
	}
	return errors.Wrapf(err, "writing the result to %s", path)
}
