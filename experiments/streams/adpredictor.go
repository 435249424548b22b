package streams

import (
	"bufio"
	"encoding/csv"
	"hash/fnv"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// AdPredictor is Bayesian probit regression on hashed items: Graepel, Candela, Borchert and Herbrich, Web-Scale Bayesian
// Click-Through Rate Prediction (ICML 2010), Eqs. 6 to 9. A bucket holds a Gaussian belief about one weight, which begins as N(0, 1);
// the noise has variance 1. Package experiments/onehot has the same update for items without hashing.
type AdPredictor struct {
	Bytes int   // of all beliefs, 8 each
	Pairs bool  // items of two columns together are items too
	Seed  int64 // draws the hash function

	mean, variance []float32
}

// Run writes the forecast of each row of a file of inputs, made before the row was learned.
func (a *AdPredictor) Run(inputs, to string) error {
	a.mean, a.variance = make([]float32, a.Bytes/8), make([]float32, a.Bytes/8)
	for i := range a.variance {
		a.variance[i] = 1
	}
	in, err := os.Open(inputs)
	if err != nil {
		return errors.Wrap(err, "reading the inputs")
	}
	defer in.Close()
	f, err := os.Create(to)
	if err != nil {
		return errors.Wrap(err, "writing forecasts")
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	if err := a.learn(csv.NewReader(in), out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return errors.Wrap(err, "writing forecasts")
	}
	return errors.Wrap(f.Close(), "writing forecasts")
}

func (a *AdPredictor) learn(in *csv.Reader, out *bufio.Writer) error {
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return errors.Wrap(err, "reading the inputs")
	}
	names := append([]string(nil), header[1:]...)
	var active []int
	for {
		row, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errors.Wrap(err, "reading the inputs")
		}
		active = a.buckets(active[:0], names, row[1:])
		m, s := a.score(active)
		out.WriteString(strconv.FormatFloat(probit(m/math.Sqrt(s)), 'g', 9, 64))
		out.WriteByte('\n') // bufio keeps an error for Flush
		y := -1.0
		if row[0] == "1" {
			y = 1
		}
		sd := math.Sqrt(s)
		v, w := corrections(y * m / sd)
		for _, b := range active {
			variance := float64(a.variance[b])
			a.mean[b] += float32(y * variance / sd * v)
			a.variance[b] *= float32(1 - variance/s*w)
		}
	}
}

// buckets returns the buckets of the bias, of a row's items, and of their pairs.
func (a *AdPredictor) buckets(active []int, names, fields []string) []int {
	active = append(active, a.bucket(uint64(a.Seed)))
	type item struct {
		column string
		key    uint64
	}
	items := make([]item, 0, 64)
	for i, field := range fields {
		if field == "" || strings.HasPrefix(names[i], number) {
			continue
		}
		h := fnv.New64a()
		io.WriteString(h, names[i]+"="+field) // it returns no error
		items = append(items, item{column(names[i]), mix(h.Sum64() + uint64(a.Seed))})
	}
	for i, one := range items {
		active = append(active, a.bucket(one.key))
		for _, other := range items[:i] {
			if a.Pairs && other.column != one.column {
				active = append(active, a.bucket(one.key*3+other.key))
			}
		}
	}
	return active
}

func (a *AdPredictor) bucket(key uint64) int { return int(mix(key) % uint64(len(a.mean))) }

// mix is the end of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// score returns mean and variance of a row's score, noise included.
func (a *AdPredictor) score(active []int) (mean, variance float64) {
	variance = 1
	for _, b := range active {
		mean += float64(a.mean[b])
		variance += float64(a.variance[b])
	}
	return mean, variance
}

// corrections are v and w of a Gaussian cut off at −t: N(t)/Φ(t), and v(v + t).
func corrections(t float64) (v, w float64) {
	const farOut = -30 // Φ loses its digits beyond
	if t < farOut {
		return -t, 1
	}
	v = math.Exp(-t*t/2) / math.Sqrt(2*math.Pi) / probit(t)
	return v, v * (v + t)
}

// probit is the distribution function of N(0, 1).
func probit(t float64) float64 { return math.Erfc(-t/math.Sqrt2) / 2 }
