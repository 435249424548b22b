package phe

import "gophe/phe/remedy/field"

// UpdateScope says which parameters online learning changes after the initial phase (Sec. 3.3, Table 6). In every scope the
// posterior becomes the prior, and Adam starts fresh before each step of the stream.
type UpdateScope string

const (
	// IncrementalColumn is the paper's scope: the tables learn, and the likelihood's gradient flows through the embeddings of
	// the one column whose vocabulary grows. Rows that its items share with other columns' items move too.
	IncrementalColumn UpdateScope = "incremental-column"
	// AllColumns lets the gradient flow through every column. The rest of the model stays frozen.
	AllColumns UpdateScope = "all-columns"
	// AllParameters trains the rest of the model too.
	AllParameters UpdateScope = "all-parameters"
)

// Validate returns an error for an unknown scope.
func (s UpdateScope) Validate() error {
	switch s {
	case IncrementalColumn, AllColumns, AllParameters:
		return nil
	}
	return field.Errorf("scope", "update scope is %q; choose %q, %q or %q", s, IncrementalColumn, AllColumns, AllParameters)
}
