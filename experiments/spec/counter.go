package spec

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/rivals/baseline"
	"gophe/experiments/rivals/packsize"
	"gophe/experiments/spec/protocol"
	"gophe/phe/remedy/field"
)

// Counter forecasts Retail's quantities from pooled counts, without a network. It learns in one pass: it learns a day after it
// has forecast the day. A spec of counters has no methods, and its seeds draw the hashes.
type Counter struct {
	Name string `json:"name"`
	packsize.Config
}

// validateCounters returns the first error in a spec of counters.
func (s Spec) validateCounters() error {
	switch {
	case len(s.Methods) > 0:
		return field.Errorf("methods", "methods and counters are both given; a spec has one of them")
	case s.Dataset != Retail || s.Protocol.Name != protocol.Daily:
		return field.Errorf("counters", "counters forecast dataset %q along protocol %q; %q and %q are given", Retail, protocol.Daily, s.Dataset, s.Protocol.Name)
	case s.Filter != nil || s.Recommender != nil || len(s.Features) > 0:
		return field.Errorf(field.First([]string{"filter", "recommender", "features"}, s.Filter != nil, s.Recommender != nil, true),
			"filter, recommender and features belong to methods; leave them out of a spec of counters")
	case s.Convention != protocol.Paper:
		return field.Errorf("convention", "convention is %q; counters are not the authors': choose %q", s.Convention, protocol.Paper)
	case len(s.Seeds) == 0:
		return field.Errorf("seeds", "seeds is empty; list at least one, such as [0]")
	}
	if err := s.Protocol.Validate(); err != nil {
		return field.In("protocol", err)
	}
	if err := distinct("seeds", s.Seeds); err != nil {
		return err
	}
	var names []string
	for i, r := range s.Counters {
		names = append(names, r.Name)
		if r.Name == "" || baseline.Has(r.Name) {
			return field.Errorf(fmt.Sprint("counters.", i, ".name"), "a counter is named %q; give it a name that no trivial rival has", r.Name)
		}
		if err := r.Config.Validate(); err != nil {
			return field.In(fmt.Sprint("counters.", i), errors.WithMessagef(err, "counter %q", r.Name))
		}
	}
	return distinct("counters", names)
}

// AllMethods returns the methods of the spec, and its counters as methods.
func (s Spec) AllMethods() []Method {
	methods := slices.Clone(s.Methods)
	for _, c := range s.Counters {
		methods = append(methods, Method{Name: c.Name, Rule: Counts, Counts: c.Config})
	}
	return methods
}

// identityOfCounts returns the identity of a counter's computation for a seed.
func (s Spec) identityOfCounts(m Method) string {
	return Digest(string(canonical(struct {
		Spec    protocol.Spec   `json:"protocol"`
		Counter packsize.Config `json:"counter"`
		Version int             `json:"numerics"`
	}{s.Protocol, m.Counts, s.Numerics})))
}
