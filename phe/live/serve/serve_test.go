package serve

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/text"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// TestAnswers follows a model from its first row: it learns, forecasts, is asked, and is told later. A learner of the same rows
// gives the expected answers.
func TestAnswers(t *testing.T) {
	folder := filetest.Folder(t)
	s, want := mustOpen(t, folder, Options{}), mustLearner(t)
	m := ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"c0"}}`)
	filetest.Want(t, m.Model, model{}, "the model before the first row")
	filetest.Want(t, m.Forecasts[0].Probabilities["yes"], 0.5, "the forecast before the first row")
	learnVisits(t, want, 0, 300)
	for n := 0; n < 300; n += 3 {
		got := ok[learned](t, s, "POST", "/v1/learn", learnBody(n, n+1, n+2))
		filetest.Want(t, got, learned{Learned: 3, Model: model{Rows: int64(n + 3), Age: new(float64)}}, "after row %d", n+3)
	}
	wantSame(t, s.own.learner, want, "the model of the requests")
	checkForecasts(t, s, want)
	checkLabels(t, s, want)
	checkShown(t, s)
	checkMetrics(t, s)
	kind := http.Header{"Content-Type": {"application/json"}}
	marked := ask(t, s, "POST", "/v1/predict/", []byte("\ufeff"+`{"record":{"customer":"c0"}}`), kind)
	filetest.Want(t, marked.Code, 200, "the answer to a body with a mark, and a path with a bar at its end")
	mustClose(t, s)
	wantSame(t, saved(t, folder), want, "the model that was saved")
}

// checkForecasts asks for the forecasts of two known visits and a new customer's after 300 visits.
func checkForecasts(t *testing.T, s *Server, want *stream.Learner) {
	t.Helper()
	known := asJSON(visit(0), 1) + "," + asJSON(visit(1), 1)
	list := ok[forecasts](t, s, "POST", "/v1/predict", `{"records":[`+known+`,{"customer":"new","price":11}]}`)
	for i, n := range []int{0, 1} {
		r := visit(n)
		r[4] = ""
		wantForecast(t, list.Forecasts[i], filetest.Must(want.Predict(r))(t))
		filetest.Want(t, list.Forecasts[i].Class, visit(n)[4], "the class of visit %d", n)
	}
	filetest.Want(t, *list.Forecasts[2].Novelty, 0, "the novelty of a new customer")
	filetest.Want(t, list.Model.Rows, 300, "the rows")
	filetest.True(t, *list.Model.Age >= 0 && *list.Model.Age < 60, "the age is %v", *list.Model.Age)
}

// checkLabels asks for the forecasts of two visits that wait for their labels, and brings one label.
func checkLabels(t *testing.T, s *Server, want *stream.Learner) {
	t.Helper()
	records := asJSON(visit(300), 1) + "," + asJSON(visit(301), 1)
	asked := ok[forecasts](t, s, "POST", "/v1/predict", `{"records":[`+records+`],"ids":["o-300","o-301"]}`)
	for i, n := range []int{300, 301} {
		r := visit(n)
		r[4] = ""
		wantForecast(t, asked.Forecasts[i], filetest.Must(want.Ask(fmt.Sprintf("o-%d", n), r))(t))
	}
	said := ok[learned](t, s, "POST", "/v1/label", `{"labels":[{"id":"o-301","target":"`+visit(301)[4]+`"},{"id":"nobody","target":"no"}]}`)
	filetest.Check(t, want.Label("o-301", visit(301)[4]))
	filetest.Want(t, [2]int64{int64(said.Learned), said.Model.Rows}, [2]int64{1, 301}, "labels learned, and all rows")
	filetest.Want(t, said.Unknown, []string{"nobody"}, "unknown ids")
	wantSame(t, s.own.learner, want, "the model after labels")
}

// checkShown checks the server's view of the model after TestAnswers's 301 rows.
func checkShown(t *testing.T, s *Server) {
	t.Helper()
	type shown struct {
		Model      model             `json:"model"`
		Inspection stream.Inspection `json:"inspection"`
		Report     score.Report      `json:"report"`
		Schema     schema.Schema     `json:"schema"`
	}
	inspect := ok[shown](t, s, "GET", "/v1/inspect", "").Inspection
	filetest.Want(t, []int64{inspect.Rows, int64(len(inspect.Columns))}, []int64{301, 4}, "rows and columns of the inspection")
	report := ok[shown](t, s, "GET", "/v1/report", "").Report
	filetest.Want(t, []int64{report.Rows, int64(report.Waiting)}, []int64{301, 1}, "rows of the report, learned and waiting")
	all := ok[shown](t, s, "GET", "/v1/schema", "")
	filetest.Want(t, []int64{all.Model.Rows, int64(len(all.Schema.Columns))}, []int64{301, 5}, "rows and columns of the schema")
	filetest.Want(t, len(ok[map[string]any](t, s, "GET", "/", "")["paths"].([]any)), len(s.routes), "paths of the index")
}

// checkMetrics looks for the numbers that TestAnswers must have led to.
func checkMetrics(t *testing.T, s *Server) {
	t.Helper()
	got := call(t, s, "GET", "/metrics", "")
	filetest.WantWords(t, got.body, `gophe_requests_total{path="/v1/learn",status="200"} 100`,
		`gophe_request_seconds_bucket{path="/v1/learn",le="+Inf"} 100`,
		`gophe_request_seconds_count{path="/v1/learn"} 100`, "\ngophe_model_rows 301\n",
		`gophe_new_total{column="customer",of="predict"} 2`, "\ngophe_waiting 1\n", "\ngophe_ready 1\n",
		"\ngophe_journal_records_total 102\n", "# TYPE gophe_request_seconds histogram")
	filetest.Want(t, got.header.Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8", "the type of the metrics")
	has, report := seriesOf(t, got.body), s.own.learner.Report()
	for name, want := range map[string]float64{`requests_total{path="/v1/predict",status="200"}`: 3,
		`requests_total{path="/v1/label",status="200"}`: 1, "dropped_total": 0, "queue": 0, "under_way": 0, "checkpoint_failed": 0,
		"checkpoint_record": float64(s.own.lastKept().Applied), "journal_bytes": float64(s.own.journal.Stats().Bytes), "load": report.Load,
		"journal_syncs_total": float64(s.own.journal.Stats().Syncs), "alarms_total": float64(report.Alarms), "changes_total": 0} {
		filetest.Want(t, has["gophe_"+name], want, "%s", name)
	}
	for _, age := range []string{"gophe_model_age_seconds", "gophe_checkpoint_age_seconds"} {
		filetest.True(t, has[age] >= 0 && has[age] < 60, "%s is %g", age, has[age])
	}
}

// seriesOf reads a page of metrics: the number of each series.
func seriesOf(t *testing.T, page string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, m := range regexp.MustCompile(`(?m)^([^#].*) (\S+)$`).FindAllStringSubmatch(page, -1) {
		all[m[1]] += filetest.Must(strconv.ParseFloat(m[2], 64))(t) // each comes once
	}
	return all
}

