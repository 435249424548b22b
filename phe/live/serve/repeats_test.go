package serve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
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

func namedVisit(n int) schema.Record { return append(visit(n), fmt.Sprint("v", n)) }

// Requests about a named visit.
func namedJSON(n, without int) string {
	return fmt.Sprintf(`%s,"visit":"v%d"}`, strings.TrimSuffix(asJSON(visit(n), without), "}"), n)
}
func toLearnNamed(n int) string { return `{"record":` + namedJSON(n, 0) + `}` }
func toAskNamed(id string, n int) string {
	return fmt.Sprintf(`{"record":%s,"id":%q}`, namedJSON(n, 1), id)
}
func toLabelAs(id, target string) string {
	return fmt.Sprintf(`{"labels":[{"id":%q,"target":%q}]}`, id, target)
}

// learnLabelled lets a learner learn a visit, at once or by a label that comes later.
func learnLabelled(t *testing.T, l *stream.Learner, n int, late bool) {
	t.Helper()
	record := namedVisit(n)
	if !late {
		filetest.Check(t, l.Learn(record))
		return
	}
	record[4] = ""
	filetest.Must(l.Ask("a", record))(t)
	filetest.Check(t, l.Label("a", visit(n)[4]))
}

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
	send := func(learnedRows int, repeated, corrected int64, path, body string) {
		t.Helper()
		got := ok[learned](t, s, "POST", path, body)
		filetest.Want(t, got.Learned, learnedRows, "rows learned by %s", body)
		filetest.Want(t, got.Counts, repeats.Counts{Repeated: repeated, Corrected: corrected}, "what came again in %s", body)
	}
	send(1, 1, 0, "/v1/learn", `{"records":[`+namedJSON(0, 0)+`,`+namedJSON(0, 0)+`]}`)
	send(0, 0, 1, "/v1/learn", strings.Replace(toLearnNamed(0), "yes", "no", 1))
	other := map[string]string{"yes": "no", "no": "yes"}[visit(1)[4]]
	for _, id := range []string{"a", "b", "c"} {
		ok[forecasts](t, s, "POST", "/v1/predict", toAskNamed(id, 1))
	}
	send(1, 0, 0, "/v1/label", toLabelAs("a", visit(1)[4]))
	send(0, 1, 0, "/v1/label", toLabelAs("b", visit(1)[4]))
	send(0, 0, 1, "/v1/label", toLabelAs("c", other))
	send(0, 1, 0, "/v1/learn", toLearnNamed(1))
	call(t, s, "GET", "/metrics", "").is(t, 200, "\ngophe_repeated_total 3\n", "\ngophe_corrected_total 2\n", "\ngophe_model_rows 2\n")
	killed := copyModel(t, folder)
	mustClose(t, s)
	s = filetest.Must(Open(killed+"/model", newNamed, Options{}))(t)
	for n := 2; n < knownIDs; n++ {
		send(1, 0, 0, "/v1/learn", toLearnNamed(n))
	}
	send(0, 1, 0, "/v1/learn", toLearnNamed(0)) // the oldest
	send(1, 0, 0, "/v1/learn", toLearnNamed(knownIDs))
	send(1, 0, 0, "/v1/learn", toLearnNamed(0))
	mustClose(t, s)
	for n := range knownIDs + 1 {
		learnLabelled(t, want, n, n == 1)
	}
	learnLabelled(t, want, 0, false)
	wantSame(t, saved(t, killed), want, "the model after a kill")
}

// TestKillWithRepeats: a client without keys sends each visit until it is answered, and some again, to a server that is killed. Each visit
// is learned once, in the order of the client.
func TestKillWithRepeats(t *testing.T) {
	kills, sent, again := 2, 0, 0
	if filetest.Long() {
		kills = 30
	}
	folder, r, c := filetest.Folder(t), rand.New(rand.NewPCG(3, 4)), crowd{http: client(1)}
	deliver := func(path, body string) {
		for ; ; time.Sleep(time.Millisecond) {
			if at := c.url.Load(); at != nil {
				if got, err := post(c.http, *at+path, body, ""); err == nil && (got.status == 200 || got.status == 409) {
					return
				}
			}
		}
	}
	want, sent, again := filetest.Must(newNamed())(t), 0, 0
	chance := rand.New(rand.NewPCG(5, 6))
	c.group.Go(func() {
		for ; !c.stop.Load(); sent++ {
			if id := fmt.Sprint("o-", sent); sent%5 == 4 {
				deliver("/v1/predict", toAskNamed(id, sent))
				deliver("/v1/label", toLabelAs(id, visit(sent)[4]))
			} else {
				deliver("/v1/learn", toLearnNamed(sent))
			}
			if chance.IntN(3) == 0 {
				deliver("/v1/learn", toLearnNamed(sent-chance.IntN(min(sent+1, knownIDs))))
				again++
			}
		}
	})
	for range kills {
		server, _ := startChild(t, "serve with ids", folder, 0)
		c.outlive(t, server, time.Duration(30+r.IntN(300))*time.Millisecond)
	}
	server, _ := startChild(t, "serve with ids", folder, 0)
	c.url.Store(&server.url)
	c.stop.Store(true)
	c.group.Wait()
	server.stop(t)
	for n := range sent {
		learnLabelled(t, want, n, n%5 == 4)
	}
	wantSame(t, saved(t, folder), want, "the model of %d visits", sent)
	t.Logf("%d kills, %d visits, %d of them sent again", kills, sent, again)
	filetest.True(t, sent > 10*kills && again > kills, "only %d visits, and %d again", sent, again)
}
