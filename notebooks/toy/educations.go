package toy

import (
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/phe"
	"gophe/phe/onepass"
)

// Educations is a stream small enough to draw: Adult with the column education alone. Half of the educations are known at the
// beginning, and the others appear one after the other.
type Educations struct {
	*tables.Stream
	Names   []string       // all educations, the most frequent of the stream first
	Learned map[string]int // number of rows of each education in the stream
	rows    map[string][]int32
}

// NewEducations returns the stream in chunks of some rows, at most steps chunks (0: no limit), and the rows of E that a
// configuration's hash functions choose.
func NewEducations(c phe.Config, chunk, steps int) (*Educations, error) {
	adult, err := tables.Load("adult", files.Options{})
	if err != nil {
		return nil, err
	}
	if adult, err = adult.Select([]string{"education"}); err != nil {
		return nil, err
	}
	e := &Educations{Learned: map[string]int{}, rows: map[string][]int32{}}
	if e.Stream, err = adult.Growing(chunk, steps); err != nil {
		return nil, err
	}
	for _, block := range e.Blocks() {
		for _, row := range block {
			name := e.Name(row)
			if e.Learned[name]++; e.Learned[name] == 1 {
				e.Names = append(e.Names, name)
			}
		}
	}
	slices.SortStableFunc(e.Names, func(a, b string) int { return e.Learned[b] - e.Learned[a] })
	encoder, err := phe.NewEncoder(c)
	if err != nil {
		return nil, err
	}
	for _, name := range e.Names {
		found, err := encoder.Items([]string{"education_" + name})
		if err != nil {
			return nil, err
		}
		e.rows[name] = found.Buckets
	}
	return e, nil
}

// Blocks returns the initial rows of data, and then each chunk.
func (e *Educations) Blocks() [][]int32 { return append([][]int32{e.Initial}, e.Steps...) }

// Name returns the education in a row of data.
func (e *Educations) Name(row int32) string { return e.Table.Categorical[0].Values[row] }

// Rows returns the rows of E that an education uses.
func (e *Educations) Rows(name string) []int32 { return e.rows[name] }

// Used returns the rows of E that a block of data uses.
func (e *Educations) Used(block []int32) (rows []int32) {
	for _, row := range block {
		rows = append(rows, e.rows[e.Name(row)]...)
	}
	return rows
}

// Sharing returns the other educations that use a row of an education, in the order of Names.
func (e *Educations) Sharing(name string) (others []string) {
	for _, other := range e.Names {
		shares := slices.ContainsFunc(e.rows[other], func(row int32) bool { return slices.Contains(e.rows[name], row) })
		if shares && other != name {
			others = append(others, other)
		}
	}
	return others
}

// Change returns the change at which an education is new. It panics if the education is known at the beginning.
func (e *Educations) Change(name string) tables.Change {
	return e.Changes[slices.IndexFunc(e.Changes, func(c tables.Change) bool { return c.What == "item "+name })]
}

// Share returns an education's share of high incomes in all rows of the table.
func (e *Educations) Share(name string) float64 {
	n, high := 0.0, 0.0
	for row, value := range e.Table.Categorical[0].Values {
		if value == name {
			n, high = n+1, high+float64(e.Table.Labels[row])
		}
	}
	return high / n
}

// Counted returns the log-odds of Share.
func (e *Educations) Counted(name string) float64 {
	p := e.Share(name)
	return math.Log(p / (1 - p))
}

// Row returns a row of data with an education for package onepass.
func (e *Educations) Row(name string) *onepass.Row {
	return &onepass.Row{Cells: []onepass.Cell{{Share: 1, Buckets: e.rows[name]}}}
}

// Given makes the weights of a one-pass learner certain: the logit becomes bias + slope·(sum of the item's rows of E). The learner
// must have one column and the assembly Mean. The means in its table become 0, as in the prior.
func Given(l *onepass.Model, slope, bias float64) error {
	c := l.Config()
	if c.Columns != 1 || c.Numbers != 0 || c.Outputs != 1 || c.Dim != 1 || c.Assembly != onepass.Mean {
		return errors.Errorf("the learner has %d columns, %d numbers, %d outputs, dim %d and assembly %q; it needs 1, 0, 1, 1, %q",
			c.Columns, c.Numbers, c.Outputs, c.Dim, c.Assembly, onepass.Mean)
	}
	f := l.Beliefs()
	clear(f.Tables["E"].Mean)
	f.Tables["theta"].Mean[0] = slope * float64(c.Hashes)
	f.Lists["block"][0] = bias
	return l.SetBeliefs(f)
}
