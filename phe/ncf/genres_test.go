package ncf_test

import (
	"fmt"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/ncf"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

// An embedded genre is drawn once a sample, for all rows: with users and films cut off from the network, films of equal
// genres have equal predictions, sample by sample and row by row; and a film of none has no noise.
func TestGenresAreDrawnOnceForAllRows(t *testing.T) {
	for i, scheme := range []phe.Scheme{phe.Rows, phe.Local, phe.Items} {
		if phetest.Brief(t) && i > 0 {
			break
		}
		c := methods[0].config()
		c.Scheme, c.Genres = scheme, ncf.Embedded
		d := toyData()
		d.FilmGenres[3], d.FilmGenres[4], d.FilmGenres[5] = 0b101, 0b101, 0b100
		l := learnerOf(t, newModel(t, c, d, 2, 64), 1, 2)
		s := snapshot(t, l)
		clear(s.Parameters[4]) // the network's weights of user and film
		clear(s.Parameters[5]) // and of their product
		check(t, l.Restore(online.Snapshot{Parameters: s.Parameters}))
		// Ratings 3, 22 and 4 are of films 3, 3 and 4; 5 of film 5; 0 of film 0, without genres.
		predictions := predict(t, l, []int32{3, 22, 4, 5, 0}, 0)
		row := func(run, i int) []float32 { return predictions[(run*5+i)*c.TestSamples:][:c.TestSamples] }
		for run := range 2 {
			if first := row(run, 0); !slices.Equal(first, row(run, 1)) || !slices.Equal(first, row(run, 2)) || slices.Equal(first, row(run, 3)) {
				t.Errorf("scheme %q, run %d: genres {0, 2} of three rows give %v, %v, %v, and {2} %v", scheme, run, first, row(run, 1), row(run, 2), row(run, 3))
			}
			if a := row(run, 0); a[0] == a[1] {
				t.Errorf("scheme %q, run %d: two samples share a draw of the genres: %v", scheme, run, a)
			}
			for _, v := range row(run, 4) {
				if v != row(run, 4)[0] {
					t.Errorf("scheme %q, run %d: a film without genres varies: %v", scheme, run, row(run, 4))
				}
			}
		}
		if slices.Equal(row(0, 0), row(1, 0)) {
			t.Errorf("scheme %q: two runs draw the same genres", scheme)
		}
	}
}

// Genres count where the configuration says so, and a film's own alone.
func TestGenresCount(t *testing.T) {
	for i, genres := range []ncf.GenreInput{ncf.MultiHot, ncf.Embedded, ncf.NoGenres} {
		if phetest.Brief(t) && i > 0 {
			break
		}
		c := methods[1].config()
		c.Genres = genres
		var predictions [2][]float32
		for i := range predictions {
			d := toyData()
			if i == 1 {
				d.FilmGenres[3] ^= 0b110
			}
			predictions[i] = predict(t, learnerOf(t, newModel(t, c, d, 1, 64), 1), []int32{3, 4}, 0)
		}
		if moved := predictions[0][0] != predictions[1][0]; moved != (genres != ncf.NoGenres) {
			t.Errorf("%s: another set of genres moves the film's prediction: %t", genres, moved)
		}
		if predictions[0][1] != predictions[1][1] {
			t.Errorf("%s: another set of genres moves another film's prediction", genres)
		}
	}
}

// 32 genres fill the bits of a set, the last included.
func TestManyGenres(t *testing.T) {
	d := toyData()
	d.Genres = nil
	for g := range 32 {
		d.Genres = append(d.Genres, fmt.Sprint("genre_", g))
	}
	d.FilmGenres[2], d.FilmGenres[3], d.FilmGenres[4] = 1<<31, 1<<31|1, 1<<32-1
	for _, genres := range []ncf.GenreInput{ncf.MultiHot, ncf.Embedded} {
		c := methods[1].config()
		c.Genres = genres
		l := learnerOf(t, newModel(t, c, d, 1, 64), 1)
		p := ofRun(snapshot(t, l), 0, 1)
		newReference(t, c, d, 1).comparePredictions(t, p, predict(t, l, rowsOf(0, 7), 0), rowsOf(0, 7), 0, 64)
	}
}
