package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/learn/backend"
	"gophe/phe/terminal"
	"gophe/phe/usage"
)

// model is an initial model with the methods that continue from it. The Adas, for example, differ only in their updates.
type model struct {
	name    string      // of the frozen model
	config  spec.Config // of the initial phase
	first   spec.Method // of methods; all have the same columns and the same start
	methods []method    // the frozen model first, if there is one
	task    task.Task   // as the methods see it: some columns may be missing
}

// method is one row of the result: a model that learns as a spec's method says, or a frozen one.
type method struct {
	name   string
	frozen bool
	spec   spec.Method // zero for the frozen model
	config spec.Config // of its updates

	plan *protocol.Plan // as its rows arrive
	seen []int          // items by the end of each step, where its tables grow
}

// onHost reports whether the methods run on the host and have no initial model.
func (m *model) onHost() bool { return m.first.FromNothing() }

// starts reports whether a method starts as the model's methods do: from the same columns, and either from an initial model or from
// nothing by the same rule.
func (m *model) starts(other spec.Method) bool {
	return m.onHost() == other.FromNothing() && (!m.onHost() || m.first.Rule == other.Rule) && columnsKey(m.first) == columnsKey(other)
}

// columnsKey identifies the columns that a method does not get. Their order in the spec does not matter.
func columnsKey(m spec.Method) string {
	return strings.Join(slices.Sorted(slices.Values(m.Without)), "\x00")
}

