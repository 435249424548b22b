package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/experiments/packsize"
	"gophe/experiments/result"
	"gophe/experiments/usage"
	"gophe/phe/count"
)

// Counter is a row of a result that no network computes: a forecast of Retail's quantities from pooled counts. It learns in one
// pass, each day after it was forecast. A spec of counters has no methods, and its seeds draw the hashes.
type Counter struct {
	Name string `json:"name"`
	packsize.Config
}

// noBackend is what a result of counters was computed on.
const noBackend = "none: float64 on the host"

// validateCounters is Validate of a spec of counters.
func (s Spec) validateCounters() error {
	switch {
	case len(s.Methods) > 0:
		return errors.Errorf("methods and counters are both given; a spec has one of them")
	case s.Dataset != Retail || s.Protocol.Name != Daily:
		return errors.Errorf("counters forecast dataset %q along protocol %q; %q and %q are given", Retail, Daily, s.Dataset, s.Protocol.Name)
	case s.Filter != nil || s.Recommender != nil || len(s.Features) > 0:
		return errors.Errorf("filter, recommender and features belong to methods; leave them out of a spec of counters")
	case s.Convention != Paper:
		return errors.Errorf("convention is %q; counters are not the authors': choose %q", s.Convention, Paper)
	case len(s.Seeds) == 0:
		return errors.Errorf("seeds is empty; list at least one, such as [0]")
	}
	if err := s.Protocol.Validate(); err != nil {
		return err
	}
	if err := distinct("seeds", s.Seeds); err != nil {
		return err
	}
	var names []string
	for _, r := range s.Counters {
		names = append(names, r.Name)
		if r.Name == "" || isRival(r.Name) {
			return errors.Errorf("a counter is named %q; give it a name that no trivial rival has", r.Name)
		}
		if err := r.Config.Validate(); err != nil {
			return errors.WithMessagef(err, "counter %q", r.Name)
		}
	}
	return distinct("counters", names)
}

// hashOfCounter identifies what a counter computes for a seed.
func (s Spec) hashOfCounter(r Counter) string {
	return digest(string(canonical(struct {
		Protocol Protocol        `json:"protocol"`
		Counter  packsize.Config `json:"counter"`
	}{s.Protocol, r.Config})))
}

// runCounters runs a spec of counters. It takes seconds a counter and seed, so that it neither saves nor takes over parts.
func runCounters(ctx context.Context, spec Spec, o Options) (*result.File, error) {
	started := time.Now()
	manifest, err := newManifest(spec, started)
	if err != nil {
		return nil, err
	}
	place := shelf{o.Out, spec.Name}
	if o.Existing == Resume || o.Existing == Refresh { // a finished result stays as it is
		if old, err := place.read(); err != nil || old != nil && old.Manifest.SpecHash == manifest.SpecHash && isFinished(old, spec.Seeds) {
			return old, err
		}
	}
	made, p, err := newForecasting(spec, data.Options{AllowAltered: o.AllowAltered})
	if err != nil {
		return nil, err
	}
	t := made.(*forecasting)
	manifest.Backend = noBackend
	manifest.DataSHA256, manifest.DataVerified = t.file()
	f := &result.File{Name: spec.Name, Status: result.Complete, Manifest: manifest, Stream: p.describe()}
	for i, r := range spec.Counters {
		m := result.Method{Name: r.Name, Dataset: spec.Dataset, Protocol: spec.Protocol.Name, Convention: spec.Convention, Hash: spec.hashOfCounter(r)}
		for k, seed := range spec.Seeds {
			if o.Progress != nil {
				o.Progress(float64(i*len(spec.Seeds)+k)/float64(len(spec.Counters)*len(spec.Seeds)), fmt.Sprintf("%s, seed %d", r.Name, seed))
			}
			run, took, err := t.counter(ctx, r, seed, p)
			if err != nil {
				return nil, errors.WithMessagef(err, "counter %s, seed %d", r.Name, seed)
			}
			m.Parameters = took.Bytes / 4
			m.Put(run)
		}
		f.Methods = append(f.Methods, m)
	}
	rivals, err := t.rivals(spec, p)
	if err != nil {
		return nil, err
	}
	f.Methods = append(f.Methods, rivals...)
	f.Manifest.Seconds, f.Manifest.PeakMemoryMB = time.Since(started).Seconds(), usage.Peak()/(1<<20)
	summarise(f)
	return f, f.Write(place.path())
}

// counter takes a counter along the days. Its forecasts have no mean: that would need every node of the tree.
func (t *forecasting) counter(ctx context.Context, r Counter, seed int64, p *plan) (result.Run, packsize.Took, error) {
	run := result.Run{Seed: seed, Status: result.Complete, Rows: []int{}, UpdateSteps: len(p.Steps)}
	scores := make([]*forecastScore, len(p.Steps))
	for step := range scores {
		scores[step] = &forecastScore{finite: true}
	}
	config := r.Config
	config.Seed = uint64(seed)
	took, err := packsize.Run(config, t.stream, func(step, window int, f count.Distribution) error {
		scores[step].add(f.Median(), math.NaN(), f, t.quantity(int32(window)), t.stream.Windows.IsPadded(window))
		return ctx.Err()
	})
	if err != nil {
		return run, took, err
	}
	for step, s := range scores {
		score := s.score()
		delete(score.Metrics, ErrorOfMean)
		writeDown(&run, len(p.Steps[step]), score)
	}
	run.Seconds = result.Seconds{Predict: took.Forecasting.Seconds(), Update: took.Learning.Seconds()}
	return run, took, nil
}
