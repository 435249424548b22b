package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// shop is the schema of the tests: who buys what.
var shop = schema.Schema{
	Target: schema.Target{Column: "buys", Kind: schema.Classes, Classes: []string{"no", "yes"}},
	Columns: []schema.Column{{Name: "customer", Kind: schema.Category}, {Name: "product", Kind: schema.Category},
		{Name: "price", Kind: schema.Number}, {Name: "member", Kind: schema.Category}, {Name: "buys", Kind: schema.Label}},
}

// newLearner returns a learner of the shop.
func newLearner() (*stream.Learner, error) {
	return stream.New(shop, stream.Options{Memory: 4 << 10, NoExactModel: true})
}

// mustLearner returns a learner of the shop.
func mustLearner(t testing.TB) *stream.Learner {
	t.Helper()
	return filetest.Must(newLearner())(t)
}

// learnVisits lets a learner learn some visits.
func learnVisits(t testing.TB, l *stream.Learner, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		filetest.Check(t, l.Learn(visit(n)))
	}
}

// mustOpen opens a server on the model in a folder.
func mustOpen(t testing.TB, folder string, o Options) *Server {
	t.Helper()
	s := filetest.Must(Open(filepath.Join(folder, "model"), newLearner, o))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// mustBegin opens a server on a new model of a schema.
func mustBegin(t testing.TB, of schema.Schema, o Options) *Server {
	t.Helper()
	begin := func() (*stream.Learner, error) {
		return stream.New(of, stream.Options{Memory: 16 << 10, NoExactModel: true})
	}
	s := filetest.Must(Open(filepath.Join(filetest.Folder(t), "model"), begin, o))(t)
	t.Cleanup(func() { mustClose(t, s) })
	return s
}

func mustClose(t testing.TB, s *Server) {
	t.Helper()
	filetest.Check(t, s.Close())
}

// response is an answer as a client gets it.
type response struct {
	to     string // the request
	status int
	header http.Header
	body   string
}

// call sends a request to a server, and checks that the answer is as /openapi.json describes it. Headers are names and values.
func call(t testing.TB, s *Server, method, path, body string, headers ...string) response {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:8417"+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return send(t, s, r)
}

func send(t testing.TB, s *Server, r *http.Request) response {
	t.Helper()
	got := answerOf(s, r)
	checkDescribed(t, s, r.Method, r.URL.Path, got)
	h := got.header
	filetest.Want(t, h.Get("Cache-Control")+", "+h.Get("X-Content-Type-Options"), "no-store, nosniff", "headers of %s", got.to)
	return got
}

// answerOf returns a server's answer.
func answerOf(s *Server, r *http.Request) response {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return response{fmt.Sprintf("%s %s%s %q", r.Method, r.Host, r.URL.Path, r.Header), w.Code, w.Header(), w.Body.String()}
}

// is checks the status of an answer, and that its body has all words.
func (r response) is(t testing.TB, status int, words ...string) {
	t.Helper()
	filetest.True(t, r.status == status, "%s is answered %d %s, want %d", r.to, r.status, r.body, status)
	filetest.WantWords(t, r.body, words...)
}

// lacks checks that the body of an answer has none of the words.
func (r response) lacks(t testing.TB, words ...string) {
	t.Helper()
	filetest.WantNone(t, r.body, words...)
}

// ok sends a request that must succeed and reads its answer.
func ok[T any](t testing.TB, s *Server, method, path, body string, headers ...string) (answer T) {
	t.Helper()
	got := call(t, s, method, path, body, headers...)
	if got.status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
	}
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, got.body)
	}
	return answer
}

// refused sends a request that must be refused.
func refused(t testing.TB, s *Server, status int, words string, method, path, body string, headers ...string) {
	t.Helper()
	got := call(t, s, method, path, body, headers...)
	got.to += fmt.Sprintf(" %.200s", body)
	got.is(t, status, words)
}

