package streaming

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestPage: a page is served during a stream. Without a terminal the command ends after the stream. An address in use is an error
// that helps.
func TestPage(t *testing.T) {
	folder := t.TempDir()
	table := write(t, folder, "visits.csv", visits(300))
	model := folder + "/visits.phe"
	_, said := mustPhe(t, "stream", table, "--target", "bought", "--model", model, "--page=127.0.0.1:0")
	if !strings.Contains(said, "page      http://127.0.0.1:") || strings.Contains(said, "Ctrl-C") {
		t.Errorf("it says %q", said)
	}
	taken := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	fails(t, []string{"stream", table, "--target", "bought", "--model", model, "--force", "--page=" + taken.Addr().String()}, "--page=127.0.0.1:0 for any free port")
}

// TestOwnNames: on loopback only this machine's own names are answered.
func TestOwnNames(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, c := range []struct {
		listens, host string
		want          int
	}{
		{"127.0.0.1", "127.0.0.1:8418", 200}, {"127.0.0.1", "localhost:8418", 200}, {"127.0.0.1", "localhost", 200}, {"::1", "[::1]:8418", 200},
		{"127.0.0.1", "elsewhere.example:8418", 421}, {"::1", "elsewhere.example", 421}, {"0.0.0.0", "this-machine:8418", 200},
		{"127.0.0.1", "LOCALHOST:8418", 200}, {"::1", "[::1]", 200}, {"127.0.0.1", "192.168.0.1:8418", 421}, {"127.0.0.1", "127.0.0.1.elsewhere.example", 421},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		ownNames(&net.TCPAddr{IP: net.ParseIP(c.listens), Port: 8418}, page).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s as %s: %d, want %d", c.listens, c.host, w.Code, c.want)
		}
	}
}
