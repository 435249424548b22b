package learn_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// written returns a learner's file.
func written(t *testing.T, l nettest.Led) []byte {
	t.Helper()
	var file bytes.Buffer
	n := filetest.Must(l.WriteTo(&file))(t)
	filetest.Want(t, n, int64(file.Len()), "bytes that WriteTo says")
	return file.Bytes()
}

// parts returns the configuration of a learner's file, and its numbers by their names.
func parts(t *testing.T, file []byte) (config json.RawMessage, names []string, lists [][]float32) {
	t.Helper()
	filetest.Must(belief.Read(file, func(h belief.Header) (parts []belief.Part, err error) {
		config, lists = h.Config, make([][]float32, len(h.Parts))
		for i, p := range h.Parts {
			names, lists[i] = append(names, p.Name), make([]float32, p.Len)
			set := func(k int, v, _ float64) { lists[i][k] = float32(v) }
			parts = append(parts, belief.Part{Name: p.Name, Dim: p.Dim, Len: p.Len, Type: p.Type, Set: set})
		}
		return parts, nil
	}))(t)
	return config, names, lists
}

// A file holds every number under its name, in an order that does not change, so that older files can be read.
func TestFileNames(t *testing.T) {
	l := newUnmet(t, weighted(), hashed(phe.Posterior), learn.Options{})
	filetest.Check(t, l.Fit(numbersTo(5), 1))
	s := l.State(t)
	config, names, lists := parts(t, written(t, l))
	own := []string{"E mean", "E log σ", "W mean", "W log σ", "θ 0 weights", "θ 1 weights"}
	want := slices.Clone(own)
	for _, moment := range []string{"first", "second"} {
		for _, name := range own {
			want = append(want, moment+" moment of "+name)
		}
	}
	filetest.Want(t, names, want, "parts of a file")
	for i, list := range slices.Concat(s.Parameters, s.Moments) {
		filetest.Want(t, lists[i], list, "numbers of part %q", names[i])
	}
	filetest.WantWords(t, string(config), `"seeds":[3,4]`, `"fitting":true`, `"Epochs":1`, `"network":"sum"`)
}

// A learner that reads a file takes over all of it: numbers, counts and the rows of items, in place of its own. It is then as good
// as the learner that wrote.
func TestFileIsWhole(t *testing.T) {
	for _, fitting := range []bool{true, false} {
		c := config(phe.Posterior)
		c.InitialConvergence = map[bool]float64{true: 1}[fitting] // whose course the file has too
		l := newUnmet(t, sum(), c, learn.Options{})
		l.All.Items[7], l.All.Items[33] = "caf\xe9", "caf\xe8" // a name need not be UTF-8
		if fitting {
			filetest.Check(t, l.Fit([]int32{90, 7, 33}, 2))
		} else {
			filetest.Check(t, l.Update([]int32{90, 7, 33}, 2))
			filetest.Check(t, l.Replay([]int32{7}, 3))
			l.Settle()
		}
		file, want := written(t, l), l.State(t)
		for _, other := range []nettest.Led{newUnmet(t, sum(), c, learn.Options{}), newLearner(t, sum(), c, learn.Options{})} {
			n := filetest.Must(other.ReadFrom(bytes.NewReader(append(slices.Clone(file), "more"...))))(t)
			filetest.Want(t, n, int64(len(file)), "bytes that ReadFrom says")
			filetest.Want(t, other.State(t), want, "a learner that was read")
		}
	}
}

// The file of a learner that was made otherwise is refused. The error names the difference, and changes nothing.
func TestFileOfAnother(t *testing.T) {
	c := config(phe.Point)
	l := newUnmet(t, sum(), c, learn.Options{MaxUpdated: 64})
	before := l.State(t)
	another, named := c, sum()
	another.KLWeight, named.Identity = 0.5, "two"
	for right, other := range map[string]nettest.Led{
		"KLWeight:0.5":   newUnmet(t, sum(), another, learn.Options{MaxUpdated: 64}),
		"network is two": newUnmet(t, named, c, learn.Options{MaxUpdated: 64}),
		"seeds [4 3]":    newUnmet(t, sum(), c, learn.Options{MaxUpdated: 64, Seeds: []int64{4, 3}}),
		"MaxUpdated 63":  newUnmet(t, sum(), c, learn.Options{MaxUpdated: 63}),
	} {
		filetest.WantError(t, filetest.Failure(l.ReadFrom(bytes.NewReader(written(t, other)))), right)
	}
	var other bytes.Buffer
	filetest.Check(t, belief.Write(&other, "onepass", nil, nil))
	filetest.WantError(t, filetest.Failure(l.ReadFrom(&other)), `kind "onepass"`)
	filetest.Want(t, l.State(t), before, "the learner after a file that was refused")
}

// two is sum for events of two items.
func two() learn.Network {
	n := sum()
	n.Columns = 2
	return n
}

// The column that keeps learning belongs to a learner, though its configuration's JSON has none.
func TestFileOfAnotherColumn(t *testing.T) {
	c := config(phe.Point)
	c.Scope, c.Incremental = phe.IncrementalColumn, 1
	l := newUnmet(t, two(), c, learn.Options{})
	file := written(t, l)
	filetest.Must(l.ReadFrom(bytes.NewReader(file)))(t)
	c.Incremental = 0
	_, err := newUnmet(t, two(), c, learn.Options{}).ReadFrom(bytes.NewReader(file))
	filetest.WantError(t, err, "incremental column 1")
}

// A damaged count of doublings is an error, and no request for all memory.
func TestFileOfTooManyDoublings(t *testing.T) {
	l := newUnmet(t, sum(), hashed(phe.Point), learn.Options{})
	config, _, _ := parts(t, written(t, l))
	for doublings, want := range map[int]string{25: "grown 25 times", 24: "bytes of memory, and its file holds 0"} {
		var damaged bytes.Buffer
		filetest.Check(t, belief.Write(&damaged, "learner", bytes.Replace(config, []byte(`"Doublings":0`),
			[]byte(fmt.Sprintf(`"Doublings":%d`, doublings)), 1), nil))
		filetest.WantError(t, filetest.Failure(l.ReadFrom(&damaged)), want)
	}
}

// A learner whose numbers are none is not saved.
func TestDivergedIsNotSaved(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Point), learn.Options{})
	for _, number := range []float64{math.NaN(), math.Inf(1)} {
		s := l.State(t)
		s.Parameters[0][5] = float32(number)
		filetest.Check(t, l.Restore(s))
		_, err := l.WriteTo(&bytes.Buffer{})
		filetest.WantError(t, err, fmt.Sprintf("number 5 of list 0 is %g", number))
		s.Parameters[0][5] = 0
		filetest.Check(t, l.Restore(s))
	}
}
