package result

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"
)

// seriesMagic begins a series file. A zlib stream follows: a varint with the length of an index, the index as JSON, columns.
const seriesMagic = "gophe series 1\n"

// index tells which column holds which series.
type index struct {
	Stream map[string]int     `json:"stream"`
	Runs   [][]map[string]int `json:"runs"` // of each method
}

// columns collects the columns of a file, each content once.
type columns struct {
	body   bytes.Buffer
	size   int                    // columns so far
	number map[string]int         // of each content
	recent map[string][]reference // the last fixed columns of each series' name
	run    []reference            // the scores of the current run
}

// reference is a fixed column that others may be residuals from.
type reference struct {
	number int
	column
}

// put stores a column under a name, unless it is empty, and returns its number. The lists of trivial rivals are alike for all seeds, and
// row counts for all methods.
func (c *columns) put(places map[string]int, name string, col column) int {
	if len(col.values) == 0 {
		return 0
	}
	content := string(col.encode())
	n, known := c.number[content]
	if !known {
		n = c.size
		c.number[content] = n
		c.body.WriteString(content)
		c.size++
	}
	places[name] = n
	return n
}

// putScore stores a series as residuals where that takes less room: from the mean of the last ones of its name, or from
// another score of the same run.
func (c *columns) putScore(places map[string]int, name string, col column) {
	if len(col.values) == 0 {
		return
	}
	content := string(col.encode())
	n, known := c.number[content]
	if !known {
		n = c.put(places, name, c.smallest(name, col))
		c.number[content] = n
	}
	places[name] = n
	if col.kind == fixed {
		last := append(c.recent[name], reference{n, col})
		c.recent[name], c.run = last[max(0, len(last)-maxReferences):], append(c.run, reference{n, col})
	}
}

// smallest returns a column as it is, or as the residuals that take the least room.
func (c *columns) smallest(name string, col column) column {
	if col.kind != fixed {
		return col
	}
	best := col
	tries := [][]reference{c.recent[name]}
	for i := range c.run {
		tries = append(tries, c.run[i:i+1])
	}
	for _, references := range tries {
		if r := col.less(references); r.bits() < best.bits() {
			best = r
		}
	}
	return best
}

// pack moves the series of a file into columns.
func (f *File) pack() (content []byte, number int, err error) {
	c := &columns{number: map[string]int{}, recent: map[string][]reference{}}
	places := index{Stream: f.Stream.pack(c)}
	for i := range f.Methods {
		places.Runs = append(places.Runs, nil)
		for k := range f.Methods[i].Runs {
			places.Runs[i] = append(places.Runs[i], f.Methods[i].Runs[k].pack(c, &f.Stream))
		}
	}
	text, _ := json.Marshal(places) // maps of numbers: cannot fail
	head := append(binary.AppendUvarint(nil, uint64(len(text))), text...)
	var out bytes.Buffer
	out.WriteString(seriesMagic)
	w, _ := zlib.NewWriterLevel(&out, zlib.BestCompression) // the level exists
	if _, err = w.Write(append(head, c.body.Bytes()...)); err == nil {
		err = w.Close()
	}
	return out.Bytes(), c.size, errors.Wrapf(err, "packing the series of %s", f.Name)
}

// digits returns the number of digits behind the point that a series keeps. The series that take most of the room keep fewer: no table or
// figure shows their last digits, and the summary has means over a series with all digits. Retail's forecasts are compared day by day.
func (s *Stream) digits(name string) int {
	switch {
	case name == "squared_error" && len(s.Users) > 0:
		return 3
	case name != logLikelihood:
		return seriesDigits
	case len(s.Users) > 0:
		return 3
	case len(s.Days) > 0:
		return 5
	}
	return 4
}

const secondsADay = 24 * 60 * 60

