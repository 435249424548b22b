// Package bench_test times the experiments against the authors' program.
package bench_test

import (
	"context"
	"testing"

	"gophe/data/files"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// BenchmarkAdultPHE runs the whole experiment, five seeds of PHE with as many steps and samples as the authors take:
// 8,500 initial steps, 317 predictions of 80 rows by 100 samples, 4,755 updates, and the frozen model's predictions on top;
// compilation counts. One operation is all five seeds.
func BenchmarkAdultPHE(b *testing.B) {
	b.Setenv(files.PathVariable, fixture.DataPath) // the tests' data is too short
	name := backend.Resolve(backend.Auto)
	open := filetest.Must(backend.Open(name))(b)
	for _, scheme := range []phe.Scheme{phe.Moments, phe.Local} {
		b.Run(name+"/"+string(scheme), func(b *testing.B) {
			spec := filetest.Must(spec.Load("adult-online"))(b)
			spec.Methods = spec.Methods[:1]
			spec.Methods[0].Scheme = scheme
			for b.Loop() {
				f := filetest.Must(run.Execute(context.Background(), spec, run.Options{Backend: open, BackendName: name, Out: b.TempDir()}))(b)
				if f.Status != result.Complete {
					b.Fatalf("the run is %s", f.Status)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/5-seeds")
		})
	}
}
