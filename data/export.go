package data

import (
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/uci"
)

// ExportNames returns the names of the data sets that Export can write: the UCI files, MovieLens, and a made-up table of orders.
func ExportNames() []string {
	return append(append(files.Names(uci.Sources()), ratings.Names()...), "orders")
}

// Export writes a data set of ExportNames as CSV and returns the number of rows.
//
// A UCI file is written as published, incomplete rows included. Ratings come in the order of time, joined with their films: userId,
// movieId, title, year, genres, timestamp, rating. Genres are separated by "|", and timestamps are UTC. The year is empty if the
// film's title names none. The orders are made up.
//
// An altered file is an error unless the options allow it. Only the end of a UCI file reveals its checksum, so that its rows have
// been written by then.
func Export(w io.Writer, name string, options files.Options) (rows int, err error) {
	if name == "orders" {
		return exportOrders(w)
	}
	if slices.Contains(ratings.Names(), name) {
		return ratings.Export(w, name, options)
	}
	source, ok := files.LookUp(uci.Sources(), name)
	if !ok {
		return 0, errors.Errorf("unknown data set %q; can be exported: %s", name, strings.Join(ExportNames(), ", "))
	}
	return source.Copy(w, options)
}
