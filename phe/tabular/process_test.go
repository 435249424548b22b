package tabular_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"gophe/phe/learn"
	"gophe/phe/phetest"
	"gophe/phe/tabular"
)

// TestTwoProcesses starts this test program again, as a child that goes on with a learner's stream. The variable names the folder
// of the learners' files.
const folderVariable = "GOPHE_TEST_TABULAR_FOLDER"

// processMethods returns the methods whose files differ most: one has a vocabulary, the other a table W.
func processMethods(t testing.TB) []method {
	if phetest.Brief(t) {
		return []method{methods[2]}
	}
	return []method{methods[2], methods[0]}
}

// A learner that one process saved and another went on with ends at the bits of a learner that one process led to the end.
func TestTwoProcesses(t *testing.T) {
	if folder := os.Getenv(folderVariable); folder != "" {
		for _, m := range processMethods(t) {
			l, all := processLearner(t, m)
			phetest.Load(t, l, filepath.Join(folder, m.name))
			secondHalf(t, l, all)
			phetest.Save(t, l, filepath.Join(folder, m.name+" after"))
		}
		return
	}
	folder := t.TempDir()
	want := map[string][]byte{}
	for _, m := range processMethods(t) {
		l, all := processLearner(t, m)
		check(t, l.Fit(all.Take(upTo(0, 41)), 3))
		l.Settle()
		check(t, l.Update(all.Take(upTo(41, 50)), 2))
		phetest.Save(t, l, filepath.Join(folder, m.name))
		secondHalf(t, l, all)
		var end bytes.Buffer
		_, err := l.WriteTo(&end)
		check(t, err)
		want[m.name] = end.Bytes()
	}
	child := exec.Command(os.Args[0], "-test.run=^TestTwoProcesses$")
	child.Env = append(os.Environ(), folderVariable+"="+folder)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("the second process: %v\n%s", err, out)
	}
	for name, bits := range want {
		got, err := os.ReadFile(filepath.Join(folder, name+" after"))
		check(t, err)
		if !bytes.Equal(got, bits) {
			t.Errorf("%s: two processes end at other bits than one", name)
		}
	}
}

// secondHalf goes on with the stream, which brings items that are not in the file.
func secondHalf(t *testing.T, l *learn.Learner, all *learn.Batch) {
	t.Helper()
	check(t, l.Update(all.Take(upTo(50, 60)), 2))
	check(t, l.Update(unseenBatch(t), 2))
	check(t, l.Replay(all, 2))
}

func processLearner(t *testing.T, m method) (*learn.Learner, *learn.Batch) {
	t.Helper()
	c := m.config(1, 2)
	return newLearner(t, c, learn.Options{Seeds: []int64{3, 4}}), newBatch(t, newModel(t, c), toyData(1, 2))
}

// unseenBatch has items that the toy data has not.
func unseenBatch(t *testing.T) *learn.Batch {
	t.Helper()
	var records []tabular.Record
	for i := range 6 {
		records = append(records, tabular.Record{Items: []string{fmt.Sprint("value", i%5), fmt.Sprint("new", i%2)}, Numbers: []float64{0}, Class: i % 2})
	}
	b, err := newModel(t, methods[0].config(1, 2)).Encode(records)
	check(t, err)
	return b
}

// A learner of items whose names are not UTF-8 is read as it was written.
func TestSavedNamesOfAnyBytes(t *testing.T) {
	c := methods[2].config(0, 2)
	m := newModel(t, c)
	batch, err := m.Encode([]tabular.Record{{Items: []string{"caf\xe9", "x"}, Class: 1}, {Items: []string{"caf\xe8", "y\xff"}}})
	check(t, err)
	first, second := newLearner(t, c, learn.Options{}), newLearner(t, c, learn.Options{})
	check(t, first.Update(batch, 2))
	var file bytes.Buffer
	_, err = first.WriteTo(&file)
	check(t, err)
	_, err = second.ReadFrom(&file)
	check(t, err)
	for _, l := range []*learn.Learner{first, second} {
		check(t, l.Update(batch, 1))
	}
	a, err := first.Predict(batch)
	check(t, err)
	b, err := second.Predict(batch)
	check(t, err)
	if !slices.Equal(a.Values, b.Values) {
		t.Errorf("the learner predicts %v, and %v after it was saved", a.Values, b.Values)
	}
}
