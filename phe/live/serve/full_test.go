//go:build linux || darwin

package serve

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	wantSame(t, mustOpen(t, folder, Options{}).own.learner, want, "the model of the acknowledged rows")
	t.Logf("%d rows before the disk was full", acknowledged)
}

// TestProcess compares the numbers of the process with other answers of Linux. Other systems have none.
func TestProcess(t *testing.T) {
	s, page := mustOpen(t, filetest.Folder(t), Options{}), float64(os.Getpagesize())
	system := func() (all [5]float64) {
		var used syscall.Rusage
		filetest.Check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		statm, _ := os.ReadFile("/proc/self/statm")
		_, _ = fmt.Sscan(string(statm), &all[0], &all[1])
		files := filetest.Must(filepath.Glob("/proc/self/fd/*"))(t)
		took := float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
		return [5]float64{all[0] * page, all[1] * page, float64(len(files) - 1), took, float64(began.Unix())}
	}
	for system()[3] < .2 { // so that the processor's time is no rounding error
	}
	before, text, after := system(), call(t, s, "GET", "/metrics", "").body, system()
	filetest.WantWords(t, text, "\ngophe_build_info{version=\"0.2.0\",goversion=")
	for i, name := range []string{"virtual_memory_bytes", "resident_memory_bytes", "open_fds", "cpu_seconds_total", "start_time_seconds"} {
		var got float64
		_, number, found := strings.Cut(text, "\nprocess_"+name+" ")
		_, _ = fmt.Sscan(number, &got)
		near := [5]float64{1 << 26, 1 << 22, 0, .03, 60}[i]
		right := min(before[i], after[i])-near <= got && got <= max(before[i], after[i])+near
		filetest.Want(t, found && right, before[0] > 0, "%s is %v, want about %v", name, got, before[i])
	}
}
