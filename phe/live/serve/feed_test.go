package serve

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/text"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/log"
	"gophe/phe/stream"
)

// mustStore opens the checkpoint of a folder as a feed does.
func mustStore(t testing.TB, folder string) *checkpoint.Store {
	t.Helper()
	return filetest.Must(checkpoint.Open(disk.System, filepath.Join(folder, "model")))(t)
}

// saveAndClose ends a feed.
func saveAndClose(t testing.TB, store *checkpoint.Store, l *stream.Learner, state log.State) {
	t.Helper()
	filetest.Check(t, store.Save(func(w io.Writer) error { return l.Write(w, state) }))
	filetest.Check(t, store.Close())
}

// serveVisits serves a model that a feed has made of 20 rows, and teaches the server ten more.
func serveVisits(t *testing.T, folder string) *Server {
	t.Helper()
	l := mustLearner(t)
	learnVisits(t, l, 0, 20)
	state := log.State{Input: log.Input{Name: "visits.csv"}, Rows: 20, Flags: map[string]text.String{"target": "buys"}}

	saveAndClose(t, mustStore(t, folder), l, state)
	s := mustOpen(t, folder, Options{})
	got := ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"c1"}}`)
	if got.Model.Rows != 20 || got.Model.Age == nil || *got.Model.Age > 60 {
		t.Errorf("%+v", got.Model)
	}
	learnSome(t, s, 20, 30)
	return s
}

// TestModelOfStream: a model that a feed has made is served.
func TestModelOfStream(t *testing.T) {
	folder := filetest.Folder(t)
	s := serveVisits(t, folder)
	damaged := copyModel(t, folder) // the older generation also knows the journal
	filetest.Check(t, os.Truncate(filepath.Join(damaged, "model"), 100))
	if again := mustOpen(t, damaged, Options{}); !bytes.Equal(bits(t, again.learner), bits(t, s.learner)) {
		t.Errorf("%d rows of 30 with the older generation", again.learner.Rows())
	}
	if _, err := checkpoint.Open(disk.System, filepath.Join(folder, "model")); err == nil {
		t.Error("another program may change the model meanwhile")
	}
}

// TestFeedGoesOn: a feed continues a model that was served, and a server continues it after the feed.
func TestFeedGoesOn(t *testing.T) {
	folder := filetest.Folder(t)
	mustClose(t, serveVisits(t, folder))
	store := mustStore(t, folder)
	loaded := filetest.Must(checkpoint.Peek(store.Path))(t)
	l, state, err := log.Load(loaded)
	if err != nil || l.Rows() != 30 || state.Rows != 20 || state.Flags["target"] != "buys" || state.Served == nil {
		t.Fatalf("%d rows, %+v, %v", l.Rows(), state, err)
	}
	state = log.State{Input: log.Input{Name: "more.csv"}, Served: state.Served}
	learnVisits(t, l, 30, 35)
	saveAndClose(t, store, l, state)
	s := mustOpen(t, folder, Options{})
	learnSome(t, s, 35, 40)
	if s.learner.Rows() != 40 || s.state.Input.Name != "more.csv" {
		t.Errorf("%d rows, %+v", s.learner.Rows(), s.state)
	}
	mustClose(t, s)
}

// TestFeedWithLateLabels: the model of a feed that was stopped while labels were late is not served.
func TestFeedWithLateLabels(t *testing.T) {
	folder := filetest.Folder(t)
	l := mustLearner(t)
	filetest.Must(l.Ask("0", visit(0)))(t)
	saveAndClose(t, mustStore(t, folder), l, log.State{Input: log.Input{Name: "visits.csv"}})
	wantOpenError(t, folder, newLearner, Options{}, "1 records of visits.csv wait for labels")
}
