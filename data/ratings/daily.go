package ratings

import (
	"sort"
	"time"

	"github.com/pkg/errors"

	"gophe/data/splits"
)

// Stream holds the ratings in the order in which a learner sees them.
type Stream struct {
	Ratings *Ratings
	Initial []int32   // indices of ratings that are learned first, for many epochs
	Steps   [][]int32 // indices of each later day's ratings, to predict, score and learn
	Days    []int     // UTC day of each step, since 1970-01-01
}

// Daily returns the authors' stream for online learning. It drops ratings before the day of from. Initial holds the ratings before the
// day of first, and each later UTC day with ratings is a step. Each of these blocks is permuted, and the first int(0.8·n) of its n
// ratings are kept. The others are neither scored nor learned. A day with a single rating keeps none and is no step.
//
// The authors' days are 1996-01-01, which drops the few ratings of 1995, and 2000-01-01: four years of initial data. The paper says
// five years.
//
// RandomState(1234) first permutes the initial block, then each day. It draws nothing before. The days of 26 million ratings take
// 83 MB of memory, and the permutations leave twice as much as garbage.
//
// Before its permutation a block is in the order of Ratings. We do not know how the authors' loader orders ratings of the same second.
// Their blocks therefore have the same ratings to draw from, but perhaps other draws.
func (r *Ratings) Daily(from, first time.Time) (*Stream, error) {
	start := sort.Search(r.NumRows(), func(row int) bool { return r.Day(row) >= dayOf(from) })
	stream := &Stream{Ratings: r}
	stream.Initial, stream.Steps, stream.Days = splits.Days(splits.Span{First: start, End: r.NumRows()}, dayOf(first), r.Day)
	if len(stream.Initial) == 0 || len(stream.Steps) == 0 {
		return nil, errors.Errorf("daily stream from %s, with steps from %s: %d of %d ratings are initial data and %d days follow, "+
			"want at least 1 of both; choose other days (the authors': 1996-01-01 and 2000-01-01)",
			from.UTC().Format(time.DateOnly), first.UTC().Format(time.DateOnly), len(stream.Initial), r.NumRows(), len(stream.Steps))
	}
	return stream, nil
}
