// Package ownfile reads a user's file as a table of the study: package schema recognises the columns, and package records reads them. Call
// Source.Locate, then Source.Read, and Scale once the initial rows are known.
//
// The rows stay in the order of the file. A column becomes what phe stream takes it for:
//
//   - A category is a column of items. A missing item is the item <NA>.
//   - A number is a numeric column. See [Scale] for its unit. Where a field is missing, or is no number, the number is 0. A second
//     column, "price (given)", says so: its items are yes, <NA>, and the texts that are no numbers.
//   - A number that comes again and again, such as a price, is both a column of items and a numeric column.
//   - A time gives its hour and its weekday, as items.
//   - Names of rows, and columns that give the target away, are left out.
//
// The whole file decides whether a number has this second column. The first rows decide the kinds of columns. Nothing else
// looks at rows before they come.
package ownfile

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/records"
	"gophe/phe/remedy/fieldpath"
	"gophe/phe/stream/schema"
)

// Source names a file and says how to read it, as the field "source" of a spec holds it. Empty fields are found out from the
// content, by the rules of phe stream.
type Source struct {
	File   string `json:"file"`             // CSV, TSV, JSON lines or Parquet; relative to the spec file
	SHA256 string `json:"sha256,omitempty"` // of the file; where it is given, a file that has changed is an error
	// Target is a column with classes, or a comparison that makes two, such as "rating>=4".
	Target string `json:"target,omitempty"`
	// Incremental is the column of items that keep coming: which groups, growing and swapped streams are made of. Left out, it is
	// the column with the most items in the file's first rows.
	Incremental string `json:"incremental,omitempty"`

	// Schema lists the columns, as `phe stream FILE --target COLUMN --show-schema` prints it. SchemaFile names a file with
	// one, and a result holds its content. With either, leave out the fields from Target on that describe columns.
	Schema     *schema.Schema `json:"schema,omitempty"`
	SchemaFile string         `json:"schema_file,omitempty"`

	Classes  []string `json:"classes,omitempty"`  // all classes of the target; if there are two, the second is the event
	Drop     []string `json:"drop,omitempty"`     // columns to leave out
	Keep     []string `json:"keep,omitempty"`     // columns to keep that would be left out
	Category []string `json:"category,omitempty"` // columns whose numbers are names
	Number   []string `json:"number,omitempty"`   // columns that are numbers
	Time     []string `json:"time,omitempty"`     // columns that are times

	Where string `json:"where,omitempty"` // rows that do not meet this condition are left out
	Rows  int    `json:"rows,omitempty"`  // highest number of rows; 0 takes all
	Bad   string `json:"bad,omitempty"`   // "skip" leaves out rows that cannot be read, and counts them; "" stops at the first

	Format    records.Format `json:"format,omitempty"`
	Delimiter string         `json:"delimiter,omitempty"` // between the fields of CSV
	Header    records.Header `json:"header,omitempty"`
	Columns   []string       `json:"columns,omitempty"` // names of the columns of CSV without a header

	folder string // that File and SchemaFile are relative to; the working folder if it is empty
}

// skip is the value of Bad that leaves out bad rows.
const skip = "skip"

// Locate sets the folder to which the source's paths are relative. It reads the schema file, and keeps its content.
func (s *Source) Locate(folder string) error {
	s.folder = folder
	if s.SchemaFile == "" {
		return nil
	}
	content, err := disk.ReadSettings(context.Background(), s.path(s.SchemaFile), disk.MaxSettings)
	if err != nil {
		return fieldpath.In("schema_file", errors.Wrap(err,
			"source.schema_file cannot be read; `phe stream FILE --target COLUMN --show-schema` prints a schema to start from"))
	}
	schema, err := schema.Parse(content)
	if err != nil {
		return fieldpath.In("schema_file", errors.WithMessagef(err, "source.schema_file is %q", s.SchemaFile))
	}
	s.Schema, s.SchemaFile = &schema, ""
	return nil
}

// Path returns where the file lies.
func (s *Source) Path() string { return s.path(s.File) }

func (s *Source) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.folder, name)
}

// From returns the source as a spec file in another folder must write it.
func (s *Source) From(folder string) (*Source, error) {
	moved := *s
	moved.folder = folder
	if filepath.IsAbs(s.File) {
		return &moved, nil
	}
	there, err := filepath.Abs(folder)
	file, failure := filepath.Abs(s.Path())
	if err := cmp.Or(err, failure); err != nil {
		return nil, errors.Wrap(err, "finding the folder of a spec")
	}
	if moved.File, err = filepath.Rel(there, file); err != nil { // on another drive
		moved.File = file
	}
	moved.File = filepath.ToSlash(moved.File)
	return &moved, nil
}

// Identity returns the source without its path and checksum, which change no result.
func (s *Source) Identity() *Source {
	if s == nil {
		return nil
	}
	own := *s
	own.File, own.SHA256, own.folder = "", "", ""
	if s.Schema != nil {
		schema := *s.Schema
		schema.Columns = slices.Clone(schema.Columns)
		for i := range schema.Columns {
			schema.Columns[i].Note = "" // for people
		}
		own.Schema = &schema
	}
	return &own
}

