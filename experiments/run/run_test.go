package run

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/models/dkf"
)

func TestRunComplete(t *testing.T) {
	out := filepath.Join(t.TempDir(), "made", "by", "run")
	s, o := tiny(t), options(t, out)
	var shares []float64
	o.Progress = func(done float64, _ string) { shares = append(shares, done) }
	f := mustRun(t, s, o)
	wantSame(t, readResult(t, out), f, "read from the file")
	filetest.WantFiles(t, out, fileNames[:]...)
	filetest.Want(t, slices.IsSorted(shares) && shares[0] > 0, "progress %v; want a rise to 1", shares)
	filetest.WantNear(t, shares[len(shares)-1], 1, 1e-9, "the progress at the end")
	m := f.Manifest
	filetest.WantEqual(t, []string{f.Name, m.SpecHash, m.Backend}, []string{"tiny", s.Fingerprint(), "go"}, "the manifest")
	filetest.Want(t, len(m.DataSHA256) == 64 && m.Commit != "" && m.Versions["go"] != "", "manifest %+v", m)
	filetest.Want(t, m.Seconds > 0 && m.PeakMemoryMB > 0, "%g s, %g MB", m.Seconds, m.PeakMemoryMB)
	read := filetest.Must(spec.Parse("manifest", m.Spec))(t)
	filetest.WantEqual(t, read.Fingerprint(), s.Fingerprint(), "the manifest's spec")
	filetest.WantEqual(t, read.Seeds, s.Seeds, "the list of seeds")
	whole := wantWhole(t, s, "PHE", "SlowAda", "FastAda", "PHE (frozen)", "Ada (frozen)", "Majority", "ItemMajority")
	filetest.WantEqual(t, whole.Methods[0].Runs[0].Rows, []int{24, 24, 24}, "four fifths of each block of 30: the list of rows")
}

// A method that diverges is written down with its step, and the others go on.
func TestDiverged(t *testing.T) {
	table, ratings := tiny(t), tinyRatings(t)
	table.Model.KLWeight = 1e300 // it overflows float32, and ruins the methods with a posterior
	ratings.Seeds, ratings.Methods[1] = ratings.Seeds[:1], spec.Method{Name: "PHE fast", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2, UpdateLearningRate: 1e30, Scope: phe.AllParameters}
	for _, c := range []struct {
		name             string
		spec             spec.Spec
		diverges         []string
		at, steps, tests int // scored before the method broke
	}{
		{"table", table, []string{"PHE", "PHE (frozen)"}, 0, 0, 0},
		{"days", diverging(t, protocol.Daily), []string{"PHE Poisson"}, 1, 1, 0},
		{"products", diverging(t, protocol.Products), []string{"PHE Poisson"}, 0, 0, 3},
		{"ratings", ratings, []string{"PHE fast"}, 1, 1, 0},
	} {
		out := t.TempDir()
		f := mustRun(t, c.spec, options(t, out))
		filetest.Want(t, f.Status == result.Complete && timeless(t, readResult(t, out)) == timeless(t, f),
			"%s: the file is %s; a diverged run is finished too", c.name, f.Status)
		filetest.WantFiles(t, out, fileNames[:]...)
		for _, m := range f.Methods {
			for _, run := range m.Runs {
				want := fixture.Pick(slices.Contains(c.diverges, m.Label()), result.Diverged, result.Complete)
				filetest.WantEqual(t, run.Status, want, "%s: status of %s", c.name, m.Label())
				if want == result.Complete {
					continue
				}
				sizes := [3]int{run.DivergedAt, len(run.Rows), len(run.Tests)}
				filetest.WantEqual(t, sizes, [3]int{c.at, c.steps, c.tests},
					"%s: step of divergence, steps and tests of %s", c.name, m.Label())
				for metric, series := range seriesOf(run) {
					filetest.WantEqual(t, len(series), c.steps, "%s: steps of %s by %s", c.name, m.Label(), metric)
				}
			}
		}
	}
}

