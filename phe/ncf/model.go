package ncf

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/online"
)

// Data is a set of ratings as the model reads it. It stays on the host.
type Data struct {
	Users, Films []string  // items, such as "17" and "-17": each distinct one once
	User, Film   []int32   // of each rating, into Users and Films
	Ratings      []float32 // scaled to [0, 1]
	Genres       []string  // items too; at most 32
	FilmGenres   []uint32  // of each film: bit g is set where it is of genre g
}

// NewModel prepares the recommender for data, for a number of runs side by side; updateRows is the most ratings that one
// Update brings. [Recommender.Predictive] reads what a learner's Predict gives.
func NewModel(backend compute.Backend, config Config, data Data, runs, updateRows int) (*online.Model, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := data.check(); err != nil {
		return nil, err
	}
	encoder, err := phe.NewEncoder(config.Encoder)
	if err != nil {
		return nil, err
	}
	s, err := newSource(config, encoder, data)
	if err != nil {
		return nil, err
	}
	n := network{config, encoder, len(data.Genres)}
	return online.NewExcerptModel(backend, config.Config, encoder, n, s.excerpt, len(data.Ratings), runs, updateRows)
}

// check refuses data that does not fit on the host: an accelerator would clamp or drop indices in silence.
func (d Data) check() error {
	n := len(d.Ratings)
	switch {
	case len(d.User) != n || len(d.Film) != n || len(d.FilmGenres) != len(d.Films):
		return errors.Errorf("data does not fit: %d ratings have %d users and %d films, and %d films have %d sets of genres",
			n, len(d.User), len(d.Film), len(d.Films), len(d.FilmGenres))
	case len(d.Genres) < 1 || len(d.Genres) > 32:
		return errors.Errorf("%d genres; give 1 to 32", len(d.Genres))
	}
	for film, set := range d.FilmGenres {
		if uint64(set)>>len(d.Genres) != 0 {
			return errors.Errorf("film %q is of genre number %d and more; there are %d", d.Films[film], len(d.Genres), len(d.Genres))
		}
	}
	for i, y := range d.Ratings {
		if !(y >= 0 && y <= 1) {
			return errors.Errorf("rating %d is %g; scale ratings to lie between 0 and 1", i, y)
		}
		if u, f := d.User[i], d.Film[i]; u < 0 || int(u) >= len(d.Users) || f < 0 || int(f) >= len(d.Films) {
			return errors.Errorf("rating %d is of user %d and film %d; there are %d users and %d films, counted from 0", i, u, f, len(d.Users), len(d.Films))
		}
	}
	return nil
}

// source makes excerpts of the data.
type source struct {
	Data
	config Config
	rows   phe.ItemRows // of all items: users, then films, then genres where they are embedded
}

func newSource(config Config, encoder *phe.Encoder, data Data) (*source, error) {
	items := slices.Concat(data.Users, data.Films)
	if config.Genres == Embedded {
		items = append(items, data.Genres...)
	}
	rows, err := encoder.Items(items)
	return &source{data, config, rows}, err
}

// numGenreItems is how many of the items are genres.
func (s *source) numGenreItems() int {
	if s.config.Genres == Embedded {
		return len(s.Genres)
	}
	return 0
}

// excerpt is what the model needs of some ratings.
func (s *source) excerpt(rows []int32, whole bool) (online.Excerpt, error) {
	items := s.itemsOf(rows)
	var x online.Excerpt
	slots := s.slots(items)
	n, room := len(rows), len(items)
	if !whole {
		x.E, x.W = distinct(slots.Buckets), distinct(slots.Weights)
		renumber(slots.Buckets, x.E)
		renumber(slots.Weights, x.W)
		x.Room = online.RoomFor(max(n, len(items)))
		n, room = x.Room, x.Room
	}
	// Genres stay the last items, also where there is room between.
	films := items[:len(items)-s.numGenreItems()]
	perItem := s.config.Encoder.RowsPerItem()
	buckets, weights := spread(slots.Buckets, perItem, len(films), room), spread(slots.Weights, 1, len(films), room)
	index, genres, ratings := make([]int32, 2*n), make([]uint32, n), make([]float32, n)
	for i, row := range rows {
		index[2*i], index[2*i+1] = position(films, s.User[row]), position(films, s.Film[row]+int32(len(s.Users)))
		genres[i], ratings[i] = s.FilmGenres[s.Film[row]], s.Ratings[row]
	}
	x.Data = append(x.Data, tensors.FromFlatDataAndDimensions(buckets, room, perItem))
	if len(s.rows.Weights) > 0 {
		x.Data = append(x.Data, tensors.FromFlatDataAndDimensions(weights, room))
	}
	x.Data = append(x.Data, tensors.FromFlatDataAndDimensions(index, n, 2), tensors.FromFlatDataAndDimensions(genres, n),
		tensors.FromFlatDataAndDimensions(ratings, n))
	return x, nil
}

// itemsOf lists the distinct items of ratings, ascending: users, films, and all genres that are items.
func (s *source) itemsOf(rows []int32) []int32 {
	items := make([]int32, 0, 2*len(rows)+s.numGenreItems())
	for _, row := range rows {
		items = append(items, s.User[row], s.Film[row]+int32(len(s.Users)))
	}
	items = distinct(items)
	for g := range s.numGenreItems() {
		items = append(items, int32(len(s.Users)+len(s.Films)+g))
	}
	return items
}

// slots of items in the whole tables.
func (s *source) slots(items []int32) phe.ItemRows {
	perItem := s.config.Encoder.RowsPerItem()
	var slots phe.ItemRows
	for _, item := range items {
		slots.Buckets = append(slots.Buckets, s.rows.Buckets[int(item)*perItem:][:perItem]...)
		if len(s.rows.Weights) > 0 {
			slots.Weights = append(slots.Weights, s.rows.Weights[item])
		}
	}
	return slots
}

// distinct returns what numbers there are, ascending.
func distinct(numbers []int32) []int32 {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// position of a number in ascending ones that hold it.
func position(ascending []int32, number int32) int32 {
	i, _ := slices.BinarySearch(ascending, number)
	return int32(i)
}

// renumber replaces numbers by their positions.
func renumber(numbers, ascending []int32) {
	for i, number := range numbers {
		numbers[i] = position(ascending, number)
	}
}

// spread lays values, width an item, out in room for so many items: those from item number first on come last.
func spread(values []int32, width, first, room int) []int32 {
	if len(values) == 0 {
		return nil
	}
	out := make([]int32, room*width)
	copy(out, values[:first*width])
	copy(out[len(out)-(len(values)-first*width):], values[first*width:])
	return out
}
