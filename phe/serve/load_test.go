package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"gophe/phe/filetest"
)

// TestLoad measures a server in a process of its own under 64 clients: forecasts, then learning, then half of each. Each client sends
// its next request when the last one is answered. GOPHE_LOAD_SECONDS=60 gives each of the three a minute.
func TestLoad(t *testing.T) {
	seconds := 1
	if n, err := strconv.Atoi(os.Getenv("GOPHE_LOAD_SECONDS")); err == nil {
		seconds = n
	} else if !filetest.Long() {
		t.Skip("it needs GOPHE_TEST=long")
	}
	folder := t.TempDir() // the disk, not memory
	server, _ := startChild(t, "load", folder, 0)
	load := &load{http: client(64), url: server.url, duration: time.Duration(seconds) * time.Second / 6}
	load.run(t, "learn, one client", 1, 1) // it also warms up
	load.duration *= 6
	load.run(t, "predict", 64, 0)
	load.run(t, "learn", 64, 1)
	load.run(t, "half of each", 64, 0.5)
	server.stop(t)
	if rows := saved(t, folder).Rows(); rows != load.learned {
		t.Errorf("%d rows were acknowledged, and the model has %d", load.learned, rows)
	}
}

// load measures answers.
type load struct {
	http     *http.Client
	url      string
	duration time.Duration
	learned  int64 // rows that were acknowledged

	mu    sync.Mutex
	times map[string][]time.Duration
}

// run lets clients send requests, of which a share learns, and prints the times of the answers.
func (l *load) run(t *testing.T, name string, clients int, share float64) {
	t.Helper()
	l.times = map[string][]time.Duration{}
	start := time.Now()
	var group sync.WaitGroup
	for k := range clients {
		group.Go(func() {
			times, rows := map[string][]time.Duration{}, int64(0)
			for n := k; time.Since(start) < l.duration; n += clients {
				path, body := "/v1/predict", `{"record":`+asJSON(visit(n), 1)+`}`
				if float64(n*7%10) < 10*share {
					path, body = "/v1/learn", learnBody(n)
				}
				began := time.Now()
				status, answer, err := post(l.http, l.url+path, body, "")
				var got learned
				if err == nil {
					err = json.Unmarshal(answer, &got)
				}
				if err != nil || status != 200 {
					t.Errorf("%s: %d %s, %v", path, status, answer, err)
					return
				}
				rows += int64(got.Learned)
				times[path] = append(times[path], time.Since(began))
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.learned += rows
			for path, list := range times {
				l.times[path] = append(l.times[path], list...)
			}
		})
	}
	group.Wait()
	took := time.Since(start).Seconds()
	for _, path := range []string{"/v1/predict", "/v1/learn"} {
		if list := l.times[path]; len(list) > 0 {
			slices.Sort(list)
			at := func(share float64) string {
				return fmt.Sprintf("%.2f ms", list[int(share*float64(len(list)-1))].Seconds()*1000)
			}
			t.Logf("%-18s %-12s %2d clients, %3.0f s: %6.0f requests/s; p50 %s, p99 %s, worst %s", name, path, clients, took, float64(len(list))/took, at(0.5), at(0.99), at(1))
		}
	}
}