// pack returns the columns of the stream's series. It returns nil if the stream has none.
func (s *Stream) pack(c *columns) map[string]int {
	var days []int
	for _, text := range s.Days {
		day, _ := time.Parse(time.DateOnly, text) // written by plan.describe
		days = append(days, int(day.Unix()/secondsADay))
	}
	places := map[string]int{}
	c.put(places, "days", integerColumn(days))
	c.put(places, "users", integerColumn(s.Users))
	if len(places) == 0 {
		return nil
	}
	return places
}

// pack returns the columns of the run's series.
func (r *Run) pack(c *columns, s *Stream) map[string]int {
	places := map[string]int{}
	r.Scored, c.run = len(r.Rows), nil
	rows := c.put(places, "rows", integerColumn(r.Rows))
	c.put(places, accuracy, ratioColumn(r.Accuracy, r.Rows, rows))
	c.putScore(places, logLikelihood, floatColumn(r.LogLikelihood, s.digits(logLikelihood)))
	for _, name := range slices.Sorted(maps.Keys(r.Scores)) {
		c.putScore(places, name, floatColumn(r.Scores[name], s.digits(name)))
	}
	c.put(places, "calibration", floatColumn(r.Calibration, seriesDigits))
	c.put(places, "prediction", exactColumn(r.Prediction))
	c.put(places, "memory.step", integerColumn(each(r.Memory, func(m Memory) int { return m.Step })))
	c.put(places, "memory.megabytes", floatColumn(each(r.Memory, func(m Memory) float64 { return m.Megabytes }), seriesDigits))
	sizes := each(r.Tests, func(t Score) int {
		if t.Set < len(s.Tests) {
			return s.Tests[t.Set].Rows
		}
		return 0
	})
	c.put(places, "tests.after", integerColumn(each(r.Tests, func(t Score) int { return t.After })))
	c.put(places, "tests.set", integerColumn(each(r.Tests, func(t Score) int { return t.Set })))
	rows = c.put(places, "tests.rows", integerColumn(sizes))
	c.put(places, "tests.accuracy", ratioColumn(each(r.Tests, func(t Score) float64 { return t.Accuracy }), sizes, rows))
	c.put(places, "tests.absolute_error", floatColumn(each(r.Tests, func(t Score) float64 { return t.AbsoluteError }), seriesDigits))
	c.put(places, "tests.log_likelihood", floatColumn(each(r.Tests, func(t Score) float64 { return t.LogLikelihood }), seriesDigits))
	return places
}

// each returns one field of all rows.
func each[T, V any](rows []T, field func(T) V) (values []V) {
	for _, row := range rows {
		values = append(values, field(row))
	}
	return values
}

// readSeries reads a series file. Columns refer to columns before them only.
func readSeries(content []byte) (places index, all lists, err error) {
	rest, ok := bytes.CutPrefix(content, []byte(seriesMagic))
	if !ok {
		return places, nil, errors.New("it does not begin as a series file does")
	}
	z, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		return places, nil, errors.WithStack(err)
	}
	var p parser
	if p.rest, err = io.ReadAll(z); err != nil {
		return places, nil, errors.WithStack(err)
	}
	text := p.next(p.count())
	if p.err == nil {
		err = errors.WithStack(json.Unmarshal(text, &places))
	}
	for err == nil && len(p.rest) > 0 {
		var values list
		if c := p.column(); p.err == nil {
			values, err = all.decode(c)
		}
		all = append(all, values)
	}
	return places, all, cmp.Or(p.err, err)
}

// check is an error unless the index has the file's runs and names columns that are there.
func (f *File) check(places index, all lists) error {
	maps := []map[string]int{places.Stream}
	for i := range f.Methods {
		if len(places.Runs) != len(f.Methods) || len(places.Runs[i]) != len(f.Methods[i].Runs) {
			return errors.Errorf("the index has %d methods, and their runs are others", len(places.Runs))
		}
		maps = append(maps, places.Runs[i]...)
	}
	for _, columns := range maps {
		for name, number := range columns {
			if number < 0 || number >= len(all) {
				return errors.Errorf("%s is column %d, and there are %d", name, number, len(all))
			}
		}
	}
	return nil
}

