package counttree

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/count"
)

// Config is the size of a Forecaster.
type Config struct {
	Contexts int `json:"contexts"` // number of items of a row
	Sets     int `json:"sets"`     // number of sets of weights W: kinds of rows whose evidence is trusted differently
	Slots    int `json:"slots"`    // slots of evidence, 8 bytes each; a power of two, at least 4
	Weights  int `json:"weights"`  // hashed weights A, 8 bytes each; a power of two
	// Small says that small counts are likely before any row: P(Y ≥ y) = 1/y². Otherwise both sides of each node are as likely.
	Small bool `json:"small,omitempty"`
	// Singles is the number of contexts of one column, which come first. The others, such as pairs, start with less trust, unless it is 0.
	Singles int `json:"singles,omitempty"`
}

// Valid tells whether a forecaster can have the size, which may come from a damaged file.
func (c Config) Valid() bool {
	const most = 1 << 40 // Bytes stays below 2⁶³
	power := func(n int) bool { return n > 0 && n <= most && bits.OnesCount(uint(n)) == 1 }
	return c.Contexts > 0 && c.Sets > 0 && c.Contexts <= most/c.Sets && power(c.Slots) && c.Slots >= slotsPerBucket && power(c.Weights)
}

// Fit returns the largest configuration for forecasts over cells that needs at most the given number of bytes. The number of slots is a
// power of two, and there are a quarter as many hashed weights. It returns an error if even the smallest configuration is too large.
func Fit(bytes int, cells count.Cells, contexts, sets int) (Config, error) {
	c := Config{Contexts: contexts, Sets: sets, Slots: slotsPerBucket, Weights: 1}
	if least := c.Bytes(cells.Len()); least > bytes {
		return Config{}, errors.Errorf("memory is %d bytes; %d contexts and %d sets need at least %d", bytes, contexts, sets, least)
	}
	for {
		larger := c
		larger.Slots, larger.Weights = 2*c.Slots, c.Slots/2
		if larger.Bytes(cells.Len()) > bytes {
			return c, nil
		}
		c = larger
	}
}

// Bytes returns the memory of a forecaster's tables.
func (c Config) Bytes(cells int) int {
	const pair = int(unsafe.Sizeof(weight[float64]{}))
	perNode := int(unsafe.Sizeof(node{})) + 3*int(unsafe.Sizeof(int32(0))) + pair + pair*c.Contexts + int(unsafe.Sizeof(memo{}))
	hashed := c.Slots*int(unsafe.Sizeof(slot(0))) + c.Weights*int(unsafe.Sizeof(weight[float32]{}))
	return hashed + pair*c.Sets*c.Contexts*bins + perNode*(cells-1)
}

// The beliefs before any row. W starts small, so a context must prove itself first.
const (
	weightMean, weightVariance = 0.25, 0.005 // W
	pairMean                   = 0.05        // W of a context after Config.Singles
	nodeVariance               = 0.005       // V
	biasVariance               = 0.05        // b
	hashedVariance             = 0.02        // A
	kappa                      = 0.5         // κ: number of rows at the node's frequency that every item starts with
	maxAveraged                = 20000       // largest number of rows that a node's frequency averages
	forgotten                  = 200         // the same after Forget
)

// Row holds the facts that are known of a row before its count.
type Row struct {
	Items []uint64 // [contexts], hashes from Item; 0 is a valid hash
	Set   int      // number of its set of weights W, below Config.Sets
}

// Forecaster holds the evidence and the beliefs of a model. It is not safe for concurrent use.
type Forecaster struct {
	config Config
	cells  count.Cells
	tree   *tree

	slots  slots
	hashed []weight[float32] // [Weights] A
	trust  []weight[float64] // [sets, contexts, bins] W
	own    []weight[float64] // [nodes, contexts] V
	bias   []weight[float64] // [nodes] b
	nodes  []node

	row   Row    // that is forecast
	stamp uint32 // of the row
	memo  []memo // [nodes]

	reading reading
	path    []int32
}

// node holds a node's running frequency.
type node struct{ left, seen float64 }

// reading holds the numbers of the last node that a row was read at.
type reading struct {
	p, variance float64   // probability of "left", and variance of its logit
	x           []float64 // [contexts]; 0 without evidence
	trust       []int32   // [contexts], index into Forecaster.trust
	hashed      []int32   // [contexts], index into Forecaster.hashed
}

