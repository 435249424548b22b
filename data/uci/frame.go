package uci

import (
	"cmp"
	"io"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/data/files"
)

// Open returns the data set as CSV, which dataframe.ReadCSV reads with LoadOptions. The end is an error if the file is not there or not the
// declared one. gota would take several GB for the whole Covertype: take Covertype49999, or read it by Load.
func (d Declaration) Open() io.Reader {
	s := d.source()
	return s.Open(0, cmp.Or(d.FirstRows, s.Rows))
}

// LoadOptions tells dataframe.ReadCSV which columns are numbers, that the others are texts, and which text is NaN.
func (d Declaration) LoadOptions() []dataframe.LoadOption {
	types := map[string]series.Type{}
	for _, c := range d.Columns {
		switch c.Kind {
		case numeric:
			types[c.Name] = series.Float
		case count:
			types[c.Name] = series.Int
		}
	}
	return []dataframe.LoadOption{dataframe.WithTypes(types), dataframe.DetectTypes(false), dataframe.NaNValues([]string{d.Missing})}
}

// OfFrame returns the columns of a DataFrame, checked as those of the file.
func (d Declaration) OfFrame(df dataframe.DataFrame) (*Columns, error) {
	return files.ParseFrame(df, d.header(), d.Missing, d.Parse)
}
