package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/stream"
	"gophe/phe/stream/score"
)

// asking is a request that changes the model, with its answer.
type asking struct {
	path   string
	visits []int // that the request learns, asks about or labels
	body   string
	key    string

	answer response
	got    content
	lost   bool // later requests made the server forget the answer, perhaps
}

// content holds what any answer says.
type content struct {
	learned
	Forecasts []forecast `json:"forecasts"`
}

// toLearn makes a request to learn visits.
func toLearn(key string, visits ...int) *asking {
	return &asking{path: "/v1/learn", visits: visits, body: learnBody(visits...), key: key}
}

// toAsk makes a request for the forecast of a visit, which then waits for its label.
func toAsk(key string, v int) *asking {
	return &asking{path: "/v1/predict", visits: []int{v}, body: fmt.Sprintf(`{"record":%s,"id":"o-%d"}`, asJSON(visit(v), 1), v), key: key}
}

// toLabel makes a request that brings the label of a visit.
func toLabel(key string, v int) *asking {
	return &asking{path: "/v1/label", visits: []int{v}, body: fmt.Sprintf(`{"labels":[{"id":"o-%d","target":%q}]}`, v, visit(v)[4]),
		key: key}
}

// take notes the answer.
func (q *asking) take(t testing.TB, answer response) {
	t.Helper()
	q.got, q.answer = content{}, answer
	if err := json.Unmarshal([]byte(answer.body), &q.got); err != nil {
		t.Errorf("%+v: %v", answer, err)
	}
}

// compare orders requests by their answers. A question comes after the rows that its answer knows.
func (q *asking) compare(p *asking) int {
	return cmp.Or(cmp.Compare(q.got.Model.Rows, p.got.Model.Rows), cmp.Compare(p.got.Learned, q.got.Learned))
}

// enter lets a learner follow the request, and checks the answer.
func (q *asking) enter(t testing.TB, want *stream.Learner) {
	t.Helper()
	status, count := http.StatusOK, 0
	var unknown []string
	for i, v := range q.visits {
		r, id := visit(v), fmt.Sprint("o-", v)
		switch {
		case q.path == "/v1/learn":
			filetest.Check(t, want.Learn(r))
			count++
		case q.path == "/v1/predict" && want.Waits(id):
			status = http.StatusConflict
		case q.path == "/v1/predict":
			r[4] = ""
			f := filetest.Must(want.Ask(id, r))(t)
			if len(q.got.Forecasts) != len(q.visits) || q.got.Forecasts[i].Probabilities["yes"] != f.Probability {
				t.Errorf("the forecast of visit %d is %s, want %g", v, q.answer.body, f.Probability)
			}
		case want.Waits(id):
			filetest.Check(t, want.Label(id, r[4]))
			count++
		default:
			unknown = append(unknown, id)
		}
	}
	if q.answer.status != status || q.got.Learned != count || !slices.Equal(q.got.Unknown, unknown) || q.got.Model.Rows != want.Rows() {
		t.Fatalf("%s of visits %v: %d %s; want status %d, %d learned of %d rows, unknown %q", q.path, q.visits, q.answer.status,
			q.answer.body, status, count, want.Rows(), unknown)
	}
}

// book is an exact ledger of a server: a learner of all requests that were answered, in their order, and the answers.
type book struct {
	t      *testing.T
	r      *rand.Rand
	folder string
	server *Server

	want    *stream.Learner
	next    int // visit that was not used yet
	waiting []int
	byKey   map[string]*asking
	names   []string  // keys of byKey, in their order
	room    []*asking // requests whose answers the server must remember, oldest first
	keys    int       // number of answers that the server remembers

	steps, retries, anew, kills, torn int
}

// TestModelOfServer runs servers through random requests, retries, checkpoints, stops and kills, each with other options than the one
// before. After each the model and the answers are the ledger's.
func TestModelOfServer(t *testing.T) {
	t.Parallel()
	seeds, steps := 1, 60
	if filetest.Long() {
		seeds, steps = 5, 1000
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 30))
		b := &book{t: t, r: r, folder: filetest.Folder(t), want: mustLearner(t), byKey: map[string]*asking{}}
		b.open()
		for b.steps < steps && !t.Failed() {
			b.step()
		}
		b.stop()
		t.Logf("seed %d: %d steps, %d rows, %d keys, %d retries (%d of them counted anew), %d kills, %d of them with requests under way",
			seed, b.steps, b.want.Rows(), len(b.names), b.retries, b.anew, b.kills, b.torn)
	}
}

