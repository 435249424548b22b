package dkf_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/filetest"
	"gophe/phe/learn"
	"gophe/phe/phetest"
)

// fileVariable names the file that a second process of the tests goes on from.
const fileVariable = "GOPHE_TEST_DKF_FILE"

// stopped are the learners that a process leaves in files, and what they do before that.
var stopped = map[string]struct {
	change func(*dkf.Config)
	before func(l phetest.Led) error
}{
	"PHE, in the initial phase": {
		func(c *dkf.Config) { c.Scope, c.ItemDropout, c.TrainSamples = phe.AllParameters, 0.3, 2 },
		func(l phetest.Led) error { return l.Fit(upTo(40), 2) },
	},
	"P-EE, after an update": {vocabulary, func(l phetest.Led) error {
		if err := l.Fit(upTo(40)[20:], 1); err != nil {
			return err
		}
		l.Settle()
		return l.Update(upTo(44)[40:], 2)
	}},
}

// begin returns a learner that knows nothing yet, beside the windows of contractData. Turned around, they bring their items in
// another order, so that a vocabulary gives them other rows.
func begin(t *testing.T, change func(*dkf.Config), turned bool) phetest.Led {
	t.Helper()
	c := learning(dkf.Histogram)
	change(&c)
	m, d := newModel(t, c), contractData()
	windows := windowsOf(events(c, d), d.Windows, toyLength)
	if turned {
		slices.Reverse(windows)
	}
	b := filetest.Must(m.Encode(windows))(t)
	l := filetest.Must(learn.New(m.Network(), m.Config.Config, learn.Options{Backend: phetest.Backend(t), Seeds: []int64{3, 4}}))(t)
	t.Cleanup(l.Close)
	return phetest.Led{Learner: l, All: b}
}

// goOn learns, predicts, and returns the bits of both.
func goOn(t *testing.T, l phetest.Led) []byte {
	t.Helper()
	check(t, l.Fit(upTo(40), 1))
	l.Settle()
	check(t, l.Update(newcomer, 2))
	values := filetest.Must(l.Learner.Predict(l.All.Take(append(upTo(3), newcomer...))))(t)
	var file bytes.Buffer
	check(t, binary.Write(&file, binary.LittleEndian, values.Values))
	filetest.Must(l.WriteTo(&file))(t)
	return file.Bytes()
}

// A process that reads the file of another goes on as that one does, to the same bits of its predictions and of its file.
func TestAnotherProcessGoesOn(t *testing.T) {
	for name, s := range stopped {
		t.Run(name, func(t *testing.T) {
			l := begin(t, s.change, false)
			path := os.Getenv(fileVariable)
			if path != "" { // the other process
				phetest.Load(t, l.Learner, path)
				check(t, os.WriteFile(path+".end", goOn(t, l), 0o600))
				return
			}
			if phetest.Brief(t) {
				t.Skip("ten seconds of compilation in each process")
			}
			check(t, s.before(phetest.Led{Learner: l.Learner, All: begin(t, s.change, true).All}))
			path = filepath.Join(t.TempDir(), "learner")
			phetest.Save(t, l.Learner, path)
			other := exec.Command(os.Args[0], "-test.run=^TestAnotherProcessGoesOn$/^"+strings.ReplaceAll(name, " ", "_")+"$")
			other.Env = append(os.Environ(), fileVariable+"="+path)
			if said, err := other.CombinedOutput(); err != nil {
				t.Fatalf("the other process: %v: %s", err, said)
			}
			got := filetest.Must(os.ReadFile(path + ".end"))(t)
			if !bytes.Equal(got, goOn(t, l)) {
				t.Error("the other process went on otherwise")
			}
		})
	}
}
