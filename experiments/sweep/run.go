package sweep

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/run"
)

// Files names the files that a sweep writes into its folder, next to the runs' result.
type Files struct{ Points, Best string }

// Folder returns where a sweep stands below a folder of results.
func (g *Grid) Folder(out string) string { return filepath.Join(out, g.Spec.Name) }

// Check returns an error if the grid is too large, or if the earlier results do not fit. An error about the size says how
// long the runs would take, by a short trial.
func (g *Grid) Check(ctx context.Context, o Options, r run.Options) error {
	most := o.MostRuns
	if most == 0 {
		most = DefaultMostRuns
	}
	if n := g.Runs(); n > most {
		took, err := g.estimate(ctx, r)
		if err != nil {
			return err
		}
		return errors.Errorf("the grid has %d runs (%d points by %d seeds), about %s of computing on this machine, and at most %d are run; try fewer values, name a --method, give fewer --seeds, or allow them with --most %d",
			n, len(g.Points), len(g.Spec.Seeds), took.Round(time.Second), most, n)
	}
	old, err := result.ReadSummary(run.StoppedPath(r.Out, g.Spec.Name))
	if err != nil {
		return nil // nothing is there
	}
	if r.Existing == run.Keep && old.Manifest.SpecHash != g.Spec.Fingerprint() {
		return errors.Errorf("%s has a sweep of another grid or spec; --resume takes over the points that both have, --force starts anew, and --out names another folder", r.Out)
	}
	if r.Existing != run.Refresh || g.Spec.Source == nil {
		return nil
	}
	sum, err := g.Spec.Source.Checksum()
	if err == nil && sum != old.Manifest.DataSHA256 {
		return errors.Errorf("the sweep in %s cannot be resumed: %s has changed since; bring the file back, start anew with --force, or choose another folder with --out", r.Out, g.Spec.Source.File)
	}
	return err
}

// estimate runs one epoch of the first point that is trained on the device and scales its time to all runs. It counts passes over
// rows, as the progress of a run does.
func (g *Grid) estimate(ctx context.Context, o run.Options) (time.Duration, error) {
	folder, err := os.MkdirTemp("", "phe-sweep-*")
	if err != nil {
		return 0, errors.Wrap(err, "making a folder for a trial")
	}
	defer os.RemoveAll(folder)
	trial := g.Spec
	trial.Seeds = trial.Seeds[:1]
	trial.Protocol.InitialEpochs, trial.Protocol.MaxChunks = 1, 1
	if trial.Protocol.ChunkRows == 0 {
		trial.Protocol.MaxChunks = 0
	}
	at := 0
	for i, p := range g.Points {
		if p.patched.Rule == "" {
			at = i
			break
		}
	}
	trial.Methods = trial.Methods[at : at+1]
	o.Out, o.Progress, o.Say, o.Existing = folder, nil, nil, run.Replace
	f, err := run.Execute(ctx, trial, o)
	if err != nil {
		return 0, err
	}
	perPass := f.Methods[0].Runs[0].Seconds.Initial / float64(f.Stream.Initial)
	passes := 0.0
	held := float64(f.Stream.Initial) * g.Spec.Protocol.Validation / (1 - g.Spec.Protocol.Validation)
	for _, p := range g.Points {
		passes += float64(f.Stream.Initial*g.Spec.Protocol.InitialEpochs) + held*float64(1+p.patched.UpdateEpochs)
	}
	return time.Duration(perPass * passes * float64(len(g.Spec.Seeds)) * float64(time.Second)), nil
}

// Run runs the grid below a folder of results, or goes on with it, and writes the points' scores and the spec of the best values.
func (g *Grid) Run(ctx context.Context, o run.Options) (*Report, Files, error) {
	f, err := run.Execute(ctx, g.Spec, o)
	if err != nil {
		return nil, Files{}, err
	}
	r, err := g.Score(f)
	if err != nil {
		return nil, Files{}, err
	}
	files := Files{filepath.Join(o.Out, "points.json"), filepath.Join(o.Out, g.base.Name+"-best.json")}
	if err := write(files.Points, r); err != nil {
		return nil, Files{}, err
	}
	best, err := g.Best(r, o.Out)
	if err != nil {
		return nil, Files{}, err
	}
	return r, files, write(files.Best, best)
}

// write writes a value as indented JSON, all or nothing.
func write(path string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return errors.Wrapf(err, "encoding %s", path)
	}
	return result.WriteWhole(path, append(content, '\n'))
}
