package serve

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/store"
	"gophe/phe/stream"
	"gophe/phe/stream/score"
)

// shelf holds the checkpoint that a follower finds next.
type shelf struct {
	next atomic.Pointer[store.Checkpoint]
}

// newer implements store.Newer.
func (s *shelf) newer(context.Context) (store.Checkpoint, error) {
	if at := s.next.Swap(nil); at != nil {
		return *at, nil
	}
	return store.Checkpoint{}, nil
}

// put makes a checkpoint after some visits the newest, and returns its learner.
func (s *shelf) put(t testing.TB, visits int, generation uint64) *stream.Learner {
	t.Helper()
	l := mustLearner(t)
	learnVisits(t, l, 0, visits)
	s.next.Store(&store.Checkpoint{Learner: l, Generation: generation, Saved: time.Now().Add(-time.Hour)})
	return l
}

// follow returns a server that follows a shelf.
func follow(t testing.TB, newer store.Newer, o Options) *Server {
	t.Helper()
	f := filetest.Must(store.Follow(t.Context(), "the store shop", newer, func(string) {}))(t)
	s := filetest.Must(Follow("shop", f, o))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// checkModel checks how an answer describes a model at a checkpoint of an hour ago.
func checkModel(t *testing.T, got model, rows int64, checkpoint uint64) {
	t.Helper()
	filetest.True(t, (rows == 0) == (got.Age == nil) && (got.Age == nil || *got.Age >= 3600 && *got.Age < 7200), "the age is %v", got.Age)
	got.Age = nil
	filetest.Want(t, got, model{Rows: rows, Checkpoint: &checkpoint}, "the model")
}

// TestFollow: the newest checkpoint makes the forecasts, and each answer says which it is.
func TestFollow(t *testing.T) {
	on := &shelf{}
	on.put(t, 0, 1)
	s := follow(t, on.newer, Options{})
	checkModel(t, ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"a"}}`).Model, 0, 1)
	checkFollowed(t, s, on.put(t, 450, 2), 2)
	checkFollowed(t, s, on.put(t, 300, 3), 3)
	checkLines(t, s, "ready 1", "under_way 0")
	grew := seriesOf(t, call(t, s, "GET", "/metrics", "").body)["gophe_rows_learned_total"]
	filetest.Want(t, grew, 450, "the counter of rows, from which the smaller model takes nothing off")
	s.followed.Close()
	ok[map[string]string](t, s, "GET", "/healthz", "")
	mustClose(t, s)
	refused(t, s, 503, "the server stops", "GET", "/readyz", "")

	own := mustOpen(t, filetest.Folder(t), Options{})
	got := ok[learned](t, own, "POST", "/v1/learn", learnBody(1)).Model
	filetest.True(t, got.Checkpoint == nil, "a server that learns has the position %+v", got)
}

// checkFollowed waits for a checkpoint, and compares all that a server shows with its learner.
func checkFollowed(t *testing.T, s *Server, l *stream.Learner, checkpoint uint64) {
	t.Helper()
	await(t, "the checkpoint", func() bool { return s.followed.Position().Checkpoint == checkpoint })
	list := ok[forecasts](t, s, "POST", "/v1/predict",
		`{"records":[`+asJSON(visit(0), 1)+`,`+asJSON(visit(1), 1)+`,{"customer":"new","price":11}]}`)
	checkModel(t, list.Model, l.Rows(), checkpoint)
	for i, r := range [][]string{visit(0), visit(1), {"new", "", "11", "", ""}} {
		r[4] = ""
		wantForecast(t, list.Forecasts[i], filetest.Must(l.Predict(r))(t))
	}
	type shown struct {
		Model      model             `json:"model"`
		Inspection stream.Inspection `json:"inspection"`
		Report     score.Report      `json:"report"`
	}
	for _, path := range []string{"/v1/inspect", "/v1/report", "/v1/schema", "/"} {
		got := ok[shown](t, s, "GET", path, "")
		checkModel(t, got.Model, l.Rows(), checkpoint)
		n := got.Inspection.Rows + got.Report.Rows
		filetest.True(t, n == l.Rows() || n == 0 && !strings.HasSuffix(path, "t"), "%s shows %d rows", path, n)
	}
	series := seriesOf(t, call(t, s, "GET", "/metrics", "").body)
	filetest.Want(t, series["gophe_checkpoint_generation"], float64(checkpoint), "the generation")
	filetest.Want(t, series["gophe_model_rows"], float64(l.Rows()), "the rows")
	filetest.True(t, series["gophe_log_age_seconds"] >= 3600, "the age is %v", series["gophe_log_age_seconds"])
}

// TestOneState: all forecasts of a request are of one state, and so is the description of the model, while new checkpoints come.
func TestOneState(t *testing.T) {
	on, generation := &shelf{}, uint64(0)
	newer := func(ctx context.Context) (store.Checkpoint, error) {
		if on.next.Load() == nil {
			generation++
			on.put(t, int(generation), generation)
		}
		return on.newer(ctx)
	}
	s := follow(t, newer, Options{})
	body := `{"records":[` + asJSON(visit(0), 1) + strings.Repeat(`,`+asJSON(visit(0), 1), 500) + `]}`
	for last := uint64(0); last < 4; {
		got := ok[forecasts](t, s, "POST", "/v1/predict", body)
		last = *got.Model.Checkpoint
		checkModel(t, got.Model, int64(last), last)
		l := mustLearner(t)
		learnVisits(t, l, 0, int(last))
		r := visit(0)
		r[4] = ""
		wantForecast(t, got.Forecasts[0], filetest.Must(l.Predict(r))(t))
		filetest.Want(t, got.Forecasts[500], got.Forecasts[0], "another forecast of the request")
	}
}

// TestFollowerRefuses: a request that would change the model is told where to send rows. Wrong requests and clients are refused as
// by a server that learns.
func TestFollowerRefuses(t *testing.T) {
	on := &shelf{}
	l := on.put(t, 300, 2)
	before := bits(t, l)
	s := follow(t, on.newer, Options{Limits: Limits{Queue: 1, MaxRecords: 2}})
	for path, body := range map[string]string{
		"/v1/learn": learnBody(1), "/v1/label": `{"labels":[{"id":"a","target":"no"}]}`, "/v1/predict": `{"record":{},"id":"a"}`,
	} {
		got := call(t, s, "POST", path, body, "Idempotency-Key", "k")
		got.is(t, 409, `"code":"read_only"`, "to that program", `"checkpoint":2`)
	}
	refused(t, s, 405, "this path takes POST", "GET", "/v1/learn", "")
	refused(t, s, 413, "more than 2 records", "POST", "/v1/predict", `{"records":[{},{},{}]}`)
	refused(t, s, 422, `did you mean \"price\"?`, "POST", "/v1/predict", `{"record":{"prize":1}}`)
	s.slots <- struct{}{}
	refused(t, s, 429, "busy", "POST", "/v1/predict", `{"record":{}}`)
	<-s.slots
	filetest.True(t, bytes.Equal(before, bits(t, l)), "a request has changed the model")
	on.put(t, 1, 1)
	got := call(t, follow(t, on.newer, Options{Token: "0123456789abcdef"}), "POST", "/v1/predict", `{"record":{}}`)
	got.is(t, 401)
	got.lacks(t, "checkpoint")
	on.put(t, 1, 1)
	f := filetest.Must(store.Follow(t.Context(), "shop", on.newer, func(string) {}))(t)
	filetest.WantError(t, filetest.Failure(Follow("shop", f, Options{Token: "abc"})), "the token has 3 characters")
}

