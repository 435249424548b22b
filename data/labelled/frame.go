package labelled

import (
	"github.com/go-gota/gota/dataframe"

	"gophe/data/uci"
)

// OfFrame returns the table of a DataFrame that was read from a declared file, as Load does, without path and checksum. The DataFrame may
// be a part of the file. Numbers are then divided by the part's maxima.
func OfFrame(d uci.Declaration, df dataframe.DataFrame) (*Table, error) {
	return newTable(d.OfFrame(df))
}