// TestTimes: a bucket counts all requests that took its time at most, the last one counts all, and the sum is in seconds.
func TestTimes(t *testing.T) {
	m, page := metrics{paths: map[string]*requests{}}, &bytes.Buffer{}
	for i, took := range []time.Duration{500, 600, 40_000, 11_000_000, 1_000_000} { // µs
		m.observe("/a", 200+i/4*204, took*time.Microsecond)
	}
	m.observe("/b", 200, time.Minute)
	m.write(page)
	has := seriesOf(t, page.String())
	for name, want := range map[string]float64{`bucket{path="/a",le="0.0005"`: 1, `bucket{path="/a",le="0.001"`: 2,
		`bucket{path="/a",le="0.025"`: 2, `bucket{path="/a",le="0.05"`: 3, `bucket{path="/a",le="1"`: 4, `bucket{path="/a",le="10"`: 4,
		`bucket{path="/a",le="+Inf"`: 5, `count{path="/a"`: 5, `sum{path="/a"`: 12.0411, `sum{path="/b"`: 60} {
		filetest.Near(t, has["gophe_request_seconds_"+name+"}"], want, 1e-9, "%s", name)
	}
	filetest.Want(t, []float64{has[`gophe_requests_total{path="/a",status="200"}`], has[`gophe_requests_total{path="/a",status="404"}`]},
		[]float64{4, 1}, "requests by status")
}

