// Package labelled reads labelled data sets (Adult, Bank, Mushroom, Covertype) into typed columns and cuts them into streams and groups.
//
// The cuts follow the paper's "Experimental Protocols and Baselines" and "Details for Classification Experiments", and the authors' code.
// The package knows neither models nor hashing: it returns raw values and the token text that a model hashes.
//
// Call Load, then Select if a study uses some columns, then one of OnlineSplit, GroupSplit, ByGroup, Growing and Swapped.
package labelled

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/column"
)

// Table is a data set in memory: typed columns, in the order of the file's columns and rows.
// It lacks rows with a missing value. Columns are shared, not copied: treat them as read-only.
type Table struct {
	Name        string
	Categorical []column.Categorical
	Numeric     []column.Numeric
	Labels      []int32 // Labels[row] is an index into Classes
	Classes     []string
	Incremental int    // index into Categorical of the column that is learned online (Adult: education)
	SHA256      string // hexadecimal checksum of the uncompressed file
	Verified    bool   // SHA256 is the declared checksum
	Path        string // path of the file
	// Truth is the probability of the second class from which each label was drawn. It is nil unless the table is generated.
	Truth []float64
}

// NumRows returns the number of rows of the table.
func (t *Table) NumRows() int { return len(t.Labels) }

// Token returns the item's token `<column>_<value>`, which a model hashes. Column is an index into Categorical.
//
// The column name is the file's, hyphen included: `marital-status_Divorced`. We do not know how the authors spell the names
// with a hyphen (marital-status, native-country). Another spelling gives those two columns other buckets, and no other difference.
// Two columns can share a token: column a with value b_c, and column a_b with value c. They are then one item, as for the authors.
func (t *Table) Token(column, row int) string { return t.Categorical[column].Token(row) }

// Select returns a table with the named feature columns only. It shares the columns and their order with t. The paper's
// experiments on Mushroom use "odor" only. A name that occurs twice or that t lacks is an error, and so is a list without
// the incremental column.
func (t *Table) Select(features []string) (*Table, error) {
	selected, err := t.keep(features, func(name string) bool { return slices.Contains(features, name) })
	if err != nil {
		return nil, errors.WithMessage(err, "select features")
	}
	for i, name := range features {
		if slices.Contains(features[:i], name) {
			return nil, errors.Errorf("select features of %q: column %q is named twice", t.Name, name)
		}
	}
	if selected.Incremental < 0 {
		return nil, errors.Errorf("select features of %q: add the incremental column %q", t.Name, t.Categorical[t.Incremental].Name)
	}
	return selected, nil
}

// Without returns a table that lacks the named feature columns. It shares the other columns and their order with t, and its rows are
// the rows of t. Incremental is -1 where the incremental column is among them. A name that t lacks is an error, and so is a list of
// all columns.
func (t *Table) Without(columns []string) (*Table, error) {
	left, err := t.keep(columns, func(name string) bool { return !slices.Contains(columns, name) })
	if err != nil {
		return nil, err
	}
	if len(left.Categorical)+len(left.Numeric) == 0 {
		return nil, errors.Errorf("no column of %q is left; name fewer than all %d", t.Name, len(t.Categorical)+len(t.Numeric))
	}
	return left, nil
}

// keep returns a table with the columns that are wanted. Incremental is -1 where that column is not. A given name that t lacks is an error.
func (t *Table) keep(given []string, wanted func(name string) bool) (*Table, error) {
	table := *t
	var names []string
	table.Categorical, table.Numeric, table.Incremental = nil, nil, -1
	for i, c := range t.Categorical {
		names = append(names, c.Name)
		if !wanted(c.Name) {
			continue
		}
		if i == t.Incremental {
			table.Incremental = len(table.Categorical)
		}
		table.Categorical = append(table.Categorical, c)
	}
	for _, c := range t.Numeric {
		names = append(names, c.Name)
		if wanted(c.Name) {
			table.Numeric = append(table.Numeric, c)
		}
	}
	for _, name := range given {
		if !slices.Contains(names, name) {
			return nil, errors.Errorf("%q has no column %q; choose from %s", t.Name, name, strings.Join(names, ", "))
		}
	}
	return &table, nil
}
