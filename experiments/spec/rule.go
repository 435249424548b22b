package spec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/remedy/fieldpath"
)

// Rule is a way to learn on the host, without a device: each row once, one after the other.
type Rule string

// The rules. AdPredictor to Adagrad are linear models of one-hot items, which practitioners use in place of embeddings.
const (
	OnePass          Rule = "one-pass"          // the closed-form update of package onepass, preset Paper; for ratings preset Stream
	Stream           Rule = "stream"            // the same update, preset Stream
	PheStream        Rule = "phe-stream"        // the whole model of package stream, as `phe stream` learns a table
	AdPredictor      Rule = "adpredictor"       // Bayesian probit regression, an independent belief about each weight
	BayesianLogistic Rule = "bayesian-logistic" // Bayesian logistic or softmax regression with full covariance
	RefittedLogistic Rule = "refitted-logistic" // logistic or softmax regression, fitted anew to all the past every few steps
	FTRL             Rule = "ftrl"              // logistic regression by a step of FTRL-Proximal for each row
	Adagrad          Rule = "adagrad"           // logistic regression by a step of Adagrad for each row
	Counts           Rule = "counts"            // the counts of package stream: of all methods of a spec of sales, and without a filter
)

// usualRefit is the number of the stream's steps between two fits of RefittedLogistic where a method does not say it.
const usualRefit = 25

// RefitEvery returns the number of the stream's steps between two fits of a method of rule RefittedLogistic. Groups are fitted one by one.
func (s Spec) RefitEvery(m Method) int {
	if s.Protocol.Name == protocol.GroupWise {
		return cmp.Or(m.RefitEvery, 1)
	}
	return cmp.Or(m.RefitEvery, usualRefit)
}

// rules lists the rules that a method of a spec file may have.
func rules() []Rule {
	return []Rule{OnePass, Stream, PheStream, AdPredictor, BayesianLogistic, RefittedLogistic, FTRL, Adagrad, Counts}
}

// byMemory reports whether the memory of a method gives the sizes of a rule's tables.
func (r Rule) byMemory() bool { return r == Stream || r == PheStream || r == Counts }

// byDescent reports whether a rule takes gradient steps, so that it has a learning rate.
func (r Rule) byDescent() bool { return r == FTRL || r == Adagrad }

// Start is the model from which a rule starts.
type Start string

// The starts. All except FromNothing need an initial phase on the device.
const (
	FromNothing   Start = ""          // the prior: the initial rows are learned as the stream's are
	FromInitial   Start = "initial"   // the initial phase's means; a pass over its rows makes the variances anew
	FromPosterior Start = "posterior" // the initial phase's means and variances, and its head for certain
)

// FromNothing reports whether a method needs no initial phase.
func (m Method) FromNothing() bool { return m.Rule != "" && m.Start == FromNothing }

// IgnoresSeeds reports whether a method draws no random numbers, so that all seeds are alike. A seed draws initial means, and
// the hash function of a rule whose inputs are hashed items.
func (m Method) IgnoresSeeds() bool { return m.FromNothing() && m.Rows == phe.Vocabulary }

// validateRule returns the first thing wrong with a method's rule and what would be right.
func (m Method) validateRule(s Spec) error {
	if m.RefitEvery < 0 || m.RefitEvery > 0 && m.Rule != RefittedLogistic {
		return m.wrong("refit_every", m.RefitEvery, "it is the number of steps, at least 1, between two fits of rule %q: "+
			"leave it out of other methods", RefittedLogistic)
	}
	if (m.Rule == Counts) != s.OfCounts() {
		return m.wrong("rule", m.Rule, "rule %q has specs of its own: give it to all methods or to none", Counts)
	}
	if m.Rule == "" {
		if m.Start != "" {
			return fieldpath.Errorf("start", "start of %q is %q and rule is missing; give rule %q, or leave out start",
				m.Name, m.Start, OnePass)
		}
		return nil
	}
	ofInitial := fieldpath.First([]string{"", "scheme", "loss", "initial_log_std_dev"}, false,
		m.Scheme != "", m.Loss != "", m.InitialLogStdDev != 0)
	switch {
	case !slices.Contains(rules(), m.Rule):
		return m.wrong("rule", m.Rule, "choose one of %q", rules())
	case s.Filter != nil || s.Recommender != nil && m.Rule != OnePass:
		return m.wrong("rule", m.Rule, "it learns the rows of tables: leave it out, or for ratings choose %q", OnePass)
	case m.Start != FromNothing && m.Start != FromInitial && m.Start != FromPosterior:
		return m.wrong("start", m.Start, "choose %q or %q, or leave it out to start from nothing", FromInitial, FromPosterior)
	case m.Start != FromNothing && m.Rule != OnePass:
		return m.wrong("start", m.Start, "rule %q has no initial phase, so leave it out", m.Rule)
	case m.UpdateEpochs != 0:
		return m.wrong("update_epochs", m.UpdateEpochs, "rule %q learns each row once, so leave it out", m.Rule)
	case m.Replay:
		return fieldpath.Errorf("replay", "replay learns rows again, and rule %q learns each row once; leave replay out of %q",
			m.Rule, m.Name)
	case m.Scope != "" || m.UpdateLearningRate != 0 && !m.Rule.byDescent():
		return fieldpath.Errorf("rule",
			"rule %q moves every belief and has no learning rate; leave scope and update_learning_rate out of %q",
			m.Rule, m.Name)
	case m.Memory != 0 && !m.Rule.byMemory():
		return m.wrong("memory", m.Memory, "it belongs to rule %q, so leave it out", Stream)
	case m.Start == FromNothing && ofInitial != "":
		return fieldpath.Errorf(ofInitial,
			"scheme, loss and initial_log_std_dev belong to the initial phase; leave them out of %q, which starts from nothing", m.Name)
	}
	switch {
	case s.Recommender != nil:
		return m.validateRatingPass(s)
	case m.Rule == OnePass:
		return m.validateOnePass(s)
	case m.Rule.byMemory():
		return m.validateStream()
	}
	return m.validateOneHot()
}