// Learning rates far too large end in NaN, ±∞ or numbers near the end of float32 or float64; none may break the file, or search for a
// median for ever.
func TestDivergedLearningRates(t *testing.T) {
	table := tiny(t)
	table.Protocol.InitialEpochs, table.Model.BatchSize = 1, 1000
	for _, c := range []struct {
		spec  spec.Spec
		rates []float64
	}{
		{table, []float64{1e10, 3e12, 1e19, 1e30, 1e300}}, // 3e12 gives a log-likelihood of −∞
		{tinyRetail(t, protocol.Daily), []float64{30, 1e300}},
		{tinyAuthors(t, protocol.Daily), []float64{30, 1e300}},
		{tinyRatings(t), []float64{30, 1e10, 1e300}},
	} {
		for _, rate := range c.rates {
			if between := rate == 1e10 || rate == 1e19 || rate == 1e30; between && !filetest.Long() {
				continue
			}
			s, out := c.spec, t.TempDir()
			s.Seeds, s.Model.LearningRate = s.Seeds[:1], rate
			if s.Filter != nil {
				s.Filter.Likelihood = dkf.Poisson
			}
			if s.Dataset != table.Dataset {
				s.Protocol.MaxChunks = 2
			}
			filetest.WantEqual(t, mustRun(t, s, options(t, out)).Status, result.Complete, "%s, rate %g: status", s.Dataset, rate)
			filetest.WantEqual(t, readResult(t, out).Status, result.Complete, "%s, rate %g: status in the file", s.Dataset, rate)
		}
	}
}

// What cannot run is refused before anything is computed, with the remedy, and nothing is written. A Go program can ask for numbers that
// no JSON can.
func TestRunErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	filetest.Check(t, os.WriteFile(file, nil, 0o644))
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		change func(*spec.Spec, *Options)
		want   []string
	}{
		{"folder under a file", func(_ *spec.Spec, o *Options) { o.Out = filepath.Join(file, "out") }, []string{file, "--out"}},
		{"a file for a folder", func(_ *spec.Spec, o *Options) { o.Out = file }, []string{file, "--out"}},
		{"unknown dataset", func(s *spec.Spec, _ *Options) { s.Dataset = "adlut" }, []string{`"adlut"`, "adult"}},
		{"altered data", func(_ *spec.Spec, o *Options) { o.AllowAltered = false }, []string{"adult.csv", "remedy: accept altered"}},
		{"too little initial data", func(s *spec.Spec, _ *Options) { s.Protocol.InitialFraction = 1e-6 }, []string{"initial"}},

		{"large tables", func(s *spec.Spec, _ *Options) { s.Model.Encoder.NumBuckets = 200_000_000 }, []string{"spec tiny", "parameters are limited to", "smaller"}},
		{"some large tables", func(s *spec.Spec, _ *Options) { s.Methods[2].NumBuckets = 200_000_000 }, []string{"spec tiny", "parameters are limited to", "smaller"}},
		{"large batches", func(s *spec.Spec, _ *Options) {
			s.Model.BatchSize, s.Model.TrainSamples, s.Model.Encoder.EmbeddingDim = 50_000_000, 1, 20 // 768 GB
		}, []string{"spec tiny", "it needs at least ", "smaller"}},
		{"train samples", func(s *spec.Spec, _ *Options) { s.Model.TrainSamples = 1_000_000_000 }, []string{"spec tiny", "train_samples is limited to", "smaller"}},
		{"test samples", func(s *spec.Spec, _ *Options) { s.Model.TestSamples = 1_000_000_000 }, []string{"spec tiny", "test_samples is limited to", "smaller"}},

		{"deviation", func(s *spec.Spec, _ *Options) { s.Model.Encoder.InitialLogStdDev = nan }, []string{"initial_log_std_dev"}},
		{"no deviation", func(s *spec.Spec, _ *Options) { s.Model.Encoder.InitialLogStdDev = -inf }, []string{"initial_log_std_dev is -Inf"}},
		{"large deviation", func(s *spec.Spec, _ *Options) { s.Model.Encoder.InitialLogStdDev = 81 }, []string{"initial_log_std_dev is 81; it must lie in -80…80"}},
		{"means", func(s *spec.Spec, _ *Options) { s.Model.Encoder.InitialMeanStdDev = inf }, []string{"initial_mean_std_dev"}},
		{"KL weight", func(s *spec.Spec, _ *Options) { s.Model.KLWeight = inf }, []string{"kl_weight"}},
		{"no KL weight", func(s *spec.Spec, _ *Options) { s.Model.KLWeight = nan }, []string{"kl_weight is NaN"}},
		{"learning rate", func(s *spec.Spec, _ *Options) { s.Model.LearningRate = inf }, []string{"learning_rate"}},
		{"method's rate", func(s *spec.Spec, _ *Options) { s.Methods[0].UpdateLearningRate = inf }, []string{"update_learning_rate"}},
		{"method's no rate", func(s *spec.Spec, _ *Options) { s.Methods[0].UpdateLearningRate = nan }, []string{"update_learning_rate is NaN"}},
		{"floor", func(s *spec.Spec, _ *Options) { s.Model.LikelihoodFloor = nan }, []string{"likelihood_floor"}},
		{"fraction", func(s *spec.Spec, _ *Options) { s.Protocol.InitialFraction = nan }, []string{"initial_fraction"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			spec, o := tiny(t), options(t, out)
			spec.Model.Encoder.Hash = hash.CarterWegman // the authors' hash has a limit of its own
			c.change(&spec, &o)
			_, err := Execute(context.Background(), spec, idle(t, o, c.name))
			filetest.WantError(t, err, c.want...)
			filetest.WantFiles(t, out)
		})
	}
}

