package result

import (
	"bytes"
	"compress/zlib"
	"math"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

// Whatever a series file holds, reading it is an error or columns, never a panic.
func FuzzColumns(f *testing.F) {
	var whole bytes.Buffer
	whole.WriteString("\x02{}") // an index, behind its length
	whole.Write(integerColumn([]int{80, 80, 44}).encode())
	whole.Write(ratioColumn([]float64{0.5, 1, 0.25}, []int{80, 80, 44}, 0).encode())
	whole.Write(floatColumn([]float64{-0.125, 3}, seriesDigits).encode())
	whole.Write(exactColumn([]float64{1. / 3}).encode())
	whole.Write(floatColumn([]float64{-0.25, 3}, seriesDigits).less([]reference{{2, column{parameter: seriesDigits, values: []int64{-1250000, 30000000}}}}).encode())
	f.Add(whole.Bytes())
	f.Add([]byte{2, '{', '}', ratios, 200, 1, 1, 1, 5})
	f.Add([]byte{2, '{', '}', residuals, 7, 1, 0, 1, 1, 5}) // from itself
	f.Add([]byte{12, '{', '"', 'r', 'u', 'n', 's', '"', ':', '[', '0', ']', '}'})
	f.Fuzz(func(t *testing.T, body []byte) {
		var file bytes.Buffer
		file.WriteString(seriesMagic)
		z := zlib.NewWriter(&file)
		_, _ = z.Write(body)
		_ = z.Close()
		_, _, _ = readSeries(file.Bytes())
	})
}

// Shares of rows are exact, and so is a number that is none.
func TestRatio(t *testing.T) {
	rows := []int{80, 3, 7}
	before := lists{filetest.Must(lists(nil).decode(integerColumn(rows)))(t)}
	for _, values := range [][]float64{{0.0125, 1. / 3, 5. / 7}, {0.0125, 0.3, 5. / 7}} {
		got, err := before.decode(ratioColumn(values, rows, 0))
		if err != nil || !slices.Equal(got.values, values) {
			t.Errorf("%v became %v, %v", values, got, err)
		}
	}
}

// Residuals are the series again, digit for digit, and take less room where seeds go the same way.
func TestResiduals(t *testing.T) {
	c := &columns{number: map[string]int{}, recent: map[string][]reference{}}
	var want [][]float64
	var numbers []int
	for seed := range 8 {
		var values []float64
		for day := range 500 {
			values = append(values, math.Round(1e5*(math.Sin(float64(day*day))+0.01*math.Cos(float64(day*seed))))/1e5)
		}
		want = append(want, values)
		places := map[string]int{}
		c.putScore(places, "error", floatColumn(values, 5))
		numbers = append(numbers, places["error"])
	}
	p := parser{rest: c.body.Bytes()}
	var all lists
	first := 0
	for seed, number := range numbers {
		stored := p.column()
		filetest.Check(t, p.err)
		all = append(all, filetest.Must(all.decode(stored))(t))
		if !slices.Equal(all[number].values, want[seed]) {
			t.Fatalf("seed %d has other numbers than were stored", seed)
		}
		if seed == 0 {
			first = stored.bits()
		}
		if (stored.kind == residuals) != (seed > 0) || seed > 0 && stored.bits() > first*3/4 {
			t.Errorf("seed %d is of kind %q and has %d bits, the first one %d", seed, stored.kind, stored.bits(), first)
		}
	}
}
