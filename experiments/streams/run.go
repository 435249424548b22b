package streams

import (
	"gophe/experiments/usage"
	"gophe/phe/onepass"
)

// Outcome is one run of one model over one stream.
type Outcome struct {
	Stream  string         `json:"stream"`
	Model   string         `json:"model"`
	Numbers int            `json:"numbers"` // of the tables, 4 bytes each
	Seed    int64          `json:"seed"`
	Config  onepass.Config `json:"config"`
	Loss    float64        `json:"loss"`       // of late rows: log-loss, or RMSE
	Rows    float64        `json:"rows_cpu_s"` // rows encoded, predicted and learned in a second of processor time
	Covers  float64        `json:"covers"`     // share of late rows inside the 90 % interval; Gaussian only
}

// Run predicts each row of a stream and then learns it.
func Run(t *Table, model string, c onepass.Config) (Outcome, error) {
	e, err := onepass.NewEncoder(c, t.Names())
	if err != nil {
		return Outcome{}, err
	}
	l, err := onepass.New(c)
	if err != nil {
		return Outcome{}, err
	}
	s, inside := newScore(t), 0
	start := usage.ProcessorTime()
	for row, y := range t.Target {
		f := l.Step(t.Encode(e, row), y)
		if t.Head == onepass.Gaussian {
			s.add(row, 0, f.Mean, y)
			const z = 1.6448536269514722 // 95 % quantile
			if row >= s.from && (y-f.Mean)*(y-f.Mean) <= z*z*f.Variance {
				inside++
			}
		} else {
			s.add(row, f.Classes[int(y)], 0, y)
		}
	}
	return Outcome{Stream: t.Name, Model: model, Seed: c.Seed, Config: c, Loss: s.value(), Rows: float64(t.NumRows()) / (usage.ProcessorTime() - start).Seconds(),
		Covers: float64(inside) / float64(s.rows)}, nil
}
