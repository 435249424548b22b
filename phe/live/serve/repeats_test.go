package serve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// knownIDs is the number of ids that learners of the shop with ids keep.
const knownIDs = 40

// newNamed returns a learner of the shop in which a column names the visit.
func newNamed() (*stream.Learner, error) {
	named := shop
	named.Columns = append(slices.Clone(shop.Columns), schema.Column{Name: "visit", Kind: schema.ID})
	return stream.New(named, stream.Options{Memory: 4 << 10, NoExactModel: true, IDs: knownIDs})
}

// namedJSON returns a visit with its name, as clients send it.
func namedJSON(n, without int) string {
	return fmt.Sprintf(`%s,"visit":"v%d"}`, strings.TrimSuffix(asJSON(visit(n), without), "}"), n)
}

func namedVisit(n int) schema.Record { return append(visit(n), fmt.Sprint("v", n)) }

func init() {
	roles["serve with ids"] = func(folder string) error {
		return serveChild(folder, newNamed, Options{Checkpoint: 40 * time.Millisecond}, nil)
	}
}

// TestRepeats: a server learns a row once that comes again, at once or with a label that comes later, also after a kill.
func TestRepeats(t *testing.T) {
	t.Parallel()
	folder, want := filetest.Folder(t), filetest.Must(newNamed())(t)
	s := filetest.Must(Open(folder+"/model", newNamed, Options{}))(t)
	learn := func(learnedRows, repeated, corrected int, records ...string) {
		t.Helper()
		got := ok[learned](t, s, "POST", "/v1/learn", `{"records":[`+strings.Join(records, ",")+`]}`)
		filetest.Want(t, [3]int{got.Learned, got.Repeated, got.Corrected}, [3]int{learnedRows, repeated, corrected}, "%q", records)
	}
	label := func(learnedRows, repeated, corrected int, id, target string) {
		t.Helper()
		got := ok[learned](t, s, "POST", "/v1/label", fmt.Sprintf(`{"labels":[{"id":%q,"target":%q}]}`, id, target))
		filetest.Want(t, [3]int{got.Learned, got.Repeated, got.Corrected}, [3]int{learnedRows, repeated, corrected}, "the answer to %s", id)
	}
	ask := func(id string) {
		t.Helper()
		ok[forecasts](t, s, "POST", "/v1/predict", fmt.Sprintf(`{"record":%s,"id":%q}`, namedJSON(2, 1), id))
	}
	learn(2, 2, 0, namedJSON(0, 0), namedJSON(1, 0), namedJSON(1, 0), namedJSON(0, 0))
	learn(0, 0, 1, strings.Replace(namedJSON(0, 0), "yes", "no", 1))
	ask("a")
	ask("b")
	label(1, 0, 0, "a", visit(2)[4])
	label(0, 1, 0, "b", visit(2)[4])
	ask("c")
	label(0, 0, 1, "c", map[string]string{"yes": "no", "no": "yes"}[visit(2)[4]])
	learn(0, 1, 0, namedJSON(2, 0))
	for n := range 2 {
		filetest.Check(t, want.Learn(namedVisit(n)))
	}
	asked := namedVisit(2)
	asked[4] = ""
	filetest.Must(want.Ask("a", asked))(t)
	filetest.Check(t, want.Label("a", visit(2)[4]))
	call(t, s, "GET", "/metrics", "").is(t, 200, "\ngophe_repeated_total 4\n", "\ngophe_corrected_total 2\n", "\ngophe_model_rows 3\n")
	killed := copyModel(t, folder)
	mustClose(t, s)
	wantSame(t, saved(t, folder), want, "the model")
	s = filetest.Must(Open(killed+"/model", newNamed, Options{}))(t)
	for n := 3; n < knownIDs; n++ {
		learn(1, 0, 0, namedJSON(n, 0))
		learn(0, 1, 0, namedJSON(n/2, 0))
		filetest.Check(t, want.Learn(namedVisit(n)))
	}
	learn(0, 1, 0, namedJSON(0, 0)) // the oldest
	learn(2, 0, 0, namedJSON(knownIDs, 0), namedJSON(0, 0))
	filetest.Check(t, want.Learn(namedVisit(knownIDs)))
	filetest.Check(t, want.Learn(namedVisit(0)))
	mustClose(t, s)
	wantSame(t, saved(t, killed), want, "the model after a kill")
}

// TestKillWithRepeats: a client without keys sends each visit until it is answered, and some again, to a server that is killed. Each visit
// is learned once, in the order of the client.
func TestKillWithRepeats(t *testing.T) {
	kills := 2
	if filetest.Long() {
		kills = 30
	}
	folder, r, http := filetest.Folder(t), rand.New(rand.NewPCG(3, 4)), client(1)
	var url atomic.Pointer[string]
	var stop atomic.Bool
	deliver := func(path, body string) {
		for ; ; time.Sleep(time.Millisecond) {
			if at := url.Load(); at != nil {
				if got, err := post(http, *at+path, body, ""); err == nil && (got.status == 200 || got.status == 409) {
					return
				}
			}
		}
	}
	want, sent, again, done := filetest.Must(newNamed())(t), 0, 0, make(chan bool)
	chance := rand.New(rand.NewPCG(5, 6))
	go func() {
		defer close(done)
		for ; !stop.Load(); sent++ {
			if id := fmt.Sprint("o-", sent); sent%5 == 4 {
				deliver("/v1/predict", fmt.Sprintf(`{"record":%s,"id":%q}`, namedJSON(sent, 1), id))
				deliver("/v1/label", fmt.Sprintf(`{"labels":[{"id":%q,"target":%q}]}`, id, visit(sent)[4]))
			} else {
				deliver("/v1/learn", `{"record":`+namedJSON(sent, 0)+`}`)
			}
			if chance.IntN(3) == 0 {
				deliver("/v1/learn", `{"record":`+namedJSON(sent-chance.IntN(min(sent+1, knownIDs)), 0)+`}`)
				again++
			}
		}
	}()
	for range kills {
		server, _ := startChild(t, "serve with ids", folder, 0)
		url.Store(&server.url)
		time.AfterFunc(time.Duration(30+r.IntN(300))*time.Millisecond, func() { _ = server.Process.Kill() })
		_ = server.Wait()
		url.Store(nil)
		filetest.Want(t, server.Errors.String(), "", "what the server says")
	}
	server, _ := startChild(t, "serve with ids", folder, 0)
	url.Store(&server.url)
	stop.Store(true)
	<-done
	server.stop(t)
	for n := range sent {
		record := namedVisit(n)
		if n%5 < 4 {
			filetest.Check(t, want.Learn(record))
			continue
		}
		target := record[4]
		record[4] = ""
		filetest.Must(want.Ask("a", record))(t)
		filetest.Check(t, want.Label("a", target))
	}
	wantSame(t, saved(t, folder), want, "the model of %d visits", sent)
	t.Logf("%d kills, %d visits, %d of them sent again", kills, sent, again)
	filetest.True(t, sent > 10*kills && again > kills, "only %d visits, and %d again", sent, again)
}
