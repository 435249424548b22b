package result

import (
	"bytes"
	"compress/zlib"
	"slices"
	"testing"
)

// Whatever a series file holds, reading it is an error or columns, never a panic.
func FuzzColumns(f *testing.F) {
	var whole bytes.Buffer
	whole.Write(integerColumn([]int{80, 80, 44}).encode())
	whole.Write(ratioColumn([]float64{0.5, 1, 0.25}, []int{80, 80, 44}, 0).encode())
	whole.Write(floatColumn([]float64{-0.125, 3}, seriesDigits).encode())
	whole.Write(exactColumn([]float64{1. / 3}).encode())
	f.Add(whole.Bytes())
	f.Add([]byte{ratios, 200, 1, 1, 1, 5})
	f.Fuzz(func(t *testing.T, body []byte) {
		var file bytes.Buffer
		file.WriteString(seriesMagic)
		z := zlib.NewWriter(&file)
		_, _ = z.Write(body)
		_ = z.Close()
		all, err := readColumns(file.Bytes())
		if err != nil {
			return
		}
		for i, c := range all {
			c.integers()
			_, _ = c.floats(all[:i])
		}
	})
}

// Shares of rows are exact, and so is a number that is none.
func TestRatio(t *testing.T) {
	rows := []int{80, 3, 7}
	before := []column{integerColumn(rows)}
	for _, values := range [][]float64{{0.0125, 1. / 3, 5. / 7}, {0.0125, 0.3, 5. / 7}} {
		got, err := ratioColumn(values, rows, 0).floats(before)
		if err != nil || !slices.Equal(got, values) {
			t.Errorf("%v became %v, %v", values, got, err)
		}
	}
}
