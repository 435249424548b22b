package serve

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// mustStore opens the checkpoint of a folder as a feed does.
func mustStore(t testing.TB, folder string) *checkpoint.Store {
	t.Helper()
	return filetest.Must(checkpoint.Open(disk.System, filepath.Join(folder, "model")))(t)
}

// saveAndClose ends a feed.
func saveAndClose(t testing.TB, store *checkpoint.Store, l *stream.Learner, state driver.State) {
	t.Helper()
	filetest.Check(t, store.Save(func(w io.Writer) error { return l.Write(w, state) }))
	filetest.Check(t, store.Close())
}

// serveVisits serves a model that a feed has made of 20 rows, and teaches the server ten more.
func serveVisits(t *testing.T, folder string) *Server {
	t.Helper()
	l := mustLearner(t)
	learnVisits(t, l, 0, 20)
	state := driver.State{Past: source.Past{Input: source.Input{Name: "visits.csv"}, Rows: 20},
		Settings: driver.Settings{Columns: schema.Hints{Target: "buys"}}}

	saveAndClose(t, mustStore(t, folder), l, state)
	s := mustOpen(t, folder, Options{})
	got := ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"c1"}}`)
	filetest.Want(t, got.Model.Rows, 20, "rows of the model")
	filetest.True(t, got.Model.Age != nil && *got.Model.Age <= 60, "the model's age: %+v", got.Model)
	learnSome(t, s, 20, 30)
	return s
}

// TestModelOfStream: a model that a feed has made is served.
func TestModelOfStream(t *testing.T) {
	folder := filetest.Folder(t)
	s := serveVisits(t, folder)
	damaged := copyModel(t, folder) // the older generation also knows the journal
	filetest.Check(t, os.Truncate(filepath.Join(damaged, "model"), 100))
	wantSame(t, mustOpen(t, damaged, Options{}).own.learner, s.own.learner, "the model of the older generation")
	err := filetest.Failure(checkpoint.Open(disk.System, filepath.Join(folder, "model")))
	filetest.True(t, err != nil, "another program may change the model meanwhile")
}

// TestFeedGoesOn: a feed continues a model that was served, and a server continues it after the feed.
func TestFeedGoesOn(t *testing.T) {
	folder := filetest.Folder(t)
	mustClose(t, serveVisits(t, folder))
	store := mustStore(t, folder)
	loaded := filetest.Must(checkpoint.Peek(store.Path))(t)
	l, state, err := driver.Load(loaded)
	filetest.Check(t, err)
	filetest.Want(t, [2]int64{l.Rows(), state.Rows}, [2]int64{30, 20}, "rows that are learned, and rows of the feed")
	filetest.Want(t, state.Settings.Columns.Target, "buys", "the target that is kept")
	filetest.True(t, state.Served != nil, "the state of the server is lost")
	state = driver.State{Past: source.Past{Input: source.Input{Name: "more.csv"}}, Served: state.Served}
	learnVisits(t, l, 30, 35)
	saveAndClose(t, store, l, state)
	s := mustOpen(t, folder, Options{})
	learnSome(t, s, 35, 40)
	filetest.Want(t, s.own.learner.Rows(), 40, "rows")
	filetest.Want(t, s.own.state.Input.Name, "more.csv", "the input")
	mustClose(t, s)
}

// TestFeedWithLateLabels: the model of a feed that was stopped while labels were late is not served.
func TestFeedWithLateLabels(t *testing.T) {
	folder := filetest.Folder(t)
	l := mustLearner(t)
	filetest.Must(l.Ask("0", visit(0)))(t)
	saveAndClose(t, mustStore(t, folder), l, driver.State{Past: source.Past{Input: source.Input{Name: "visits.csv"}}})
	wantOpenError(t, folder, newLearner, Options{}, "1 records of visits.csv wait for labels")
}