// Validate returns the first thing wrong with the source and what would be right. It reads no file.
func (s *Source) Validate() error {
	switch {
	case s.File == "":
		return fieldpath.Errorf("file", "source.file is missing; name a CSV, JSON lines or Parquet file, by its path from the spec file on")
	case s.File == "-":
		return fieldpath.Errorf("file",
			"source.file is \"-\"; the study reads a table more than once, so save standard input to a file and name that")
	case s.Schema != nil && s.SchemaFile != "":
		return fieldpath.Errorf("schema", "source.schema is there, and schema_file as well; leave one out")
	case s.Rows < 0:
		return fieldpath.Errorf("rows", "source.rows is %d; write the highest number of rows, or leave it out to take all", s.Rows)
	case s.Bad != "" && s.Bad != skip:
		return fieldpath.Errorf("bad", "source.bad is %q; write %q to leave bad rows out, or leave it out to stop at the first",
			s.Bad, skip)
	case s.SHA256 != "" && (len(s.SHA256) != 64 || strings.Trim(s.SHA256, "0123456789abcdef") != ""):
		return fieldpath.Errorf("sha256", "source.sha256 is %q; it has 64 hexadecimal digits in lower case, as sha256sum prints them",
			s.SHA256)
	}
	if s.Schema != nil || s.SchemaFile != "" {
		names := []string{"", "target", "drop", "keep", "category", "number", "time", "classes"}
		if name := fieldpath.First(names, false, s.Target != "", len(s.Drop) > 0, len(s.Keep) > 0, len(s.Category) > 0, len(s.Number) > 0,
			len(s.Time) > 0, len(s.Classes) > 0); name != "" {
			return fieldpath.Errorf(name, "source.%s is there, and a schema as well, which says it already; leave one out", name)
		}
	} else if strings.TrimSpace(s.Target) == "" {
		return errors.New(`source.target is missing; name the column to forecast, or a comparison such as "rating>=4"`)
	}
	if s.Schema != nil {
		if err := cmp.Or(s.Schema.Validate(), fits(*s.Schema)); err != nil {
			return fieldpath.In("schema", errors.WithMessage(err, "source.schema"))
		}
	}
	if _, err := s.hints(); err != nil {
		return err
	}
	_, err := s.options()
	return err
}

// hints returns the source's statements about its columns.
func (s *Source) hints() (schema.Hints, error) {
	h := schema.Hints{Target: s.Target, Classes: s.Classes}
	err := cmp.Or(h.Say(schema.Dropped, s.Drop...), h.Say(schema.Kept, s.Keep...), h.Say(schema.Category, s.Category...),
		h.Say(schema.Number, s.Number...), h.Say(schema.Time, s.Time...))
	return h, errors.WithMessage(err, "source")
}

// options returns how the file is read.
func (s *Source) options() (records.Options, error) {
	o := records.Options{Format: s.Format, Header: s.Header, Columns: s.Columns}
	if s.Schema != nil && s.Columns == nil { // they go by name
		o.Columns, o.OneLevel = s.Schema.Names(), !s.Schema.Nested
	}
	if s.Delimiter != "" {
		letters := []rune(s.Delimiter)
		if len(letters) != 1 {
			return o, fieldpath.Errorf("delimiter", "source.delimiter is %q; write the one character between two fields", s.Delimiter)
		}
		o.Comma = letters[0]
	}
	return o, errors.WithMessage(o.Validate(), "source")
}

// fits returns an error if a table of the study cannot hold a schema's columns.
func fits(s schema.Schema) error {
	t := s.Target
	switch {
	case t.Kind != schema.Classes:
		return notClasses(t.Column)
	case len(t.Weights) > 0:
		return errors.Errorf("the classes of %q have weights, which the methods of the study do not know; "+
			"leave them out, or use phe stream", t.Column)
	}
	for _, c := range s.Columns {
		switch {
		case c.Separator != "":
			return errors.Errorf("column %q has several items in a cell (separator %q), and the study's tables have one; "+
				"leave the separator out to take a cell for one item, drop the column, or use phe stream", c.Name, c.Separator)
		case c.Same != "":
			return errors.Errorf("column %q shares the items of %q, and in the study's tables each column has its own; "+
				"leave \"same\" out, or use phe stream", c.Name, c.Same)
		case c.Kind == schema.Weight:
			return errors.Errorf("column %q holds weights of rows, and the study counts each row once; drop the column, or use phe stream",
				c.Name)
		}
	}
	if !slices.ContainsFunc(s.Inputs(), func(in schema.Input) bool { return !in.Number }) {
		return errors.Errorf("every input is a number, and the study is about items; " +
			"name a column whose numbers are names with \"category\"")
	}
	return nil
}

// notClasses is the error of a target that is a number.
func notClasses(column string) error {
	return errors.Errorf("the target %q is a number, and the study forecasts classes; "+
		"write a condition such as %q, or use phe stream, which forecasts numbers and counts", column, column+">=4")
}
