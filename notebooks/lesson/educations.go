package lesson

import (
	"math"
	"slices"

	"gophe/data/labelled"
	"gophe/notebooks/cell"
	"gophe/phe"
	"gophe/phe/onepass"
)

// Educations is a stream small enough to draw: Adult with the column education alone. Half of the educations are known at the
// beginning, and the others appear one after the other.
type Educations struct {
	*labelled.Stream
	Names  []string              // all educations, the most frequent of the stream first
	Of     map[string]*Education // by name
	Blocks [][]int32             // the initial rows of data, and then each chunk
}

// Education is an item of the stream.
type Education struct {
	Row     *onepass.Row     // of data with the education
	Buckets []int32          // the rows of E that the education uses
	Learned int              // number of its rows in the stream
	New     *labelled.Change // at which it is new; nil if it is known at the beginning
	Sharing []string         // the other educations that use a row of E of this one, in the order of Names
	Share   float64          // of high incomes among its rows in the whole table
	LogOdds float64          // of Share
}

// NewEducations returns Adult's stream in chunks of some rows, at most steps chunks (0: no limit), and the rows of E that a
// configuration's hash functions choose.
func NewEducations(adult *labelled.Table, c phe.Config, chunk, steps int) *Educations {
	e := &Educations{Stream: cell.Must(cell.Must(adult.Select([]string{"education"})).Growing(chunk, steps)), Of: map[string]*Education{}}
	e.Blocks = append([][]int32{e.Initial}, e.Steps...)
	for _, row := range slices.Concat(e.Blocks...) {
		name := e.Name(row)
		if e.Of[name] == nil {
			e.Names, e.Of[name] = append(e.Names, name), &Education{}
		}
		e.Of[name].Learned++
	}
	slices.SortStableFunc(e.Names, func(a, b string) int { return e.Of[b].Learned - e.Of[a].Learned })
	encoder := cell.Must(phe.NewEncoder(c))
	for _, name := range e.Names {
		own := e.Of[name]
		own.Buckets = cell.Must(encoder.Items([]string{"education_" + name})).Buckets
		own.Row = row(own.Buckets...)
	}
	e.describe()
	return e
}

// describe fills in the facts about each education from the table and the stream.
func (e *Educations) describe() {
	for _, name := range e.Names {
		own, n, high := e.Of[name], 0.0, 0.0
		for row, value := range e.Table.Categorical[0].Values {
			if value == name {
				n, high = n+1, high+float64(e.Table.Labels[row])
			}
		}
		own.Share = high / n
		own.LogOdds = math.Log(own.Share / (1 - own.Share))
		if at := slices.IndexFunc(e.Changes, func(c labelled.Change) bool { return c.What == "item "+name }); at >= 0 {
			own.New = &e.Changes[at]
		}
		for _, other := range e.Names {
			shares := slices.ContainsFunc(e.Rows(other), func(row int32) bool { return slices.Contains(e.Rows(name), row) })
			if shares && other != name {
				own.Sharing = append(own.Sharing, other)
			}
		}
	}
}

// Name returns the education in a row of data.
func (e *Educations) Name(row int32) string { return e.Table.Categorical[0].Values[row] }

// Used returns the rows of E that a block of data uses.
func (e *Educations) Used(block []int32) (rows []int32) {
	for _, row := range block {
		rows = append(rows, e.Rows(e.Name(row))...)
	}
	return rows
}

// Rows returns the rows of E that an education uses.
func (e *Educations) Rows(name string) []int32 { return e.Of[name].Buckets }

// Sum returns a one-pass learner of one column whose logit is bias + slope·(sum of the item's two rows of E, of 31). The weights are
// certain, and the beliefs about rows of E begin as N(0, 1). They keep all covariances if joint is set.
func Sum(slope, bias float64, joint bool) *onepass.Model {
	c := onepass.Paper(1, 0, 1)
	c.Hashing = onepass.Hashing{Dim: 1, Buckets: 31, Hashes: 2, Assembly: onepass.Mean}
	c.Prior, c.Joint = onepass.Prior{E: 1}, joint
	return learnerOf(c, nil, slope*float64(c.Hashes), bias)
}
