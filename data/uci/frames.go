package uci

import (
	"io"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"github.com/pkg/errors"

	"gophe/data/column"
)

// Frames passes the kept columns of CSV content to add, typed, in blocks of 1 to blockRows rows.
//
// Every cell is checked while its line number is known, and gota then makes the typed columns. gota reports neither line numbers nor
// unreadable numbers, which become NaN.
func (d Declaration) Frames(path string, content io.Reader, add func(dataframe.DataFrame) error) error {
	rows, err := newRowReader(d, path, content)
	if err != nil {
		return err
	}
	columnTypes := types(rows.kept)
	block := make([][]string, 1, 1+column.BlockRows)
	for _, c := range rows.kept {
		block[0] = append(block[0], c.Name)
	}
	for done := false; !done; {
		if block, err = rows.fill(block); err != nil {
			return err
		}
		if done = len(block) < cap(block); len(block) == 1 {
			continue
		}
		// Types are given, so gota guesses none. No text is NaN: rows with missing cells were dropped, and "NA" is an item.
		frame := dataframe.LoadRecords(block, dataframe.HasHeader(true), dataframe.DetectTypes(false),
			dataframe.WithTypes(columnTypes), dataframe.NaNValues(nil))
		if err := frame.Error(); err != nil {
			return errors.Wrap(err, path)
		}
		if err := add(frame); err != nil {
			return errors.Wrap(err, path)
		}
	}
	return rows.none()
}

// types returns the type of each column. Without them gota guesses, and the item 01234 becomes 1234.
func types(kept []Column) map[string]series.Type {
	types := make(map[string]series.Type, len(kept))
	for _, c := range kept {
		types[c.Name] = series.String
		switch c.Kind {
		case Numeric:
			types[c.Name] = series.Float
		case Count:
			types[c.Name] = series.Int
		}
	}
	return types
}
