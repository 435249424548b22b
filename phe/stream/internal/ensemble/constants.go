package ensemble

import "gophe/phe/stream/schema"

// Constant is a column of numbers that had one value in the sample (schema.Column.Constant). Nothing is known of its bins until it varies.
// Its bins and quantiles then come from the next rows that are learned. Until they are known, its bins are logarithmic.
type Constant struct {
	Rows    int       `json:"rows,omitempty"`    // learned since it varies, up to binRows
	Numbers []float64 `json:"numbers,omitempty"` // of these rows; nil after the last of them

	Edges     []float64 `json:"edges,omitempty"`
	Quantiles []float64 `json:"quantiles,omitempty"`
}

// binRows is the number of rows from which a constant column that varies gets its bins.
const binRows = 1000

func (s *Constant) binned() bool { return s.Rows == binRows }

// sound reports whether a column can use the numbers. They may come from a damaged file.
func (s *Constant) sound(c schema.Column, t schema.Target) bool {
	c.Constant, c.Edges, c.Quantiles = "", s.Edges, s.Quantiles
	binned := schema.Schema{Target: t, Columns: []schema.Column{c, {Name: t.Column, Kind: schema.Label}}}
	return s.Rows >= 0 && s.Rows <= binRows && len(s.Numbers) <= s.Rows && binned.Validate() == nil
}

// varies reports whether a column of one value has another value in a record.
func varies(in *schema.Input, record schema.Record) bool {
	value, _ := in.Column.Value(record[in.Place])
	return value != "" && value != in.Column.Constant
}

// constants are the columns of a model that had one value in the sample.
type constants struct {
	list    []Constant // by their order in the schema
	reader  *reader
	columns []*schema.Input // of the reader
	binned  []bool          // the reader knows the bins
}

func newConstants(r *reader) *constants {
	s := &constants{reader: r}
	for i := range r.inputs {
		if in := &r.inputs[i]; in.Number && in.Column.Constant != "" {
			s.columns = append(s.columns, in)
		}
	}
	s.list, s.binned = make([]Constant, len(s.columns)), make([]bool, len(s.columns))
	return s
}

// Forecast leaves a row as it is: the reader has given the bins to the encoders.
func (s *constants) Forecast(*Row) {}

// Learn shows a record that was learned to the columns that were constant.
func (s *constants) Learn(r *Row) {
	for i, in := range s.columns {
		one := &s.list[i]
		if one.binned() || one.Rows == 0 && !varies(in, r.Record) {
			continue
		}
		one.Rows++
		if x, ok := in.Column.Number(r.Record[in.Place]); ok {
			one.Numbers = append(one.Numbers, x)
		}
		if one.binned() {
			one.Edges, one.Quantiles = schema.Bins(one.Numbers)
			one.Numbers = nil
			s.bin()
		}
	}
}

// bin gives the bins of the constant columns to the reader.
func (s *constants) bin() {
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	for i, in := range s.columns {
		in.Column.Edges, in.Column.Quantiles, s.binned[i] = s.list[i].Edges, s.list[i].Quantiles, s.list[i].binned()
	}
}