// New returns a forecaster that has seen no row. The configuration is valid. weights are the expected shares of the cells, up to a factor,
// and positive. They shape the tree. Good guesses make it faster and more accurate.
func New(c Config, cells count.Cells, weights []float64) *Forecaster {
	f := &Forecaster{config: c, cells: cells, tree: newTree(weights), slots: make(slots, c.Slots)}
	nodes := len(f.tree.last)
	f.hashed = slices.Repeat([]weight[float32]{{0, hashedVariance}}, c.Weights)
	f.trust = slices.Repeat([]weight[float64]{{weightMean, weightVariance}}, c.Sets*c.Contexts*bins)
	for i := range f.trust {
		if e := i / bins % c.Contexts; c.Singles > 0 && e >= c.Singles {
			f.trust[i].mean = pairMean
		}
	}
	f.own = slices.Repeat([]weight[float64]{{0, nodeVariance}}, nodes*c.Contexts)
	f.bias = slices.Repeat([]weight[float64]{{0, biasVariance}}, nodes)
	f.nodes = slices.Repeat([]node{{left: 0.5}}, nodes)
	if c.Small {
		f.begin(0, cells.Small())
	}
	f.path = make([]int32, 0, nodes)
	f.reading = reading{x: make([]float64, c.Contexts), trust: make([]int32, c.Contexts), hashed: make([]int32, c.Contexts)}
	f.row, f.memo = Row{Items: make([]uint64, c.Contexts)}, make([]memo, nodes)
	return f
}

// begin sets the frequencies of a node and of those below it, and returns the share of their cells.
func (f *Forecaster) begin(v int32, shares []float64) float64 {
	if v < 0 {
		return shares[-1-v]
	}
	left, right := f.begin(f.tree.left[v], shares), f.begin(f.tree.right[v], shares)
	f.nodes[v].left = left / (left + right)
	return left + right
}

// Bytes returns the memory of the forecaster's tables.
func (f *Forecaster) Bytes() int { return f.config.Bytes(f.cells.Len()) }

// read computes the probability that a row goes left at a node.
func (f *Forecaster) read(row *Row, v int32) {
	r := &f.reading
	contexts := f.config.Contexts
	g := min(max(f.nodes[v].left, 1e-5), 1-1e-5)
	usual := logit(g / (1 - g))
	a, q := usual+f.bias[v].mean, f.bias[v].variance
	own := f.own[int(v)*contexts:][:contexts]
	for e, item := range row.Items {
		hash := atNode(item, v)
		r.x[e] = 0
		if s := f.slots.find(hash); s != 0 {
			n, p := s.n(), s.p()
			x := logit((n*p+kappa*g)/(n*(1-p)+kappa*(1-g))) - usual
			at := (row.Set*contexts+e)*bins + binOf(n)
			trust := &f.trust[at]
			a += (trust.mean + own[e].mean) * x
			q += x * x * (trust.variance + own[e].variance)
			r.x[e], r.trust[e] = x, int32(at)
		}
		at := hash >> hashedShift & uint64(len(f.hashed)-1)
		r.hashed[e] = int32(at)
		a += float64(f.hashed[at].mean)
		q += float64(f.hashed[at].variance)
	}
	const least = 1e-6
	r.p, r.variance = min(max(1/(1+math.Exp(-a)), least), 1-least), q
}

// hashedShift makes the slot of a weight use other bits of the hash than the bucket of evidence, as long as there are fewer than 2²⁰ slots.
const hashedShift = 20

// Parts returns all numbers that change as the forecaster learns, for a file.
func (f *Forecaster) Parts() []belief.Part {
	return []belief.Part{
		Half("tree slots: check bits and n", f.slots, 0), Half("tree slots: P", f.slots, 32),
		beliefPart("tree hashed weights", f.hashed), beliefPart("tree trust", f.trust),
		beliefPart("tree weights of nodes", f.own), beliefPart("tree biases", f.bias),
		{Name: "tree frequencies", Dim: 1, Len: len(f.nodes), Type: "float64",
			Get: func(i int) (float64, float64) { return f.nodes[i].left, f.nodes[i].seen },
			Set: func(i int, left, seen float64) { f.nodes[i] = node{left, seen} }},
	}
}