// unpack gives the runs and the stream their series. Runs that refer to one column share its list.
func (f *File) unpack(places index, all lists) error {
	if err := f.check(places, all); err != nil {
		return err
	}
	for _, day := range all.of(places.Stream, "days").counts {
		f.Stream.Days = append(f.Stream.Days, time.Unix(int64(day)*secondsADay, 0).UTC().Format(time.DateOnly))
	}
	f.Stream.Users = all.of(places.Stream, "users").counts
	for i := range f.Methods {
		for k := range f.Methods[i].Runs {
			f.Methods[i].Runs[k].unpack(places.Runs[i][k], all)
		}
	}
	return nil
}

func (r *Run) unpack(places map[string]int, all lists) {
	if r.Rows = all.of(places, "rows").counts; r.Rows == nil {
		r.Rows = []int{}
	}
	r.Accuracy, r.LogLikelihood = all.of(places, accuracy).values, all.of(places, logLikelihood).values
	r.Calibration, r.Prediction = all.of(places, "calibration").values, all.of(places, "prediction").values
	for name := range places {
		switch part, _, _ := strings.Cut(name, "."); part {
		case "rows", "tests", "memory", accuracy, logLikelihood, "calibration", "prediction":
		default:
			if r.Scores == nil {
				r.Scores = map[string][]float64{}
			}
			r.Scores[name] = all.of(places, name).values
		}
	}
	steps, megabytes := all.of(places, "memory.step").counts, all.of(places, "memory.megabytes").values
	for i := range min(len(steps), len(megabytes)) {
		r.Memory = append(r.Memory, Memory{Step: steps[i], Megabytes: megabytes[i]})
	}
	after, set := all.of(places, "tests.after").counts, all.of(places, "tests.set").counts
	accuracies, errors := all.of(places, "tests.accuracy").values, all.of(places, "tests.absolute_error").values
	likelihoods := all.of(places, "tests.log_likelihood").values
	for i := range min(len(after), len(set), len(accuracies), len(errors), len(likelihoods)) {
		r.Tests = append(r.Tests, Score{After: after[i], Set: set[i], Accuracy: accuracies[i], AbsoluteError: errors[i], LogLikelihood: likelihoods[i]})
	}
}

// list holds the values of a column: whole numbers, or numbers with their scaled integers if the column is fixed.
type list struct {
	counts []int
	values []float64
	scaled []int64
}

// lists holds the values of a file's columns.
type lists []list

// of returns the values of a series. They are empty if the run does not have the series.
func (all lists) of(places map[string]int, name string) list {
	if number, ok := places[name]; ok {
		return all[number]
	}
	return list{}
}

// decode returns the values of the column that follows. Residuals and ratios refer to the columns before it.
func (all lists) decode(c column) (l list, err error) {
	var others [][]int64
	for _, number := range c.references {
		if number >= len(all) || len(all[number].scaled) != len(c.values) {
			return l, errors.Errorf("residuals of column %d refer to column %d, which does not fit", len(all), number)
		}
		others = append(others, all[number].scaled)
	}
	sum := 0
	for i, v := range c.values {
		switch c.kind {
		case integers:
			sum += int(v)
			l.counts = append(l.counts, sum)
		case ratios:
			if c.parameter >= len(all) || len(all[c.parameter].counts) != len(c.values) {
				return l, errors.Errorf("ratios of column %d refer to column %d, which does not fit", len(all), c.parameter)
			}
			l.values = append(l.values, float64(uint64(v))/float64(all[c.parameter].counts[i]))
		case exact:
			l.values = append(l.values, math.Float64frombits(uint64(v)))
		case fixed, residuals:
			if len(others) > 0 {
				v += meanAt(others, i)
			}
			l.scaled, l.values = append(l.scaled, v), append(l.values, float64(v)/math.Pow10(c.parameter))
		default:
			return l, errors.Errorf("column %d is of unknown kind %q", len(all), c.kind)
		}
	}
	return l, nil
}
