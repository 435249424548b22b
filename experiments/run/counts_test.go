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
	filetest.WantEqual(t, labelsOf(f), append([]string{"Small", "Large"}, baseline.SalesNames()...), "methods")
	filetest.WantEqual(t, f.Manifest.Backend, noBackend, "backend")
	filetest.WantEqual(t, f.Stream.Steps, 3, "number of days")
	filetest.Want(t, f.Manifest.DataSHA256 != "", "no checksum")
	for i, method := range s.Methods {
		m := &f.Methods[i]
		filetest.WantEqual(t, m.Parameters, method.Memory/4, "%s: parameters", m.Name)
		filetest.WantEqual(t, m.Runs[1].Seed, 3, "%s: the second seed", m.Name)
		filetest.WantEqual(t, m.Runs[0].UpdateSteps, 3, "%s: steps", m.Name)
		filetest.Want(t, m.Hash != "" && len(m.Runs[0].Calibration) > 0, "%s: %+v", m.Name, m)
		filetest.Want(t, !slices.Equal(m.Runs[0].LogLikelihood, m.Runs[1].LogLikelihood), "%s: both seeds draw the same hashes", m.Name)
	}
	for _, o.Existing = range []Existing{Keep, Resume, Refresh} {
		filetest.WantEqual(t, mustRun(t, s, o).Manifest.Started, f.Manifest.Started, "existing %d: the time of the run", o.Existing)
	}
	other := tinyCounts()
	other.Methods[1].Memory *= 2
	o.Existing = Keep
	filetest.WantError(t, filetest.Failure(Execute(t.Context(), other, o)), "another spec")
	o.Existing = Refresh
	filetest.WantEqual(t, mustRun(t, other, o).Manifest.SpecHash, other.Fingerprint(), "other counts: the spec")
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
