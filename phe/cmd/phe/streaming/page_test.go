package streaming

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestPage: a page is served during a stream. Without a terminal the command ends after the stream. An address in use is an error
// that helps.
func TestPage(t *testing.T) {
	command := []string{"stream", write(t, t.TempDir(), "visits.csv", visits(300)), "--target", "bought", "--force"}
	command = append(command, "--model", filepath.Join(t.TempDir(), "visits.phe"))
	_, said := mustPhe(t, append(command, "--page=127.0.0.1:0")...)
	filetest.WantWords(t, said, "page      http://127.0.0.1:")
	filetest.WantNone(t, said, "Ctrl-C")
	taken := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	fails(t, append(command, "--page="+taken.Addr().String()), "--page=127.0.0.1:0 for any free port")
	for _, page := range []string{"abc", "70000", ":http2x"} {
		fails(t, append(command, "--page="+page), `--page is "`+page+`"; write it as a port from 0 to 65535`)
	}
}

// TestOwnNames: on loopback only this machine's own names are answered.
func TestOwnNames(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, c := range []struct {
		listens, host string
		want          int
	}{
		{"127.0.0.1", "127.0.0.1:8418", 200}, {"127.0.0.1", "localhost:8418", 200}, {"127.0.0.1", "localhost", 200},
		{"::1", "[::1]:8418", 200}, {"127.0.0.1", "elsewhere.example:8418", 421}, {"::1", "elsewhere.example", 421},
		{"0.0.0.0", "this-machine:8418", 200}, {"127.0.0.1", "LOCALHOST:8418", 200}, {"::1", "[::1]", 200},
		{"127.0.0.1", "192.168.0.1:8418", 421}, {"127.0.0.1", "127.0.0.1.elsewhere.example", 421},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		ownNames(&net.TCPAddr{IP: net.ParseIP(c.listens), Port: 8418}, page).ServeHTTP(w, r)
		filetest.Want(t, w.Code, c.want, "status of %s as %s", c.listens, c.host)
	}
}