// TestRefused: every wrong request is refused with the reason, and changes nothing.
func TestRefused(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{MaxBody: 4000, MaxRecords: 3}})
	ok[learned](t, s, "POST", "/v1/learn", learnBody(1))
	ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"a"},"id":"waits"}`)
	before := bits(t, s.own.learner)
	for _, c := range []struct {
		status             int
		words              string
		path, body         string
		header, headerText string
	}{
		{400, "the body cannot be read: it is empty", "/v1/learn", ``, "", ""},
		{400, "malformed", "/v1/learn", `{"record":{"customer":"a"`, "", ""},
		{400, "malformed", "/v1/learn", `{"record":{"customer":}}`, "", ""},
		{400, `unknown field \"rows\"`, "/v1/learn", `{"rows":[]}`, "", ""},
		{400, "after top-level value at byte 88", "/v1/learn", learnBody(1) + `{}`, "", ""},
		{413, "more than 4000 bytes", "/v1/learn", learnBody(1) + strings.Repeat(" ", 4000), "", ""},
		{413, "more than 3 records", "/v1/learn", learnBody(1, 2, 3, 4), "", ""},
		{413, "too many labels", "/v1/label",
			`{"labels":[` + strings.Repeat(`{"id":"a","target":"no"},`, 3) + `{"id":"d","target":"no"}]}`, "", ""},
		{415, "send JSON with the header", "/v1/learn", learnBody(1), "Content-Type", "text/plain"},
		{415, "send JSON with the header", "/v1/learn", learnBody(1), "Content-Type", ""},
		{415, `compressed by \"gzip\"`, "/v1/learn", learnBody(1), "Content-Encoding", "gzip"},
		{422, "no records", "/v1/learn", `{}`, "", ""},
		{422, "no labels", "/v1/label", `{}`, "", ""},
		{422, `\"record\" and \"records\"`, "/v1/learn", `{"record":{},"records":[{}]}`, "", ""},
		{422, `record 2: \"custmer\" is no column of this model; did you mean \"customer\"?; the record lacks [\"customer\" \"product\"`,
			"/v1/predict", `{"records":[{},{"custmer":"a"}]}`, "", ""},
		{422, `did you mean \"price\"?; \"memver\" is no column`, "/v1/predict", `{"record":{"prize":"a","memver":1}}`, "", ""},
		{422, `\"buyz\" is no column of this model; did you mean \"buys\"?; the record lacks [\"buys\"]`, "/v1/learn",
			`{"record":{"customer":"a","product":"","price":null,"member":1,"buyz":"no"}}`, "", ""},
		{422, `record 2: \"x\" is no column`, "/v1/learn", `{"records":[` + asJSON(visit(1), 0) + `,{"x":1,"buys":"no"}]}`, "", ""},
		{422, `\"customer\" comes twice in /record;`, "/v1/predict", `{"record":{"customer":"a","customer":"b\n"}}`, "", ""},
		{422, `\"customer.name\" is no column`, "/v1/predict", `{"record":{"customer":{"name":"a"}}}`, "", ""},
		{422, "it is [1]; write it as", "/v1/predict", `{"record":[1]}`, "", ""},
		{422, `gives \"records\" twice`, "/v1/learn",
			`{"records":[` + asJSON(visit(1), 0) + `],"records":[` + asJSON(visit(2), 0) + `]}`, "", ""},
		{422, `gives \"Record\" twice`, "/v1/learn", `{"record":` + asJSON(visit(1), 0) + `,"Record":` + asJSON(visit(2), 0) + `}`, "", ""},
		{422, `gives \"labels\" twice`, "/v1/label", `{"labels":[{"id":"waits","target":"no"}],"labels":[{"id":"b","target":"no"}]}`, "",
			""},
		{422, `\"id\" comes twice in /labels/0`, "/v1/label", `{"labels":[{"id":"waits","target":"no","id":"b"}]}`, "", ""},
		{400, "read: /records takes no number;", "/v1/learn", `{"records":5}`, "", ""},
		{400, "read: /labels/0 takes no string;", "/v1/label", `{"labels":["waits"]}`, "", ""},
		{400, "read: the whole takes no list;", "/v1/learn", `[1]`, "", ""},
		{400, "read: /records takes no object;", "/v1/learn", `{"records":{"a":1}}`, "", ""},
		{422, `twice in /record/` + strings.Repeat("x", 52) + ";", "/v1/learn",
			`{"record":{"` + strings.Repeat("x", 100) + `":{"a":1,"a":2}}}`, "", ""},
		{422, "record 2: it is null", "/v1/predict", `{"records":[{},null]}`, "", ""},
		{422, `the column \"buys\", which is the target, has no value`, "/v1/learn", `{"record":{"customer":"a"}}`, "", ""},
		{422, `record 2: the column \"buys\" holds \"perhaps\": it is none of the classes`, "/v1/learn",
			`{"records":[` + asJSON(visit(1), 0) + `,{"buys":"perhaps"}]}`, "", ""},
		{422, "records to learn have no ids", "/v1/learn", `{"record":` + asJSON(visit(1), 0) + `,"id":"a"}`, "", ""},
		{422, `\"maybe\" is no class of \"buys\"; choose one of no, yes`, "/v1/explain", `{"record":{},"class":"maybe"}`, "", ""},
		{422, "1 ids for 2 records", "/v1/predict", `{"records":[{},{}],"ids":["a"]}`, "", ""},
		{422, `give \"ids\"`, "/v1/predict", `{"records":[{},{}],"id":"a"}`, "", ""},
		{422, `\"a\" comes twice`, "/v1/predict", `{"records":[{},{}],"ids":["a","a"]}`, "", ""},
		{422, "an id has 0 bytes", "/v1/predict", `{"records":[{}],"ids":[""]}`, "", ""},
		{422, "an id has 0 bytes", "/v1/predict", `{"record":{},"id":""}`, "", ""},
		{422, "an id has 501 bytes", "/v1/label", `{"labels":[{"id":"` + strings.Repeat("a", 501) + `","target":"no"}]}`, "", ""},
		{422, `\"perhaps\": it is none of the classes`, "/v1/label", `{"labels":[{"id":"waits","target":"perhaps"}]}`, "", ""},
		{422, "has no target", "/v1/label", `{"labels":[{"id":"waits"}]}`, "", ""},
		{422, `the target of the id \"waits\" is an object`, "/v1/label", `{"labels":[{"id":"waits","target":{"a":1}}]}`, "", ""},
		{422, `holds \"no|1\": it is none of`, "/v1/label", `{"labels":[{"id":"waits","target":["no",1]}]}`, "", ""},
		{422, "Idempotency-Key has 0 bytes; give 1 to 200, or leave the header out", "/v1/learn", learnBody(1), "Idempotency-Key", ""},
		{422, "Idempotency-Key has 201 bytes", "/v1/learn", learnBody(1), "Idempotency-Key", strings.Repeat("k", 201)},
		{409, `under the id \"waits\" already`, "/v1/predict", `{"records":[{},{}],"ids":["new","waits"]}`, "", ""},
	} {
		var headers []string
		if c.header != "" {
			headers = []string{c.header, c.headerText}
		}
		refused(t, s, c.status, c.words, "POST", c.path, c.body, headers...)
	}
	refused(t, s, 405, "this path takes POST", "GET", "/v1/learn", "")
	refused(t, s, 405, "this path takes GET", "POST", "/healthz", "{}")
	filetest.Want(t, call(t, s, "GET", "/v1/learn", "").header.Get("Allow"), "POST", "the methods that the path takes")
	refused(t, s, 404, "there is no path", "GET", "/v2/learn", "")
	// The request does not state its length.
	r := httptest.NewRequest("POST", "http://localhost/v1/learn", struct{ *strings.Reader }{strings.NewReader(strings.Repeat(" ", 5000))})
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	send(t, s, r).is(t, 413)
	filetest.True(t, bytes.Equal(before, bits(t, s.own.learner)), "a request that was refused has changed the model")
}

