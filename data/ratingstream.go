package data

import (
	"sort"
	"time"

	"github.com/pkg/errors"
)

// RatingStream is the ratings in the order in which a learner meets them.
type RatingStream struct {
	Ratings *Ratings
	Initial []int32   // indices of ratings, learned first, for many epochs
	Steps   [][]int32 // then these, of each day: predicted, scored, then learned. They share one array
	Days    []int     // the UTC day of each step, since 1970-01-01
}

// Daily is the authors' stream for online learning: ratings before the day of from are left out, those before the day of
// first are the initial data, then there is a step for each UTC day that has ratings. Each block is permuted, and of its
// n ratings the first int(0.8·n) are kept; the others are neither scored nor learned. A day of a single rating keeps
// none, and is no step.
//
// The authors' days are 1996-01-01, which drops the few ratings of 1995, and 2000-01-01: four years. The paper says that
// the first five years are the initial data.
//
// All draws come from RandomState(1234): a permutation of the initial block, then one of each day, and nothing before.
// The days of 26 million ratings take 83 MB; the permutations leave several times that as garbage.
//
// What is permuted is in the order of Ratings; how the authors' loader orders ratings of the same second is not known
// to us, so that their blocks have the same ratings to draw from, but not certainly the same draws.
func (r *Ratings) Daily(from, first time.Time) (*RatingStream, error) {
	start, end := r.firstOn(dayOf(from)), r.firstOn(dayOf(first))
	random := NewRandomState(splitSeed)
	stream := &RatingStream{Ratings: r}
	if start < end {
		stream.Initial = cutBlock(random, rowsOf(span{start, end})).Scored
	}
	kept := make([]int32, 0, int(scoredFraction*float64(r.NumRows()-end)))
	for end < r.NumRows() {
		today := span{end, r.firstOn(r.Day(end) + 1)}
		end = today.end
		before := len(kept)
		if kept = append(kept, cutBlock(random, rowsOf(today)).Scored...); len(kept) > before {
			stream.Steps = append(stream.Steps, kept[before:len(kept):len(kept)])
			stream.Days = append(stream.Days, r.Day(today.first))
		}
	}
	if len(stream.Initial) == 0 || len(stream.Steps) == 0 {
		return nil, errors.Errorf("daily stream from %s, with steps from %s: %d of %d ratings are initial data and %d days follow, "+
			"want 1 or more of both; choose other days (the authors': 1996-01-01 and 2000-01-01)",
			from.UTC().Format(time.DateOnly), first.UTC().Format(time.DateOnly), len(stream.Initial), r.NumRows(), len(stream.Steps))
	}
	return stream, nil
}

// firstOn returns the first rating of a day or of any later one.
func (r *Ratings) firstOn(day int) int {
	return sort.Search(r.NumRows(), func(row int) bool { return r.Day(row) >= day })
}

// rowsOf lists the rows of a span.
func rowsOf(s span) []int32 {
	rows := make([]int32, 0, s.end-s.first)
	for row := s.first; row < s.end; row++ {
		rows = append(rows, int32(row))
	}
	return rows
}
