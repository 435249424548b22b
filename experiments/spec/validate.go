package spec

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/experiments/baseline"
	"gophe/experiments/protocol"
	"gophe/experiments/suggest"
	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/hash"
)

// Validate returns the first thing wrong with the spec and what would be right.
func (s Spec) Validate() error {
	switch {
	case !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`).MatchString(s.Name):
		return errors.Errorf("name is %q; use lower-case letters, digits and hyphens, as it names the result file", s.Name)
	case s.Source != nil:
		if err := s.validateSource(); err != nil {
			return err
		}
	case !slices.Contains(Datasets(), s.Dataset) && s.Protocol.Name != protocol.TwoItems:
		return errors.Errorf("dataset is %q; %s, or give a source, which names a file of yours", s.Dataset, suggest.Among(s.Dataset, Datasets()))
	}
	switch {
	case len(s.Counters) > 0:
		return s.validateCounters()
	case (s.Dataset == Retail) != (s.Filter != nil):
		return errors.Errorf("dataset is %q; a filter belongs to %q, and nothing else does: give both or neither", s.Dataset, Retail)
	case slices.Contains(data.RatingSets(), s.Dataset) != (s.Recommender != nil):
		return errors.Errorf("dataset is %q; a recommender belongs to ratings (%s), and nothing else does: give both or neither", s.Dataset, strings.Join(data.RatingSets(), ", "))
	case s.Filter != nil && (s.Convention == protocol.Authors) != (s.Filter.Prediction == dkf.Reconstruction):
		return errors.Errorf("convention is %q; prediction %q is the authors' program's, and %q the paper's words", s.Convention, dkf.Reconstruction, dkf.Forecast)
	case (s.Filter != nil || s.Recommender != nil) && len(s.Features) > 0:
		return errors.Errorf("features lists columns; a filter or a recommender takes all of them: leave it out")
	case s.Convention != protocol.Authors && s.Convention != protocol.Paper:
		return errors.Errorf("convention is %q; choose %q or %q", s.Convention, protocol.Authors, protocol.Paper)
	case len(s.Seeds) == 0:
		return errors.Errorf("seeds is empty; list at least one, such as [0]")
	case len(s.Methods) == 0:
		return errors.Errorf("methods is empty; list at least one")
	}
	if err := s.Protocol.Validate(); err != nil {
		return err
	}
	if (s.Protocol.Name == protocol.Daily || s.Protocol.Name == protocol.Products) != (s.Filter != nil) || (s.Protocol.Name == protocol.Recommend) != (s.Recommender != nil) {
		return errors.Errorf("protocol is named %q; %q and %q are those of dataset %q, %q is that of ratings, and the others of tables",
			s.Protocol.Name, protocol.Daily, protocol.Products, Retail, protocol.Recommend)
	}
	if err := s.validateModel(); err != nil {
		return err
	}
	if err := distinct("seeds", s.Seeds); err != nil {
		return err
	}
	var names []string
	for i, m := range s.Methods {
		names = append(names, m.Name)
		if err := s.validateMethod(i, m); err != nil {
			return methodError{i, err}
		}
	}
	return distinct("methods", names)
}

// validateMethod returns the first thing wrong with method number i and what would be right.
func (s Spec) validateMethod(i int, m Method) error {
	if m.Name == "" {
		return errors.Errorf("name of method %d is empty; give it one", i+1)
	}
	if baseline.Has(m.Name) {
		return errors.Errorf("name %q is taken by the trivial rival that every result has; choose another", m.Name)
	}
	if err := m.validateOwn(s); err != nil {
		return err
	}
	if err := m.validateRule(s); err != nil {
		return err
	}
	if m.UpdateEpochs < 1 && m.Rule == "" {
		return errors.Errorf("update_epochs of %q is %d; it must be at least 1 (the frozen model comes by itself)", m.Name, m.UpdateEpochs)
	}
	if err := m.Arrival.Validate(); err != nil {
		return err
	}
	switch {
	case m.Draw < 0 || m.Draw > 0 && m.Arrival != protocol.Shuffled:
		return errors.Errorf("draw of %q is %d; it numbers the random orders of arrival %q from 0, so leave it out of others", m.Name, m.Draw, protocol.Shuffled)
	case m.Arrival != protocol.AsItComes && s.Protocol.Name != protocol.Order:
		return errors.Errorf("arrival belongs to protocol %q; leave it out", protocol.Order)
	case s.Filter == nil && (m.Likelihood != "" || m.Objective != "" || m.Inputs != "" || m.Transition != "" || m.ItemDropout != nil):
		return errors.Errorf("likelihood, objective, inputs, transition and item_dropout belong to a filter; leave them out of %q", m.Name)
	case s.Recommender == nil && m.Genres != "":
		return errors.Errorf("genres belongs to a recommender; leave it out of %q", m.Name)
	case m.Interactions != "" && (s.Recommender == nil || m.Rule != OnePass):
		return errors.Errorf("interactions belongs to rule %q over ratings; leave it out of %q", OnePass, m.Name)
	case m.GrowBeyond != 0 && (!(m.GrowBeyond > 0) || m.Rows != phe.Hash || m.Rule != "" || m.Replay || s.Model.Encoder.Hash == hash.Authors):
		return errors.Errorf("grow_beyond of %q is %g; it is the number of items to a row, above 0, of rows %q that learn by updates under hash %q: else leave it out",
			m.Name, m.GrowBeyond, phe.Hash, hash.CarterWegman)
	case m.Replay && s.Recommender != nil:
		return errors.Errorf("replay takes all data to the device, and ratings stay on the host; leave it out of %q", m.Name)
	case m.Replay && (m.Scope != "" || m.UpdateLearningRate != 0):
		return errors.Errorf("replay goes on with the initial phase, all parameters by its learning rate; leave out scope and update_learning_rate")
	}
	return s.Config(m, 1).validate()
}

// validateModel checks what [config.validate] takes for absent where all of it is zero.
func (s Spec) validateModel() error {
	switch {
	case s.Filter != nil && *s.Filter == (dkf.Filter{}):
		return s.Filter.Validate()
	case s.Recommender != nil && *s.Recommender == (Recommender{}):
		return s.Recommender.Validate()
	}
	return nil
}

func distinct[T comparable](field string, values []T) error {
	seen := map[T]bool{}
	for _, v := range values {
		if seen[v] {
			return errors.Errorf("%s lists %v twice", field, v)
		}
		seen[v] = true
	}
	return nil
}
