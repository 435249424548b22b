package phe

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"
)

// Noise is a counter-based generator of standard normals inside the graph. The same key and counter give the same number on every
// backend, up to the rounding of one logarithm. No number is infinite; XLA's own generator can return +Inf. Each run (a repetition
// with its own seed) has its own key, so a run draws the same noise whichever runs share the program.
type Noise struct {
	Keys *Node // [runs] uint32; NoiseKey derives keys from seeds
}

// NoiseKey returns the key of a run's noise for a purpose. Two purposes never share numbers.
func NoiseKey(seed int64, purpose string) uint32 {
	state := uint64(14695981039346656037) // FNV-1a
	for _, b := range []byte(purpose) {
		state = (state ^ uint64(b)) * 1099511628211
	}
	return uint32(rand.NewPCG(uint64(seed), state).Uint64() >> 32)
}

// At returns the generator of one step, a uint32 scalar. No two steps of a run share noise.
func (n Noise) At(step *Node) Noise {
	return Noise{mix(Add(n.Keys, mix(AddScalar(step, 0x9e3779b9))))}
}

// Normal draws standard normals [samples, rows, rest…] float32. The axis rows holds the runs one after the other in equal blocks.
// use distinguishes the draws of one step. No gradient flows through the numbers.
//
// XLA would compute each number again at every use, in loops too short for vectors. The barrier makes it compute all numbers once,
// in one long loop. The factor √2 stays behind the barrier, because XLA moves it through sums and published results depend on its
// place in their last digits.
func (n Noise) Normal(use uint32, samples, rows int, rest ...int) *Node {
	drawn := inverseErf(n.uniform(use, samples, rows, rest))
	drawn = OptimizationBarriers(drawn, n.Keys)[0] // go-xla ignores a barrier of one node on a processor
	return StopGradient(MulScalar(Reshape(drawn, append([]int{samples, rows}, rest...)...), math.Sqrt2))
}

// Uniform draws from (−1, 1) in the shape of Normal. A number is the middle of one of 2²⁴ equal cells. 0, −1 and 1 are never drawn.
// Every number is exact in float32, and therefore the same on every backend.
func (n Noise) Uniform(use uint32, samples, rows int, rest ...int) *Node {
	return Reshape(n.uniform(use, samples, rows, rest), append([]int{samples, rows}, rest...)...)
}

// uniform returns Uniform's numbers as [samples, runs, numbers of a run].
func (n Noise) uniform(use uint32, samples, rows int, rest []int) *Node {
	bits := n.bits(use, samples, rows, rest)
	cell := ConvertDType(BitwiseShiftRightLogical(bits, Const(bits.Graph(), uint32(8))), dtypes.Int32)
	middle := AddScalar(MulScalar(cell, 2), 1-1<<24) // in units of 2⁻²⁴
	return StopGradient(MulScalar(ConvertDType(middle, dtypes.Float32), 1.0/(1<<24)))
}

// bits hashes a counter that starts at 0 in every run: [samples, runs, numbers of a run] uint32.
func (n Noise) bits(use uint32, samples, rows int, rest []int) *Node {
	g, runs := n.Keys.Graph(), n.Keys.Shape().Dimensions[0]
	if rows%runs != 0 {
		panic(errors.Errorf("%d rows cannot be divided among %d runs; all runs must have the same number", rows, runs))
	}
	block := rows / runs
	for _, d := range rest {
		block *= d
	}
	counter := Iota(g, shapes.Make(dtypes.Uint32, samples, 1, block), 0)
	counter = Add(MulScalar(counter, uint32(block)), Iota(g, shapes.Make(dtypes.Uint32, samples, 1, block), 2))
	key := Reshape(mix(BitwiseXor(n.Keys, Const(g, use*0x85ebca6b+1))), 1, runs, 1)
	broadcast := func(x *Node) *Node { return BroadcastToDims(x, samples, runs, block) }
	// Both of the two rounds use the key. With one round, runs would get permutations of the same numbers.
	h := mix(BitwiseXor(broadcast(counter), broadcast(key)))
	return mix(Add(h, broadcast(key)))
}

