package records

import (
	"io"
	"slices"
	"strconv"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"github.com/pkg/errors"
)

// Frame reads the rows of a DataFrame as records. It is not safe for concurrent use.
type Frame struct {
	names   []string
	types   []series.Type
	columns [][]string // fields, by column
	rows    int
	next    int
	record  []string
}

// OfFrame returns a reader of a DataFrame's rows. A missing value is an empty field. Numbers are written in full: gota itself
// writes six decimals. It returns an error if the DataFrame holds an error.
//
// gota holds whole numbers above 2^63 as floats, and so two ids that are neighbours become one before OfFrame sees them. Zeros before a
// number are lost too. Let gota read such a column as text: dataframe.WithTypes with series.String for it, or dataframe.DetectTypes(false)
// for all.
//
// With columns, such as those of a learner's schema, the records have these columns by name, and other columns are left out.
func OfFrame(df dataframe.DataFrame, columns ...string) (*Frame, error) {
	if df.Error() != nil {
		return nil, errors.Wrap(df.Error(), "this DataFrame is an error, not a table; look at the call that made it")
	}
	for _, name := range columns {
		if !slices.Contains(df.Names(), name) {
			return nil, errors.Errorf("the DataFrame has no column %q; add it, empty if it is not known; its columns are %q", name,
				df.Names())
		}
	}
	if len(columns) > 0 {
		df = df.Select(columns)
	}
	f := &Frame{names: df.Names(), types: df.Types(), rows: df.Nrow(), record: make([]string, df.Ncol())}
	for _, name := range f.names {
		f.columns = append(f.columns, fields(df.Col(name)))
	}
	return f, nil
}

// fields returns a column's values as text.
func fields(column series.Series) []string {
	list := make([]string, column.Len())
	for i := range list {
		switch e := column.Elem(i); {
		case e.IsNA():
		case e.Type() == series.Float:
			list[i] = strconv.FormatFloat(e.Float(), 'g', -1, 64)
		default:
			list[i] = e.String()
		}
	}
	return list
}

// Typed says which columns have decimal commas in a schema. Floats get a comma there, since the text 1.234 would be a thousand.
func (f *Frame) Typed(commas []string) {
	for i, name := range f.names {
		for row := range f.columns[i] {
			if f.types[i] == series.Float && slices.Contains(commas, name) {
				f.columns[i][row] = string(withMark([]byte(f.columns[i][row]), ','))
			}
		}
	}
}

// Columns returns the names of the columns.
func (f *Frame) Columns() []string { return f.names }

// Read returns the next row's fields, or io.EOF. The fields hold until the next call.
func (f *Frame) Read() ([]string, error) {
	if f.next == f.rows {
		return nil, io.EOF
	}
	for i, column := range f.columns {
		f.record[i] = column[f.next]
	}
	f.next++
	return f.record, nil
}
