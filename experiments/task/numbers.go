package task

import (
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/onepass"
)

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

// CountNumbers counts the numbers that one pass keeps. Other methods keep the numbers of their tables.
func (t *Recommending) CountNumbers(row *result.Method, _ spec.Method, c spec.Config, _ *protocol.Plan) {
	if c.Stream.Columns > 0 {
		row.Parameters, row.TotalParameters = spec.StreamNumbers(onepass.Stream(c.Stream))
	}
}
