package serve

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/journal"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
)

// TestBytes: a body whose strings JSON cannot hold byte for byte is refused, since two items would become one.
func TestBytes(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, filetest.Folder(t), Options{})
	body := func(customer string) string { return `{"record":{"customer":"` + customer + `","buys":"no"}}` }
	at := strings.Index(body(""), `","buys`) + 1
	for customer, want := range map[string]string{
		"\xe9":          fmt.Sprintf("not UTF-8 at byte %d;", at),
		"é\xff":         fmt.Sprintf("not UTF-8 at byte %d;", at+2),
		`\ud800`:        fmt.Sprintf(`half a letter, \\ud800, at byte %d;`, at),
		`\\\udc00`:      fmt.Sprintf(`half a letter, \\udc00, at byte %d;`, at+2),
		`\ud800\u0041`:  `half a letter, \\ud800`,
		`\ud83d\ud83d.`: `half a letter, \\ud83d`,
	} {
		refused(t, s, 422, want, "POST", "/v1/learn", body(customer))
		refused(t, s, 422, want, "POST", "/v1/predict", strings.Replace(body(customer), "no", "", 1))
	}
	refused(t, s, 422, "not UTF-8", "POST", "/v1/label", "{\"labels\":[{\"id\":\"\xe9\",\"target\":\"no\"}]}")
	refused(t, s, 400, "malformed", "POST", "/v1/learn", body(`\ud83`))
	refused(t, s, 400, "malformed", "POST", "/v1/learn", `\`)
	filetest.Want(t, ok[learned](t, s, "GET", "/v1/schema", "").Model.Rows, 0, "rows of bodies that were refused")
	for _, customer := range []string{"😀", `\ud83d\ude00`, `\\ud800`, "\ufffd", `\ufffd`} {
		ok[learned](t, s, "POST", "/v1/learn", body(customer))
	}
	for customer, seen := range map[string]int64{"😀": 2, `\\ud800`: 1, "\ufffd": 2} {
		f := ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{"customer":"`+customer+`"}}`)
		filetest.Want(t, *f.Forecasts[0].Novelty, seen, "%s was learned", customer)
	}
}

// TestLetters: a server warns of a model that no request can name in full.
func TestLetters(t *testing.T) {
	t.Parallel()
	latin := shop
	latin.Target.Classes = []string{"no", "oui \xe9"}
	var log lines
	mustBegin(t, latin, Options{Log: log.add})
	filetest.WantWords(t, log.String(), `warning: "oui \xe9"`, "convert the file to UTF-8")
}

// TestOtherOptions: a restart with room for more or fewer keys learns the journal as the server did that wrote it.
func TestOtherOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after Options
		rows          int64
	}{
		{Options{Keys: 1}, Options{}, 3}, // the second a counts, since the server had forgotten the first
		{Options{}, Options{Keys: 1}, 2}, // the second a is a retry
	} {
		folder := filetest.Folder(t)
		learn := func(s *Server, key string) response {
			t.Helper()
			return call(t, s, "POST", "/v1/learn", learnBody(int(key[0])), "Idempotency-Key", key)
		}
		s := mustOpen(t, folder, c.before)
		learn(s, "a")
		learn(s, "b")
		last := learn(s, "a")
		want := mustLearner(t)
		for _, v := range "aba"[:c.rows] {
			filetest.Check(t, want.Learn(visit(int(v))))
		}
		folder = copyModel(t, folder)
		s = mustOpen(t, folder, c.after)
		rows := ok[learned](t, s, "GET", "/v1/schema", "").Model.Rows
		filetest.Want(t, rows, c.rows, "%+v, then %+v: rows after a kill", c.before, c.after)
		if c.rows == 3 { // the newest answer of a is known, also after the older one made room
			mustClose(t, s)
			s = mustOpen(t, folder, Options{Keys: 2})
			got := learn(s, "a")
			filetest.Want(t, got.body, last.body, "the answer to the retry of a")
			filetest.Want(t, got.header.Get("Idempotency-Replayed"), "true", "the retry of a is answered again")
		}
		mustClose(t, s)
		wantSame(t, saved(t, folder), want, "%+v, then %+v: the model", c.before, c.after)
	}
}

// TestFaultInJournal replays a journal with a request that failed by a fault. It changed nothing, and may be sent again. The age is the age
// of the newest row, although its request came into the journal first.
func TestFaultInJournal(t *testing.T) {
	t.Parallel()
	folder := filetest.Folder(t)
	mustClose(t, mustOpen(t, folder, Options{}))
	loaded := filetest.Must(checkpoint.Peek(filepath.Join(folder, "model")))(t)
	_, state, err := driver.Load(loaded)
	filetest.Check(t, err)
	var owner struct {
		Journal string `json:"journal"`
	}
	filetest.Check(t, json.Unmarshal(state.Served, &owner))
	j := filetest.Must(journal.Open(filepath.Join(folder, "model.journal"), journal.Options{Identity: owner.Journal}))(t)
	times := strings.NewReplacer("NEWEST", fmt.Sprint(now()-100_000), "EARLIER", fmt.Sprint(now()-10_000_000))
	for _, record := range []string{
		`{"at":NEWEST,"key":"a","sum":"1","learn":[["c1","p1","10","true","yes"]]}`,
		`{"at":EARLIER,"learn":[["c2","p1","10","true","no"]]}`,
		`{"at":EARLIER,"key":"b","sum":"1","learn":[["c4","p1","10","true","yes"],["c5"]]}`, // a fault
	} {
		filetest.Must(j.Write([]byte(times.Replace(record))))(t)
	}
	filetest.Check(t, j.Close())
	s := mustOpen(t, folder, Options{})
	m := ok[learned](t, s, "GET", "/v1/schema", "").Model
	filetest.Want(t, m.Rows, 2, "rows")
	filetest.True(t, *m.Age >= 100 && *m.Age <= 5000, "the newest row is %g seconds old", *m.Age)
	const body = `{"record":{"customer":"c4","product":"p1","price":10,"member":true,"buys":"yes"}}`
	refused(t, s, 422, "another request had the key", "POST", "/v1/learn", body, "Idempotency-Key", "a")
	ok[learned](t, s, "POST", "/v1/learn", body, "Idempotency-Key", "b")
	mustClose(t, s)
	want := mustLearner(t)
	for _, r := range []string{"c1 yes", "c2 no", "c4 yes"} {
		customer, buys, _ := strings.Cut(r, " ")
		filetest.Check(t, want.Learn([]string{customer, "p1", "10", "true", buys}))
	}
	wantSame(t, saved(t, folder), want, "the model of the journal")
}
