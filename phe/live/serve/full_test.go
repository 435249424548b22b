//go:build linux || darwin

package serve

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func init() {
	roles["full"] = func(folder string) error {
		return serveChild(folder, newLearner, Options{}, func() error { return filetest.Limit(20_000) })
	}
}

// TestDiskFull fills the disk while a server learns. It refuses to learn with 503, still forecasts, and no acknowledged row is lost.
func TestDiskFull(t *testing.T) {
	folder := filetest.Folder(t)
	server, _ := startChild(t, "full", folder, 0)
	c, acknowledged := client(1), 0
	want := mustLearner(t)
	refusal := ""
	for n := 0; n < 1000 && refusal == ""; n++ {
		status, answer, err := post(c, server.url+"/v1/learn", learnBody(n), "")
		switch {
		case err != nil:
			t.Fatal(err)
		case status == 503:
			refusal = string(answer)
		case status != 200:
			t.Fatalf("%d %s", status, answer)
		default:
			acknowledged++
			filetest.Check(t, want.Learn(visit(n)))
		}
	}
	if acknowledged < 20 || !strings.Contains(refusal, "free some space") || !strings.Contains(refusal, "not_safe") {
		t.Fatalf("after %d rows: %q", acknowledged, refusal)
	}
	if status, answer, err := post(c, server.url+"/v1/learn", learnBody(1), ""); err != nil || status != 503 {
		t.Errorf("%d %s, %v", status, answer, err)
	}
	if status, answer, err := post(c, server.url+"/v1/predict", `{"record":{"customer":"c1"}}`, ""); err != nil || status != 200 || !strings.Contains(string(answer), fmt.Sprintf(`"rows":%d`, acknowledged)) {
		t.Errorf("%d %s, %v", status, answer, err)
	}
	got := filetest.Must(c.Get(server.url + "/readyz"))(t)
	body, _ := io.ReadAll(got.Body)
	got.Body.Close()
	if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "not ready") {
		t.Errorf("readyz: %d %s", got.StatusCode, body)
	}
	filetest.Check(t, server.Process.Kill())
	_ = server.Wait()
	s := mustOpen(t, folder, Options{})
	if rows := s.learner.Rows(); rows != int64(acknowledged) || string(bits(t, s.learner)) != string(bits(t, want)) {
		t.Errorf("%d rows are there, and %d were acknowledged", rows, acknowledged)
	}
	t.Logf("%d rows before the disk was full", acknowledged)
}
