package run

import (
	"context"
	"fmt"
	"time"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/experiments/usage"
)

// noBackend names the backend in a result of counters.
const noBackend = "none: float64 on the host"

// runCounters runs a spec of counters. It takes seconds a counter and seed, so that it neither saves nor takes over parts.
func runCounters(ctx context.Context, spec spec.Spec, o Options) (*result.File, error) {
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
	made, p, err := task.NewForecasting(spec, files.Options{AllowAltered: o.AllowAltered})
	if err != nil {
		return nil, err
	}
	t := made.(*task.Forecasting)
	manifest.Backend = noBackend
	manifest.DataSHA256, manifest.DataVerified = t.File()
	f := &result.File{Name: spec.Name, Status: result.Complete, Manifest: manifest, Stream: p.Describe()}
	for i, r := range spec.Counters {
		m := result.Method{Name: r.Name, Dataset: spec.Dataset, Protocol: spec.Protocol.Name, Convention: spec.Convention, Hash: spec.HashOfCounter(r)}
		for k, seed := range spec.Seeds {
			if o.Progress != nil {
				o.Progress(float64(i*len(spec.Seeds)+k)/float64(len(spec.Counters)*len(spec.Seeds)), fmt.Sprintf("%s, seed %d", r.Name, seed))
			}
			run, took, err := t.Counter(ctx, r, seed, p)
			if err != nil {
				return nil, errors.WithMessagef(err, "counter %s, seed %d", r.Name, seed)
			}
			m.Parameters = took.Bytes / 4
			m.Put(run)
		}
		f.Methods = append(f.Methods, m)
	}
	rivals, err := t.Baselines(spec, p)
	if err != nil {
		return nil, err
	}
	f.Methods = append(f.Methods, rivals...)
	f.Manifest.Seconds, f.Manifest.PeakMemoryMB = time.Since(started).Seconds(), usage.Peak()/(1<<20)
	measure.Summarise(f)
	return f, f.Write(place.path())
}
