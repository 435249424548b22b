package streams

import (
	"bufio"
	"encoding/csv"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/data"
)

// write writes a stream's table as CSV, as phe stream reads it. At most so many rows of it, if most is not 0.
func (s Stream) write(path string, most int) error {
	f, err := os.Create(path)
	if err != nil {
		return errors.Wrap(err, "writing a stream; name another folder with --work")
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<16)
	switch {
	case s.Shuffled:
		err = s.shuffle(out, most)
	case most > 0:
		err = s.first(out, most)
	default:
		_, err = data.Export(out, s.Dataset, data.Options{})
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return errors.Wrap(err, "writing a stream; free some space on the disk")
	}
	return errors.Wrap(f.Close(), "writing a stream")
}

// read returns the header and the rows of the data set.
func (s Stream) read() (header []string, rows [][]string, err error) {
	r, w := io.Pipe()
	go func() {
		_, err := data.Export(w, s.Dataset, data.Options{})
		w.CloseWithError(err)
	}()
	rows, err = csv.NewReader(r).ReadAll()
	r.Close()
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "data set %s", s.Dataset)
	}
	return rows[0], rows[1:], nil
}

// first writes the first rows, for a trial.
func (s Stream) first(out io.Writer, most int) error {
	header, rows, err := s.read()
	if err != nil {
		return err
	}
	return errors.Wrap(csv.NewWriter(out).WriteAll(append([][]string{header}, rows[:min(most, len(rows))]...)), "writing a stream")
}

// orderSeed draws the order of the shuffled tables.
const orderSeed = 1

// shuffle writes rows in a random order. Columns that say one thing by many zeros and a one become one column.
func (s Stream) shuffle(out io.Writer, most int) error {
	header, rows, err := s.read()
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(orderSeed, 0))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for _, n := range []int{s.Most, most} {
		if n > 0 {
			rows = rows[:min(n, len(rows))]
		}
	}
	w := csv.NewWriter(out)
	for i, row := range append([][]string{header}, rows...) {
		if err := w.Write(fold(header, row, i == 0)); err != nil {
			return errors.Wrap(err, "writing a stream")
		}
	}
	w.Flush()
	return errors.Wrap(w.Error(), "writing a stream")
}

// folded are the columns of Covertype that are one category each: soil_type1 to soil_type40 are 0 or 1.
var folded = []string{"wilderness_area", "soil_type"}

// fold returns a row, or the header, with each of the folded columns as one.
func fold(header, row []string, isHeader bool) (short []string) {
	for i, name := range header {
		group := ""
		for _, f := range folded {
			if number, is := strings.CutPrefix(name, f); is && number != "" {
				if _, err := strconv.Atoi(number); err == nil {
					group = f
				}
			}
		}
		switch {
		case group == "":
			short = append(short, row[i])
		case isHeader && name == group+"1":
			short = append(short, group)
		case !isHeader && row[i] == "1":
			short = append(short, name)
		}
	}
	return short
}
