package sweep

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/run"
)

// Files names the files that a sweep writes into its folder, next to the runs' result.
type Files struct{ Points, Best string }

// Folder returns where a sweep stands below a folder of results.
func (g *Grid) Folder(out string) string { return filepath.Join(out, g.Spec.Name) }

// Check returns an error if the earlier results of the folder do not fit.
func (g *Grid) Check(r run.Options) error {
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

// Run runs the grid below a folder of results, or goes on with it, and writes the points' scores and the spec of the best values.
func (g *Grid) Run(ctx context.Context, o run.Options) (*Report, Files, error) {
	f, err := run.Execute(ctx, g.Spec, o)
	if err != nil {
		return nil, Files{}, err
	}
	r, err := g.score(f)
	if err != nil {
		return nil, Files{}, err
	}
	files := Files{filepath.Join(o.Out, "points.json"), filepath.Join(o.Out, g.base.Name+"-best.json")}
	if err := write(files.Points, r); err != nil {
		return nil, Files{}, err
	}
	best, err := g.best(r, o.Out)
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