// step does one thing at random.
func (b *book) step() {
	b.steps++
	switch n := b.r.IntN(40); {
	case n < 22:
		q := b.request(b.r.IntN(3))
		if b.r.IntN(4) == 0 {
			q.key = ""
		}
		b.enter(b.send(*q))
	case n < 29:
		b.retry()
	case n < 31:
		b.refused()
	case n < 37:
		b.crowd(b.r.IntN(2) == 0)
	case n < 38:
		b.kill(func() {})
		b.open()
	default:
		b.stop()
		b.open()
	}
	b.check()
}

// request makes a new request: of kind 0 to learn, 1 to ask, 2 to label.
func (b *book) request(kind int) *asking {
	// As letters, many of these keys are the same.
	pieces := []string{"\xe9", "\xe8", "\ufffd", "\xff\xfe", "é", `"\`, "<&>", " k"}
	key := "k" + pieces[len(b.names)%len(pieces)] + strconv.Itoa(len(b.names)/len(pieces))
	b.names = append(b.names, key)
	fresh := func() int { b.next++; return b.next }
	switch {
	case kind == 1:
		b.waiting = append(b.waiting, fresh())
		return toAsk(key, b.next)
	case kind == 2 && len(b.waiting) > 0:
		i := b.r.IntN(len(b.waiting))
		v := b.waiting[i]
		b.waiting = slices.Delete(b.waiting, i, i+1)
		return toLabel(key, v)
	}
	visits := []int{fresh()}
	for b.r.IntN(3) == 0 {
		visits = append(visits, fresh())
	}
	return toLearn(key, visits...)
}

// send sends a request to the server.
func (b *book) send(q asking) *asking {
	key := []string{"Idempotency-Key", q.key}
	q.take(b.t, call(b.t, b.server, "POST", q.path, q.body, key[:2*min(1, len(q.key))]...)) // no key, no header
	return &q
}

func (q *asking) again() bool { return q.answer.header.Get("Idempotency-Replayed") == "true" }

// enter enters a request that counts into the ledger, and checks its answer.
func (b *book) enter(q *asking) {
	b.t.Helper()
	q.enter(b.t, b.want)
	if q.key != "" {
		b.byKey[q.key] = q
		b.room = append(b.room, q)
		b.forget()
	}
}

// forget notes the answers that the server need not remember.
func (b *book) forget() {
	for len(b.room) > b.keys {
		b.room[0].lost, b.room = true, b.room[1:]
	}
}

// retry sends an earlier request again. If the server has forgotten it, it counts anew.
func (b *book) retry() {
	if len(b.names) == 0 {
		return
	}
	old := b.byKey[b.names[b.r.IntN(len(b.names))]]
	if len(b.room) > 0 && b.r.IntN(2) == 0 {
		old = b.room[b.r.IntN(len(b.room))]
	}
	if old == nil {
		return
	}
	b.retries++
	switch q := b.send(*old); {
	case q.again():
		b.same(q, old)
	case !old.lost:
		b.t.Errorf("step %d: the retry of %q is answered %s, want %s", b.steps, q.key, q.answer.body, old.answer.body)
	default:
		q.lost = false
		b.anew++
		b.enter(q)
	}
}

// same checks the answer to a retry.
func (b *book) same(q, first *asking) {
	b.t.Helper()
	q.answer.is(b.t, first.answer.status)
	filetest.Want(b.t, q.answer.body, first.answer.body, "step %d: the retry of %q is answered", b.steps, q.key)
}

// refused sends requests that change nothing: a key of another request, and a body that is not UTF-8.
func (b *book) refused() {
	if len(b.room) > 0 {
		q := *b.room[b.r.IntN(len(b.room))]
		q.path, q.body = "/v1/learn", learnBody(-7)
		b.send(q).answer.is(b.t, 422, "key_reused")
	}
	q := asking{path: "/v1/learn", body: strings.Replace(learnBody(1), `"c`, "\"\xe9", 1)}
	b.send(q).answer.is(b.t, 422)
}