// visit returns the record of visit n, with its target.
func visit(n int) schema.Record {
	customer := n * 7 % 40
	buys := []string{"yes", "no", "no"}[customer%3]
	return schema.Record{fmt.Sprintf("c%d", customer), fmt.Sprintf("p%d", n%5), fmt.Sprint(10 + n*13%50), "true", buys}
}

// asJSON returns a record as clients send it, without its last few columns.
func asJSON(r schema.Record, without int) string {
	values := map[string]any{}
	for i, v := range r[:len(r)-without] {
		values[shop.Columns[i].Name] = v
	}
	b, _ := json.Marshal(values)
	return string(b)
}

// learnBody returns a request to learn visits.
func learnBody(visits ...int) string {
	var list []string
	for _, n := range visits {
		list = append(list, asJSON(visit(n), 0))
	}
	return `{"records":[` + strings.Join(list, ",") + `]}`
}

// bits returns a learner's bytes.
func bits(t testing.TB, l *stream.Learner) []byte {
	t.Helper()
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b))
	return b.Bytes()
}

// wantSame checks that two learners have the same bits.
func wantSame(t testing.TB, got, want *stream.Learner, what string, args ...any) {
	t.Helper()
	same := bytes.Equal(bits(t, got), bits(t, want))
	filetest.True(t, same, "%s is another one: it has %d rows, want %d", fmt.Sprintf(what, args...), got.Rows(), want.Rows())
}

// wantForecast checks an answer's forecast of two classes.
func wantForecast(t testing.TB, got forecast, want stream.Forecast) {
	t.Helper()
	filetest.Want(t, got.Probabilities["yes"], want.Probability, "the probability")
	filetest.Want(t, *got.Novelty, want.Novelty, "the novelty")
	filetest.Want(t, got.Spread, want.Spread, "the spread")
}

// saved returns the learner in the checkpoint of a folder.
func saved(t testing.TB, folder string) *stream.Learner {
	t.Helper()
	loaded := filetest.Must(checkpoint.Peek(filepath.Join(folder, "model")))(t)
	l, _, err := driver.Load(loaded)
	filetest.Check(t, err)
	return l
}

// copyModel copies a model and its journal into another folder, as they are at this moment.
func copyModel(t testing.TB, folder string) string {
	t.Helper()
	to := filetest.Folder(t)
	filetest.Check(t, os.CopyFS(to, os.DirFS(folder)))
	return to
}

// damage flips a bit in the middle of a file, and returns the content.
func damage(t testing.TB, name string) []byte {
	t.Helper()
	content := filetest.Must(os.ReadFile(name))(t)
	content[len(content)/2] ^= 1
	filetest.Check(t, os.WriteFile(name, content, 0o644))
	return content
}

// soon is time enough for anything on a busy machine.
const soon = 30 * time.Second

// await waits until something holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("in vain: " + what)
		}
	}
}

// tryPatience waits for the bodies of some clients, and makes all clients look as if they had kept the server waiting for too long.
func tryPatience(t testing.TB, s *Server, bodies int) {
	t.Helper()
	await(t, "bodies", func() bool {
		s.seats.mu.Lock()
		defer s.seats.mu.Unlock()
		come := 0
		for _, at := range s.seats.taken {
			if at.since = at.since.Add(-2 * patience); at.sends() {
				come++
			}
		}
		return come == bodies
	})
}

// lines collects log lines.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// posted sends a request over the network, without a key, and returns its answer.
func posted(t testing.TB, c *http.Client, url, body string) response {
	t.Helper()
	return filetest.Must(post(c, url, body, ""))(t)
}

// post sends a request over the network. An error means that there was no answer.
func post(c *http.Client, url, body, key string) (response, error) {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	got, err := c.Do(r)
	if err != nil {
		return response{}, err
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(got.Body)
	return response{url, got.StatusCode, got.Header, string(answer)}, err
}
