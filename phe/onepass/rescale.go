package onepass

import "math"

const (
	openBias = 0.5 // variance of the bias after a change of the unit
	mostMean = 3.0 // of an entry after a change of the unit
)

// Rescale carries the beliefs of a target that the caller standardises over to another unit, where a number z of the unit before is
// by·z + shift. Forecasts stay the same, unless a mean lies far beyond what numbers of the new unit can be. Variances stay as well,
// since an entry has still learned from as many rows. Only the bias is open again, since the level of the target may be another one.
//
// With each unit that a rising target takes, the bias falls and the items rise. So their means are bounded only if they grow here, and
// what a bound takes off the row that was predicted last goes to the bias (Config.Level).
func (m *Model) Rescale(by, shift float64) {
	level := m.config.Level
	to := func(mean float64) float64 {
		most := mostMean
		if level {
			most = max(most, math.Abs(mean))
		}
		return max(-most, min(most, by*mean))
	}
	for _, p := range m.parts {
		if p, ok := p.(interface {
			rescale(to func(float64) float64, rows int)
		}); ok {
			p.rescale(to, int(m.rows))
		}
	}
	if e := m.evidence; e != nil { // without evidence, nothing holds the level
		for at := 0; at < len(e.words); at += 2 {
			e.words[at+1] = e.join(float32(to(e.mean(at, 0))), e.bitsOf(to(e.latestLabel(at))))
		}
		e.base[0] *= by
		e.bias[0] = entry[float64]{by*e.bias[0].mean + shift, openBias}
	}
	m.target.noise = min(1, by*by*m.target.noise)
	if m.row != nil { // it was read in the unit before
		want := by*m.sums.mean[0] + shift
		if m.read(m.row); level && m.evidence != nil {
			m.evidence.bias[0].mean += want - m.sums.mean[0]
			m.read(m.row)
		}
	}
}

func (p *factors[T]) rescale(to func(mean float64) float64, _ int) {
	for i := range p.weight {
		p.weight[i].mean = to(p.weight[i].mean)
	}
}

func (p *weights[T]) rescale(to func(mean float64) float64, rows int) {
	p.revise(func(e *entry[T]) { e.mean = T(to(float64(e.mean))) }, draws(rows, rescaling))
}
