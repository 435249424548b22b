package report

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// source reads results from one folder, and fills pages and tables with them. It compares the cells once. The first error stays in err:
// all that a source returns after it is empty, and whoever makes a table or a page asks for the error at the end.
type source struct {
	page   string
	folder *result.Folder
	cells  []Cell
	err    error
}

// fail keeps an error unless there is one already.
func (s *source) fail(err error) { s.err = cmp.Or(s.err, err) }

func (s *source) failf(format string, args ...any) { s.fail(errors.Errorf(format, args...)) }

// find returns the result of a spec; nil if it is not there.
func (s *source) find(spec string) *result.File {
	f, err := s.folder.Find(spec)
	s.fail(err)
	return f
}

// get returns the result of a spec. A result that is not there is an error, and one without numbers takes its place.
func (s *source) get(spec string) *result.File {
	f, err := s.folder.Get(spec)
	if err != nil {
		s.fail(err)
		return &result.File{Methods: make([]result.Method, 1)}
	}
	return f
}

// row returns the row of a label in the result of a spec. Both must be there.
func (s *source) row(spec, label string) measure.Row {
	f := s.get(spec)
	r := measure.Find(f, label)
	if r.Method == nil {
		s.failf("the result of %s has no %s; make it again with `phe run %s --force --out %s`", spec, label, spec, s.folder.Path())
		r.Method = &result.Method{}
	}
	return r
}

var drawInLabel = regexp.MustCompile(`^(.*?)(?: h(\d+))?( \(frozen\))?$`)

// ofDraw splits the label of a row by one of several draws of the hash functions: "PHE h3 (frozen)" is "PHE (frozen)" by draw "3".
func ofDraw(r measure.Row) (method, draw string) {
	label := drawInLabel.FindStringSubmatch(r.Label())
	return label[1] + label[3], label[2]
}

// load reads the series of a result, which may be nil.
func (s *source) load(f *result.File) *result.File {
	if f != nil && s.err == nil {
		s.fail(f.LoadSeries())
	}
	return f
}

// results returns the results of specs. All but the first may be missing.
func (s *source) results(specs []string) (files []*result.File) {
	for i, spec := range specs {
		f := s.find(spec)
		if i == 0 {
			f = s.get(spec)
		}
		if f != nil {
			if isDaily(f) { // its table pairs methods day by day
				s.load(f)
			}
			files = append(files, f)
		}
	}
	return files
}

// unfinished keeps the error of a result that is half done.
func (s *source) unfinished(f *result.File) {
	s.failf("the run of %s is %s; finish it with `phe run %s --resume --out %s`", f.Name, f.Status, f.Name, s.folder.Path())
}

// with returns a list with a value, which is added unless it is there.
func with[T comparable](list []T, value T) []T {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// isDaily reports whether the steps of a result are days.
func isDaily(f *result.File) bool {
	return f.Methods[0].Protocol == protocol.Daily || f.Methods[0].Protocol == protocol.Recommend
}