// A stream whose last chunk is a single row has nothing to score there: the run ends with the chunk before.
func TestLastChunkOfOneRow(t *testing.T) {
	spec := tiny(t)
	table := filetest.Must(tables.Load(spec.Dataset, files.Options{AllowAltered: true}))(t)
	n := table.NumRows()
	spec.Protocol.ChunkRows = n - int(spec.Protocol.InitialFraction*float64(n)) - 1
	spec.Seeds, spec.Methods = spec.Seeds[:1], spec.Methods[:1]
	f := resultOf(t, spec)
	filetest.WantEqual(t, f.Status, result.Complete, "status")
	filetest.WantEqual(t, len(f.Methods[0].Runs[0].Rows), 1, "steps")
}

// A quick look at any protocol is valid, and no larger than the whole.
func TestQuick(t *testing.T) {
	for name, p := range protocoltest.Full {
		for _, maxChunks := range []int{0, 5, 1000} {
			p := p
			if name == protocol.GroupWise || name == protocol.Products || name == protocol.TwoItems && maxChunks == 0 {
				continue
			}
			p.MaxChunks, p.InitialEpochs = maxChunks, 100
			spec := tinyOf(t, name)
			spec.Protocol = p
			quick := spec.Quick()
			want := p
			want.InitialEpochs, want.MaxChunks = 10, fixture.Pick(maxChunks == 5, 5, 30)
			filetest.WantEqual(t, quick.Protocol, want, "%s: protocol", name)
			filetest.WantEqual(t, quick.Name, "tiny-quick", "%s: name", name)
			filetest.Check(t, quick.Validate())
		}
	}
	for _, name := range []string{protocol.GroupWise, protocol.Products} { // a few groups only, and each is needed
		spec := tinyOf(t, name)
		quick := spec.Quick()
		filetest.WantEqual(t, [2]int{quick.Protocol.InitialEpochs, quick.Protocol.MaxChunks}, [2]int{1, 0}, "%s: epochs and chunks", name)
		filetest.Check(t, quick.Validate())
	}
}