// Half returns one half of each number's 64 bits, from a bit on.
func Half[N ~uint64](name string, list []N, from int) belief.Part {
	return belief.Part{Name: name, Len: len(list), Type: "uint32",
		Get: func(i int) (float64, float64) { return float64(uint32(list[i] >> from)), 0 },
		Set: func(i int, v, _ float64) { list[i] = list[i]&^(N(0xffffffff)<<from) | N(uint32(v))<<from }}
}

func beliefPart[F float32 | float64](name string, list []weight[F]) belief.Part {
	p := belief.List[F](name, nil)
	p.Dim, p.Len = 1, len(list)
	p.Get = func(i int) (float64, float64) { return float64(list[i].mean), float64(list[i].variance) }
	p.Set = func(i int, mean, variance float64) { list[i] = weight[F]{F(mean), F(variance)} }
	return p
}

type weight[F float32 | float64] struct{ mean, variance F }

// maxShrunk is the largest share of its variance that a weight loses in one row. A linearised step overrates the first rows of a new item.
// Without the limit they would fix its weight for good.
const maxShrunk = 0.8

// step is the effect of a row on the weights of its logit. A weight moves by variance·x·gradient, and loses variance²·x²·curvature.
type step struct{ gradient, curvature float64 }

// stepOf returns the step of an outcome, 0 or 1, on a logit. p is the probability at the logit's mean, and q is the logit's variance.
func stepOf(outcome, p, q float64) step {
	w := p * (1 - p)
	return step{(outcome - p) / (1 + q*w), w / (1 + q*w)}
}

// move conditions the belief on a row that multiplies the weight by x.
func (b *weight[F]) move(x float64, by step) {
	v := float64(b.variance)
	b.mean = F(float64(b.mean) + v*x*by.gradient)
	b.variance = F(v - min(v*v*x*x*by.curvature, maxShrunk*v))
}

// Learn learns a row and its count, which is positive.
func (f *Forecaster) Learn(row Row, y int) {
	f.weigh(row, y)
	f.count(row, y)
}

// weigh conditions the weights on a row and its count, with the present evidence. The evidence does not have the row itself.
func (f *Forecaster) weigh(row Row, y int) {
	k := f.cells.Of(y)
	contexts := f.config.Contexts
	for v := int32(0); v >= 0; {
		left, child := f.tree.child(v, k)
		f.read(&row, v)
		r := &f.reading
		by := stepOf(left, r.p, r.variance)
		f.bias[v].move(1, by)
		own := f.own[int(v)*contexts:][:contexts]
		for e, x := range r.x {
			if x != 0 {
				f.trust[r.trust[e]].move(x, by)
				own[e].move(x, by)
			}
			f.hashed[r.hashed[e]].move(1, by)
		}
		v = child
	}
}

// count adds a row and its count to the evidence.
func (f *Forecaster) count(row Row, y int) {
	k := f.cells.Of(y)
	f.path = f.path[:0]
	for v := int32(0); v >= 0; {
		f.path = append(f.path, v)
		_, v = f.tree.child(v, k)
	}
	for i := len(f.path) - 1; i >= 0; i-- { // from the leaf up: in a full bucket the last evidence survives, and the root's matters most
		v := f.path[i]
		left, _ := f.tree.child(v, k)
		n := &f.nodes[v]
		n.seen = min(n.seen+1, maxAveraged)
		n.left += (left - n.left) / (n.seen + 1)
		for _, item := range row.Items {
			f.slots.add(atNode(item, v), left)
		}
	}
}

// Forget makes all beliefs as unsure as before any row, and keeps their means. Evidence counts as the least, and the next row replaces it.
func (f *Forecaster) Forget() {
	for i, s := range f.slots {
		if s != 0 {
			f.slots[i] = newSlot(s.check(), minSeen, s.p())
		}
	}
	for i := range f.nodes {
		f.nodes[i].seen = min(f.nodes[i].seen, forgotten)
	}
	unsure(f.hashed, hashedVariance)
	unsure(f.trust, weightVariance)
	unsure(f.own, nodeVariance)
	unsure(f.bias, biasVariance)
}

func unsure[F float32 | float64](list []weight[F], variance F) {
	for i := range list {
		list[i].variance = variance
	}
}
