//go:build linux || darwin

package serve

import (
	"fmt"
	"io"
	"net/http"
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
		if got := posted(t, c, server.url+"/v1/learn", learnBody(n)); got.status == 503 {
			refusal = got.body
			continue
		} else if got.status != 200 {
			t.Fatalf("%+v", got)
		}
		acknowledged++
		filetest.Check(t, want.Learn(visit(n)))
	}
	filetest.True(t, acknowledged >= 20, "only %d rows", acknowledged)
	filetest.WantWords(t, refusal, "free some space", "not_safe")
	posted(t, c, server.url+"/v1/learn", learnBody(1)).is(t, 503)
	posted(t, c, server.url+"/v1/predict", `{"record":{"customer":"c1"}}`).is(t, 200, fmt.Sprintf(`"rows":%d`, acknowledged))
	got := filetest.Must(c.Get(server.url + "/readyz"))(t)
	body, _ := io.ReadAll(got.Body)
	got.Body.Close()
	filetest.Want(t, got.StatusCode, http.StatusServiceUnavailable, "the readiness")
	filetest.WantWords(t, string(body), "not ready")
	filetest.Check(t, server.Process.Kill())
	_ = server.Wait()
	wantSame(t, mustOpen(t, folder, Options{}).learner, want, "the model of the acknowledged rows")
	t.Logf("%d rows before the disk was full", acknowledged)
}