// mix is the integer hash "lowbias32" (Wellons). It is exact in uint32 and therefore equal on every backend.
func mix(x *Node) *Node {
	c := func(v uint32) *Node { return Const(x.Graph(), v) }
	x = BitwiseXor(x, BitwiseShiftRightLogical(x, c(16)))
	x = Mul(x, c(0x7feb352d))
	x = BitwiseXor(x, BitwiseShiftRightLogical(x, c(15)))
	x = Mul(x, c(0x846ca68b))
	return BitwiseXor(x, BitwiseShiftRightLogical(x, c(16)))
}

// Giles, "Approximating the erfinv function" (2012), table 1: single precision, centre and tail.
var (
	gilesCentre = []float64{2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
		-0.00125372503, -0.00417768164, 0.246640727, 1.50140941}
	gilesTail = []float64{-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
		-0.0076224613, 0.00943887047, 1.00167406, 2.83297682}
)

// inverseErf returns erf⁻¹(x) for x uniform in (−1, 1); √2 times this is a standard normal. It costs one logarithm and two
// polynomials, which XLA vectorises. XLA does not vectorise the cosine of Box and Muller, whose method takes three times as long.
func inverseErf(x *Node) *Node {
	w := Neg(Log(Mul(OneMinus(x), OnePlus(x))))
	centre := polynomial(AddScalar(w, -2.5), gilesCentre)
	tail := polynomial(AddScalar(Sqrt(w), -3), gilesTail)
	return Mul(Where(LessThan(w, Const(x.Graph(), float32(5))), centre, tail), x)
}

// polynomial evaluates a polynomial by Horner's method. The highest coefficient comes first.
func polynomial(x *Node, coefficients []float64) *Node {
	p := AddScalar(MulScalar(x, coefficients[0]), coefficients[1])
	for _, c := range coefficients[2:] {
		p = AddScalar(Mul(p, x), c)
	}
	return p
}

// Scheme is a way to take the expectation over the posterior of E and W.
//
// Fresh and Local have the same distribution: every row and slot has its own draw. With Items, each row has this distribution, but
// rows that share an item share its draw. Moments and Quadrature have its mean and variance. Table has another variance if a row's
// slots share rows of the tables.
type Scheme string

const (
	// Fresh fetches an item's distribution and samples it anew for every row, column and hash, as the authors' program does:
	// "scheme two" of Supp. G.1 (Eq. 27).
	Fresh Scheme = "rows"
	// Table draws the whole table once a sample and looks up items: "scheme one" (Eq. 26). Rows share noise, so gradients are noisier.
	Table Scheme = "table"
	// Items draws each distinct item once for each sample. It lies between Fresh and Table, and serves any model.
	Items Scheme = "items"
	// Local is for linear assemblies. W is drawn as in Fresh. Given W, the assembled embedding is Gaussian, and so is the logit of a linear
	// head. One normal for each row replaces K·d for each column; several logits take d a column. Fresh has the same distribution.
	Local Scheme = "local"
	// Moments is for linear heads with one logit. It also integrates W, matching the logit's mean and variance, and draws one normal a row.
	Moments Scheme = "moments"
	// Quadrature is Moments with Gauss–Hermite nodes in place of samples, so it has no noise. Use it only with [Expected]:
	// an exact mean of probabilities before the logarithm rewards posterior spread and learns worse.
	Quadrature Scheme = "quadrature"
)

// NeedsLinearAssembly tells whether the scheme needs an assembly that is linear in E.
func (s Scheme) NeedsLinearAssembly() bool { return s == Local || s.NeedsOneLogit() }

// NeedsOneLogit tells whether the scheme works only on the logit of a linear head. Such a scheme has no embeddings.
func (s Scheme) NeedsOneLogit() bool { return s == Moments || s == Quadrature }