// TestWeight: a record without its weight cannot be learned, so it cannot wait for a label either.
func TestWeight(t *testing.T) {
	weighted := shop
	weighted.Columns = append([]schema.Column{{Name: "times", Kind: schema.Weight}}, shop.Columns...)
	s := mustBegin(t, weighted, Options{})
	ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"a"}}`)
	refused(t, s, 422, `\"times\" holds \"\": a weight is a number from 0 to a million`, "POST", "/v1/predict",
		`{"record":{"customer":"a"},"id":"x"}`)
	ok[forecasts](t, s, "POST", "/v1/predict", `{"records":[{"customer":"a","times":2},{"customer":"a","times":0}],"ids":["x","0"]}`)
	got := ok[learned](t, s, "POST", "/v1/label", `{"labels":[{"id":"x","target":"yes"},{"id":"0","target":"yes"}]}`)
	if got.Learned != 1 || got.Model.Rows != 1 || s.own.learner.Rows() != 1 { // a row of weight 0 is only forecast
		t.Errorf("%+v", got)
	}
	refused(t, s, 422, "or the record's weight is 0", "POST", "/v1/learn", `{"record":{"customer":"a","times":0,"buys":"no"}}`)
}

// TestClients: a server with a token wants it, and one without answers to localhost only.
func TestClients(t *testing.T) {
	const token = "0123456789abcdef"
	s := mustOpen(t, filetest.Folder(t), Options{Token: token})
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer 0123456789abcdeg", "Bearer " + token + " ", "Basic " + token, token} {
		got := call(t, s, "POST", "/v1/learn", learnBody(1), "Authorization", header)
		got.is(t, 401)
		got.lacks(t, token, "rows")
	}
	for _, path := range []string{"/v1/inspect", "/metrics", "/openapi.json", "/", "/nowhere"} {
		refused(t, s, 401, "unauthorised", "GET", path, "")
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		ok[map[string]string](t, s, "GET", path, "")
	}
	ok[learned](t, s, "POST", "/v1/learn", learnBody(1), "Authorization", "Bearer "+token)
	for _, path := range []string{"/healthz", "/readyz"} { // nothing of the model for strangers, whatever they send
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
			call(t, s, method, path, "").lacks(t, "model")
		}
	}
	refused(t, s, 404, "no path", "GET", "/nowhere", "", "Authorization", "Bearer "+token)

	s = mustOpen(t, filetest.Folder(t), Options{})
	for host, status := range map[string]int{"localhost": 200, "localhost:8417": 200, "127.0.0.1": 200, "[::1]:8417": 200, "::1": 200,
		"evil.example": 421, "evil.example:8417": 421, "127.0.0.1.evil.example": 421, "192.168.0.1:8417": 421, "": 421} {
		r := httptest.NewRequest("GET", "/v1/report", nil)
		r.Host = host
		send(t, s, r).is(t, status)
	}
	s.options.AnyHost = true
	r := httptest.NewRequest("GET", "http://model.example/v1/report", nil)
	send(t, s, r).is(t, 200)
}

