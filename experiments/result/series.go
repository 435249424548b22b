package result

import (
	"bufio"
	"bytes"
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
		c.recent[name], c.run = last[max(0, len(last)-mostReferences):], append(c.run, r)
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

// pack moves the series of a file into columns. Each run, and the stream, keeps the numbers of its columns.
func (f *File) pack() (content []byte, number int, err error) {
	c := &columns{number: map[string]int{}, recent: map[string][]reference{}}
	f.Stream.pack(c)
	places := index{Stream: f.Stream.Columns}
	for i := range f.Methods {
		places.Runs = append(places.Runs, nil)
		for k := range f.Methods[i].Runs {
			r := &f.Methods[i].Runs[k]
			r.pack(c, f.Stream.Tests, f.Stream.coarser())
			places.Runs[i] = append(places.Runs[i], r.Columns)
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

// coarser are the digits of the series that keep fewer than others.
func (s *Stream) coarser() map[string]int {
	switch {
	case len(s.Users) > 0:
		return coarserOfRatings
	case len(s.Days) > 0:
		return coarserOfSales
	}
	return coarserOfRows
}

func (s *Stream) pack(c *columns) {
	s.Columns = nil
	note := func(name string, col column) {
		if s.Columns == nil {
			s.Columns = map[string]int{}
		}
		s.Columns[name] = c.put(col)
	}
	if len(s.Days) > 0 {
		days := make([]int, len(s.Days))
		for i, text := range s.Days {
			day, _ := time.Parse(time.DateOnly, text) // written by plan.describe
			days[i] = int(day.Unix() / secondsADay)
		}
		note("days", integerColumn(days))
	}
	if len(s.Users) > 0 {
		note("users", integerColumn(s.Users))
	}
}

const secondsADay = 24 * 60 * 60

func (r *Run) pack(c *columns, tests []Test, coarser map[string]int) {
	r.Columns, r.Scored, c.run = map[string]int{}, len(r.Rows), nil
	note := func(name string, col column) int {
		if len(col.values) == 0 {
			return 0
		}
		r.Columns[name] = c.put(col)
		return r.Columns[name]
	}
	score := func(name string, values []float64) {
		digits, ok := coarser[name]
		if !ok {
			digits = seriesDigits
		}
		if col := floatColumn(values, digits); len(col.values) > 0 {
			r.Columns[name] = c.putScore(name, col)
		}
	}
	rows := note("rows", integerColumn(r.Rows))
	note(accuracy, ratioColumn(r.Accuracy, r.Rows, rows))
	score(logLikelihood, r.LogLikelihood)
	for _, name := range slices.Sorted(maps.Keys(r.Scores)) {
		score(name, r.Scores[name])
	}
	note("calibration", floatColumn(r.Calibration, seriesDigits))
	note("prediction", exactColumn(r.Prediction))
	var step []int
	var megabytes []float64
	for _, m := range r.Memory {
		step, megabytes = append(step, m.Step), append(megabytes, m.Megabytes)
	}
	note("memory.step", integerColumn(step))
	note("memory.megabytes", floatColumn(megabytes, seriesDigits))
	r.packTests(note, tests)
}

func (r *Run) packTests(note func(string, column) int, tests []Test) {
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
	note("tests.after", integerColumn(after))
	note("tests.set", integerColumn(set))
	number := note("tests.rows", integerColumn(rows))
	note("tests.accuracy", ratioColumn(accuracies, rows, number))
	note("tests.absolute_error", floatColumn(errors, seriesDigits))
	note("tests.log_likelihood", floatColumn(likelihoods, seriesDigits))
}

// readSeries reads a series file.
func readSeries(content []byte) (places index, all []column, err error) {
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
		switch c, err := readColumn(r); {
		case err == io.EOF:
			return places, all, nil
		case err != nil:
			return places, nil, errors.WithStack(err)
		default:
			all = append(all, c)
		}
	}
}

func readIndex(r *bufio.Reader) (places index, err error) {
	size, err := binary.ReadUvarint(r)
	if err != nil {
		return places, errors.WithStack(early(err))
	}
	if size > mostValues {
		return places, errors.Errorf("an index of %d bytes", size)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); err != nil {
		return places, errors.WithStack(early(err))
	}
	return places, errors.WithStack(json.Unmarshal(text, &places))
}

// place gives the runs and the stream their columns.
func (f *File) place(places index) error {
	f.Stream.Columns = places.Stream
	for i := range f.Methods {
		if len(places.Runs) != len(f.Methods) || len(places.Runs[i]) != len(f.Methods[i].Runs) {
			return errors.Errorf("the index has %d methods, and their runs are others", len(places.Runs))
		}
		for k := range f.Methods[i].Runs {
			f.Methods[i].Runs[k].Columns = places.Runs[i][k]
		}
	}
	return nil
}

// unpack gives the runs and the stream their series.
func (f *File) unpack(places index, all []column) error {
	if err := f.place(places); err != nil {
		return err
	}
	u := newUnpacker(all)
	for _, day := range u.integers(f.Stream.Columns, "days") {
		f.Stream.Days = append(f.Stream.Days, time.Unix(int64(day)*secondsADay, 0).UTC().Format(time.DateOnly))
	}
	f.Stream.Users = u.integers(f.Stream.Columns, "users")
	for i := range f.Methods {
		for k := range f.Methods[i].Runs {
			f.Methods[i].Runs[k].unpack(u)
		}
	}
	return u.err
}

func (r *Run) unpack(u *unpacker) {
	r.Rows = u.integers(r.Columns, "rows")
	if r.Rows == nil {
		r.Rows = []int{}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Columns)) {
		switch part, _, _ := strings.Cut(name, "."); part {
		case "rows", "tests", "memory":
		case accuracy:
			r.Accuracy = u.floats(r.Columns, name)
		case logLikelihood:
			r.LogLikelihood = u.floats(r.Columns, name)
		case "calibration":
			r.Calibration = u.floats(r.Columns, name)
		case "prediction":
			r.Prediction = u.floats(r.Columns, name)
		default:
			if r.Scores == nil {
				r.Scores = map[string][]float64{}
			}
			r.Scores[name] = u.floats(r.Columns, name)
		}
	}
	megabytes := u.floats(r.Columns, "memory.megabytes")
	for i, step := range u.integers(r.Columns, "memory.step")[:len(megabytes)] {
		r.Memory = append(r.Memory, Memory{Step: step, Megabytes: megabytes[i]})
	}
	after, set := u.integers(r.Columns, "tests.after"), u.integers(r.Columns, "tests.set")
	accuracies, errors, likelihoods := u.floats(r.Columns, "tests.accuracy"), u.floats(r.Columns, "tests.absolute_error"), u.floats(r.Columns, "tests.log_likelihood")
	for i := range min(len(after), len(set), len(accuracies), len(errors), len(likelihoods)) {
		r.Tests = append(r.Tests, Score{After: after[i], Set: set[i], Accuracy: accuracies[i], AbsoluteError: errors[i], LogLikelihood: likelihoods[i]})
	}
}

// unpacker hands out the lists of columns. Runs that refer to one column share its list.
type unpacker struct {
	all    []column
	lists  map[int][]float64
	counts map[int][]int
	scaled map[int][]int64 // of fixed columns and residuals
	err    error           // the first
}

func newUnpacker(all []column) *unpacker {
	return &unpacker{all: all, lists: map[int][]float64{}, counts: map[int][]int{}, scaled: map[int][]int64{}}
}

func (u *unpacker) integers(columns map[string]int, name string) []int {
	number, ok := u.find(columns, name)
	if !ok {
		return nil
	}
	if u.counts[number] == nil {
		u.counts[number] = u.all[number].integers()
	}
	return u.counts[number]
}

func (u *unpacker) floats(columns map[string]int, name string) []float64 {
	number, ok := u.find(columns, name)
	if !ok {
		return nil
	}
	if u.lists[number] == nil {
		var values []float64
		var err error
		if c := u.all[number]; c.kind == fixed || c.kind == residuals {
			values, err = u.fixed(number)
		} else {
			values, err = c.floats(u.all)
		}
		if err != nil && u.err == nil {
			u.err = errors.WithMessage(err, name)
		}
		u.lists[number] = values
	}
	return u.lists[number]
}

// fixed returns the values of a fixed column, or the values that residuals stand for.
func (u *unpacker) fixed(number int) ([]float64, error) {
	scaled, err := u.restore(number)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(scaled))
	for i, v := range scaled {
		values[i] = float64(v) / math.Pow10(u.all[number].parameter)
	}
	return values, nil
}

// restore returns a column's integers. Residuals refer to columns before them.
func (u *unpacker) restore(number int) ([]int64, error) {
	if u.scaled[number] != nil {
		return u.scaled[number], nil
	}
	c := u.all[number]
	values := c.scaled()
	var others [][]int64
	for _, other := range c.references {
		if other >= number || u.all[other].kind != fixed && u.all[other].kind != residuals || len(u.all[other].values) != len(values) {
			return nil, errors.Errorf("column %d refers to column %d, which does not fit", number, other)
		}
		list, err := u.restore(other)
		if err != nil {
			return nil, err
		}
		others = append(others, list)
	}
	if len(others) > 0 {
		for i, v := range meanOf(others) {
			values[i] += v
		}
	}
	u.scaled[number] = values
	return values, nil
}

func (u *unpacker) find(columns map[string]int, name string) (number int, ok bool) {
	number, ok = columns[name]
	if ok && (number < 0 || number >= len(u.all)) {
		if u.err == nil {
			u.err = errors.Errorf("%s is column %d, and there are %d", name, number, len(u.all))
		}
		return 0, false
	}
	return number, ok
}
