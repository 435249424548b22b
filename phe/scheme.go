package phe

import "gophe/phe/remedy/field"

// Scheme is a way to take the expectation over the posterior of E and W.
//
// Fresh and Local have the same distribution: every row and slot has its own draw. With Items, each row has this distribution, but
// rows that share an item share its draw. Moments and Quadrature have its mean and variance. Table has another variance if a row's
// slots share rows of the tables.
type Scheme string

const (
	// Fresh fetches an item's distribution and samples it anew for every row, column and hash, as the authors' program does:
	// "scheme two" of Supp. E.1 (Eq. 27).
	Fresh Scheme = "rows"
	// Table draws the whole table once for each sample and looks up items in it: "scheme one" (Eq. 26). Rows of a batch
	// share noise, so gradients are noisier.
	Table Scheme = "table"
	// Items draws each distinct item once for each sample. It lies between Fresh and Table, and serves any model.
	Items Scheme = "items"
	// Local is for linear assemblies. W is drawn as in Fresh. Given W, the assembled embedding is exactly Gaussian, and so
	// is the logit of a linear head. One normal for each row replaces K·d for each column; several logits take d for each column. The
	// distribution equals that under Fresh.
	Local Scheme = "local"
	// Moments is for linear heads with one logit. It also integrates W, by matching the logit's mean and variance, and draws one normal for
	// each row.
	Moments Scheme = "moments"
	// Quadrature is Moments with Gauss–Hermite nodes in place of samples, so it has no noise. Use it only with [Expected]:
	// an exact mean of probabilities before the logarithm rewards posterior spread and learns worse.
	Quadrature Scheme = "quadrature"
)

// Validate returns an error for an unknown scheme.
func (s Scheme) Validate() error {
	switch s {
	case Fresh, Table, Items, Local, Moments, Quadrature:
		return nil
	}
	return field.Errorf("scheme", "scheme is %q; choose %q, %q or %q, or for linear heads %q, %q or %q",
		s, Fresh, Table, Items, Local, Moments, Quadrature)
}

// NeedsLinearAssembly tells whether the scheme needs an assembly that is linear in E.
func (s Scheme) NeedsLinearAssembly() bool { return s == Local || s.NeedsOneLogit() }

// NeedsOneLogit tells whether the scheme works only on the logit of a linear head. Such a scheme has no embeddings.
func (s Scheme) NeedsOneLogit() bool { return s == Moments || s == Quadrature }
