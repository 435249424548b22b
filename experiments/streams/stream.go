// Package streams compares phe stream with the programs that people would take instead, along known tables, row by row: predict,
// score, learn. Every program runs as a process of its own and writes its forecasts, and one scorer scores all of them.
package streams

import (
	"strings"

	"github.com/pkg/errors"
)

// Stream is a known table in the order in which it is learned, and what of it is forecast.
type Stream struct {
	Name    string
	Title   string
	Dataset string   // of data.Export
	Target  string   // as phe stream reads it
	Where   string   // as phe stream reads it; "" takes all rows
	Drop    []string // columns that are no inputs

	Shuffled bool // the rows come in a random order, always the same
	Most     int  // rows of a shuffled table to take; 0 takes all
	Folded   bool // columns of zeros and ones become one column, as in a shuffled table
}

// Streams lists the streams: four in the order of time, whose vocabularies grow, then three tables that do not drift, and one of them in
// the order of its file, in which neighbours are alike.
func Streams() []Stream {
	retail := Stream{Dataset: "retail", Where: "Quantity>0", Drop: []string{"InvoiceNo", "Description"}}
	films := Stream{Dataset: "ml-latest-small", Drop: []string{"title", "timestamp"}}
	return []Stream{
		retail.as("retail_12", "Online Retail: does a line of an invoice sell 12 pieces or more?", "Quantity>=12"),
		films.as("ml_4", "MovieLens: does a user give a film 4 stars or more?", "rating>=4"),
		films.as("ml_reg", "MovieLens: the stars", "rating"),
		retail.as("retail_qty", "Online Retail: log₂ of the pieces that a line sells", "log2(Quantity)"),
		Stream{Dataset: "adult", Shuffled: true}.as("adult", "Adult: does a person earn more than 50,000 dollars?", "income=>50K"),
		Stream{Dataset: "bank", Shuffled: true}.as("bank", "Bank Marketing: does a client subscribe?", "y=yes"),
		Stream{Dataset: "covertype", Shuffled: true, Most: 100000}.as("covertype", "Covertype: is the forest lodgepole pine?", "cover_type=2"),
		Stream{Dataset: "covertype", Folded: true}.as("covertype_order", "Covertype: is the forest lodgepole pine?", "cover_type=2"),
	}
}

func (s Stream) as(name, title, target string) Stream {
	s.Name, s.Title, s.Target = name, title, target
	return s
}

// Find returns the streams of some names, in the order of Streams.
func Find(names []string) (found []Stream, err error) {
	var known []string
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	for _, s := range Streams() {
		known = append(known, s.Name)
		if wanted[s.Name] {
			found = append(found, s)
			delete(wanted, s.Name)
		}
	}
	for name := range wanted {
		return nil, errors.Errorf("unknown stream %q; choose from %s", name, strings.Join(known, ", "))
	}
	return found, nil
}

// flags returns the flags of phe stream for this stream.
func (s Stream) flags() []string {
	flags := []string{"--target", s.Target}
	if s.Where != "" {
		flags = append(flags, "--where", s.Where)
	}
	if len(s.Drop) > 0 {
		flags = append(flags, "--drop", strings.Join(s.Drop, ","))
	}
	return flags
}
