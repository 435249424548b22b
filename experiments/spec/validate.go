package spec

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gophe/data"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/remedy/fieldpath"
	"gophe/phe/remedy/nearest"
)

// Validate returns the first thing wrong with the spec and what would be right.
func (s Spec) Validate() error {
	if s.Unsized() {
		s = s.Sized(phe.ForVocabulary(1), phe.AllColumns) // stands for any size
	}
	switch {
	case !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`).MatchString(s.Name):
		return fieldpath.Errorf("name", "name is %q; use lower-case letters, digits and hyphens, as it names the result file", s.Name)
	case s.Source != nil:
		if err := s.validateSource(); err != nil {
			return err
		}
	case !slices.Contains(datasets(), s.Dataset) && s.Protocol.Name != protocol.TwoItems:
		return fieldpath.Errorf("dataset", "dataset is %q; %s, or give a source, which names a file of yours",
			s.Dataset, nearest.Choose(s.Dataset, datasets()))
	}
	if err := s.validateSizes(); err != nil {
		return err
	}
	switch {
	case s.StreamOf == s.Name:
		return fieldpath.Errorf("stream_of", "stream_of is %q, the spec itself; name the spec whose stream it repeats, or leave it out",
			s.StreamOf)
	case s.OfCounts() && (s.Dataset != Retail || s.Protocol.Name != protocol.Daily || s.Filter != nil || s.Recommender != nil):
		return fieldpath.Errorf("methods",
			"rule %q forecasts dataset %q along protocol %q and without a filter; change that, or leave the rule out",
			Counts, Retail, protocol.Daily)
	case !s.OfCounts() && (s.Dataset == Retail) != (s.Filter != nil):
		return fieldpath.Errorf("dataset", "dataset is %q; a filter belongs to %q only: give both or neither", s.Dataset, Retail)
	case slices.Contains(data.RatingSets(), s.Dataset) != (s.Recommender != nil):
		return fieldpath.Errorf("dataset", "dataset is %q; a recommender belongs to ratings (%s) only: give both or neither",
			s.Dataset, strings.Join(data.RatingSets(), ", "))
	case (s.Dataset == Retail || s.Recommender != nil) && len(s.Features) > 0:
		return fieldpath.Errorf("features", "features lists columns; a filter or a recommender takes all of them: leave it out")
	case len(s.Seeds) == 0:
		return fieldpath.Errorf("seeds", "seeds is empty; list at least one, such as [0]")
	case len(s.Methods) == 0:
		return fieldpath.Errorf("methods", "methods is empty; list at least one")
	}
	ofSales := s.Protocol.Name == protocol.Daily || s.Protocol.Name == protocol.Products
	if err := fieldpath.In("protocol", s.Protocol.Validate()); err != nil {
		return err
	}
	switch {
	case ofSales != (s.Dataset == Retail) || (s.Protocol.Name == protocol.Recommend) != (s.Recommender != nil):
		return fieldpath.Errorf("protocol", "protocol is named %q; %q and %q belong to dataset %q, %q to ratings, and the others to tables",
			s.Protocol.Name, protocol.Daily, protocol.Products, Retail, protocol.Recommend)
	case s.Numerics < 0 || s.Numerics > newestNumerics:
		return fieldpath.Errorf("numerics", "numerics is %d; the program's arithmetic has versions 1 to %d", s.Numerics, newestNumerics)
	}
	if err := distinct("seeds", s.Seeds); err != nil {
		return err
	}
	var names []string
	for i, m := range s.Methods {
		names = append(names, m.Name)
		if err := s.validateMethod(i, m); err != nil {
			return fieldpath.In(fmt.Sprint("methods.", i), err)
		}
	}
	return distinct("methods", names)
}

// validateMethod returns the first thing wrong with method number i and what would be right.
func (s Spec) validateMethod(i int, m Method) error {
	switch {
	case m.Name == "":
		return fieldpath.Errorf("name", "name of method %d is empty; give it one", i+1)
	case baseline.Has(m.Name):
		return fieldpath.Errorf("name", "name %q is taken by the trivial rival that every result has; choose another", m.Name)
	}
	if err := cmp.Or(m.validateOwn(s), bounded(m), m.validateRule(s), m.Arrival.Validate()); err != nil {
		return err
	}
	ofFilter := fieldpath.First([]string{"", "likelihood", "objective", "inputs", "transition", "item_dropout"}, false,
		m.Likelihood != "", m.Objective != "", m.Inputs != "", m.Transition != "", m.ItemDropout != nil)
	canGrow := m.Rows == phe.Hashed && m.Rule == "" && !m.Replay && s.Model.Encoder.Hash != hash.Authors
	switch {
	case m.Numerics < 0 || m.Numerics > newestNumerics:
		return m.wrong("numerics", m.Numerics, "the program's arithmetic has versions 1 to %d", newestNumerics)
	case m.UpdateEpochs < 1 && m.Rule == "":
		return m.wrong("update_epochs", m.UpdateEpochs, "it must be at least 1 (the frozen model comes by itself)")
	case m.Draw < 0 || m.Draw > 0 && m.Arrival != protocol.Shuffled:
		return m.wrong("draw", m.Draw, "it numbers the random orders of arrival %q from 0, so leave it out of others", protocol.Shuffled)
	case m.Arrival != protocol.AsItComes && s.Protocol.Name != protocol.Order:
		return fieldpath.Errorf("arrival", "arrival belongs to protocol %q; leave it out", protocol.Order)
	case s.Filter == nil && ofFilter != "":
		return fieldpath.Errorf(ofFilter,
			"likelihood, objective, inputs, transition and item_dropout belong to a filter; leave them out of %q", m.Name)
	case s.Recommender == nil && m.Genres != "":
		return fieldpath.Errorf("genres", "genres belongs to a recommender; leave it out of %q", m.Name)
	case m.BeliefBits != 0 && (m.BeliefBits != 16 && m.BeliefBits != 32 || m.Rows != phe.Hashed || m.Start != FromNothing ||
		m.Rule != OnePass && m.Rule != Stream):
		return m.wrong("belief_bits", m.BeliefBits, "give 16 or 32 to rules %q and %q with rows %q and no start, or leave it out",
			OnePass, Stream, phe.Hashed)
	case m.Interactions != "" && (s.Recommender == nil || m.Rule != OnePass):
		return fieldpath.Errorf("interactions", "interactions belongs to rule %q over ratings; leave it out of %q", OnePass, m.Name)
	case m.GrowBeyond != 0 && (!(m.GrowBeyond > 0) || !canGrow):
		return m.wrong("grow_beyond", m.GrowBeyond, "it is the number of items to a row, above 0, of rows %q "+
			"that learn by updates under hash %q: else leave it out", phe.Hashed, hash.CarterWegman)
	case len(m.Without) > 0 && (s.Dataset == Retail || s.Recommender != nil):
		return fieldpath.Errorf("without",
			"without takes columns of a table away; sales and ratings keep all of theirs, so leave it out of %q",
			m.Name)
	case m.Replay && s.Recommender != nil:
		return fieldpath.Errorf("replay", "replay takes all data to the device, and ratings stay on the host; leave it out of %q", m.Name)
	case m.Replay && max(s.Config(m, 1).Convergence, s.Config(m, 1).InitialConvergence) != 0:
		return fieldpath.Errorf("replay", "replay takes update_epochs minibatches, whatever the ELBO does; "+
			"give %q \"model\": {\"convergence\": 0, \"initial_convergence\": 0}, or leave replay out", m.Name)
	case m.Replay && (m.Scope != "" || m.UpdateLearningRate != 0):
		return fieldpath.Errorf("replay",
			"replay goes on with the initial phase, all parameters by its learning rate; leave out scope and update_learning_rate")
	}
	c := s.Config(m, 1)
	return cmp.Or(distinct("without", m.Without), c.validateSizes(len(s.Seeds)), s.validateConfig(c))
}

// wrong returns an error about a field of a method, and completes the sentence: draw of "PHE" is 3; leave it out.
func (m Method) wrong(name string, value any, rest string, args ...any) error {
	shown := fmt.Sprintf("%q", value)
	switch value.(type) {
	case int, float64:
		shown = fmt.Sprint(value)
	}
	return fieldpath.Errorf(name, "%s of %q is %s; %s", name, m.Name, shown, fmt.Sprintf(rest, args...))
}

func distinct[T comparable](name string, values []T) error {
	seen := map[T]bool{}
	for _, v := range values {
		if seen[v] {
			return fieldpath.Errorf(name, "%s lists %v twice", name, v)
		}
		seen[v] = true
	}
	return nil
}
