package onepass

import (
	"cmp"
	"slices"

	"gophe/phe/hash"
)

// pairsOf returns all pairs of some fields, which ascend.
func pairsOf(fields []int) (all [][2]int) {
	for i, second := range fields {
		for _, first := range fields[:i] {
			all = append(all, [2]int{first, second})
		}
	}
	return all
}

// PairColumn is the column of a pair of fields. Each pair of their items is an item of the column.
type PairColumn struct {
	Pair          [2]int // the fields, the smaller first
	Column        int
	opposed       bool // the fields hold opponents
	first, second int  // sides of the fields: field · tileWidth + where the pair begins to count its tiles
}

// joined returns the pairs of a configuration. Without Pairs, the pair c' < c is column fields + c(c−1)/2 + c'.
func (c Config) joined() (all []PairColumn) {
	if c.Columns <= c.fields() {
		return nil
	}
	pairs := c.Pairs
	if pairs == nil {
		fields := make([]int, c.fields())
		for i := range fields {
			fields[i] = i
		}
		pairs = pairsOf(fields)
	}
	for i, p := range pairs {
		first, second := 5*p[1]%tileWidth, (3*p[0]+1)%tileWidth // where the pair begins to count the tiles of its fields
		all = append(all, PairColumn{Pair: p, Column: c.fields() + i, first: p[0]*tileWidth + first, second: p[1]*tileWidth + second})
	}
	return all
}

// numPairs returns the number of pairs of fields that may have a column.
func (c Config) numPairs() int {
	if c.Pairs != nil {
		return len(c.Pairs)
	}
	return withPairs(c.Fields) - c.Fields
}

// pairsFit tells whether each pair joins two fields, the smaller first, and occurs once.
func (c Config) pairsFit() bool {
	known := map[[2]int]bool{}
	for _, p := range c.Pairs {
		if p[0] < 0 || p[0] >= p[1] || p[1] >= c.fields() || known[p] {
			return false
		}
		known[p] = true
	}
	return true
}

// Chooses tells whether a model drops pairs along the stream.
func (c Config) Chooses() bool { return c.Kept > 0 && c.Columns-c.fields() > c.Kept }

// placePairs adds the cells of the pairs of columns to a row. A pair has one slot.
func (e *Encoder) placePairs(row *Row) {
	for c, side := range e.terms {
		for shift := range tileWidth {
			if e.quantiles[c] > 0 {
				side = e.tile(c, shift)
			}
			e.sides[c*tileWidth+shift] = side
		}
	}
	quick := e.keys == hash.Quick
	for i := range e.pairs {
		p := &e.pairs[i]
		firsts, seconds := e.sides[p.first], e.sides[p.second]
		if quick && !p.opposed && len(firsts) == 1 && len(seconds) == 1 {
			t := firsts[0].first.Plus(seconds[0].second)
			row.Cells, row.Slots = append(row.Cells, Cell{t.Key, 1, int32(p.Column), 0}), append(row.Slots, e.family.Slot(t.Value))
			continue
		}
		share := 1 / float64(len(firsts)*len(seconds))
		for i := range firsts {
			for j := range seconds {
				a, b, share := &firsts[i], &seconds[j], share
				if p.opposed && e.items[p.Pair[0]][i] > e.items[p.Pair[1]][j] {
					a, b, share = b, a, -share // an effect of x against y is one of y against x with the other sign
				}
				e.place(row, Cell{Column: int32(p.Column), Share: share}, a.first.Plus(b.second))
			}
		}
	}
}

// terms are what an item adds to the keys of pairs, as the first item of a pair and as the second.
type terms struct{ first, second hash.Term }

// quantiles is the number of quantiles of a number that Encoder.Quantile takes.
const quantiles = 64

// A tile of a pair joins tileWidth quantiles, so there is one tile more than quantiles/tileWidth.
const (
	tileWidth = 4
	numTiles  = quantiles/tileWidth + 1
)

// Quantile says in which of the quantiles of its column the record's number lies. The number then takes part in pairs by a tile: a few
// quantiles that lie side by side. Each pair begins to count its tiles at another quantile. Together, the pairs of a column therefore
// tell more values apart than one pair does (tile coding).
func (e *Encoder) Quantile(column, quantile int) { e.quantiles[column] = 1 + quantile }