// validateOneHot checks a rule whose inputs are the items themselves, or a fixed number of buckets into which items are hashed.
func (m Method) validateOneHot() error {
	estimate := phe.Posterior
	if m.Rule == RefittedLogistic || m.Rule.byDescent() {
		estimate = phe.Point
	}
	ofEmbedding := fieldpath.First([]string{"", "embedding_dim", "num_hashes", "num_weights", "assembly"}, false,
		m.EmbeddingDim != 0, m.NumHashes != 0, m.NumWeights != 0, m.Assembly != phe.Assembly{})
	hashed := m.Rows == phe.Hashed && m.Rule != BayesianLogistic
	switch {
	case m.Rows != phe.Vocabulary && !hashed || m.Estimate != estimate:
		return fieldpath.Errorf("rows", "rows of %q is %q and estimate %q; rule %q has an input for each item: write %q and %q",
			m.Name, m.Rows, m.Estimate, m.Rule, phe.Vocabulary, estimate)
	case hashed != (m.NumBuckets > 0):
		return fieldpath.Errorf("num_buckets",
			"num_buckets of %q is %d with rows %q; rows %q hash items into that number of inputs, at least 2, and for rows %q leave it out",
			m.Name, m.NumBuckets, m.Rows, phe.Hashed, phe.Vocabulary)
	case m.Rule.byDescent() && !(m.UpdateLearningRate > 0):
		return m.wrong("update_learning_rate", m.UpdateLearningRate, "rule %q needs one above 0, such as 0.1", m.Rule)
	case ofEmbedding != "":
		return fieldpath.Errorf(ofEmbedding,
			"embedding_dim, num_hashes, num_weights and assembly belong to embeddings; leave them out of %q", m.Name)
	}
	return nil
}

// validateStream checks the preset Stream and the model of package stream over tables, and counts of sales.
func (m Method) validateStream() error {
	switch {
	case m.Rows != phe.Hashed || m.Estimate != phe.Posterior:
		return fieldpath.Errorf("rows",
			"rows of %q is %q and estimate %q; rule %q hashes items and every number is a belief: write %q and %q",
			m.Name, m.Rows, m.Estimate, m.Rule, phe.Hashed, phe.Posterior)
	case m.Memory < minStream:
		return fieldpath.Errorf("memory", "memory of %q is %d bytes; rule %q needs at least %d", m.Name, m.Memory, m.Rule, minStream)
	case m.EmbeddingDim != 0 || m.NumBuckets != 0 || m.NumHashes != 0 || m.NumWeights != 0 || m.Assembly != phe.Assembly{}:
		return fieldpath.Errorf("memory", "memory of %q gives the sizes of rule %q; "+
			"leave out embedding_dim, num_buckets, num_hashes, num_weights and assembly", m.Name, m.Rule)
	}
	return nil
}

func (m Method) validateOnePass(s Spec) error {
	c := s.Config(m, 1).Encoder
	switch {
	case m.Estimate != phe.Posterior:
		return m.wrong("estimate", m.Estimate, "rule %q needs %q, since every number is a belief", m.Rule, phe.Posterior)
	case m.Rows == phe.Hashed && c.Assembly != phe.WeightedSum && c.Assembly != phe.Average:
		return fieldpath.Errorf("model.encoder.assembly", "assembly of %q is %q; rule %q takes %q or %q",
			m.Name, c.Assembly, m.Rule, phe.WeightedSum, phe.Average)
	case m.Rows == phe.Vocabulary && m.Start == FromNothing && m.EmbeddingDim != 0:
		return m.wrong("embedding_dim", m.EmbeddingDim, "from nothing an item's own row holds a number for each logit, so leave it out")
	}
	return nil
}

// overlay decodes the method's own settings over a model: first those in Model, and then its fields. A field has the name of the setting
// that it replaces in the model, the encoder, the filter or the recommender. Fields that are left out replace nothing.
func (m Method) overlay(c *Config) {
	if m.Model != nil {
		_ = json.Unmarshal(*m.Model, &c.Config) // validateOwn reports the error
	}
	fields, _ := json.Marshal(m) // bounded reports the error
	for _, part := range []any{&c.Config, &c.Encoder, &c.Filter, &c.Recommender} {
		_ = json.Unmarshal(fields, part)
	}
}

// validateOwn checks a method's own settings of the model.
func (m Method) validateOwn(s Spec) error {
	if m.Model == nil {
		return nil
	}
	c, model := s.Model, s.Model.Encoder
	decoder := json.NewDecoder(bytes.NewReader(*m.Model))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return fieldpath.Errorf("model",
			"model of %q cannot be read (%s); write fields of the spec's model, such as {\"learning_rate\": 0.05}",
			m.Name, err)
	}
	if e := c.Encoder; e.Rows != model.Rows || e.Estimate != model.Estimate || e.Capacity != model.Capacity {
		return fieldpath.Errorf("model", "model of %q has rows, estimate or capacity; "+
			"a method says the first two itself, and the third is counted: leave them out", m.Name)
	}
	return nil
}
