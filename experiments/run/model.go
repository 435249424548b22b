package run

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/learn/backend"
)

// model is an initial model with the methods that continue from it. The Adas, for example, differ only in their updates.
type model struct {
	name    string      // of the frozen model
	config  spec.Config // of the initial phase
	methods []spec.Method
	configs []spec.Config // of the methods' updates
	task    task.Task     // as the methods see it: some columns may be missing
}

// onHost reports whether the methods run on the host and have no initial model.
func (m *model) onHost() bool { return m.methods[0].FromNothing() }

// alwaysLearns reports whether there is no frozen model: counts are scored only along the days that they learn.
func (m *model) alwaysLearns() bool { return m.methods[0].Rule == spec.Counts }

// starts reports whether a method starts as the model's methods do: from the same columns, and either from an initial model or from
// nothing by the same rule.
func (m *model) starts(other spec.Method) bool {
	return m.onHost() == other.FromNothing() && (!m.onHost() || m.methods[0].Rule == other.Rule) &&
		columnsKey(m.methods[0]) == columnsKey(other)
}

// columnsKey identifies the columns that a method does not get, in whatever order it lists them.
func columnsKey(m spec.Method) string {
	return strings.Join(slices.Sorted(slices.Values(m.Without)), "\x00")
}

// modelsOf groups the methods of a spec. numItems returns the number of distinct items in a method's columns.
func modelsOf(spec spec.Spec, numItems func(spec.Method) int) []*model {
	var models []*model
	count := map[string]int{}
	for _, method := range spec.Methods {
		config := spec.Config(method, numItems(method))
		shared := config
		if !method.FromNothing() {
			shared.Scope, shared.UpdateLearningRate, shared.UpdateKLWeight = spec.Model.Scope, 0, 0 // they do not touch the initial phase
		}
		i := slices.IndexFunc(models, func(m *model) bool { return m.config == shared && m.starts(method) })
		switch {
		case i < 0:
			i = len(models)
			models = append(models, &model{name: method.Name, config: shared})
			if method.Rule != "" && !method.FromNothing() {
				models[i].name = initialName(method)
			}
		case !method.FromNothing(): // a rule from nothing keeps its first method's name
			models[i].name = initialName(method)
		}
		models[i].methods = append(models[i].methods, method)
		models[i].configs = append(models[i].configs, config)
	}
	for _, m := range models {
		count[m.name]++
	}
	for _, m := range models {
		if count[m.name] > 1 { // as in a sweep of sizes
			m.name = m.methods[0].Name
		}
	}
	return models
}

// initialName returns the paper's name of a method's initial model (Sec. 4.1), with the columns that it does not get.
func initialName(m spec.Method) string {
	name := map[phe.Estimate]string{phe.Posterior: "P-EE", phe.Point: "EE"}[m.Estimate]
	if m.Rows == phe.Hashed {
		name = map[phe.Estimate]string{phe.Posterior: "PHE", phe.Point: "Ada"}[m.Estimate]
	}
	if len(m.Without) > 0 {
		name += ", without " + strings.Join(m.Without, ", ")
	}
	return name
}

// models groups the run's methods, and gives each model the task that its methods see.
func (r *run) models() ([]*model, error) {
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
	models := modelsOf(r.spec, func(m spec.Method) int { return tasks[columnsKey(m)].About().NumItems })
	for _, m := range models {
		m.task = tasks[columnsKey(m.methods[0])]
		if len(m.methods[0].Without) == 0 {
			continue
		}
		if err := m.checkColumns(); err != nil {
			return nil, errors.WithMessagef(err, "spec %s", r.spec.Name)
		}
		if m.task.About().Incremental < 0 { // the initial phase moves all parameters, and the frozen model none
			m.config.Scope = phe.AllParameters
		}
	}
	return models, nil
}

// checkColumns returns an error about the first method that cannot learn from the columns that are left.
func (m *model) checkColumns() error {
	for i, method := range m.methods {
		onDevice := method.Rule == ""
		switch {
		case onDevice && !method.Replay && m.configs[i].Scope == phe.IncrementalColumn && m.task.About().Incremental < 0:
			return errors.Errorf("method %s: its updates move the incremental column only, and without takes this column away; give it scope %q or %q, or leave the column in",
				method.Name, phe.AllColumns, phe.AllParameters)
		case m.task.About().Tokens == 0 && (!method.FromNothing() || method.Rule == spec.OnePass && method.Rows == phe.Vocabulary):
			return errors.Errorf("method %s embeds items, and without takes every categorical column away; leave one in, or choose rule %q with rows %q, or rule %q, %q, %q, %q, %q or %q",
				method.Name, spec.OnePass, phe.Hashed, spec.Stream, spec.AdPredictor, spec.BayesianLogistic, spec.RefittedLogistic, spec.FTRL, spec.Adagrad)
		}
	}
	return nil
}

