package phe

import "github.com/pkg/errors"

// Scheme is a way to take the expectation over the posterior of E and W.
//
// Rows and Local have one law: every row and slot draws for itself. Items has it row by row, but rows that share an item
// share its draw. Moments and Quadrature have its mean and variance. Table's variance differs where a row's slots
// share rows of the tables.
type Scheme string

const (
	// Rows fetches an item's distribution and samples it anew for every row, column and hash: the authors' program,
	// "scheme two" of Supp. E.1 (Eq. 27).
	Rows Scheme = "rows"
	// Table samples the whole table once a sample and looks items up in it: "scheme one" (Eq. 26). Rows of a batch
	// share noise, so gradients are noisier.
	Table Scheme = "table"
	// Items samples each distinct item once a sample: between the two, for any model.
	Items Scheme = "items"
	// Local is for linear assemblies. W is sampled as in Rows; given W the assembled embedding is exactly Gaussian, and so
	// is the logit of a linear head: one normal a row replaces K·d a column (with several logits, d a column do). Its law
	// is exactly that of Rows.
	Local Scheme = "local"
	// Moments is for linear heads of one logit: W is integrated too, by matching the logit's mean and variance; one normal a row.
	Moments Scheme = "moments"
	// Quadrature is Moments with Gauss–Hermite nodes in place of samples: no noise at all. Only with [Expected]:
	// averaging probabilities exactly before the logarithm pays for posterior spread and learns worse.
	Quadrature Scheme = "quadrature"
)

// Validate tells an unknown scheme from a known one.
func (s Scheme) Validate() error {
	switch s {
	case Rows, Table, Items, Local, Moments, Quadrature:
		return nil
	}
	return errors.Errorf("scheme is %q; choose %q, %q or %q, or for linear heads %q, %q or %q",
		s, Rows, Table, Items, Local, Moments, Quadrature)
}

// NeedsLinearAssembly tells whether the scheme relies on an assembly that is linear in E.
func (s Scheme) NeedsLinearAssembly() bool { return s == Local || s.NeedsOneLogit() }

// NeedsOneLogit tells whether the scheme works on the logit of a linear head only, and has no embeddings to give.
func (s Scheme) NeedsOneLogit() bool { return s == Moments || s == Quadrature }
