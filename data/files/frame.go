package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"github.com/pkg/errors"
)

// Open returns the header and the first rows of one of the source's files, as CSV to be read to its end. The end is an error if the file is
// not there or not the declared one.
func (s Source) Open(file, rows int) io.Reader {
	content, to := io.Pipe()
	go func() {
		paths, err := s.FindAll()
		var read Sum
		if err == nil {
			read, err = s.Files[file].Read(paths[file], func(_ string, whole io.Reader) error {
				lines := bufio.NewScanner(whole)
				for n := 0; n <= rows && lines.Scan(); n++ {
					fmt.Fprintf(to, "%s\n", lines.Bytes())
				}
				return lines.Err()
			})
		}
		if err == nil {
			err = s.altered(s.Files[file], read, "")
		}
		to.CloseWithError(err)
	}()
	return content
}

// ParseFrame parses columns of a gota DataFrame, found by their names, as a file. NaN becomes the text of a missing value. In a column of
// numbers it is an error if there is such a text, because gota makes NaN of any text that is no number.
func ParseFrame[T any](df dataframe.DataFrame, names []string, missing string, parse func(string, io.Reader) (*T, error)) (*T, error) {
	if df = df.Select(names); df.Error() != nil {
		return nil, errors.Wrapf(df.Error(), "a DataFrame with the columns %q is needed", names)
	}
	var text bytes.Buffer
	lines, row := csv.NewWriter(&text), slices.Clone(names)
	_ = lines.Write(row)
	for r := range df.Nrow() {
		for i := range row {
			switch e := df.Elem(r, i); {
			case e.IsNA() && (missing == "" || e.Type() == series.String):
				row[i] = missing
			case e.Type() != series.Float:
				row[i] = e.String()
			case e.Float() == math.Trunc(e.Float()): // keeps its point, as MovieLens' 4.0
				row[i] = strconv.FormatFloat(e.Float(), 'f', 1, 64)
			default:
				row[i] = strconv.FormatFloat(e.Float(), 'f', -1, 64)
			}
		}
		_ = lines.Write(row)
	}
	lines.Flush()
	return parse("the DataFrame", &text)
}
