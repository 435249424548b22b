package sweep

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
)

// validation is the share of the initial rows that is held out, as in the paper (Supp. G.5).
const validation = 0.2

// Grid is a sweep before it runs.
type Grid struct {
	Spec   spec.Spec // the spec to run: every point of every method, on the validation part
	Axes   []Axis
	Points []Point

	base spec.Spec // as it was given
}

// Point is one choice of hyperparameters for one method of the spec. Its runs have the name of the patched method.
type Point struct {
	Method  string
	values  map[string]string // of the axes that matter to the method, by path, as JSON
	own     bool              // the spec's own point
	patched spec.Method
}

func (p Point) name() string { return p.patched.Name }

// New lays out the grid of a spec. Without axes it takes the default grid, and without names all methods of the spec. A parameter
// that does not matter to a method is not tried for it: a vocabulary has no buckets.
func New(spec spec.Spec, axes []Axis, methods []string) (*Grid, error) {
	if !spec.OfTable() {
		return nil, errors.Errorf("spec %s is not about a table of rows with classes; a sweep searches on those, such as adult-online",
			spec.Name)
	}
	if spec.Protocol.Validation != 0 {
		return nil, errors.Errorf("spec %s holds out a validation part itself; leave validation out of its protocol, since a sweep sets it",
			spec.Name)
	}
	if len(axes) == 0 {
		axes = defaultAxes()
		if spec.Unsized() { // its items choose the sizes
			axes = axes[:1]
		}
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

// add adds the points of a method: each point of the grid that differs from all before it, and the spec's own point. An axis all of whose
// values have the same effect is left out.
func (g *Grid) add(m spec.Method) error {
	own := g.Spec.Effect(m)
	grid := []map[string]string{{}}
	for _, a := range g.Axes {
		matters := false
		for _, value := range a.Values {
			patched, err := patch(m, map[string]string{a.Path: value})
			if err != nil {
				return err
			}
			matters = matters || g.Spec.Effect(patched) != own
		}
		if !matters {
			continue
		}
		var finer []map[string]string
		for _, values := range grid {
			for _, value := range a.Values {
				more := maps.Clone(values)
				more[a.Path] = value
				finer = append(finer, more)
			}
		}
		grid = finer
	}
	seen := map[string]bool{}
	for _, values := range grid {
		patched, err := patch(m, values)
		if err != nil {
			return err
		}
		patched.Name = strings.Join(append([]string{m.Name}, words(g.Axes, values)...), " ")
		if effect := g.Spec.Effect(patched); !seen[effect] {
			seen[effect] = true
			g.Points = append(g.Points, Point{m.Name, values, effect == own, patched})
		}
	}
	if !seen[own] {
		method := m.Name
		m.Name += " as in the spec"
		g.Points = append(g.Points, Point{method, nil, true, m})
	}
	return nil
}

// words writes each value of a point, in the order of the axes.
func words(axes []Axis, values map[string]string) (list []string) {
	for _, a := range axes {
		if v, ok := values[a.Path]; ok {
			list = append(list, leaf(a.Path)+"="+strings.Trim(v, `"`))
		}
	}
	return list
}

// patch returns a method with some hyperparameters set, by their paths. The values take the place of the method's own.
func patch(m spec.Method, values map[string]string) (spec.Method, error) {
	var fields map[string]any
	content, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(content, &fields)
	}
	for path, value := range values {
		if path == updateEpochs && m.Rule != "" { // a rule learns each row once
			continue
		}
		delete(fields, leaf(path)) // such a field comes before the method's own settings of the model
		names, inner := strings.Split(path, "."), fields
		for _, name := range names[:len(names)-1] {
			if inner[name] == nil {
				inner[name] = map[string]any{}
			}
			inner = inner[name].(map[string]any)
		}
		inner[leaf(path)] = json.RawMessage(value)
	}
	if err == nil {
		content, err = json.Marshal(fields)
	}
	var patched spec.Method
	if err == nil {
		err = json.Unmarshal(content, &patched)
	}
	return patched, errors.Wrapf(err, "--try %v", values)
}

// Run runs the grid, or continues a stopped run of it. It writes the spec of the best values next to the result.
func (g *Grid) Run(ctx context.Context, o run.Options) (*Report, error) {
	o.Stacked = true
	f, err := run.Execute(ctx, g.Spec, o)
	if err != nil {
		return nil, err
	}
	r, err := g.score(f)
	if err != nil {
		return nil, err
	}
	best := g.best(r)
	r.BestFile = filepath.Join(o.Out, best.Name+".json")
	return r, errors.WithMessage(best.Write(r.BestFile), "the spec of the best values")
}

// best returns the spec with the best values of each method. A method without a search, or without a point that ended, stays as it is.
func (g *Grid) best(r *Report) spec.Spec {
	best := g.base
	best.Name += "-best"
	best.Title += " (best values of a sweep)"
	best.Methods = slices.Clone(best.Methods)
	for i, own := range best.Methods {
		for _, points := range r.methods {
			if first := points[0]; first.Method == own.Name && first.diverged == 0 {
				best.Methods[i] = first.patched
				best.Methods[i].Name, best.Methods[i].Arrival, best.Methods[i].Draw = own.Name, own.Arrival, own.Draw
			}
		}
	}
	return best
}
