package run

import (
	"math"
	"slices"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/rivals/packsize"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
)

// tinyCounters is a spec of three counters on three days.
func tinyCounters() spec.Spec {
	config := packsize.Config{Contexts: "seven", Slots: 1 << 12, Weights: 1 << 10, Levels: 1 << 8}
	some := config
	some.Learns = "kept-windows"
	return spec.Spec{
		Name: "tiny", Title: "a test", Dataset: spec.Retail, Convention: protocol.Paper, Seeds: []int64{0, 3},
		Protocol: protocol.Spec{Name: protocol.Daily, InitialEpochs: 1, FirstDay: "2011-02-01", Windows: protocol.Overlapping, MaxChunks: 3},
		Counters: []spec.Counter{{Name: "All", Config: config}, {Name: "Some", Config: some}, {Name: "Columns", Config: packsize.Config{Contexts: "columns", Memory: 128 << 10}}},
	}
}

// A spec of counters gives a result like other daily specs: the counters, then the trivial rivals. Their scores come from the
// forecasts.
func TestRetailCounters(t *testing.T) {
	stream, spec := threeDays(t), tinyCounters()
	f, err := executeInFull(t.Context(), spec, options(t, t.TempDir())) // with all digits
	filetest.Check(t, err)
	var names []string
	for i := range f.Methods {
		names = append(names, f.Methods[i].Name)
	}
	if want := append([]string{"All", "Some", "Columns"}, baseline.SalesNames()...); !slices.Equal(names, want) {
		t.Fatalf("rows %q, want %q", names, want)
	}
	if f.Manifest.Backend != noBackend || f.Stream.Steps != 3 || f.Manifest.DataSHA256 == "" {
		t.Errorf("manifest %+v, stream %+v", f.Manifest, f.Stream)
	}
	for i, r := range spec.Counters {
		m := &f.Methods[i]
		for k, seed := range spec.Seeds {
			config := r.Config
			config.Seed = uint64(seed)
			errs, likelihood := make([]float64, 3), make([]float64, 3)
			whole := make([]float64, 3)
			counter, err := packsize.New(config, stream)
			for step, windows := range stream.Steps {
				if err == nil {
					err = counter.Forecast(windows, func(window int32, d count.Distribution) {
						y := int(stream.Sales.Quantities[stream.Windows.Last(int(window))])
						if !stream.Windows.IsPadded(int(window)) {
							errs[step] += math.Abs(d.Quantile(0.5) - float64(y))
							likelihood[step] += d.LogProbability(y)
							whole[step]++
						}
					})
				}
				if err == nil {
					err = counter.Learn(windows)
				}
			}
			filetest.Check(t, err)
			if m.Parameters != config.Bytes()/4 || m.Hash == "" || m.Runs[k].Seed != seed {
				t.Errorf("%s, seed %d: %d numbers, want %d", r.Name, seed, m.Parameters, config.Bytes()/4)
			}
			counted := 0.
			for _, n := range m.Runs[k].Calibration {
				counted += n
			}
			if want := whole[0] + whole[1] + whole[2]; math.Abs(counted-want) > 1e-3*want {
				t.Errorf("%s: %v counts are calibrated, want %v", r.Name, counted, want)
			}
			for step := range whole {
				if got, want := m.Runs[k].Series(measure.WholeError)[step], errs[step]/whole[step]; math.Abs(got-want) > 1e-6 {
					t.Errorf("%s, day %d: error %v, want %v", r.Name, step, got, want)
				}
				if got, want := m.Runs[k].LogLikelihood[step], likelihood[step]/whole[step]; math.Abs(got-want) > 1e-6 {
					t.Errorf("%s, day %d: log-likelihood %v, want %v", r.Name, step, got, want)
				}
			}
		}
		if len(m.Runs[0].Series(measure.ErrorOfMean)) != 0 {
			t.Errorf("%s: a mean was scored that no counter tells", r.Name)
		}
		if slices.Equal(m.Runs[0].LogLikelihood, m.Runs[1].LogLikelihood) {
			t.Errorf("%s: both seeds draw the same hashes", r.Name)
		}
	}
	if slices.Equal(f.Methods[0].Runs[0].LogLikelihood, f.Methods[1].Runs[0].LogLikelihood) {
		t.Error("it is the same to learn from all sales and from some")
	}
}

// A finished result stays; another counter's is refused.
func TestCountersKeepResults(t *testing.T) {
	threeDays(t)
	spec, out := tinyCounters(), t.TempDir()
	o := options(t, out)
	first := mustRun(t, spec, o)
	for _, existing := range []Existing{Keep, Resume, Refresh} {
		o.Existing = existing
		if again := mustRun(t, spec, o); again.Manifest.Started != first.Manifest.Started {
			t.Errorf("existing %d: it ran again", existing)
		}
	}
	other := tinyCounters()
	other.Counters[1].Slots *= 2
	o.Existing = Keep
	filetest.WantError(t, filetest.Failure(Execute(t.Context(), other, o)), "another spec")
	if other.Fingerprint() == spec.Fingerprint() || spec.Quick().Fingerprint() == tinyAuthors(t, protocol.Daily).Fingerprint() {
		t.Error("specs of other counters share a hash")
	}
	o.Existing = Refresh
	if again := mustRun(t, other, o); again.Manifest.SpecHash != other.Fingerprint() {
		t.Error("the result of other counters was taken over")
	}
}

func TestCountersAreValidated(t *testing.T) {
	for _, c := range []struct {
		change func(s *spec.Spec)
		want   string
	}{
		{func(s *spec.Spec) { s.Methods = []spec.Method{{Name: "PHE"}} }, "methods and counters"},
		{func(s *spec.Spec) { s.Dataset = "adult" }, "counters forecast dataset"},
		{func(s *spec.Spec) { s.Protocol.Name = protocol.Products }, "counters forecast dataset"},
		{func(s *spec.Spec) { s.Features = []string{"Country"} }, "leave them out"},
		{func(s *spec.Spec) { s.Convention = protocol.Authors }, "not the authors'"},
		{func(s *spec.Spec) { s.Seeds = nil }, "seeds is empty"},
		{func(s *spec.Spec) { s.Seeds = []int64{1, 1} }, "seeds lists 1 twice"},
		{func(s *spec.Spec) { s.Protocol.FirstDay = "February" }, "first_day"},
		{func(s *spec.Spec) { s.Counters[0].Name = "" }, "a counter is named"},
		{func(s *spec.Spec) { s.Counters[0].Name = "Counting rule" }, "a counter is named"},
		{func(s *spec.Spec) { s.Counters[0].Name = s.Counters[1].Name }, "twice"},
		{func(s *spec.Spec) { s.Counters[0].Slots = 100 }, "100 slots"},
		{func(s *spec.Spec) { s.Counters[0].Contexts = "all" }, "contexts"},
	} {
		spec := tinyCounters()
		c.change(&spec)
		filetest.WantError(t, spec.Validate(), c.want)
	}
	filetest.Check(t, tinyCounters().Validate())
}
