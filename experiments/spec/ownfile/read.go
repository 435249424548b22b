package ownfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/phe/records"
	"gophe/phe/remedy"
	"gophe/phe/stream/schema"
)

// Table is a file in memory, with the facts found out about it.
type Table struct {
	*labelled.Table // numbers are as the file says; see [Scale]

	Schema     schema.Schema
	Chosen     bool // the incremental column was chosen by this package
	Left       int  // rows that do not meet the condition
	Unlabelled int  // rows without a target, which are left out
	Bad        int  // rows that cannot be read, which were skipped
	Cut        bool // the file has more rows than the source takes
}

// Checksum returns the SHA-256 of the file as it is stored, in hexadecimal.
func (s *Source) Checksum() (string, error) {
	file, err := os.Open(s.Path())
	if err != nil {
		return "", errors.Wrapf(err, "source.file is %q and cannot be opened; its path begins at the folder of the spec file", s.File)
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), errors.Wrapf(err, "reading source.file %q", s.File)
}

// Read reads the file. Errors about its content name the line.
func (s *Source) Read(name string, o files.Options) (*Table, error) {
	own := *s // Locate changes it
	if err := cmp.Or(own.Locate(s.folder), own.Validate()); err != nil {
		return nil, err
	}
	s = &own
	before, err := s.Checksum()
	if err != nil {
		return nil, err
	}
	if s.SHA256 != "" && before != s.SHA256 && !o.AllowAltered {
		return nil, errors.Errorf("source.file %q is altered: its SHA-256 is %s, declared %s; "+
			"bring the file back, correct source.sha256, or accept it with --allow-altered", s.File, before, s.SHA256)
	}
	t, err := s.read(name)
	if err != nil {
		return nil, err
	}
	if after, err := s.Checksum(); err != nil || after != before {
		return nil, errors.Errorf("source.file %q changed while it was read; start again when no program writes to it", s.File)
	}
	t.SHA256, t.Verified, t.Path = before, before == s.SHA256, s.Path()
	return t, nil
}

// read reads the rows by the schema, which it finds out first where the source has none.
func (s *Source) read(name string) (*Table, error) {
	o, err := s.options()
	if err != nil {
		return nil, err
	}
	in, err := records.Open(s.Path(), o)
	if err != nil {
		return nil, errors.WithMessage(err, "source.file")
	}
	defer in.Close()
	where, err := schema.Where(s.Where, in.Columns())
	if err != nil {
		return nil, errors.WithMessage(err, "source.where")
	}
	in.Typed(nil)
	holds := "" // of the condition's column
	if where != nil {
		all, err := s.sample(in, nil)
		if err != nil {
			return nil, err
		}
		holds = where.Look(all)
	}
	sample, err := s.sample(in, where.Holds)
	if err != nil {
		return nil, err
	}
	if len(sample) == 0 && holds != "" {
		return nil, errors.Errorf("source.where: no record of %s meets the condition %q; the column holds %s", s.File, where.Text, holds)
	}
	columns, err := s.schema(in.Columns(), sample, where)
	if err != nil {
		return nil, err
	}
	where.Fit(columns)
	in.Typed(columns.Commas())
	b, err := newBuilder(name, columns)
	if err != nil {
		return nil, err
	}
	if b.table.Incremental, b.table.Chosen, err = s.incremental(columns, sample); err != nil {
		return nil, err
	}
	if err := s.fill(b, in, where.Holds); err != nil {
		return nil, err
	}
	return b.finish(s.File)
}

// sample returns the first records, from which the columns are found out, and goes back to the beginning.
func (s *Source) sample(in *records.Reader, keep func([]string) bool) ([][]string, error) {
	if !in.Seekable() {
		return nil, errors.Errorf("source.file %q is a pipe; save it to a file and name that", s.File)
	}
	most := min(cmp.Or(s.Rows, schema.Sample), schema.Sample)
	sample, err := schema.First(records.SkipBad(in.Read), keep, most) // the reading proper tells of bad records
	if err != nil {
		return nil, err
	}
	return sample, in.Seek(records.Position{})
}

