package run

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/phe"
)

// columnsKey identifies the columns that a method does not get, in whatever order it lists them.
func columnsKey(m spec.Method) string {
	return strings.Join(slices.Sorted(slices.Values(m.Without)), "\x00")
}

// families groups the session's methods, and gives each family the task that its methods see.
func (r *session) families() ([]*family, error) {
	if r.spec.Protocol.Name == protocol.TwoItems { // its methods are among the baselines
		return nil, nil
	}
	tasks := map[string]task.Task{"": r.task} // methods without the same columns share the task, which holds all rows
	for _, m := range r.spec.Methods {
		key := columnsKey(m)
		if tasks[key] != nil {
			continue
		}
		narrowed, err := task.Without(r.task, m.Without)
		if err != nil {
			return nil, errors.WithMessagef(err, "spec %s, method %s, without", r.spec.Name, m.Name)
		}
		tasks[key] = narrowed
	}
	all := families(r.spec, func(m spec.Method) int { return tasks[columnsKey(m)].NumItems() })
	for _, f := range all {
		f.task = tasks[columnsKey(f.methods[0])]
		if len(f.methods[0].Without) == 0 {
			continue
		}
		if err := f.checkColumns(); err != nil {
			return nil, errors.WithMessagef(err, "spec %s", r.spec.Name)
		}
		if f.task.Incremental() < 0 { // the initial phase moves all parameters, and the frozen model none
			f.config.Scope = phe.AllParameters
		}
	}
	return all, nil
}

// checkColumns returns an error about the first method that cannot learn from the columns that are left.
func (f *family) checkColumns() error {
	for i, m := range f.methods {
		onDevice := m.Rule == ""
		switch {
		case onDevice && !m.Replay && f.configs[i].Scope == phe.IncrementalColumn && f.task.Incremental() < 0:
			return errors.Errorf("method %s: its updates move the incremental column only, and without takes this column away; give it scope %q or %q, or leave the column in",
				m.Name, phe.AllColumns, phe.AllParameters)
		case f.task.Tokens() == 0 && (!m.FromNothing() || m.Rule == spec.OnePass && m.Rows == phe.Vocabulary):
			return errors.Errorf("method %s embeds items, and without takes every categorical column away; leave one in, or choose rule %q with rows %q, or rule %q, %q, %q, %q, %q or %q",
				m.Name, spec.OnePass, phe.Hashed, spec.Stream, spec.AdPredictor, spec.BayesianLogistic, spec.RefittedLogistic, spec.FTRL, spec.Adagrad)
		}
	}
	return nil
}
