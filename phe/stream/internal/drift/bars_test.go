package drift

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

// size is the size of the measurements. The long form made the table of the package's documentation.
type size struct {
	quiet, quietRows int // streams without a change
	rising           int // streams whose losses rise
}

func measured() size {
	if os.Getenv("GOPHE_TEST") == "long" {
		return size{quiet: 20, quietRows: 1_000_000, rising: 200}
	}
	return size{quiet: 2, quietRows: 200_000, rising: 10}
}

// change is the row after which losses rise.
const change = 50_000

// TestBars measures false alarms and delays, and holds them against the promises of the package.
func TestBars(t *testing.T) {
	m := measured()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			alarms := 0
			for seed := range m.quiet {
				alarms += falseAlarms(k, uint64(seed), m.quietRows)
			}
			filetest.True(t, alarms <= 1, "%d false alarms in %d streams of %d rows, want at most 1", alarms, m.quiet,
				m.quietRows)
			share, median := delays(k, 2, k.double, m.rising)
			filetest.True(t, share >= 0.95, "a doubling is noticed within %d rows in %.3f of the streams, want 0.95",
				k.double, share)
			t.Logf("%s: %d false alarms; a doubling within %d rows %.3f, median %d", k.name, alarms, k.double, share, median)
			if k.third == 0 {
				return
			}
			share, median = delays(k, 1.3, k.third, m.rising)
			filetest.True(t, share >= 0.9, "a rise by 30 %% is noticed within %d rows in %.3f of the streams, want 0.9",
				k.third, share)
			t.Logf("%s: a rise by 30 %% within %d rows %.3f, median %d", k.name, k.third, share, median)
		})
	}
}

// falseAlarms counts the alarms of a stream that does not change.
func falseAlarms(k kind, seed uint64, rows int) int {
	r := rand.New(rand.NewPCG(seed, 1))
	a, next := New(), k.stream()
	for range rows {
		a.Add(next(r, 1))
	}
	return a.Alarms
}

// delays returns the share of streams whose rise is noticed within a number of rows, and the median delay.
func delays(k kind, level float64, within, streams int) (share float64, median int) {
	found := make([]int, 0, streams)
	for seed := range streams {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		a, next := New(), k.stream()
		for range change {
			a.Add(next(r, 1))
		}
		delay := math.MaxInt
		for row := range within {
			if a.Add(next(r, level)) {
				delay = row + 1
				break
			}
		}
		found = append(found, delay)
	}
	slices.Sort(found)
	noticed, _ := slices.BinarySearch(found, math.MaxInt)
	return float64(noticed) / float64(streams), found[streams/2]
}

// TestCycles: slow cycles of ±20 % of the mean are no alarm. With a lower threshold and allowance they are.
func TestCycles(t *testing.T) {
	m := measured()
	alarms := func(k kind, o Options) int {
		count := 0
		for seed := range m.quiet {
			r := rand.New(rand.NewPCG(uint64(seed), 3))
			a, next := &Alarm{Options: o}, k.stream()
			for row := range m.quietRows {
				a.Add(next(r, 1+0.2*math.Sin(2*math.Pi*float64(row)/5000)))
			}
			count += a.Alarms
		}
		return count
	}
	for _, k := range kinds()[:5] { // log-losses with flipped labels have no level below 1, and autocorrelated ones cycle anyway
		filetest.Want(t, alarms(k, New().Options), 0, "%s: alarms", k.name)
	}
	filetest.True(t, alarms(kinds()[3], Options{Batch: 100, Memory: 500, Rise: 0.01, Threshold: 4}) != 0,
		"they are none with a low threshold either")
}

// TestLearning: losses that fall as a model learns are no alarm, and a doubling is noticed soon after.
func TestLearning(t *testing.T) {
	level := func(row int) float64 { return 1 + 4/math.Sqrt(1+float64(row)/100) }
	all := kinds()
	for _, k := range []kind{all[1], all[3], all[4], all[5]} {
		noticed, streams := 0, measured().rising
		for seed := range streams {
			r := rand.New(rand.NewPCG(uint64(seed), 4))
			a, next := New(), k.stream()
			for row := range change {
				filetest.True(t, !a.Add(next(r, level(row))), "%s: a false alarm in row %d", k.name, row)
			}
			for range 4000 {
				if a.Add(next(r, 2*level(change))) {
					noticed++
					break
				}
			}
		}
		t.Logf("%s: noticed in %d of %d streams", k.name, noticed, streams)
		filetest.True(t, noticed >= streams*9/10, "%s: a doubling is noticed in %d of %d streams", k.name, noticed,
			streams)
	}
}

// losses draws the next loss of a stream at a multiple of its level.
type losses func(r *rand.Rand, level float64) float64

// zeroOne returns losses that are 1 with probability p, and else 0.
func zeroOne(p float64) func() losses {
	return stateless(func(r *rand.Rand, level float64) float64 {
		if r.Float64() < p*level {
			return 1
		}
		return 0
	})
}

func exponential(r *rand.Rand, level float64) float64 { return level * r.ExpFloat64() }

// studentSquared draws the square of a Student-t with three degrees of freedom. Its variance is infinite.
func studentSquared(r *rand.Rand, level float64) float64 {
	chi := 0.0
	for range 3 {
		z := r.NormFloat64()
		chi += z * z
	}
	z := r.NormFloat64()
	return level * 3 * z * z / chi
}

// logLoss draws the log-loss of a calibrated classifier whose logits are N(0, 9). Labels that are flipped raise its mean.
func logLoss(r *rand.Rand, level float64) float64 {
	const meanLoss, meanFlipped = 0.361, 2.427 // nats a row with the label drawn and with its opposite, by simulation
	p := 1 / (1 + math.Exp(-3*r.NormFloat64()))
	right := r.Float64() < p
	if r.Float64() < (level-1)*meanLoss/(meanFlipped-meanLoss) {
		right = !right
	}
	if right {
		return -math.Log(p)
	}
	return -math.Log1p(-p)
}

// autocorrelated returns log-normal losses whose logarithm is autoregressive.
func autocorrelated(rho float64) func() losses {
	return func() losses {
		x := 0.0
		return func(r *rand.Rand, level float64) float64 {
			x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
			return level * math.Exp(x/2)
		}
	}
}

func stateless(l losses) func() losses { return func() losses { return l } }

// kind is a kind of losses, and the changes that the alarm must notice.
type kind struct {
	name   string
	stream func() losses
	double int // rows within which a doubling must be noticed
	third  int // rows within which a rise by 30 % must be noticed; 0: it need not
}

func kinds() []kind {
	return []kind{
		{"0 or 1, p = 0.01", zeroOne(0.01), 20000, 0},
		{"0 or 1, p = 0.1", zeroOne(0.1), 2000, 20000},
		{"0 or 1, p = 0.4", zeroOne(0.4), 2000, 20000},
		{"exponential", stateless(exponential), 2000, 20000},
		{"squared Student-t(3)", stateless(studentSquared), 2000, 20000},
		{"log-loss, labels flipped", stateless(logLoss), 2000, 20000},
		{"autocorrelated, 0.9", autocorrelated(0.9), 2000, 20000},
	}
}