// TestPage: a page takes the place of the index, and the paths beneath it.
func TestPage(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Page: true, Token: "0123456789abcdef"})
	for path, want := range map[string]string{"/": "<!doctype html>", "/uPlot.iife.min.js": "uPlot", "/v1/report": "{",
		"/nowhere": "there is no path"} {
		found := map[bool]int{true: 404, false: 200}[path == "/nowhere"]
		get := func(status int, authorization string) response {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Authorization", authorization)
			got := answerOf(s, r)
			got.is(t, status)
			return got
		}
		basic := func(password string) string { // as a browser sends it
			return "Basic " + base64.StdEncoding.EncodeToString([]byte("anybody:"+password))
		}
		filetest.Want(t, len(get(401, "").header.Values("WWW-Authenticate")), 2, "%s: ways to say who asks", path)
		for _, right := range []string{"Bearer 0123456789abcdef", "bearer 0123456789abcdef", basic("0123456789abcdef")} {
			filetest.WantWords(t, strings.ToLower(get(found, right).body), strings.ToLower(want))
		}
		get(401, basic("0123456789abcdee"))
	}
}

// TestPageOutlivesLimits: a viewer gets events for longer than a request may take, and the server stops all the same.
func TestPageOutlivesLimits(t *testing.T) {
	const limit = 300 * time.Millisecond
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{ReadTimeout: limit, Timeout: limit}, Page: true})
	address, stop := listen(t, s)
	answer := filetest.Must(http.Get("http://" + address + "/events"))(t)
	defer answer.Body.Close()
	began, lines := time.Now(), bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	stopped := make(chan error, 1)
	time.AfterFunc(1500*time.Millisecond, func() { stopped <- stop() })
	last := ""
	for lines.Scan() {
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	took := time.Since(began)
	filetest.True(t, took >= 1400*time.Millisecond, "the events ended after %v", took)
	filetest.True(t, strings.Contains(last, "stopped"), "the last event is %.200s", last)
	filetest.Check(t, <-stopped)
}

