package result

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"
)

// seriesMagic begins a series file; a zlib stream of columns follows.
const seriesMagic = "gophe series 1\n"

// columns collects the columns of a file, each content once.
type columns struct {
	body   bytes.Buffer
	number map[string]int // of each content
}

// put stores a column and returns its number. The lists of trivial rivals are alike for all seeds, and row counts for all
// methods.
func (c *columns) put(col column) int {
	content := string(col.encode())
	if n, ok := c.number[content]; ok {
		return n
	}
	n := len(c.number)
	c.number[content] = n
	c.body.WriteString(content)
	return n
}

// pack moves the series of a file into columns. Each run, and the stream, keeps the numbers of its columns.
func (f *File) pack() (content []byte, number int, err error) {
	c := &columns{number: map[string]int{}}
	f.Stream.pack(c)
	for i := range f.Methods {
		for k := range f.Methods[i].Runs {
			f.Methods[i].Runs[k].pack(c, f.Stream.Tests)
		}
	}
	var out bytes.Buffer
	out.WriteString(seriesMagic)
	w, _ := zlib.NewWriterLevel(&out, zlib.BestCompression) // the level exists
	if _, err = w.Write(c.body.Bytes()); err == nil {
		err = w.Close()
	}
	return out.Bytes(), len(c.number), errors.Wrapf(err, "packing the series of %s", f.Name)
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

// digitsOf returns the number of digits that a metric's series keeps.
func digitsOf(metric string) int {
	if digits, ok := coarser[metric]; ok {
		return digits
	}
	return seriesDigits
}

const secondsADay = 24 * 60 * 60

func (r *Run) pack(c *columns, tests []Test) {
	r.Columns, r.Scored = nil, len(r.Rows)
	note := func(name string, col column) int {
		if len(col.values) == 0 {
			return 0
		}
		if r.Columns == nil {
			r.Columns = map[string]int{}
		}
		r.Columns[name] = c.put(col)
		return r.Columns[name]
	}
	rows := note("rows", integerColumn(r.Rows))
	note(accuracy, ratioColumn(r.Accuracy, r.Rows, rows))
	note(logLikelihood, floatColumn(r.LogLikelihood, digitsOf(logLikelihood)))
	for _, name := range slices.Sorted(maps.Keys(r.Scores)) {
		note(name, floatColumn(r.Scores[name], digitsOf(name)))
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

// readColumns reads a series file.
func readColumns(content []byte) ([]column, error) {
	rest, ok := bytes.CutPrefix(content, []byte(seriesMagic))
	if !ok {
		return nil, errors.New("it does not begin as a series file does")
	}
	z, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	r := bufio.NewReader(z)
	var all []column
	for {
		switch c, err := readColumn(r); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, errors.WithStack(err)
		default:
			all = append(all, c)
		}
	}
}

// unpack gives the runs and the stream their series.
func (f *File) unpack(all []column) error {
	u := &unpacker{all: all, lists: map[int][]float64{}, counts: map[int][]int{}}
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
	err    error // the first
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
		values, err := u.all[number].floats(u.all)
		if err != nil && u.err == nil {
			u.err = errors.WithMessage(err, name)
		}
		u.lists[number] = values
	}
	return u.lists[number]
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