// checkLines looks for lines in the metrics.
func checkLines(t *testing.T, s *Server, wanted ...string) {
	t.Helper()
	got := call(t, s, "GET", "/metrics", "")
	for _, want := range wanted {
		filetest.WantWords(t, got.body, "\ngophe_"+want+"\n")
	}
	got.lacks(t, "gophe_journal", "gophe_checkpoint_age", "gophe_queue")
}

// TestFollowerBehind: a server that can look for no checkpoint any more is not ready after a while, says why and forecasts.
func TestFollowerBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on, broken := &shelf{}, atomic.Bool{}
		on.put(t, 300, 2)
		s := follow(t, func(ctx context.Context) (store.Checkpoint, error) {
			if broken.Load() {
				return store.Checkpoint{}, errors.New("the disk is gone")
			}
			return on.newer(ctx)
		}, Options{})
		defer mustClose(t, s)
		time.Sleep(time.Minute) // of the bubble
		ok[map[string]string](t, s, "GET", "/readyz", "")
		broken.Store(true)
		time.Sleep(time.Second)
		ok[map[string]string](t, s, "GET", "/readyz", "")
		time.Sleep(5 * time.Second)
		refused(t, s, 503, "has not caught up", "GET", "/readyz", "")
		checkLines(t, s, "ready 0")
		checkModel(t, ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{}}`).Model, 300, 2)
		broken.Store(false)
		time.Sleep(time.Second)
		ok[map[string]string](t, s, "GET", "/readyz", "")
	})
}

// TestFollowerRuns: a server follows and answers on a port. It follows until it has drained, stops cleanly and leaves no file behind.
func TestFollowerRuns(t *testing.T) {
	folder := filetest.Folder(t)
	t.Chdir(folder)
	on, said := &shelf{}, &lines{}
	on.put(t, 300, 2)
	s := follow(t, on.newer, Options{Log: said.add, Page: true, Drain: 300 * time.Millisecond})
	address, stop := listen(t, s)
	want := func(status int, path, body string) {
		posted(t, http.DefaultClient, "http://"+address+path, body).is(t, status)
	}
	want(200, "/v1/predict", `{"record":{"customer":"c0"}}`)
	// The client gets the answer although it sends a large body.
	want(409, "/v1/learn", learnBody(1)+strings.Repeat(" ", 900_000))
	on.put(t, 303, 5)
	filetest.Check(t, stop())
	_, err := post(http.DefaultClient, "http://"+address+"/v1/predict", `{"record":{}}`, "")
	filetest.True(t, err != nil, "a stopped server answers")
	wanted := "serving shop on http://" + address + "; 300 rows learned\nstopped; checkpoint 5 of shop was the last one here"
	filetest.Want(t, said.String(), wanted, "the log says")
	filetest.WantFiles(t, folder)
}
