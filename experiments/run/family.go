package run

import (
	"slices"
	"strings"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/backend"
)

// family is the methods that share one initial model: the Adas differ only in how they go on.
type family struct {
	name    string      // of the frozen model
	config  spec.Config // of the initial phase
	methods []spec.Method
	configs []spec.Config // of the methods' own ways to go on
	task    task.Task     // as the methods see it: some columns may be missing
}

// onHost tells a family that has no initial model: its methods start from nothing, by one rule on the host.
func (f *family) onHost() bool { return f.methods[0].FromNothing() }

// beginsAs tells whether a method begins as the family's do: from the same columns, and from the same initial model or from nothing
// by the same rule. Each counter begins by itself.
func (f *family) beginsAs(m spec.Method) bool {
	return m.Rule != spec.Counts && f.onHost() == m.FromNothing() && (!f.onHost() || f.methods[0].Rule == m.Rule) &&
		columnsKey(f.methods[0]) == columnsKey(m)
}

// families groups the methods of a spec. numItems returns the number of distinct items that a method's columns have.
func families(spec spec.Spec, numItems func(spec.Method) int) []*family {
	var families []*family
	for _, m := range spec.AllMethods() {
		own := spec.Config(m, numItems(m))
		shared := own
		if !m.FromNothing() {
			shared.Scope, shared.UpdateLearningRate, shared.UpdateKLWeight = spec.Model.Scope, 0, 0 // they do not touch the initial phase
		}
		i := slices.IndexFunc(families, func(f *family) bool { return f.config == shared && f.beginsAs(m) })
		switch {
		case i < 0:
			families = append(families, &family{name: m.Name, config: shared})
			i = len(families) - 1
			if m.Rule != "" && !m.FromNothing() {
				families[i].name = initialName(m)
			}
		case !m.FromNothing(): // a rule from nothing keeps its first method's name
			families[i].name = initialName(m)
		}
		families[i].methods = append(families[i].methods, m)
		families[i].configs = append(families[i].configs, own)
	}
	nameApart(families)
	return families
}

// nameApart names frozen models after their first method if they would share a name, as in a sweep of sizes.
func nameApart(families []*family) {
	count := map[string]int{}
	for _, f := range families {
		count[f.name]++
	}
	for _, f := range families {
		if count[f.name] > 1 {
			f.name = f.methods[0].Name
		}
	}
}

// initialName is the name of a method's initial model, with the columns that it does not get.
func initialName(m spec.Method) string {
	name := modelName(m.Rows, m.Estimate)
	if len(m.Without) > 0 {
		name += ", without " + strings.Join(m.Without, ", ")
	}
	return name
}

// modelName is the paper's name of a choice of rows and estimate (Sec. 4.1).
func modelName(rows phe.RowChoice, estimate phe.Estimate) string {
	switch {
	case rows == phe.Hashed && estimate == phe.Posterior:
		return "PHE"
	case rows == phe.Hashed:
		return "Ada"
	case estimate == phe.Posterior:
		return "P-EE"
	}
	return "EE"
}

// entries are the family's entries in the result file, still without runs.
func (f *family) entries(s spec.Spec, frozen bool) []result.Method {
	entry := func(name string, c spec.Config, hash string, onHost bool) result.Method {
		scheme, loss := string(c.Scheme), string(c.Loss)
		if c.Encoder.Estimate == phe.Point || onHost {
			scheme, loss = "", "" // nothing to take an expectation over
		}
		return result.Method{
			Name: name, Frozen: frozen, Dataset: s.Dataset, Protocol: s.Protocol.ShownName(),
			Convention: s.Convention, Scheme: scheme, Loss: loss, Parameters: c.Encoder.NumParameters(),
			Hash: hash, Runs: []result.Run{}, // not null in a partial file
		}
	}
	if frozen && f.alwaysLearns() {
		return nil
	}
	if frozen {
		initial := s.Resolve(f.methods[0]).Initial() // any method's: they share it
		return []result.Method{entry(f.name, f.config, initial.Fingerprint(), f.onHost())}
	}
	var rows []result.Method
	for i, m := range f.methods {
		rows = append(rows, entry(m.Name, f.configs[i], s.Identity(m), m.Rule != ""))
	}
	return rows
}

// countNumbers counts the numbers that the family's entries of the result file keep in memory.
func (f *family) countNumbers(rows []result.Method, p *protocol.Plan) {
	for i := range rows {
		m, c := f.methods[i], f.configs[i]
		if rows[i].Frozen {
			c = f.config
			if !f.onHost() {
				m = spec.Method{}
			}
		}
		f.task.CountNumbers(&rows[i], m, c, p)
	}
}

// together groups the seeds that a family still needs into those that train in one program. XLA takes all of a classifier's:
// its cost is in the number of operations, and five seeds in one take less than four alone. The pure-Go backend gains
// nothing and trains each alone, on as many cores as there are.
func (r *session) together(f *family) [][]int64 {
	var missing []int64
	for _, seed := range r.spec.Seeds {
		if slices.ContainsFunc(f.variants(), func(s variant) bool { return r.method(s).Run(seed) == nil }) {
			missing = append(missing, seed)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	together := len(missing)
	switch {
	case f.onHost() && !f.methods[0].IgnoresSeeds():
		together = 1
	case f.onHost():
	case r.options.BackendName == backend.Go:
		together = 1
	case r.spec.Filter != nil: // more gain nothing: an unrolled sequence keeps a core busy with one seed
		together = 3
	}
	return slices.Collect(slices.Chunk(missing, together))
}

// variant is one row of the result file: a model that goes on learning in a method's way, or not at all.
type variant struct {
	name   string
	frozen bool
	method spec.Method // none for the frozen model
	config spec.Config // of the model that goes on
}

// alwaysLearns reports whether a family has no frozen model: counts are asked only along the days that they learn.
func (f *family) alwaysLearns() bool { return f.methods[0].Rule == spec.Counts }

// variants of a family: its frozen model, and its methods.
func (f *family) variants() []variant {
	var streams []variant
	if !f.alwaysLearns() {
		streams = append(streams, variant{name: f.name, frozen: true, config: f.config})
	}
	for i, m := range f.methods {
		streams = append(streams, variant{m.Name, false, m, f.configs[i]})
	}
	return streams
}

// epochs is the number of passes over a step's rows that learning from it takes.
func (s variant) epochs() int {
	if s.method.Rule != "" {
		return 1
	}
	return s.method.UpdateEpochs
}

func (s variant) label() string {
	if s.frozen {
		return s.name + " frozen"
	}
	return s.name
}

// method returns a variant's entry in the result file, which layOut made.
func (r *session) method(s variant) *result.Method { return r.file.Method(s.name, s.frozen) }

// countGrown counts the numbers in tables that grow, at the end of the stream.
func (r *session) countGrown(rows []result.Method, f *family) error {
	for i, m := range f.methods {
		if m.GrowBeyond == 0 {
			continue
		}
		network, all, err := f.task.Network(f.configs[i])
		if err != nil {
			return err
		}
		p, seen := r.plan.Arranged(m.Arrival, m.Draw), itemsSeen{}
		items := seen.upTo(all, network.NumColumns(), p, len(p.Steps)-1)
		rows[i].Parameters = grownConfig(f.configs[i], m, items).Encoder.NumParameters()
	}
	return nil
}