// rows returns the model's rows of the result file, without runs.
func (m *model) rows(s spec.Spec, frozen bool) (rows []result.Method) {
	for _, own := range m.all() {
		if own.frozen != frozen {
			continue
		}
		hash, onHost := s.Resolve(m.methods[0]).Initial().Fingerprint(), m.onHost() // of any method: they share the initial model
		if !frozen {
			hash, onHost = s.Identity(own.spec), own.spec.Rule != ""
		}
		c := own.config
		row := result.Method{
			Name: own.name, Frozen: frozen, Dataset: s.Dataset, Protocol: s.Protocol.ShownName(), Convention: s.Convention,
			Scheme: string(c.Scheme), Loss: string(c.Loss), Parameters: c.Encoder.NumParameters(), Hash: hash, Runs: []result.Run{}, // not null in a partial file
		}
		if c.Encoder.Estimate == phe.Point || onHost {
			row.Scheme, row.Loss = "", "" // nothing to take an expectation over
		}
		rows = append(rows, row)
	}
	return rows
}

// countNumbers counts the numbers that the rows of a model keep in memory, at the end of the stream where tables grow.
func (m *model) countNumbers(rows []result.Method, p *protocol.Plan) error {
	for i := range rows {
		method, c := m.methods[i], m.configs[i]
		if rows[i].Frozen {
			c = m.config
			if !m.onHost() {
				method = spec.Method{}
			}
		}
		m.task.CountNumbers(&rows[i], method, c, p)
		if method.GrowBeyond == 0 {
			continue
		}
		network, all, err := m.task.Network(c)
		if err != nil {
			return err
		}
		items := itemsSeen(all, network.Columns, p.Arranged(method.Arrival, method.Draw))
		rows[i].Parameters = grownConfig(c, method, items[len(items)-1]).Encoder.NumParameters()
	}
	return nil
}

// method is one row of the result: a model that learns as a spec's method says, or a frozen one.
type method struct {
	name   string
	frozen bool
	spec   spec.Method // zero for the frozen model
	config spec.Config // of its updates

	plan    *protocol.Plan // as its rows arrive
	learner learner
	start   learnerState // after the initial phase
}

// all returns the frozen model and the methods.
func (m *model) all() []method {
	var all []method
	if !m.alwaysLearns() {
		all = append(all, method{name: m.name, frozen: true, config: m.config})
	}
	for i, s := range m.methods {
		all = append(all, method{name: s.Name, spec: s, config: m.configs[i]})
	}
	return all
}

// epochs returns the number of passes over a step's rows in an update.
func (m method) epochs() int {
	if m.spec.Rule != "" {
		return 1
	}
	return m.spec.UpdateEpochs
}

func (m method) label() string {
	if m.frozen {
		return m.name + " frozen"
	}
	return m.name
}

// row returns a method's row of the result file, which layOut made.
func (r *run) row(m method) *result.Method { return r.file.Method(m.name, m.frozen) }

// together groups the seeds that a model still needs into those that train in one program. XLA takes all of a classifier's:
// its cost is in the number of operations, and five seeds in one take less than four alone. The pure-Go backend gains
// nothing and trains each alone, on as many cores as there are.
func (r *run) together(m *model) [][]int64 {
	var missing []int64
	for _, seed := range r.spec.Seeds {
		if slices.ContainsFunc(m.all(), func(a method) bool { return r.row(a).Run(seed) == nil }) {
			missing = append(missing, seed)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	together := len(missing)
	switch {
	case m.onHost():
		if !m.methods[0].IgnoresSeeds() {
			together = 1
		}
	case r.options.BackendName == backend.Go:
		together = 1
	case r.spec.Filter != nil: // more gain nothing: an unrolled sequence keeps a core busy with one seed
		together = 3
	}
	return slices.Collect(slices.Chunk(missing, together))
}
