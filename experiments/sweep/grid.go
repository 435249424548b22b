package sweep

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/protocol"
	"gophe/experiments/spec"
)

// Options describe the search.
type Options struct {
	Axes    []Axis   // none takes the default grid
	Methods []string // names in the spec; none takes all
}

// validation is the share of the initial rows that is held out, as in the paper (Supp. E.5).
const validation = 0.2

// Grid is a sweep before it runs.
type Grid struct {
	Spec   spec.Spec // what runs: every point of every method, on the validation part
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
	at      []int // number of the value on each axis; −1 where the point is not on the grid
}

// New lays out the grid of a spec. What does not matter to a method is not tried for it: a vocabulary has no buckets.
func New(spec spec.Spec, o Options) (*Grid, error) {
	if spec.Filter != nil || spec.Recommender != nil || len(spec.Counters) > 0 || spec.Protocol.Name == protocol.TwoItems {
		return nil, errors.Errorf("spec %s is not about a table of rows with classes; a sweep searches on those, such as adult-online", spec.Name)
	}
	if spec.Protocol.Validation != 0 {
		return nil, errors.Errorf("spec %s holds out a validation part itself; leave validation out of its protocol, since a sweep sets it", spec.Name)
	}
	g := &Grid{base: spec, Axes: o.Axes}
	if len(g.Axes) == 0 {
		g.Axes = defaultAxes()
	}
	for i, a := range g.Axes {
		if slices.ContainsFunc(g.Axes[:i], func(b Axis) bool { return a.Path == b.Path }) {
			return nil, errors.Errorf("--try names %s twice; give all its values at once", a.Path)
		}
	}
	methods, err := chosen(spec, o.Methods)
	if err != nil {
		return nil, err
	}
	g.Spec = spec
	g.Spec.Name += "-sweep"
	g.Spec.Title = "hyperparameters of " + spec.Name + ", on a validation part of its initial rows"
	g.Spec.Protocol.Validation = validation
	g.Spec.Methods = nil
	for _, m := range methods {
		if err := g.add(m); err != nil {
			return nil, err
		}
	}
	for _, p := range g.Points {
		g.Spec.Methods = append(g.Spec.Methods, p.patched)
	}
	return g, errors.WithMessagef(g.Spec.Validate(), "--try")
}

// chosen returns the methods to search for.
func chosen(spec spec.Spec, names []string) (methods []spec.Method, err error) {
	var all []string
	for _, m := range spec.Methods {
		all = append(all, m.Name)
		if len(names) == 0 || slices.Contains(names, m.Name) {
			m.Arrival, m.Draw = protocol.AsItComes, 0 // the validation part has no other orders
			methods = append(methods, m)
		}
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, errors.Errorf("--method names %q, and spec %s has %q", name, spec.Name, all)
		}
	}
	return methods, nil
}

// add adds the points of a method: the spec's own point, and each point of the grid that differs from all before it. An axis all of whose
// values have the same effect is left out.
func (g *Grid) add(m spec.Method) error {
	points := []Point{{Method: m.Name, Name: m.Name, Values: map[string]string{}, patched: m}}
	for _, a := range g.Axes {
		matters, err := g.matters(m, a)
		if err != nil {
			return err
		}
		var longer []Point
		for _, p := range points {
			if !matters {
				p.at = append(slices.Clone(p.at), 0)
				longer = append(longer, p)
				continue
			}
			for k := range a.Values {
				q, err := p.with(a, k)
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
	own := Point{Method: m.Name, Name: m.Name + " as in the spec", Values: map[string]string{}, Own: true, patched: m}
	own.patched.Name, own.at = own.Name, slices.Repeat([]int{-1}, len(g.Axes))
	g.Points = append(g.Points, own)
	return nil
}

// with returns a point with a value of an axis.
func (p Point) with(a Axis, k int) (Point, error) {
	value := a.Values[k]
	patched, err := patch(p.patched, a.Path, value)
	p.Name += " " + leaf(a.Path) + "=" + strings.Trim(value, `"`)
	p.Values = maps.Clone(p.Values)
	p.Values[a.Path], p.at = value, append(slices.Clone(p.at), k)
	p.patched, p.patched.Name = patched, p.Name
	return p, err
}

// matters tells whether some value of an axis changes the method's result.
func (g *Grid) matters(m spec.Method, a Axis) (bool, error) {
	effects := map[string]bool{g.Spec.Effect(m): true}
	for _, value := range a.Values {
		patched, err := patch(m, a.Path, value)
		if err != nil {
			return false, err
		}
		effects[g.Spec.Effect(patched)] = true
	}
	return len(effects) > 1, nil
}

// patch returns a method with one hyperparameter set. The value takes the place of the method's own.
func patch(m spec.Method, path, value string) (spec.Method, error) {
	if path == updateEpochs && m.Rule != "" { // a rule learns each row once
		return m, nil
	}
	fields, err := object(m)
	if err != nil {
		return m, err
	}
	delete(fields, leaf(path))
	names := strings.Split(path, ".")
	inner := fields
	for _, name := range names[:len(names)-1] {
		child, ok := inner[name].(map[string]any)
		if !ok {
			child = map[string]any{}
			inner[name] = child
		}
		inner = child
	}
	inner[names[len(names)-1]] = json.RawMessage(value)
	content, err := json.Marshal(fields)
	if err != nil {
		return m, errors.Wrap(err, "encoding a method")
	}
	var patched spec.Method
	return patched, errors.Wrapf(json.Unmarshal(content, &patched), "--try %s=%s", path, value)
}

// object returns a method as a JSON object.
func object(m spec.Method) (fields map[string]any, err error) {
	content, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(content, &fields)
	}
	return fields, errors.Wrap(err, "encoding a method")
}

// Runs is the number of runs: a point with one seed each.
func (g *Grid) Runs() int { return len(g.Points) * len(g.Spec.Seeds) }