// tile returns the terms of the tile in which a column's quantile lies.
func (e *Encoder) tile(column, shift int) []terms {
	if e.tiles[column] == nil {
		e.tiles[column] = make([]terms, numTiles)
	}
	at := (e.quantiles[column] - 1 + shift) / tileWidth
	t := &e.tiles[column][at]
	if t.first.Key == 0 {
		const beyondBins = 1 << 20 // tiles are other items than bins
		key := e.binKey(column, beyondBins+at)
		*t = terms{e.family.First(key), e.family.Second(key)}
	}
	return e.tiles[column][at : at+1]
}

// Pairs returns the pairs that take part, by column.
func (e *Encoder) Pairs() []PairColumn { return slices.Clone(e.pairs) }

// Keep leaves out all pairs of the configuration but those of some columns.
func (e *Encoder) Keep(columns []int) {
	e.pairs = slices.DeleteFunc(e.pairs, func(p PairColumn) bool { return !slices.Contains(columns, p.Column) })
}

// Pairs are dropped a few at a time. A pair needs rows to show its gain, and of two pairs that say the same, one is worth keeping.
const (
	firstChoice = 500 // rows before the first choice
	nextChoice  = 250 // rows from one choice to the next
	dropped     = 0.06
)

// left returns the number of pairs that are left after a number of rows.
func (c Config) left(rows int) int {
	n := c.numPairs()
	for at := firstChoice; at <= rows && n > c.Kept; at += nextChoice {
		n = max(c.Kept, n-max(1, int(dropped*float64(n))))
	}
	return n
}

// gains measures how useful each column is, in the rows before the last choice.
type gains struct {
	until int       // number of these rows
	sum   []float64 // [columns] nats by which the forecasts would have been worse without the column, to second order

	columns []int32   // of the last row
	added   []float64 // [columns, outputs] what each of them added to the logits
}

// newGains returns nil if the model drops no pairs.
func newGains(c Config) *gains {
	if !c.Chooses() {
		return nil
	}
	until := firstChoice
	for c.left(until) > c.Kept {
		until += nextChoice
	}
	return &gains{until: until, sum: make([]float64, c.Columns), added: make([]float64, c.Columns*c.Outputs)}
}

// judge adds a row to the gains.
func (m *Model) judge(s *sums, target float64) {
	g := s.gains
	if g == nil || s.rows >= g.until {
		return
	}
	worse := m.without(s, target)
	for _, c := range g.columns {
		g.sum[c] += s.weight * worse(g.added[int(c)*s.outputs:][:s.outputs])
	}
}

// without returns the function that tells how much larger a row's loss would be without the addition z to its logits: zᵀe + ½ zᵀCz, where e
// is the gradient of the log-likelihood and C its curvature.
func (m *Model) without(s *sums, target float64) func(z []float64) float64 {
	if m.config.Head == Softmax {
		p := make([]float64, s.outputs)
		SoftmaxInto(p, s.mean)
		return func(z []float64) float64 {
			mean, square := 0., 0.
			for o, q := range p {
				mean += q * z[o]
				square += q * z[o] * z[o]
			}
			return z[int(target)] - mean + 0.5*(square-mean*mean)
		}
	}
	p := s.sigmoid(s.mean[0])
	e, curvature := target-p, p*(1-p)
	if m.config.Head == Gaussian {
		v := m.noise()
		e, curvature = m.clip(target-s.mean[0], s.cov[0]+v)/v, 1/v
	}
	return func(z []float64) float64 { return z[0]*e + 0.5*z[0]*z[0]*curvature }
}

// Choose drops the pairs of least gain from the encoder of the model's rows, when it is time. Call it after each row.
func (m *Model) Choose(e *Encoder) {
	g := m.sums.gains
	if g == nil || int(m.rows)%nextChoice != 0 {
		return
	}
	if n := m.config.left(int(m.rows)); n < len(e.pairs) {
		slices.SortStableFunc(e.pairs, func(a, b PairColumn) int { return cmp.Compare(g.sum[b.Column], g.sum[a.Column]) })
		e.pairs = e.pairs[:n]
		slices.SortFunc(e.pairs, func(a, b PairColumn) int { return a.Column - b.Column })
	}
}
