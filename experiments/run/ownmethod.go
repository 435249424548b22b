package run

import (
	"context"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/task/ownmethod"
)

// checkOwn returns an error about the first user method that cannot join a spec's methods.
func (o Options) checkOwn(s spec.Spec) error {
	names := []string{}
	for _, m := range modelsOf(s, func(spec.Method) int { return 1 }) {
		for _, row := range m.methods {
			names = append(names, row.name)
		}
	}
	for _, own := range o.Own {
		switch {
		case !s.OfTable():
			return errors.Errorf("method %s of your own classifies the rows of tables, and spec %s has dataset %q with protocol %q; "+
				"choose a spec of a table, such as adult-online",
				own.Name, s.Name, s.Dataset, s.Protocol.Name)
		case own.Name == "":
			return errors.New("a method of your own has no name; give it one, which names its row of the result")
		case baseline.Has(own.Name) || slices.Contains(names, own.Name):
			return errors.Errorf("method %s of your own has the name of another method in the result of spec %s; choose another name",
				own.Name, s.Name)
		}
		names = append(names, own.Name)
	}
	return nil
}

// runOwn runs the caller's own methods and appends their rows to the result. They run first: an error in them then shows before the
// spec's methods have taken their time.
func (r *run) runOwn(ctx context.Context) error {
	for _, own := range r.options.Own {
		rows, goType, err := own.Run(ctx, r.task, r.spec, r.plan, r.prepare)
		if err != nil {
			return err
		}
		r.file.Methods = append(r.file.Methods, rows...)
		if r.file.Manifest.Own == nil {
			r.file.Manifest.Own = map[string]string{}
		}
		r.file.Manifest.Own[own.Name] = goType
	}
	return nil
}

// sayDropped names the user's methods in an earlier result that the new one lacks.
func (r *run) sayDropped(old *result.File) {
	for name := range old.Manifest.Own {
		if !slices.ContainsFunc(r.options.Own, func(m ownmethod.Method) bool { return m.Name == name }) {
			r.options.Say("the new result lacks method " + name + " of the earlier one: its code is not part of this run")
		}
	}
}
