// Package data reads the data sets of the paper's experiments into typed columns, and cuts them into the streams and
// groups on which the models are compared (the paper's "Experimental Protocols and Baselines" and "Details for
// Classification Experiments"). The cuts follow the authors' code, which draws them from numpy's RandomState(1234).
//
// A data set is a declaration (adult.go, bank.go, …) plus an entry of sources.json with its licence, citation and checksum. The
// package knows neither models nor hashing: it hands out raw values and the token text that a model hashes.
package data

import (
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// Table is a data set in memory: typed columns, each in the order of the source's columns and rows.
// Rows that lack a value are not in it. Columns are shared, not copied: treat them as read-only.
type Table struct {
	Name        string
	Categorical []CategoricalColumn
	Numeric     []NumericColumn
	Labels      []int32 // Labels[row] is an index into Classes
	Classes     []string
	Incremental int    // index into Categorical of the column that keeps learning online (Adult: education)
	SHA256      string // hexadecimal, of the uncompressed file as read
	Verified    bool   // SHA256 is the declared one
	Path        string // the file read
}

// CategoricalColumn holds raw values: what the file says, unmapped.
type CategoricalColumn struct {
	Name   string
	Values []string
}

// NumericColumn holds values already divided by the column's maximum over the whole table.
//
// The authors' code does so, and it looks at the future: the maximum includes rows that the stream has not shown yet.
// We keep it, because the reported numbers rest on it. A column whose maximum is not positive is left as it is
// (no such column exists in the declared files).
type NumericColumn struct {
	Name   string
	Values []float64
}

// NumRows returns the number of rows of the table.
func (t *Table) NumRows() int { return len(t.Labels) }

// Token returns the item's token `<column>_<value>`, which is what a model hashes. Column is an index into Categorical.
//
// The column name is the file's own, hyphen included: `marital-status_Divorced`. The authors' spelling of the names
// with a hyphen (marital-status, native-country) is not known to us; another spelling would give those two columns
// other buckets, and no other difference.
func (t *Table) Token(column, row int) string { return t.Categorical[column].token(row) }

// token is the token of the column's item in a row.
func (c CategoricalColumn) token(row int) string { return c.Name + "_" + c.Values[row] }

// Select returns a table with only the named feature columns, in the order of t, whose columns it shares. The paper's
// experiments on Mushroom use "odor" only. It is an error to name a column twice, to name one that t has not, or to
// leave the incremental column out.
func (t *Table) Select(features []string) (*Table, error) {
	selected := *t
	selected.Categorical, selected.Numeric, selected.Incremental = nil, nil, -1
	var names []string
	for i, c := range t.Categorical {
		names = append(names, c.Name)
		if !slices.Contains(features, c.Name) {
			continue
		}
		if i == t.Incremental {
			selected.Incremental = len(selected.Categorical)
		}
		selected.Categorical = append(selected.Categorical, c)
	}
	for _, c := range t.Numeric {
		names = append(names, c.Name)
		if slices.Contains(features, c.Name) {
			selected.Numeric = append(selected.Numeric, c)
		}
	}
	for i, name := range features {
		if !slices.Contains(names, name) {
			return nil, errors.Errorf("select features of %q: no column %q; there are %s", t.Name, name, strings.Join(names, ", "))
		}
		if slices.Contains(features[:i], name) {
			return nil, errors.Errorf("select features of %q: column %q twice", t.Name, name)
		}
	}
	if selected.Incremental < 0 {
		return nil, errors.Errorf("select features of %q: the incremental column %q must be among them", t.Name, t.Categorical[t.Incremental].Name)
	}
	return &selected, nil
}

// firstAppearance returns the distinct values in the order in which they first appear.
func firstAppearance(values []string) []string {
	seen := make(map[string]bool)
	var distinct []string
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			distinct = append(distinct, v)
		}
	}
	return distinct
}