// TestRetry: a request with a key counts once, and each retry gets the same answer, also after a restart.
func TestRetry(t *testing.T) {
	folder := filetest.Folder(t)
	s := mustOpen(t, folder, Options{})
	noted := func(body, name string) string { return strings.Replace(body, `{"buys"`, `{"`+name+`":[],"buys"`, 1) }
	requests := [][2]string{
		{"/v1/learn", noted(learnBody(1, 2), "note")},
		{"/v1/predict", noted(`{"records":[`+asJSON(visit(5), 0)+`],"ids":["o-5"]}`, "remark")},
		{"/v1/predict", `{"records":[` + asJSON(visit(5), 1) + `],"ids":["o-5"]}`}, // under another key it is refused, each time
		{"/v1/label", `{"labels":[{"id":"o-5","target":"no"}]}`},
	}
	var first []response
	for i, q := range requests {
		got := call(t, s, "POST", q[0], q[1], "Idempotency-Key", fmt.Sprint("key ", i))
		filetest.Want(t, got.header.Get("Idempotency-Replayed"), "", "request %d is answered again", i)
		got.is(t, []int{200, 200, 409, 200}[i],
			[]string{`"learned":2,"ignored":["note"]`, `"ignored":["remark"]`, "already", `"learned":1`}[i])
		first = append(first, got)
	}
	again := func(s *Server, when string) {
		t.Helper()
		for i, q := range requests {
			got := call(t, s, "POST", q[0], q[1], "Idempotency-Key", fmt.Sprint("key ", i))
			got.is(t, first[i].status)
			filetest.Want(t, got.body, first[i].body, "%s, the answer to request %d", when, i)
			filetest.Want(t, got.header.Get("Idempotency-Replayed"), "true", "%s, request %d is answered again", when, i)
		}
		filetest.Want(t, s.own.learner.Rows(), 3, "%s: rows", when)
		refused(t, s, 422, "another request had the key", "POST", "/v1/learn", learnBody(7), "Idempotency-Key", "key 0")
		refused(t, s, 422, "another request had the key", "POST", "/v1/learn", noted(learnBody(1, 2), "notes"), "Idempotency-Key", "key 0")
	}
	again(s, "at once")
	again(mustOpen(t, copyModel(t, folder), Options{}), "after a kill")
	mustClose(t, s)
	s = mustOpen(t, folder, Options{})
	again(s, "after a stop")
	mustClose(t, s)
	again(mustOpen(t, folder, Options{Keys: 4}), "with room for four keys")
}

// TestForgottenKeys: the oldest answers make room, by number and by bytes.
func TestForgottenKeys(t *testing.T) {
	for _, room := range [][2]int{{3, 1000}, {100, 60}} {
		k := newKeys(room[0], int64(room[1]))
		for i := range 10 {
			k.add(kept{Key: text.String(fmt.Sprint(i)), Sum: "sum", Status: 200, Body: []byte("an answer here..")}) // 20 bytes
		}
		filetest.Want(t, []int64{int64(len(k.list)), int64(len(k.byKey)), k.bytes}, []int64{3, 3, 60}, "answers, keys and bytes")
		filetest.True(t, k.find("6") == nil && k.find("7") != nil && k.find("") == nil, "other answers than the last three are kept")
		k.add(kept{Key: "large", Body: make([]byte, 1000)})
		filetest.True(t, k.find("large") != nil, "the newest answer is forgotten")
	}
}

// TestBusy: a server with too much to do refuses a request at once and does no part of it.
func TestBusy(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{Queue: 2}})
	for range 2 {
		s.slots <- struct{}{}
	}
	asked, taught := [3]string{"POST", "/v1/predict", `{"record":{}}`}, [3]string{"POST", "/v1/learn", learnBody(1)}
	for _, q := range [][3]string{asked, taught, {"GET", "/v1/inspect", ""}} {
		got := call(t, s, q[0], q[1], q[2])
		got.is(t, 429)
		filetest.Want(t, got.header.Get("Retry-After"), "1", "%s: the delay", q[1])
	}
	ok[map[string]string](t, s, "GET", "/healthz", "")
	<-s.slots
	ok[learned](t, s, "POST", "/v1/learn", learnBody(1))
	<-s.slots
	filetest.Want(t, s.own.journal.Stats().Last, 1, "requests in the journal")
}

