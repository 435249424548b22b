package main

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/files"
)

// known is a stream: a known table in the order in which it is learned, and the target.
type known struct {
	name    string
	dataset string   // of data.Export
	target  string   // as phe stream reads it
	where   string   // as phe stream reads it; "" takes all rows
	drop    []string // columns that are no inputs

	shuffled bool // the rows come in a random order, always the same
	maxRows  int  // rows to take; 0 takes all
}

// streams lists the streams: four in the order of time, whose vocabularies grow, then three tables that do not drift, and one of them in
// the order of its file, in which neighbours are alike.
func streams() []known {
	dropRetail, dropFilms := []string{"InvoiceNo", "Description"}, []string{"title", "timestamp"}
	return []known{
		{"retail_12", "retail", "Quantity>=12", "Quantity>0", dropRetail, false, 0},
		{"ml_4", "ml-latest-small", "rating>=4", "", dropFilms, false, 0},
		{"ml_reg", "ml-latest-small", "rating", "", dropFilms, false, 0},
		{"retail_qty", "retail", "log2(Quantity)", "Quantity>0", dropRetail, false, 0},
		{"adult", "adult", "income=>50K", "", nil, true, 0},
		{"bank", "bank", "y=yes", "", nil, true, 0},
		{"covertype", "covertype", "cover_type=2", "", nil, true, 100000},
		{"covertype_order", "covertype", "cover_type=2", "", nil, false, 0},
	}
}

// find returns the streams of some names, in the order of streams. No name is all streams.
func find(wanted []string) (found []known, err error) {
	var names []string
	for _, s := range streams() {
		names = append(names, s.name)
		if len(wanted) == 0 || slices.Contains(wanted, s.name) {
			found = append(found, s)
		}
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return nil, errors.Errorf("unknown stream %q; choose from %s", name, strings.Join(names, ", "))
		}
	}
	return found, nil
}

// orderSeed draws the order of the shuffled tables.
const orderSeed = 1

// write writes a stream's table as CSV, as phe stream reads it, and returns its bytes. It writes at most maxRows rows, if maxRows is not 0.
func (s known) write(path string, maxRows int) ([]byte, error) {
	var table bytes.Buffer
	if _, err := data.Export(&table, s.dataset, files.Options{}); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		return nil, errors.WithMessagef(err, "data set %s", s.dataset)
	}
	if s.shuffled {
		r := rand.New(rand.NewPCG(orderSeed, 0))
		r.Shuffle(len(rows)-1, func(i, j int) { rows[1+i], rows[1+j] = rows[1+j], rows[1+i] })
	}
	for _, n := range []int{s.maxRows, maxRows} {
		if n > 0 {
			rows = rows[:min(1+n, len(rows))]
		}
	}
	fold(rows)
	table.Reset()
	if err := csv.NewWriter(&table).WriteAll(rows); err != nil {
		return nil, errors.Wrap(err, "writing a stream")
	}
	return table.Bytes(), errors.Wrap(os.WriteFile(path, table.Bytes(), 0o644), "writing a stream; name another folder with --work")
}

// fold makes each category of Covertype one column, in rows below a header: wilderness_area1 to 4 and soil_type1 to 40 are 0 or 1.
func fold(rows [][]string) {
	header := rows[0]
	for k, row := range rows {
		var short []string
		for i, name := range header {
			switch group := strings.TrimRight(name, "0123456789"); {
			case group != "wilderness_area" && group != "soil_type":
				short = append(short, row[i])
			case k == 0 && name == group+"1":
				short = append(short, group)
			case k > 0 && row[i] == "1":
				short = append(short, name)
			}
		}
		rows[k] = short
	}
}
