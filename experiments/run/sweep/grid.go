package sweep

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
)

// validation is the share of the initial rows that is held out, as in the paper (Supp. E.5).
const validation = 0.2

// Grid is a sweep before it runs.
type Grid struct {
	Spec   spec.Spec // the spec to run: every point of every method, on the validation part
	Axes   []Axis
	Points []Point

	base spec.Spec // as it was given
}

// Point is one choice of hyperparameters for one method.
type Point struct {
	Method string            `json:"method"`
	Name   string            `json:"-"`      // in the runs' result file
	Values map[string]string `json:"values"` // of the axes that matter to the method, by path, as JSON
	Own    bool              `json:"own"`    // the spec's own point

	patched spec.Method
}

// New lays out the grid of a spec. Without axes it takes the default grid, and without names all methods of the spec. A parameter
// that does not matter to a method is not tried for it: a vocabulary has no buckets.
func New(spec spec.Spec, axes []Axis, methods []string) (*Grid, error) {
	if !spec.OfTable() {
		return nil, errors.Errorf("spec %s is not about a table of rows with classes; a sweep searches on those, such as adult-online", spec.Name)
	}
	if spec.Protocol.Validation != 0 {
		return nil, errors.Errorf("spec %s holds out a validation part itself; leave validation out of its protocol, since a sweep sets it", spec.Name)
	}
	if len(axes) == 0 {
		axes = defaultAxes()
	}
	for i, a := range axes {
		if slices.ContainsFunc(axes[:i], func(b Axis) bool { return a.Path == b.Path }) {
			return nil, errors.Errorf("--try names %s twice; give all its values at once", a.Path)
		}
	}
	g := &Grid{base: spec, Spec: spec, Axes: axes}
	g.Spec.Name += "-sweep"
	g.Spec.Title = "hyperparameters of " + spec.Name + ", on a validation part of its initial rows"
	g.Spec.Protocol.Validation, g.Spec.Methods = validation, nil
	var names []string
	for _, m := range spec.Methods {
		names = append(names, m.Name)
		if len(methods) > 0 && !slices.Contains(methods, m.Name) {
			continue
		}
		m.Arrival, m.Draw = protocol.AsItComes, 0 // the validation part has no other orders
		if err := g.add(m); err != nil {
			return nil, err
		}
	}
	for _, name := range methods {
		if !slices.Contains(names, name) {
			return nil, errors.Errorf("--method names %q, and spec %s has %q", name, spec.Name, names)
		}
	}
	for _, p := range g.Points {
		g.Spec.Methods = append(g.Spec.Methods, p.patched)
	}
	return g, errors.WithMessagef(g.Spec.Validate(), "--try")
}

// add adds the points of a method: the spec's own point, and each point of the grid that differs from all before it. An axis all of whose
// values have the same effect is left out.
func (g *Grid) add(m spec.Method) error {
	points := []Point{{Method: m.Name, Name: m.Name, Values: map[string]string{}, patched: m}}
	for _, a := range g.Axes {
		effects := map[string]bool{g.Spec.Effect(m): true}
		for _, value := range a.Values {
			patched, err := patch(m, a.Path, value)
			if err != nil {
				return err
			}
			effects[g.Spec.Effect(patched)] = true
		}
		if len(effects) == 1 {
			continue
		}
		var longer []Point
		for _, p := range points {
			for _, value := range a.Values {
				q, err := p.with(a.Path, value)
				if err != nil {
					return err
				}
				longer = append(longer, q)
			}
		}
		points = longer
	}
	seen := map[string]int{}
	for _, p := range points {
		effect := g.Spec.Effect(p.patched)
		if _, ok := seen[effect]; !ok {
			seen[effect] = len(g.Points)
			g.Points = append(g.Points, p)
		}
	}
	if at, ok := seen[g.Spec.Effect(m)]; ok {
		g.Points[at].Own = true
		return nil
	}
	m.Name += " as in the spec"
	g.Points = append(g.Points, Point{Method: points[0].Method, Name: m.Name, Values: map[string]string{}, Own: true, patched: m})
	return nil
}

// with returns a point with a value of a hyperparameter.
func (p Point) with(path, value string) (Point, error) {
	patched, err := patch(p.patched, path, value)
	p.Name += " " + leaf(path) + "=" + strings.Trim(value, `"`)
	p.Values = maps.Clone(p.Values)
	p.Values[path] = value
	p.patched, p.patched.Name = patched, p.Name
	return p, err
}

// patch returns a method with one hyperparameter set. The value takes the place of the method's own.
func patch(m spec.Method, path, value string) (spec.Method, error) {
	if path == updateEpochs && m.Rule != "" { // a rule learns each row once
		return m, nil
	}
	var fields map[string]any
	content, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(content, &fields)
	}
	if err != nil {
		return m, errors.Wrap(err, "encoding a method")
	}
	delete(fields, leaf(path))
	names, inner := strings.Split(path, "."), fields
	for _, name := range names[:len(names)-1] {
		child, ok := inner[name].(map[string]any)
		if !ok {
			child = map[string]any{}
			inner[name] = child
		}
		inner = child
	}
	inner[leaf(path)] = json.RawMessage(value)
	if content, err = json.Marshal(fields); err != nil {
		return m, errors.Wrap(err, "encoding a method")
	}
	var patched spec.Method
	return patched, errors.Wrapf(json.Unmarshal(content, &patched), "--try %s=%s", path, value)
}

// Check returns an error if the earlier results of the sweep's folder do not fit.
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

// Run runs the grid, or continues a stopped run of it. It writes the points' scores and the spec of the best values next to the result.
func (g *Grid) Run(ctx context.Context, o run.Options) (*Report, error) {
	f, err := run.Execute(ctx, g.Spec, o)
	if err != nil {
		return nil, err
	}
	r, err := g.score(f)
	if err != nil {
		return nil, err
	}
	best, err := g.best(r, o.Out)
	if err != nil {
		return nil, err
	}
	r.PointsFile, r.BestFile = filepath.Join(o.Out, "points.json"), filepath.Join(o.Out, best.Name+".json")
	if err := write(r.PointsFile, r); err != nil {
		return nil, err
	}
	return r, write(r.BestFile, best)
}

// write writes a value as indented JSON, all or nothing.
func write(path string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return errors.Wrapf(err, "encoding %s", path)
	}
	return result.WriteWhole(path, append(content, '\n'))
}
