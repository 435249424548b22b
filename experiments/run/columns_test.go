package run

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// lacking returns methods of every kind that do not get some columns, named alike.
func lacking(columns ...string) []spec.Method {
	methods := append(ruleMethods(),
		spec.Method{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
		spec.Method{Name: "P-EE", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 2},
		spec.Method{Name: "FastAda", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 3})
	for i := range methods {
		methods[i].Without = columns
		if methods[i].Rule == "" {
			methods[i].Scope = phe.AllParameters
		}
	}
	return methods
}

// A method without a column learns and predicts as the same method of a spec whose features lack the column. The stream does not
// depend on the column.
func TestWithoutEqualsFeatures(t *testing.T) {
	without, features := tinyOf(t, protocol.Online), tinyOf(t, protocol.Online)
	without.Methods, features.Methods = lacking("relationship", "capital-gain"), lacking()
	features.Features = strings.Fields("age workclass fnlwgt education education-num marital-status occupation race sex capital-loss " +
		"hours-per-week native-country")
	a, b := inFull(t, without), inFull(t, features)
	filetest.WantEqual(t, len(a.Methods), len(b.Methods), "number of methods")
	for i, m := range a.Methods {
		other := b.Methods[i]
		filetest.WantEqual(t, strings.TrimSuffix(m.Name, ", without relationship, capital-gain"), other.Name, "method %d", i)
		filetest.WantEqual(t, m.Frozen, other.Frozen, "%s is frozen", m.Label())
		if m.Hash == "" {
			continue // a trivial rival
		}
		filetest.Want(t, m.Hash != other.Hash, "%s has one identity with and without the columns", m.Label())
		filetest.WantEqual(t, m.Parameters, other.Parameters, "%s: numbers in tables", m.Label())
		filetest.WantEqual(t, m.TotalParameters, other.TotalParameters, "%s: numbers in all", m.Label())
		for k, run := range m.Runs {
			filetest.WantEqual(t, seriesOf(run), seriesOf(other.Runs[k]), "%s, seed %d: scores", m.Label(), run.Seed)
		}
	}
}

// Methods that lack the changing column run beside methods that have it, on the same rows, and change nothing for them. They share no
// initial phase.
func TestWithoutIncremental(t *testing.T) {
	for _, named := range []string{protocol.Online, protocol.ByGroup} {
		whole, both := tinyOf(t, named), tinyOf(t, named)
		whole.Methods = lacking()
		both.Methods = slices.Clone(whole.Methods)
		for _, m := range lacking("education") {
			m.Name += ", without education"
			both.Methods = append(both.Methods, m)
		}
		a, b := inFull(t, whole), inFull(t, both)
		for _, m := range a.Methods {
			name := named + ", " + m.Label()
			other := methodOf(t, b, m.Name, m.Frozen)
			filetest.WantEqual(t, m.Hash, other.Hash, "%s: identity beside methods without a column", name)
			for k, run := range m.Runs {
				filetest.WantEqual(t, run.LogLikelihood, other.Runs[k].LogLikelihood, "%s: scores beside methods without a column", name)
			}
			if m.Hash == "" {
				continue // a trivial rival
			}
			narrow := methodOf(t, b, m.Name+", without education", m.Frozen)
			is, was := narrow.Runs[0], m.Runs[0]
			filetest.Want(t, narrow.Hash != m.Hash, "%s has one identity with and without education", name)
			filetest.Want(t, len(was.LogLikelihood) == 0 || !slices.Equal(is.LogLikelihood, was.LogLikelihood),
				"%s learns the same without", name)
			filetest.WantEqual(t, is.Rows, was.Rows, "%s, without education: rows", name)
		}
	}
}

var categoricalOfAdult = []string{"workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"}

// Rules that need no items do without any, and other methods say what to do.
func TestWithoutCategorical(t *testing.T) {
	s := tinyOf(t, protocol.Online)
	for _, m := range lacking(categoricalOfAdult...) {
		s.Methods = []spec.Method{m}
		_, err := Execute(context.Background(), s, options(t, t.TempDir()))
		embeds := m.Rule == "" || m.Rule == spec.OnePass && (m.Rows == phe.Vocabulary || m.Start != spec.FromNothing)
		if embeds != (err != nil) || embeds && !strings.Contains(err.Error(), "leave one in, or choose rule") {
			t.Errorf("%s without any item: %v", m.Name, err)
		}
	}
}

// An error about columns comes before any work and says what is right.
func TestWithoutErrors(t *testing.T) {
	for _, c := range []struct {
		without []string
		want    string
	}{
		{[]string{"education"}, "its updates move the incremental column only, and without takes this column away; give it scope"},
		{[]string{"schooling"}, "no column \"schooling\"; choose from workclass"},
		{append(slices.Clone(categoricalOfAdult), "age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"), "no column of \"adult\" is left"},
	} {
		s := tinyOf(t, protocol.Online)
		s.Methods = []spec.Method{{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2, Without: c.without}}
		filetest.WantError(t, filetest.Failure(Execute(context.Background(), s, options(t, t.TempDir()))), c.want)
	}
}
