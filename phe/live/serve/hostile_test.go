package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// hostileMemory is the memory that a request of a fuzzer may take.
const hostileMemory = 512 << 20

// ask sends a request to a server in this process. It fails if the server takes much memory, or finds a fault of its own.
func ask(t *testing.T, s *Server, method, path string, body []byte, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:8417/", bytes.NewReader(body))
	r.URL.Path, r.Header = path, header
	w := httptest.NewRecorder()
	took := filetest.Allocated(func() { s.Handler().ServeHTTP(w, r) })
	filetest.True(t, took <= hostileMemory, "%s %s takes %d MB", method, path, took>>20)
	filetest.True(t, w.Code < 500, "%s %s %q: %d %s", method, path, body, w.Code, w.Body)
	isJSON := strings.Contains(w.Header().Get("Content-Type"), "json")
	filetest.True(t, !isJSON || json.Valid(w.Body.Bytes()), "%s %s %q: %d %s", method, path, body, w.Code, w.Body)
	return w
}

// The server answers any request, and never refuses one because of a fault of its own.
func FuzzBody(f *testing.F) {
	s := mustOpen(f, filetest.Folder(f), Options{})
	learnVisits(f, s.own.learner, 0, 30)
	const record = `{"customer":"Ada","product":"tea","price":4.5,"member":true,"buys":"yes"}`
	for i, body := range []string{
		`{"record":` + record + `}`,
		`{"records":[` + record + `,{}],"ids":["a","b"]}`,
		`{"labels":[{"id":"a","target":"no"},{"id":"\ud800","target":1e999}]}`,
		`{"record":{"price":1e30,"custome":null,"product":"\u0000"}}`,
		strings.Repeat(`{"record":`, 1000),
		`{"records":` + strings.Repeat("[", 20_000),
		`{"records":[` + strings.Repeat("{},", 2000) + `{}]}`,
		`{"record":{` + strings.Repeat(`"x":1,`, 2000) + `"x":1}}`,
		"\xef\xbb\xbf{}", "{}{}", `{"record":{"customer":"` + "\xe9" + `"}}`, ``,
	} {
		f.Add(uint8(i), "application/json", []byte(body))
	}
	f.Add(uint8(1), "application/json; charset=\xff", []byte("{}"))
	f.Fuzz(func(t *testing.T, where uint8, kind string, body []byte) {
		paths := append(s.routes, route{path: "/" + kind, method: http.MethodGet})
		to := paths[int(where>>1)%len(paths)]
		if where%4 < 3 { // most go where bodies are read
			to = paths[int(where>>2)%3]
		}
		ask(t, s, to.method, to.path, body, http.Header{"Content-Type": {kind}})
		ask(t, s, to.method, to.path, body, http.Header{"Content-Type": {"application/json"}})
	})
}

// A key is any bytes: keys are equal only if their bytes are equal, and a retry counts once. A key may also be refused.
func FuzzKey(f *testing.F) {
	s := mustOpen(f, filetest.Folder(f), Options{})
	longest := strings.Repeat("k", maxKey)
	for _, keys := range [][2]string{{"a", "b"}, {"\xe9", "\xe8"}, {"", "a"}, {"\x00", "\x00\x00"}, {"\ufffd", "\xff"}, {"a ", "a"},
		{longest, longest + "k"}} {
		f.Add(keys[0], keys[1], "", "")
	}
	f.Add("k", "l", "Content-Encoding", "gzip")
	f.Add("k", "l", "Authorization", "Bearer \xff")
	f.Fuzz(func(t *testing.T, first, second, name, value string) {
		learn := func(key string) (rows int64, learned bool) {
			before := s.own.rows.Load()
			header := http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {key}}
			if name != "Content-Type" && name != "Idempotency-Key" {
				header[name] = []string{value}
			}
			w := ask(t, s, http.MethodPost, "/v1/learn", []byte(learnBody(len(key)%7)), header)
			return s.own.rows.Load() - before, w.Code == http.StatusOK
		}
		seen := map[string]bool{}
		for _, key := range []string{first, second, first, second} {
			key = name + "\x00" + value + "\x00" + key // of this run alone
			rows, learned := learn(key)
			if want := learned && !seen[key]; want && rows == 0 && !known[key] || !want && rows > 0 {
				t.Errorf("the key %q, learned %t, seen %t: %d rows", key, learned, seen[key], rows)
			}
			seen[key] = true
			known[key] = true
		}
	})
}

// known holds the keys of earlier runs.
var known = map[string]bool{}

// A request takes memory for the fields that its records leave out, so they are bounded too. An answer names few unknown columns.
func TestWideRequests(t *testing.T) {
	wide := schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Amount}}
	wide.Columns = append(wide.Columns, schema.Column{Name: "y", Kind: schema.Label})
	for i := range 500 {
		name := "column " + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + strings.Repeat("y", i/50)
		wide.Columns = append(wide.Columns, schema.Column{Name: name, Kind: schema.Category})
	}
	s := mustBegin(t, wide, Options{Limits: Limits{MaxRecords: 10_000}})
	body := `{"records":[` + strings.Repeat(`{"y":1},`, 9_999) + `{"y":1}]}`
	refused(t, s, http.StatusRequestEntityTooLarge, "fields are limited to 4194304", http.MethodPost, "/v1/learn", body)
	var unknown []string
	for range 1000 {
		unknown = append(unknown, fmt.Sprintf(`"none%d%s":1`, len(unknown), strings.Repeat("z", len(unknown)%90)))
	}
	w := call(t, s, http.MethodPost, "/v1/predict", `{"record":{`+strings.Join(unknown, ",")+`}}`)
	w.is(t, http.StatusUnprocessableEntity)
	filetest.Want(t, strings.Count(w.body, "is no column"), maxUnknown, "columns named")
}
