package run

import (
	"slices"
	"testing"

	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/tabular"
)

// tinyCounts is a spec of counts in two memories on three days.
func tinyCounts() spec.Spec {
	counts := func(name string, memory int) spec.Method {
		return spec.Method{Name: name, Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.Counts, Memory: memory}
	}
	return spec.Spec{
		Name: "tiny", Title: "a test", Dataset: spec.Retail, Seeds: []int64{0, 3},
		Model:    tabular.Paper().Config,
		Protocol: protocol.Spec{Name: protocol.Daily, InitialEpochs: 1, FirstDay: "2011-02-01", Windows: protocol.Overlapping, MaxChunks: 3},
		Methods:  []spec.Method{counts("Small", 128<<10), counts("Large", 256<<10)},
	}
}

// A spec of counts gives a result like other daily specs: the counts, then the trivial rivals. TestCommittedCounts of package task
// checks the scores. A finished result stays, and the result of other counts is refused.
func TestCounts(t *testing.T) {
	shortSales(t)
	s, o := tinyCounts(), options(t, t.TempDir())
	f := mustRun(t, s, o)
	if want := append([]string{"Small", "Large"}, baseline.SalesNames()...); !slices.Equal(labelsOf(f), want) {
		t.Fatalf("rows %q, want %q", labelsOf(f), want)
	}
	if f.Manifest.Backend != noBackend || f.Stream.Steps != 3 || f.Manifest.DataSHA256 == "" {
		t.Errorf("manifest %+v, stream %+v", f.Manifest, f.Stream)
	}
	for i, method := range s.Methods {
		m := &f.Methods[i]
		if m.Parameters != method.Memory/4 || m.Hash == "" || m.Runs[1].Seed != 3 || m.Runs[0].UpdateSteps != 3 || len(m.Runs[0].Calibration) == 0 {
			t.Errorf("%s: %+v", m.Name, m)
		}
		if slices.Equal(m.Runs[0].LogLikelihood, m.Runs[1].LogLikelihood) {
			t.Errorf("%s: both seeds draw the same hashes", m.Name)
		}
	}
	for _, existing := range []Existing{Keep, Resume, Refresh} {
		o.Existing = existing
		if again := mustRun(t, s, o); again.Manifest.Started != f.Manifest.Started {
			t.Errorf("existing %d: it ran again", existing)
		}
	}
	other := tinyCounts()
	other.Methods[1].Memory *= 2
	o.Existing = Keep
	filetest.WantError(t, filetest.Failure(Execute(t.Context(), other, o)), "another spec")
	o.Existing = Refresh
	if again := mustRun(t, other, o); again.Manifest.SpecHash != other.Fingerprint() || again.Manifest.SpecHash == s.Fingerprint() {
		t.Error("the result of other counts was taken over")
	}
}

func TestCountsAreValidated(t *testing.T) {
	wantRefused(t, tinyCounts, map[string]refusal{
		"another method":   {func(s *spec.Spec, _ *spec.Method) { s.Methods[1] = spec.Method{Name: "PHE"} }, []string{"to all methods or to none"}},
		"another dataset":  {func(s *spec.Spec, _ *spec.Method) { s.Dataset = "adult" }, []string{"forecasts dataset"}},
		"another protocol": {func(s *spec.Spec, _ *spec.Method) { s.Protocol.Name = protocol.Products }, []string{"forecasts dataset"}},
		"features":         {func(s *spec.Spec, _ *spec.Method) { s.Features = []string{"Country"} }, []string{"leave it out"}},
		"a rival's name":   {func(_ *spec.Spec, m *spec.Method) { m.Name = "Counting rule" }, []string{"trivial rival"}},
		"little memory":    {func(_ *spec.Spec, m *spec.Method) { m.Memory = 100 }, []string{"memory of \"Small\" is 100 bytes"}},
		"sizes":            {func(_ *spec.Spec, m *spec.Method) { m.NumBuckets = 7 }, []string{"gives the sizes"}},
		"columns":          {func(_ *spec.Spec, m *spec.Method) { m.Without = []string{"Country"} }, []string{"without takes columns of a table away"}},
	})
}