// modelsOf groups the methods of a spec. numItems returns the number of distinct items in a method's columns.
func modelsOf(s spec.Spec, numItems func(spec.Method) int) (models []*model) {
	for _, own := range s.Methods {
		config := s.Config(own, numItems(own))
		shared := config
		if !own.FromNothing() {
			// they do not touch the initial phase
			shared.Scope, shared.UpdateLearningRate, shared.UpdateKLWeight, shared.Convergence = s.Model.Scope, 0, 0, 0
		}
		i := slices.IndexFunc(models, func(m *model) bool { return m.config == shared && m.starts(own) })
		if i < 0 {
			i = len(models)
			models = append(models, &model{name: own.Name, config: shared, first: own})
		}
		m := models[i]
		if !m.onHost() && (len(m.methods) > 0 || own.Rule != "") { // a model of one method has its name, and so has a rule from nothing
			m.name = initialName(own)
		}
		m.methods = append(m.methods, method{name: own.Name, spec: own, config: config})
	}
	count := map[string]int{}
	for _, m := range models {
		count[m.name]++
	}
	for _, m := range models {
		if count[m.name] > 1 { // as in a sweep of sizes
			m.name = m.first.Name
		}
		if m.first.Rule != spec.Counts { // which are scored only along the days that they learn
			m.methods = slices.Insert(m.methods, 0, method{name: m.name, frozen: true, config: m.config})
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
		m.task = tasks[columnsKey(m.first)]
		if err := m.checkColumns(); err != nil {
			return nil, errors.WithMessagef(err, "spec %s", r.spec.Name)
		}
		if len(m.first.Without) > 0 && m.task.About().Incremental < 0 { // the initial phase moves all parameters, and the frozen model none
			m.config.Scope = phe.AllParameters
			m.methods[0].config = m.config
		}
		if err := r.chooseHash(m); err != nil {
			return nil, errors.WithMessagef(err, "spec %s, model %s", r.spec.Name, m.name)
		}
		for i := range m.methods {
			if err := m.methods[i].follow(r.plan, m.task); err != nil {
				return nil, err
			}
		}
	}
	return models, nil
}

// size chooses a user's encoder by the items of the initial rows, where the spec has none. Beyond twenty items to a bucket it warns.
func (r *run) size() {
	own, ok := r.task.(*task.Classification)
	if !ok || r.spec.Source == nil {
		return
	}
	if r.spec.Unsized() {
		known := itemsSeen(&learn.Batch{Items: own.Items.Items, Index: own.Items.Index}, len(own.Table.Categorical), r.plan)[0]
		e := phe.ForVocabulary(known)
		e.HashDraws = phe.UsualDraws
		r.options.sizedFor, r.spec = known, r.spec.Sized(e, phe.AllColumns)
		r.options.Say(fmt.Sprintf("the initial rows hold %s, which size the tables: num_buckets %d, num_weights %d, num_hashes %d, "+
			"embedding_dim %d; the hash functions are the best for them of hash_draws %d; all columns learn. "+
			"Fields encoder and scope of the spec's model choose otherwise",
			terminal.Counted(known, "item"), e.NumBuckets, e.NumWeights, e.NumHashes, e.EmbeddingDim, r.spec.Model.Encoder.HashDraws))
	}
	for _, m := range r.spec.Methods {
		e, items := r.spec.Config(m, 1).Encoder, len(own.Items.Items)
		if load := items * e.NumHashes / max(1, e.NumBuckets); load > 20 && m.GrowBeyond == 0 && (m.Rule == "" || m.Rule == spec.OnePass) {
			r.options.Say(fmt.Sprintf("warning: %d of the file's %d items share a bucket of %s on average, and disturb each other; "+
				"give model.encoder num_buckets %[2]d or so, or leave it out for a new result",
				load, items, m.Name))
			break
		}
	}
}

// chooseHash chooses among the draws of the hash functions by the items of the initial data: nothing of the stream is known. It tells a
// user their price in the file's stream.
func (r *run) chooseHash(m *model) error {
	e := m.config.Encoder
	told := r.spec.Source != nil && !m.onHost() && e.Rows == phe.Hashed
	if e.HashDraws == 0 && !told {
		return nil
	}
	network, all, err := m.task.Network(m.config)
	if err != nil {
		return err
	}
	e, err = e.Chosen(all.Known(r.plan.Initial, network.Columns, e.Hash))
	m.config.Encoder = e
	for i := range m.methods {
		m.methods[i].config.Encoder = e
	}
	if err != nil || !told {
		return err
	}
	family, err := hash.NewFamily(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, e.HashSeed)
	if err != nil {
		return err
	}
	for _, p := range family.Prices(all.Known(slices.Concat(r.plan.Steps...), network.Columns, e.Hash)) {
		if p.Drawn.Right == p.Apart.Right {
			continue
		}
		var merged []string
		for _, item := range p.Merged[0] {
			at := slices.IndexFunc(all.Items, func(name string) bool { return e.Hash.Key(name) == item.Key })
			merged = append(merged, all.Items[at])
		}
		r.options.Say(fmt.Sprintf("%s: the hash functions do not tell %s apart; by their column alone a model forecasts "+
			"at most %.1f %% of the stream's rows, and %.1f %% if each item had rows of its own", m.name, strings.Join(merged, ", "),
			100*p.Drawn.Right/p.Weight, 100*p.Apart.Right/p.Weight))
	}
	return nil
}

// follow arranges a plan as the method's rows arrive, and counts the items along it where the method's tables grow.
func (m *method) follow(p *protocol.Plan, t task.Task) error {
	m.plan = p.Arranged(m.spec.Arrival, m.spec.Draw)
	if m.spec.GrowBeyond == 0 {
		return nil
	}
	network, all, err := t.Network(m.config)
	if err == nil {
		m.seen = itemsSeen(all, network.Columns, m.plan)[1:]
	}
	return err
}

// checkColumns returns an error about the first method that cannot learn from the columns that are left.
func (m *model) checkColumns() error {
	if len(m.first.Without) == 0 {
		return nil
	}
	about := m.task.About()
	for _, own := range m.methods {
		s := own.spec
		switch {
		case own.frozen:
		case s.Rule == "" && !s.Replay && own.config.Scope == phe.IncrementalColumn && about.Incremental < 0:
			return errors.Errorf("method %s: its updates move the incremental column only, and without takes this column away; "+
				"give it scope %q or %q, or leave the column in",
				own.name, phe.AllColumns, phe.AllParameters)
		case about.Tokens == 0 && (!s.FromNothing() || s.Rule == spec.OnePass && s.Rows == phe.Vocabulary):
			return errors.Errorf("method %s embeds items, and without takes every categorical column away; "+
				"leave one in, or choose rule %q with rows %q, or rule %q, %q, %q, %q, %q, %q or %q",
				own.name, spec.OnePass, phe.Hashed, spec.Stream, spec.PheStream, spec.AdPredictor, spec.BayesianLogistic,
				spec.RefittedLogistic, spec.FTRL, spec.Adagrad)
		}
	}
	return nil
}

// entry returns a method's row of the result file, without runs.
func (m *model) entry(s spec.Spec, own method) result.Method {
	resolved, c := s.Resolve(own.spec), own.config
	if own.frozen {
		resolved = s.Resolve(m.first).Initial() // of any method: they share the initial model
	}
	row := result.Method{
		Name: own.name, Frozen: own.frozen, Dataset: s.Dataset, Protocol: s.Protocol.ShownName(), Convention: resolved.Convention(),
		Scheme: string(c.Scheme), Loss: string(c.Loss), Parameters: c.Encoder.NumParameters(),
		Hash: resolved.Fingerprint(), Runs: []result.Run{}, // not null in a partial file
	}
	// methods of a model share its encoder, and other rules draw functions by the seed
	rule := resolved.Rule
	if hashes := rule == "" || rule == spec.OnePass && s.Recommender == nil; hashes && s.Config(m.first, 1).Encoder.HashDraws > 0 {
		row.HashSeed = c.Encoder.HashSeed
	}
	if c.Encoder.Estimate == phe.Point || rule != "" {
		row.Scheme, row.Loss = "", "" // nothing to take an expectation over
	}
	return row
}

// countNumbers counts the numbers that a method keeps in memory, at the end of the stream where tables grow.
func (m *model) countNumbers(row *result.Method, own method) {
	counted := own.spec
	if own.frozen && m.onHost() {
		counted = m.first
	}
	m.task.CountNumbers(row, counted, own.config, own.plan)
	if n := len(own.seen); n > 0 {
		row.Parameters = grownConfig(own.config, own.spec, own.seen[n-1]).Encoder.NumParameters()
	}
}

// epochs returns the number of passes over a step's rows in an update.
func (m method) epochs() int {
	if m.spec.Rule != "" {
		return 1
	}
	return m.spec.UpdateEpochs
}

// updateSteps counts the steps of learning some rows: the optimiser's in a number of epochs, or one a row, or one for all.
func (m method) updateSteps(rows, epochs int) int {
	switch {
	case m.spec.Rule == spec.Counts:
		return 1
	case m.spec.Rule != "":
		return rows
	case m.spec.Replay:
		return m.spec.UpdateEpochs
	}
	return epochs * Batches(rows, min(m.config.BatchSize, m.plan.LargestStep()))
}

func (m method) label() string {
	if m.frozen {
		return m.name + " frozen"
	}
	return m.name
}

// row returns a method's row of the result file, which layOut made.
func (r *run) row(m method) *result.Method { return r.file.Method(m.name, m.frozen) }

// mostStacked is the most replicas that train side by side. Fifteen points of Adult by five seeds (moments, two cores) take 21 s point by
// point, 17 s in stacks of 15 replicas, 15 s in stacks of 40, and 16 s in one of 75.
const mostStacked = 40

// stacks groups models that train side by side: they differ in hyperparameters alone and need the same seeds. Groups of a stopped run stay
// the same, so that it finds its checkpoints.
func (r *run) stacks(models []*model) (stacks [][]*model) {
	count, seen, at := map[string]int{}, map[string]int{}, map[string]int{}
	for _, m := range models {
		count[r.stackKey(m)]++
	}
	for _, m := range models {
		stack, workers := r.stackKey(m), workerCount(r.options.BackendName)
		seeds, tokens, rows := len(r.spec.Seeds), m.task.About().Tokens, r.plan.LargestStep()
		size := max(1, min(mostStacked/seeds, Batches(count[stack], workers)))
		for size > 1 && float64(workers)*minMemory(m.config, size*seeds, tokens, rows) > usage.Free() {
			size--
		}
		key := fmt.Sprint(stack, seen[stack]/size, r.together(m))
		seen[stack]++
		if _, found := at[key]; !found {
			at[key], stacks = len(stacks), append(stacks, nil)
		}
		stacks[at[key]] = append(stacks[at[key]], m)
	}
	return stacks
}

// stackKey returns the key of a stack: models with equal keys can train as one batch. On a processor, a model with a sampling scheme gains
// nothing from a batch, so that it trains alone, in the same compiled programs.
func (r *run) stackKey(m *model) string {
	sampled := m.config.Encoder.Estimate == phe.Posterior && !m.config.Scheme.NeedsOneLogit()
	onHost := func(own method) bool { return own.spec.Rule != "" }
	if !r.options.Stacked || r.options.BackendName == backend.Go || r.options.BackendName == backend.XLACPU && sampled ||
		m.onHost() || slices.ContainsFunc(m.methods, onHost) {
		return m.name
	}
	key := columnsKey(m.first)
	for _, own := range m.methods { // the first of them is the initial model
		own.config.Config = own.config.Shape()
		s := own.spec
		key += fmt.Sprintf("%+v %t %d %t %g %s %d", own.config, own.frozen, s.UpdateEpochs, s.Replay, s.GrowBeyond, s.Arrival, s.Draw)
	}
	return key
}

// mostEpochs returns the largest number of epochs in an update of any method.
func (r *run) mostEpochs() (most int) {
	for _, m := range r.spec.Methods {
		if m.Rule == "" && !m.Replay {
			most = max(most, m.UpdateEpochs)
		}
	}
	return most
}

// together groups the seeds that a model still needs into those that train in one program. XLA takes all of a classifier's:
// its cost is in the number of operations, and five seeds in one take less than four alone. The pure-Go backend gains
// nothing and trains each alone, on as many cores as there are.
func (r *run) together(m *model) [][]int64 {
	var missing []int64
	for _, seed := range r.spec.Seeds {
		if slices.ContainsFunc(m.methods, func(a method) bool { return r.row(a).Run(seed) == nil }) {
			missing = append(missing, seed)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	together := len(missing)
	switch {
	case m.onHost() && m.first.IgnoresSeeds(): // one learner stands for all
	case m.onHost(), r.options.BackendName == backend.Go:
		together = 1
	case r.spec.Filter != nil: // more gain nothing: an unrolled sequence keeps a core busy with one seed
		together = 3
	}
	return slices.Collect(slices.Chunk(missing, together))
}