// TestLate: a request that takes too long is answered, and counts once when it is sent again. The queue is bounded meanwhile.
func TestLate(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{Limits: Limits{Queue: 3, Timeout: 20 * time.Millisecond}})
	held, release := make(chan struct{}), make(chan struct{})
	holdUp := sync.OnceFunc(func() { close(held); <-release })
	go func() {
		_ = s.own.learner.Write(writerFunc(func(b []byte) (int, error) { holdUp(); return len(b), nil }))
	}()
	<-held
	statuses := map[int]int{}
	for i := range 6 {
		if i == 1 {
			await(t, "the first request is being learned", func() bool { return len(s.own.queue) == 0 })
		}
		got := call(t, s, "POST", "/v1/learn", learnBody(i), "Idempotency-Key", fmt.Sprint(i))
		statuses[got.status]++
		filetest.True(t, got.header.Get("Retry-After") != "", "%d %s", got.status, got.body)
	}
	if statuses[503] != 4 || statuses[429] != 2 { // one is being learned, three are in the queue
		t.Errorf("%v", statuses)
	}
	// A retry waits for the first request, and needs no place in the queue.
	call(t, s, "POST", "/v1/learn", learnBody(0), "Idempotency-Key", "0").is(t, 503)
	refused(t, s, 422, "another request had the key", "POST", "/v1/learn", learnBody(1), "Idempotency-Key", "0")
	close(release)
	await(t, "four rows", func() bool { return s.own.rows.Load() == 4 })
	s.options.Timeout = 10 * time.Second
	for i := range 6 {
		ok[learned](t, s, "POST", "/v1/learn", learnBody(i), "Idempotency-Key", fmt.Sprint(i))
	}
	filetest.Want(t, s.own.learner.Rows(), 6, "rows")
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestOptions: wrong options are refused.
func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"a body may have":       {Limits: Limits{MaxBody: 1 << 30}},
		"all bodies may take":   {Limits: Limits{BodyMemory: 1 << 20}},
		"a request may have":    {Limits: Limits{MaxRecords: -1}},
		"none may be negative":  {Limits: Limits{Queue: -1}},
		"the timeouts are":      {Limits: Limits{Timeout: -1}},
		"the token has 3 chara": {Token: "abc"},
	} {
		wantOpenError(t, filetest.Folder(t), newLearner, o, want)
	}
	folder := filetest.Folder(t)
	wantOpenError(t, folder, nil, Options{}, "there is no model")
	filetest.WantFiles(t, folder) // an error leaves nothing
}

// FuzzDecode: no body makes the server fail, and every accepted record has the schema's columns.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{learnBody(1), `{"record":{"customer":null,"price":1e99},"id":"a"}`, `{"records":[{}]}`, `{"record":[]}`,
		`{"record":{"customer":"a","customer":1}}`, `null`, `{"record":{"a":`} {
		f.Add(body)
	}
	learner := mustLearner(f)
	l := newLayout(shop, Options{}.withDefaults().MaxRecords)
	f.Fuzz(func(t *testing.T, body string) {
		op, p := l.list([]byte(body), len(body)%2 == 0)
		if p != nil {
			filetest.True(t, p.Status >= 400 && p.Status < 500 && p.Code != "" && p.Message != "", "%+v", p)
			return
		}
		filetest.True(t, len(op.IDs) == 0 || len(op.IDs) == len(op.Ask), "%d ids for %d records", len(op.IDs), len(op.Ask))
		for _, r := range op.Ask {
			filetest.Must(learner.Predict(r))(t)
			var back schema.Record
			filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(r))(t), &back))
			filetest.Want(t, len(back), len(r), "fields of %q", r)
		}
	})
}

// TestReasonsLetLearn: after a reason of a model that learns there is a pause of nine times its time, in which no client gets a reason.
func TestReasonsLetLearn(t *testing.T) {
	l, pace, quickest := mustLearner(t), &reasons{}, time.Hour
	next := func() {
		_, _, err := pace.next(l, visit(0), -1, &quickest)
		filetest.Check(t, err)
	}
	for n := range 3 {
		filetest.Check(t, l.Learn(visit(n)))
		pause, began := pace.pause, time.Now()
		next()
		filetest.True(t, !time.Now().Before(pause), "a reason in the pause")
		filetest.True(t, !pace.pause.Before(began.Add(9*quickest)), "a reason of %v, and a pause until %v after it began", quickest,
			pace.pause.Sub(began))
	}
	pause := pace.pause
	next()
	filetest.Want(t, pace.pause, pause, "end of the pause, if nothing was learned since the last reason")
}
