package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/log"
	"gophe/phe/stream"
)

// followed is a model that the test learns.
type followed struct {
	mu      sync.Mutex
	learner *stream.Learner
	at      log.Following
	broken  error  // error of Read
	after   func() // called after each Read
	done    chan struct{}
	err     error
}

// newFollowed returns a model with two checkpoints of 150 visits each, behind by three rows.
func newFollowed(t testing.TB) *followed {
	t.Helper()
	f := &followed{learner: mustLearner(t), done: make(chan struct{}), at: log.Following{Learned: "visits", Behind: 5, Replays: true}}
	f.learn(t, 0, 150)
	f.learn(t, 150, 300)
	return f
}

// learn learns some visits, and takes them for a checkpoint.
func (f *followed) learn(t testing.TB, from, to int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	learnVisits(t, f.learner, from, to)
	f.at.Checkpoint++
	f.at.Behind--
	f.at.Rows, f.at.Age, f.at.CaughtUp = int64(to), 2500*time.Millisecond, f.at.Behind == 0
}

// stop ends the following.
func (f *followed) stop(err error) {
	f.mu.Lock()
	f.err = err
	f.mu.Unlock()
	close(f.done)
}

func (f *followed) Read(use func(*stream.Learner, log.Following)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return f.broken
	}
	use(f.learner, f.at)
	if f.after != nil {
		f.after()
	}
	return nil
}

