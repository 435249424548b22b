// Package data reads the data sets of the paper's experiments into typed columns, and cuts them into the streams and
// groups on which the models are compared (the paper's "Experimental Protocols and Baselines" and "Details for
// Classification Experiments"). The cuts follow the authors' code, which draws them from numpy's RandomState(1234).
//
// A data set is a declaration (adult.go) plus an entry of sources.json with its licence, citation and checksum. The
// package knows neither models nor hashing: it hands out raw values and the token text that a model hashes.
package data

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
func (t *Table) Token(column, row int) string {
	c := t.Categorical[column]
	return c.Name + "_" + c.Values[row]
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
