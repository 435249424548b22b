package result

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gophe/phe/disk/filetest"
)

// Whatever a series file holds, reading it is an error or series, never a panic.
func FuzzColumns(f *testing.F) {
	f.Add([]byte("[{\"name\":\"rows\",\"runs\":[0,1],\"digits\":0,\"length\":1}]\n\x03\x00\x00\x00\x00\x00\x00\x00"), true)
	f.Add([]byte("[{\"name\":\"accuracy\",\"runs\":[1,-1],\"digits\":-2,\"length\":2}]\n12345678"), true)
	f.Add([]byte(`[{"name":"tests.set","runs":[1],"digits":9999,"length":-1}]`), true)
	f.Add([]byte("\x28\xb5\x2f\xfd"), false)
	w := filetest.Must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)))(f)
	f.Fuzz(func(_ *testing.T, body []byte, packed bool) {
		content := append([]byte(seriesMagic), body...)
		if packed {
			content = w.EncodeAll(body, []byte(seriesMagic))
		}
		if columns, err := decode(content); err == nil {
			file := File{Methods: []Method{{Runs: make([]Run, 1)}}, Stream: Stream{Tests: make([]Test, 1)}}
			file.exchange(exchange{columns: columns, reads: true})
		}
	})
}

// Numbers of all sizes come back from their columns, bit for bit, and so do shares of rows and numbers that are none.
func TestColumns(t *testing.T) {
	rows := []int{80, 3, 7}
	for _, values := range [][]float64{
		{0.0125, 1. / 3, 5. / 7}, {0.0125, 0.3, 5. / 7}, {math.Inf(1), math.Copysign(0, -1), math.MaxFloat64}, {-1.5, 2},
		{0.0125, 1e9, 1}} {
		at := place{"accuracy", 1}
		content, number, err := encode(map[place]column{at: newColumn(values, exact, rows)})
		filetest.Check(t, err)
		got := filetest.Must(decode(content))(t)[at].values(rows)
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
		if number != 1 || !slices.EqualFunc(got, values, same) {
			t.Errorf("%v became %v", values, got)
		}
	}
	whole := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 40}
	if got := numbers(planes(whole)); !slices.Equal(got, whole) {
		t.Errorf("%v became %v", whole, got)
	}
}

// A small file that asks for much memory is refused: one column of very many runs, or a long line of columns.
func TestColumnsAreBounded(t *testing.T) {
	w := filetest.Must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)))(t)
	runs := strings.Repeat("1,", 1<<20) + "2"
	for want, body := range map[string]string{
		"numbers of all runs": `[{"name":"rows","runs":[` + runs + `],"digits":0,"length":40}]` + "\n" + strings.Repeat("\x00", 8*40),
		"bytes of JSON":       "[" + strings.Repeat("{},", maxLine/3) + "{}]\n",
	} {
		_, err := decode(w.EncodeAll([]byte(body), []byte(seriesMagic)))
		filetest.WantError(t, err, want)
	}
}