func (f *followed) Position() log.Following {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

func (f *followed) Done() <-chan struct{} { return f.done }

func (f *followed) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func mustFollow(t testing.TB, f Followed, o Options) *Server {
	t.Helper()
	s := filetest.Must(Follow("shop", f, o))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// checkModel checks how an answer describes a model at a checkpoint.
func checkModel(t *testing.T, got model, rows int64, checkpoint uint64, behind int64) {
	t.Helper()
	age := 2.5
	filetest.Want(t, got, model{Rows: rows, Age: &age, Checkpoint: &checkpoint, Behind: &behind}, "the model")
}

// TestFollow: the model as it is now makes the forecasts, and each answer says how far it has come.
func TestFollow(t *testing.T) {
	f := newFollowed(t)
	s := mustFollow(t, f, Options{})
	checkFollowed(t, s, f, 300, 2, 3)
	f.learn(t, 300, 450)
	checkFollowed(t, s, f, 450, 3, 2)

	own := mustOpen(t, filetest.Folder(t), Options{})
	got := ok[learned](t, own, "POST", "/v1/learn", learnBody(1)).Model
	filetest.True(t, got.Checkpoint == nil && got.Behind == nil, "a server that learns has the position %+v", got)
}

// checkFollowed compares all that a server shows with the model.
func checkFollowed(t *testing.T, s *Server, f *followed, rows int64, checkpoint uint64, behind int64) {
	t.Helper()
	list := ok[forecasts](t, s, "POST", "/v1/predict",
		`{"records":[`+asJSON(visit(0), 1)+`,`+asJSON(visit(1), 1)+`,{"customer":"new","price":11}]}`)
	checkModel(t, list.Model, rows, checkpoint, behind)
	for i, r := range [][]string{visit(0), visit(1), {"new", "", "11", "", ""}} {
		r[4] = ""
		wantForecast(t, list.Forecasts[i], filetest.Must(f.learner.Predict(r))(t))
	}
	type shown struct {
		Model      model             `json:"model"`
		Inspection stream.Inspection `json:"inspection"`
		Report     stream.Report     `json:"report"`
	}
	for _, path := range []string{"/v1/inspect", "/v1/report", "/v1/schema", "/"} {
		got := ok[shown](t, s, "GET", path, "")
		checkModel(t, got.Model, rows, checkpoint, behind)
		if n := got.Inspection.Rows + got.Report.Rows; n != rows && n != 0 || n == 0 && strings.HasSuffix(path, "t") {
			t.Errorf("%s shows %d rows, want %d", path, n, rows)
		}
	}
}

// TestFollowBegins: a model without rows has a checkpoint and no age.
func TestFollowBegins(t *testing.T) {
	s := mustFollow(t, &followed{learner: mustLearner(t), at: log.Following{Replays: true}, done: make(chan struct{})}, Options{})
	got := ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"a"}}`)
	filetest.Want(t, got.Model, model{Checkpoint: new(uint64), Behind: new(int64)}, "the model")
}

// TestOneState: all forecasts of a request are of one state, and so is the description of the model. The model here learns after
// every Read.
func TestOneState(t *testing.T) {
	f := newFollowed(t)
	s := mustFollow(t, f, Options{})
	f.after = func() {
		learnVisits(t, f.learner, 0, 1)
		f.at.Checkpoint++
		f.at.Rows++
	}
	r := asJSON(visit(0), 1)
	var last forecast
	for i := range uint64(3) {
		got := ok[forecasts](t, s, "POST", "/v1/predict", `{"records":[`+r+`,`+r+`,`+r+`]}`)
		checkModel(t, got.Model, 300+int64(i), 2+i, 3)
		for _, f := range got.Forecasts {
			filetest.Want(t, f, got.Forecasts[0], "another forecast of the request")
		}
		filetest.True(t, got.Forecasts[0].Spread != last.Spread, "the forecast stays %+v while the model learns",
			last)
		last = got.Forecasts[0]
	}
}

// TestFollowerRefuses: a request that would change the model is told where to send rows. Wrong requests and clients are refused as
// by a server that learns.
func TestFollowerRefuses(t *testing.T) {
	f := newFollowed(t)
	before := bits(t, f.learner)
	s := mustFollow(t, f, Options{Queue: 1, MaxRecords: 2})
	for path, body := range map[string]string{
		"/v1/learn": learnBody(1), "/v1/label": `{"labels":[{"id":"a","target":"no"}]}`, "/v1/predict": `{"record":{},"id":"a"}`,
	} {
		got := call(t, s, "POST", path, body, "Idempotency-Key", "k")
		got.is(t, 409, `"code":"follower"`, "feeder of visits", `"checkpoint":2,"behind":3`)
	}
	refused(t, s, 405, "this path takes POST", "GET", "/v1/learn", "")
	refused(t, s, 413, "more than 2 records", "POST", "/v1/predict", `{"records":[{},{},{}]}`)
	refused(t, s, 422, `did you mean \"price\"?`, "POST", "/v1/predict", `{"record":{"prize":1}}`)
	s.slots <- struct{}{}
	refused(t, s, 429, "busy", "POST", "/v1/predict", `{"record":{}}`)
	<-s.slots
	filetest.True(t, bytes.Equal(before, bits(t, f.learner)), "a request has changed the model")
	s = mustFollow(t, f, Options{Token: "0123456789abcdef"})
	got := call(t, s, "POST", "/v1/predict", `{"record":{}}`)
	got.is(t, 401)
	got.lacks(t, "position")
	got = call(t, s, "GET", "/readyz", "")
	got.is(t, 503)
	got.lacks(t, "3")
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

// TestFollowedStops: the server is ready while it has caught up and follows. After that it says why it is not ready, and still
// forecasts.
func TestFollowedStops(t *testing.T) {
	f := newFollowed(t)
	logged := make(chan string, 10)
	s := mustFollow(t, f, Options{Log: func(line string) { logged <- line }})
	refused(t, s, 503, "has not caught up", "GET", "/readyz", "")
	checkLines(t, s, "checkpoint_generation 2", "log_rows_behind 3", "log_age_seconds 2.5", "log_followed 1", "ready 0", "model_rows 300",
		"rows_learned_total 0", "model_age_seconds 2.5", "under_way 0")
	for n := 300; n < 303; n++ {
		f.learn(t, n, n+1)
	}
	ok[map[string]string](t, s, "GET", "/readyz", "")
	checkLines(t, s, "checkpoint_generation 5", "log_rows_behind 0", "log_followed 1", "ready 1", "model_rows 303", "rows_learned_total 3")

	f.stop(errors.New("the log has lost its end"))
	select {
	case line := <-logged:
		filetest.True(t, strings.HasPrefix(line, "error: shop is followed no more"), "the log says %q", line)
		filetest.True(t, strings.HasSuffix(line, "the log has lost its end"), "the log says %q", line)
	case <-time.After(10 * time.Second):
		t.Error("the log says nothing")
	}
	refused(t, s, 503, "the server's log has it", "GET", "/readyz", "")
	ok[map[string]string](t, s, "GET", "/healthz", "")
	checkLines(t, s, "checkpoint_generation 5", "log_followed 0", "ready 0", "model_rows 303")
	checkFollowed(t, s, f, 303, 5, 0)
	f.learner = mustLearner(t) // another model
	checkLines(t, s, "model_rows 0", "rows_learned_total 3")
	f.learn(t, 0, 4)
	checkLines(t, s, "model_rows 4", "rows_learned_total 7")
	mustClose(t, s)
	refused(t, s, 503, "the server stops", "GET", "/readyz", "")
	if len(logged) > 0 {
		t.Errorf("the log also says %q", <-logged)
	}
}

// TestFollowerWanted: a stop by the owner is no error, and a stop without a reason is one.
func TestFollowerWanted(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{{errors.Wrap(context.Canceled, "the follower was stopped"), ""}, {nil, "it gives no reason"}} {
		f, log := newFollowed(t), &lines{}
		s := mustFollow(t, f, Options{})
		s.options.Log = log.add
		f.stop(c.err)
		s.watch()
		filetest.Want(t, log.String() == "", c.want == "", "%v: the log is silent", c.err)
		filetest.WantWords(t, log.String(), c.want)
		refused(t, s, 503, "the model is followed no more", "GET", "/readyz", "")
	}
}

// TestUnreadable: a model that cannot be read is a fault. The checkpoint and the health are still known.
func TestUnreadable(t *testing.T) {
	f := newFollowed(t)
	s := mustFollow(t, f, Options{})
	f.broken = errors.New("its tables are damaged")
	refused(t, s, 500, "its tables are damaged", "POST", "/v1/predict", `{"record":{}}`)
	for _, path := range []string{"/v1/inspect", "/v1/report", "/v1/schema"} {
		refused(t, s, 500, `"checkpoint":2`, "GET", path, "")
	}
	ok[map[string]string](t, s, "GET", "/healthz", "")
	checkLines(t, s, "checkpoint_generation 2", "under_way 0")
	call(t, s, "GET", "/metrics", "").lacks(t, "model_rows", "rows_learned")
	filetest.WantError(t, filetest.Failure(Follow("shop", f, Options{})), "reading the model shop: its tables are damaged;")
	filetest.WantError(t, filetest.Failure(Follow("shop", f, Options{Token: "abc"})), "the token has 3 characters")
}

// TestFollowerRuns: a server follows and answers on a port. It stops cleanly and leaves no file behind.
func TestFollowerRuns(t *testing.T) {
	folder := filetest.Folder(t)
	t.Chdir(folder)
	f, log := newFollowed(t), &lines{}
	s := mustFollow(t, f, Options{Log: log.add, Page: true})
	address, stop := listen(t, s)
	want := func(status int, path, body string) {
		posted(t, http.DefaultClient, "http://"+address+path, body).is(t, status)
	}
	want(200, "/v1/predict", `{"record":{}}`)
	var clients sync.WaitGroup
	for range 3 { // while the model learns
		clients.Go(func() {
			for range 20 {
				want(200, "/v1/predict", `{"record":{"customer":"c0"}}`)
			}
		})
	}
	for n := 300; n < 303; n++ {
		f.learn(t, n, n+1)
	}
	clients.Wait()
	// The client gets the answer although it sends a large body.
	want(409, "/v1/learn", learnBody(1)+strings.Repeat(" ", 900_000))
	filetest.Check(t, stop())
	_, err := post(http.DefaultClient, "http://"+address+"/v1/predict", `{"record":{}}`, "")
	filetest.True(t, err != nil, "a stopped server answers")
	wanted := "serving shop on http://" + address + "; 300 rows learned\nstopped; checkpoint 5 of shop was the last one here"
	filetest.Want(t, log.String(), wanted, "the log says")
	filetest.WantFiles(t, folder)
	select {
	case <-f.done:
		t.Error("the server has stopped the follower, which it does not own")
	default:
	}
}

// TestFollowedPage: the page shows the model, and at last that it is followed no more.
func TestFollowedPage(t *testing.T) {
	f, log := newFollowed(t), &lines{}
	s := mustFollow(t, f, Options{Page: true, Log: log.add})
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a page that says nothing must not hold the test up
	defer cancel()
	r := filetest.Must(http.NewRequestWithContext(ctx, http.MethodGet, web.URL+"/events", nil))(t)
	answer := filetest.Must(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	var seen bytes.Buffer
	await := func(text string) {
		for b := make([]byte, 4096); !strings.Contains(seen.String(), text); {
			n, err := answer.Body.Read(b)
			if seen.Write(b[:n]); err != nil {
				t.Fatalf("%v after %s", err, seen.String())
			}
		}
	}
	await(`"state":"serving"`)
	f.mu.Lock()
	f.broken = errors.New("its tables are damaged") // the page keeps the last moment
	f.mu.Unlock()
	f.stop(errors.New("the log has lost its end"))
	await(`"stopped"`)
	mustClose(t, s)
	filetest.Must(io.Copy(&seen, answer.Body))(t)
	last := seen.String()[strings.LastIndex(seen.String(), `"tip":`):]
	tip, _, _ := strings.Cut(last, `"now":`)
	filetest.WantWords(t, tip, `"rows":300`)
	filetest.WantWords(t, log.String(), "warning: the page cannot read shop: its tables are damaged")
}