// crowd sends several requests at the same time, some of them twice. It may kill the server meanwhile. Clients then send their requests
// to the next server.
func (b *book) crowd(kill bool) {
	var mu sync.Mutex
	var answers []*asking
	var group sync.WaitGroup
	var list []*asking
	for range 1 + b.r.IntN(4) {
		list = append(list, b.request(2*b.r.IntN(2)))
	}
	list = append(list, b.request(1)) // only one, since answers do not tell the order of two questions
	for _, q := range list {
		for range 1 + b.r.IntN(2) {
			group.Go(func() {
				got := b.send(*q)
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, got)
			})
		}
	}
	if kill {
		certain := 0
		b.torn++
		b.kill(func() {
			mu.Lock()
			defer mu.Unlock()
			certain = len(answers)
		})
		group.Wait()
		answers = answers[:certain]
		b.keys -= len(list) // the last server may have forgotten as many answers for these requests
		b.forget()
		b.open()
		for _, q := range list {
			answers = append(answers, b.send(*q))
		}
	}
	group.Wait()
	b.enterAll(list, answers)
}

// enterAll enters requests that came at the same time. Their answers tell the order.
func (b *book) enterAll(list, answers []*asking) {
	first := map[string]*asking{}
	for _, q := range answers {
		if q.answer.status != http.StatusOK {
			b.t.Fatalf("step %d: %s is answered %d %s", b.steps, q.body, q.answer.status, q.answer.body)
		}
		if first[q.key] == nil {
			first[q.key] = q
		}
		b.same(q, first[q.key])
	}
	filetest.Want(b.t, len(first), len(list), "step %d: requests that are answered", b.steps)
	slices.SortFunc(list, func(p, q *asking) int {
		return first[p.key].compare(first[q.key])
	})
	for _, q := range list {
		b.enter(first[q.key])
	}
}

// open starts the next server, with other options than the last one.
func (b *book) open() {
	keys := []int{8, 20, 1000}
	b.keys = keys[b.r.IntN(len(keys))]
	limits := Limits{Queue: 20 + b.r.IntN(3), MaxBody: 1 << (12 + b.r.IntN(3)), MaxRecords: 20 + b.r.IntN(20)}
	o := Options{Limits: limits, Keys: b.keys, Checkpoint: time.Hour}
	if b.r.IntN(2) == 0 {
		o.Checkpoint = time.Millisecond
	}
	b.server = filetest.Must(Open(filepath.Join(b.folder, "model"), newLearner, o))(b.t)
	b.forget()
}

// kill ends the server as a kill does: the next server finds the files as they are at some moment. It calls before just before that
// moment.
func (b *book) kill(before func()) {
	b.kills++
	generation := func() uint64 {
		loaded, err := checkpoint.Peek(filepath.Join(b.folder, "model"))
		if err != nil {
			return 0
		}
		return uint64(loaded.Generation)
	}
	for {
		to, newest := filetest.Folder(b.t), generation()
		before()
		err := os.CopyFS(to, os.DirFS(b.folder))
		if err == nil && newest > 0 && newest == generation() { // no checkpoint came meanwhile, so that this is one moment
			b.folder = to
			break
		}
	}
	_ = b.server.Close() // it changes its own files only
}

// check compares the server with the ledger.
func (b *book) check() {
	b.t.Helper()
	got := ok[struct{ Report score.Report }](b.t, b.server, "GET", "/v1/report", "").Report
	waiting, _ := b.want.Waiting()
	if got.Rows != b.want.Rows() || int(got.Waiting) != waiting {
		b.t.Fatalf("step %d: %d rows and %d waiting records, want %d and %d", b.steps, got.Rows, got.Waiting, b.want.Rows(), waiting)
	}
}

// stop stops the server. Its checkpoint is the ledger's model.
func (b *book) stop() {
	b.t.Helper()
	mustClose(b.t, b.server)
	wantSame(b.t, saved(b.t, b.folder), b.want, "step %d: the model", b.steps)
}
