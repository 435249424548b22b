package learn_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// An update that converges after n epochs is an update of n epochs, bit for bit, whatever the other runs do.
func TestConvergence(t *testing.T) {
	if nettest.Backend(t).Name() == "xla" {
		t.Skip("XLA fuses the programs of one run and of three in different ways, and of updates with a course in a third")
	}
	const most = 200
	c := config(phe.Posterior)
	c.LearningRate, c.TrainSamples, c.Encoder.InitialLogStdDev = 0.001, 4, -1
	plain := newLearner(t, sum(), c, learn.Options{Seeds: []int64{3}})
	c.Convergence = 1
	seeds := []int64{3, 4, 5}
	together := newLearner(t, sum(), c, learn.Options{Seeds: seeds})
	for range 2 { // the second begins where each run has come
		filetest.Check(t, together.Update(numbersTo(40), most))
	}
	taken, all := together.EpochsTaken(), together.State(t).Parameters
	least, largest := slices.Min(taken), slices.Max(taken)
	differ := 20 <= least && least < largest && largest < most
	filetest.True(t, differ, "the runs took %v epochs, want different numbers between 20 and %d", taken, most)
	alone := newLearner(t, sum(), c, learn.Options{Seeds: []int64{3}})
	for k, seed := range seeds {
		one := nettest.Led{Learner: filetest.Must(alone.Fork([]int64{seed}))(t), All: alone.All}
		same := nettest.Led{Learner: filetest.Must(plain.Fork([]int64{seed}))(t), All: plain.All}
		filetest.Check(t, one.Meet(one.All))
		filetest.Check(t, same.Meet(same.All))
		for range 2 {
			filetest.Check(t, one.Update(numbersTo(40), most))
			begin := same.State(t)
			filetest.Check(t, same.Update(numbersTo(40), one.EpochsTaken()[0]))
			now := same.State(t)
			begin.Counts, now.Counts = one.State(t).Counts, one.State(t).Counts // noise is numbered as if all epochs were taken
			filetest.Check(t, same.Restore(now))
		}
		filetest.Want(t, one.EpochsTaken()[0], taken[k], "epochs of seed %d alone, and beside others", seed)
		for i, want := range one.State(t).Parameters {
			filetest.Want(t, same.State(t).Parameters[i], want, "seed %d: parameter %d after an update of %d epochs", seed, i, taken[k])
			filetest.Want(t, all[i][k*len(want):][:len(want)], want, "seed %d: parameter %d beside others, and alone", seed, i)
		}
	}
}

// An initial phase that converges after n epochs has n epochs for each run, in however many calls, from a snapshot and after growth.
func TestInitialConvergence(t *testing.T) {
	if nettest.Backend(t).Name() == "xla" {
		t.Skip("XLA fuses a phase with a course in another way")
	}
	begun := func(tolerance float64) nettest.Led {
		c := hashed(phe.Posterior)
		c.LearningRate, c.TrainSamples, c.Encoder.InitialLogStdDev, c.InitialConvergence = 0.003, 4, -1, tolerance
		l := newLearner(t, sum(), c, learn.Options{})
		filetest.Check(t, l.Fit(numbersTo(40), 7))
		filetest.Check(t, l.Grow())
		return l
	}
	l := begun(1)
	filetest.Check(t, l.Restore(l.State(t)))
	for range 193 {
		filetest.Check(t, l.Fit(numbersTo(40), 1))
	}
	taken := l.EpochsTaken()
	filetest.True(t, taken[0] != taken[1] && max(taken[0], taken[1]) < 200, "the runs took %v epochs", taken)
	for k, n := range taken {
		plain := begun(0)
		filetest.Check(t, plain.Fit(numbersTo(40), n-7))
		filetest.Want(t, l.State(t).Of([]int{k}, 2).Parameters, plain.State(t).Of([]int{k}, 2).Parameters, "run %d after %d epochs", k, n)
	}
	filetest.WantError(t, l.Replay(numbersTo(40), 1), "give the configuration InitialConvergence 0")
}

// A course ends at the first window of ten epochs whose mean is not above the last window's by a standard error.
func TestCourse(t *testing.T) {
	for _, c := range []struct {
		name string
		elbo func(epoch int) float64
		ends int
	}{
		{"flat but for its noise", func(e int) float64 { return -1e4 + float64(e%2) }, 20},
		{"rises for ever", func(e int) float64 { return float64(e) }, 0},
		{"rises, and then is flat", func(e int) float64 { return min(float64(e), 25) + float64(e%2) }, 50},
		{"rises by less than its noise", func(e int) float64 { return map[bool]float64{true: float64(e % 2 * 40), false: 25}[e < 10] }, 20},
		{"is no number", func(int) float64 { return math.NaN() }, 20},
		{"becomes infinite", func(e int) float64 { return float64(e) / max(0, float64(12-e)) }, 20},
		{"falls", func(e int) float64 { return -float64(e) }, 20},
	} {
		course := filetest.Must(tensors.CopyFlatData[float32](learn.NewCourse(1, 2)))(t) // two steps an epoch, whose mean counts
		step := filetest.Must(NewExec(nettest.Backend(t), func(course, elbo, i *Node) *Node {
			return learn.Followed(course, elbo, i, 1)
		}))(t)
		ended := 0
		for i := 0; i < 2*60 && ended == 0; i++ {
			swing := float64(i/2) * float64(3-6*(i%2))
			out := filetest.Must(step.Call([][]float32{course}, []float32{float32(c.elbo(i/2) + swing)}, int32(i)))(t)
			course = out[0].Value().([][]float32)[0]
			if course[learn.CourseDone] > 0 {
				ended = int(course[learn.CourseEpochs])
			}
		}
		filetest.Want(t, ended, c.ends, "epochs of an ELBO that %s", c.name)
	}
}
