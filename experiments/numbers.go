package experiments

import (
	"gophe/experiments/result"
	"gophe/phe/onepass"
)

// countNumbers counts the numbers of the embedding module, and all.
func (t *classification) countNumbers(rows []result.Method, f *family, p *plan) {
	s := t.shape()
	for i := range rows {
		m, c := f.methods[i], f.configs[i]
		if rows[i].Frozen {
			c = f.config
			if !f.onHost() {
				m = Method{}
			}
		}
		switch {
		case m.Replay: // it keeps all rows, which are counted nowhere
		case m.Rule == OnePass:
			rows[i].Parameters, rows[i].TotalParameters = onePassNumbers(onePassConfig(c.Encoder, m.Start, s))
		case m.Rule != "":
			rows[i].TotalParameters = t.oneHotNumbers(m.Rule, p, rows[i].Frozen)
			rows[i].Parameters = rows[i].TotalParameters
		default:
			head := (s.columns*c.Encoder.EmbeddingDim + s.numbers + 1) * s.outputs
			rows[i].TotalParameters = c.Encoder.NumParameters() + head
		}
	}
}

// oneHotNumbers counts weights and what is known about them, and the rows that are kept.
func (t *classification) oneHotNumbers(rule Rule, p *plan, frozen bool) int {
	table := t.oneHot(nil)
	weights := table.Inputs() * t.shape().outputs
	switch rule {
	case AdPredictor:
		return 2 * weights
	case BayesianLogistic:
		return weights + weights*weights
	}
	if frozen {
		return weights
	}
	kept := len(p.Initial)
	for _, step := range p.Steps {
		kept += len(step)
	}
	return weights + kept*(table.Columns+table.Numbers+1)
}

// onePassNumbers counts means and variances of E and W, and all numbers: θ where it is learned, the block's means and its
// covariance.
func onePassNumbers(c onepass.Config) (embedding, total int) {
	embedding = 2 * (c.Buckets*c.Dim + c.WeightRows*c.Hashes)
	block := (c.Numbers + 1) * c.Outputs
	total = embedding + block + block*block
	if c.Prior.Theta > 0 {
		total += 2 * c.Columns * c.Outputs * c.Dim
	}
	return embedding, total
}