// schema returns the source's schema, or finds out one.
func (s *Source) schema(columns []string, sample [][]string, where *schema.Condition) (schema.Schema, error) {
	if s.Schema != nil {
		if !slices.Equal(s.Schema.Names(), columns) {
			return schema.Schema{}, errors.Errorf("source.schema has the columns %q, and the file %q; "+
				"`phe stream FILE --target COLUMN --show-schema` prints its own", s.Schema.Names(), columns)
		}
		return *s.Schema, nil
	}
	hints, err := s.hints()
	if err != nil {
		return schema.Schema{}, err
	}
	hints.Where = where
	inferred, err := schema.Infer(columns, sample, hints)
	switch {
	case err != nil:
		return schema.Schema{}, errors.WithMessagef(err, "source of %s", s.File)
	case inferred.Target.Kind != schema.Classes:
		return schema.Schema{}, errors.WithMessage(notClasses(inferred.Target.Column), "source.target")
	}
	return inferred, errors.WithMessagef(fits(inferred), "source of %s", s.File)
}

// incremental returns the place of the incremental column among the table's categorical columns, and whether it was chosen here.
func (s *Source) incremental(table schema.Schema, sample [][]string) (place int, chosen bool, err error) {
	var names []string
	best, most := -1, -1
	for _, in := range table.Inputs() {
		if in.Number {
			continue
		}
		if in.Name == s.Incremental {
			return len(names), false, nil
		}
		items := map[string]bool{}
		for _, record := range sample {
			item, _, _ := in.Read(record)
			items[item] = true
		}
		n := len(items)
		if in.Column.Kind != schema.Category { // prices and hours are not the names that keep coming, if there are others
			n -= schema.Sample
		}
		if best < 0 || n > most {
			best, most = len(names), n
		}
		names = append(names, in.Name)
	}
	if s.Incremental != "" {
		return 0, false, errors.Errorf("source.incremental is %q, which is no column of items; choose one of %q", s.Incremental, names)
	}
	return best, true, nil
}

// fill reads all records.
func (s *Source) fill(b *builder, in *records.Reader, keep func([]string) bool) error {
	for {
		if s.Rows > 0 && b.table.NumRows() == s.Rows {
			_, err := in.Read()
			b.table.Cut = err != io.EOF
			return nil
		}
		at := in.Position()
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil && keep != nil && !keep(record) {
			b.table.Left++
			continue
		}
		if err == nil {
			err = b.add(record)
		}
		bad := errors.As(err, new(*records.RecordError)) || errors.As(err, new(*schema.FieldError)) // the record is, not the file
		switch {
		case bad && s.Bad == skip:
			b.table.Bad++
		case bad:
			return s.place(err, at)
		case err != nil:
			return err
		}
	}
}

// place adds a bad record's position to an error, and a spec's remedy.
func (s *Source) place(err error, at records.Position) error {
	how := ""
	if f := new(schema.FieldError); errors.As(err, &f) {
		how = "values"
		bad := &records.RecordError{File: s.Path(), Line: at.Line + 1, Record: at.Record + 1, Column: f.Column,
			Problem: fmt.Sprintf("%q: %s", files.Clip(f.Value), f.Problem), Remedy: "correct it, list all classes in source.classes"}
		if at.Line == 0 && at.Offset == at.Record { // Parquet has no lines
			bad.Line = 0
		}
		err = bad
	}
	return remedy.With(how, errors.Errorf("%s, or leave such rows out by source.bad \"skip\"", err))
}

// Scale divides each number of a table by the largest absolute value that its column has in the initial rows. It changes the
// table. A later value may be larger than 1. A column that is 0 in all initial rows stays as it is.
//
// The paper's tables are divided by the maximum over all rows, as the authors' program does: that looks at rows of the stream
// before they come. See [column.Numeric].
func Scale(t *labelled.Table, initial []int32) {
	for _, c := range t.Numeric {
		largest := floats.Norm(column.InOrder(c.Values, initial), math.Inf(1))
		if largest == 0 {
			continue
		}
		for row := range c.Values {
			c.Values[row] /= largest
		}
	}
}
