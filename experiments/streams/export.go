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
	"gophe/data/files"
)

// write writes a stream's table as CSV, as phe stream reads it. It writes at most most rows, if most is not 0.
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
	case most > 0 || s.Folded:
		err = s.first(out, most)
	default:
		_, err = data.Export(out, s.Dataset, files.Options{})
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return errors.Wrap(err, "writing a stream; free some space on the disk")
	}
	return errors.Wrap(f.Close(), "writing a stream")
}

// read returns the header and the first rows of the data set, folded; all rows, if most is 0.
func (s Stream) read(most int) (rows [][]string, err error) {
	r, w := io.Pipe()
	defer r.Close() // Export then ends
	go func() {
		_, err := data.Export(w, s.Dataset, files.Options{})
		w.CloseWithError(err)
	}()
	lines := csv.NewReader(r)
	var header []string
	for most == 0 || len(rows) <= most {
		line, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errors.WithMessagef(err, "data set %s", s.Dataset)
		}
		if header == nil {
			header = line
		}
		rows = append(rows, fold(header, line, len(rows) == 0))
	}
	return rows, nil
}

// first writes the first rows, folded; all rows, if most is 0.
func (s Stream) first(out io.Writer, most int) error {
	rows, err := s.read(most)
	if err != nil {
		return err
	}
	return errors.Wrap(csv.NewWriter(out).WriteAll(rows), "writing a stream")
}

// orderSeed draws the order of the shuffled tables.
const orderSeed = 1

// shuffle writes rows in a random order.
func (s Stream) shuffle(out io.Writer, most int) error {
	all, err := s.read(0)
	if err != nil {
		return err
	}
	header, rows := all[:1], all[1:]
	r := rand.New(rand.NewPCG(orderSeed, 0))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for _, n := range []int{s.Most, most} {
		if n > 0 {
			rows = rows[:min(n, len(rows))]
		}
	}
	w := csv.NewWriter(out)
	for _, part := range [][][]string{header, rows} {
		if err := w.WriteAll(part); err != nil {
			return errors.Wrap(err, "writing a stream")
		}
	}
	return nil
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
