package result

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
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
	run    []reference            // the series of the current run
}

// reference is a column that others of its name may be residuals from.
type reference struct {
	number, digits int
	values         []int64
}

// put stores a column and returns its number. The lists of trivial rivals are alike for all seeds, and row counts for all
// methods.
func (c *columns) put(col column) int {
	content := string(col.encode())
	if n, ok := c.number[content]; ok {
		return n
	}
	c.number[content] = c.size
	c.body.WriteString(content)
	c.size++
	return c.size - 1
}

// note stores a column under a name, unless it is empty, and returns its number.
func (c *columns) note(places map[string]int, name string, col column) int {
	if len(col.values) == 0 {
		return 0
	}
	places[name] = c.put(col)
	return places[name]
}

// putScore stores a series as residuals where that takes less room: from the mean of the last ones of its name, or from
// another score of the same run.
func (c *columns) putScore(name string, col column) int {
	content := string(col.encode())
	n, known := c.number[content]
	if !known {
		n = c.put(c.smallest(name, col))
		c.number[content] = n
	}
	if col.kind == fixed {
		r := reference{n, col.parameter, col.scaled()}
		last := append(c.recent[name], r)
		c.recent[name], c.run = last[max(0, len(last)-maxReferences):], append(c.run, r)
	}
	return n
}

// smallest returns a column as it is, or as the residuals that take the least room.
func (c *columns) smallest(name string, col column) column {
	if col.kind != fixed {
		return col
	}
	best := col
	try := func(references []reference) {
		var lists [][]int64
		var numbers []int
		for _, r := range references {
			if r.digits == col.parameter && len(r.values) == len(col.values) {
				lists, numbers = append(lists, r.values), append(numbers, r.number)
			}
		}
		if len(lists) > 0 {
			if r := col.less(lists, numbers); r.bits() < best.bits() {
				best = r
			}
		}
	}
	try(c.recent[name])
	for i := range c.run {
		try(c.run[i : i+1])
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
	c.note(places, "days", integerColumn(days))
	c.note(places, "users", integerColumn(s.Users))
	if len(places) == 0 {
		return nil
	}
	return places
}

// pack returns the columns of the run's series.
func (r *Run) pack(c *columns, s *Stream) map[string]int {
	places := map[string]int{}
	r.Scored, c.run = len(r.Rows), nil
	score := func(name string, values []float64) {
		if len(values) > 0 {
			places[name] = c.putScore(name, floatColumn(values, s.digits(name)))
		}
	}
	rows := c.note(places, "rows", integerColumn(r.Rows))
	c.note(places, accuracy, ratioColumn(r.Accuracy, r.Rows, rows))
	score(logLikelihood, r.LogLikelihood)
	for _, name := range slices.Sorted(maps.Keys(r.Scores)) {
		score(name, r.Scores[name])
	}
	c.note(places, "calibration", floatColumn(r.Calibration, seriesDigits))
	c.note(places, "prediction", exactColumn(r.Prediction))
	var step []int
	var megabytes []float64
	for _, m := range r.Memory {
		step, megabytes = append(step, m.Step), append(megabytes, m.Megabytes)
	}
	c.note(places, "memory.step", integerColumn(step))
	c.note(places, "memory.megabytes", floatColumn(megabytes, seriesDigits))
	r.packTests(c, places, s.Tests)
	return places
}

func (r *Run) packTests(c *columns, places map[string]int, tests []Test) {
	var after, set, rows []int
	var accuracies, errors, likelihoods []float64
	for _, s := range r.Tests {
		n := 0
		if s.Set < len(tests) {
			n = tests[s.Set].Rows
		}
		after, set, rows = append(after, s.After), append(set, s.Set), append(rows, n)
		accuracies, errors, likelihoods = append(accuracies, s.Accuracy), append(errors, s.AbsoluteError), append(likelihoods, s.LogLikelihood)
	}
	c.note(places, "tests.after", integerColumn(after))
	c.note(places, "tests.set", integerColumn(set))
	number := c.note(places, "tests.rows", integerColumn(rows))
	c.note(places, "tests.accuracy", ratioColumn(accuracies, rows, number))
	c.note(places, "tests.absolute_error", floatColumn(errors, seriesDigits))
	c.note(places, "tests.log_likelihood", floatColumn(likelihoods, seriesDigits))
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
	r := bufio.NewReader(z)
	if places, err = readIndex(r); err != nil {
		return places, nil, err
	}
	for {
		c, err := readColumn(r)
		if err == io.EOF {
			return places, all, nil
		}
		if err != nil {
			return places, nil, errors.WithStack(err)
		}
		values, err := c.decode(all)
		if err != nil {
			return places, nil, errors.WithMessagef(err, "column %d", len(all))
		}
		all = append(all, values)
	}
}

func readIndex(r *bufio.Reader) (places index, err error) {
	size, err := binary.ReadUvarint(r)
	if err != nil {
		return places, errors.WithStack(early(err))
	}
	if size > maxValues {
		return places, errors.Errorf("an index of %d bytes", size)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); err != nil {
		return places, errors.WithStack(early(err))
	}
	return places, errors.WithStack(json.Unmarshal(text, &places))
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

// lists holds the values of a file's columns.
type lists []list

// of returns the values of a series. They are empty if the run does not have the series.
func (all lists) of(places map[string]int, name string) list {
	if number, ok := places[name]; ok {
		return all[number]
	}
	return list{}
}
