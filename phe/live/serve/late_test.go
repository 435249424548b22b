package serve

import (
	"fmt"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
)

// askAbout forecasts visits under the ids v0, v1, … and returns the number of dropped records in each answer.
func askAbout(t testing.TB, s *Server, from, to int) (dropped string) {
	t.Helper()
	for n := from; n < to; n++ {
		said := ok[forecasts](t, s, "POST", "/v1/predict", fmt.Sprintf(`{"record":%s,"id":"v%d"}`, asJSON(visit(n), 1), n), "Idempotency-Key", fmt.Sprint("k", n))
		dropped += fmt.Sprint(said.Dropped)
	}
	return dropped
}

// TestDroppedIsSaid: an answer tells how many waiting records its own has replaced, and so do the log and the report. Each start may
// change the limits. A start after a kill replays the records under the limits of their time.
func TestDroppedIsSaid(t *testing.T) {
	t.Parallel()
	folder, killed := filetest.Folder(t), ""
	for _, start := range []struct {
		options Options
		from    int
		dropped string // by the answers to five records
		log     string
		total   int64
	}{
		{Options{Waiting: 3}, 0, "00011", "more than 3 wait", 2},
		{Options{}, 5, "11111", "more than 3 wait", 7},
		{Options{Waiting: 7}, 10, "00001", "more than 7 wait", 8},
		{Options{Waiting: 2}, 15, "11111", "dropped 5 records", 18},
		{Options{Waiting: 100, WaitingRows: 3}, 20, "00000", "", 18},
		{Options{}, 25, "70000", "waited for 3 rows", 25},
	} {
		var log lines
		start.options.Log = log.add
		s := mustOpen(t, folder, start.options)
		if start.from == 25 {
			learnSome(t, s, 0, 4)
		}
		filetest.Want(t, askAbout(t, s, start.from, start.from+5), start.dropped, "records %d to %d dropped",
			start.from, start.from+4)
		filetest.Want(t, askAbout(t, s, start.from, start.from+5), start.dropped, "retries of %d to %d say", start.from,
			start.from+4)
		said := ok[struct{ Report stream.Report }](t, s, "GET", "/v1/report", "").Report
		filetest.Want(t, said.Dropped, start.total, "records dropped up to record %d", start.from+4)
		filetest.True(t, said.Waiting <= s.learner.Options().Waiting, "%d records wait after record %d", said.Waiting, start.from+4)
		filetest.WantWords(t, log.String(), start.log)
		generations := []bool{false}
		if start.options.Waiting == 7 {
			generations = []bool{true, false} // the older one has the old limit
		}
		for _, damaged := range generations {
			killed = copyModel(t, folder) // as a kill would leave it
			if damaged {
				damage(t, filepath.Join(killed, "model"))
			}
			again := mustOpen(t, killed, Options{})
			wantSame(t, again.learner, s.learner, "after record %d, with a damaged checkpoint %t, the model", start.from+4, damaged)
			mustClose(t, again)
		}
		mustClose(t, s)
		folder = killed
	}
	s := mustOpen(t, folder, Options{})
	unknown := ok[learned](t, s, "POST", "/v1/label", `{"labels":[{"id":"v0","target":"no"},{"id":"v29","target":"no"}]}`)
	filetest.Want(t, unknown.Learned, 1, "labels learned")
	filetest.Want(t, unknown.Unknown, []string{"v0"}, "unknown ids")
}
