package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/stream"
	"gophe/phe/stream/score"
)

// learnSome teaches a server some visits, one request each.
func learnSome(t testing.TB, s *Server, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		ok[learned](t, s, "POST", "/v1/learn", learnBody(n))
	}
}

// taught returns a server that was taught some visits, and the folder of its model.
func taught(t testing.TB, visits int) (folder string, s *Server) {
	t.Helper()
	folder = filetest.Folder(t)
	s = mustOpen(t, folder, Options{})
	learnSome(t, s, 0, visits)
	return folder, s
}

// keepNow saves a checkpoint as the server does from time to time, and waits for the disk.
func keepNow(t testing.TB, s *Server) {
	t.Helper()
	filetest.Check(t, s.own.saveAndTrim(s.own.snapshot())) // no operation is applied meanwhile
}

// TestSettingsStay begins a model with settings. A start with others is refused, and one without goes on.
func TestSettingsStay(t *testing.T) {
	folder := filetest.Folder(t)
	mustClose(t, mustOpen(t, folder, Options{Settings: driver.Settings{Memory: 64 << 10}}))
	wantOpenError(t, folder, nil, Options{Settings: driver.Settings{Memory: 1 << 20}},
		"has other settings: memory is 1M now, and it was 64K")
	mustClose(t, mustOpen(t, folder, Options{}))
	mustClose(t, mustOpen(t, folder, Options{Settings: driver.Settings{Memory: 64 << 10}}))
}

// wantOpenError opens a server that must refuse to start.
func wantOpenError(t testing.TB, folder string, begin func() (*stream.Learner, error), o Options, words ...string) {
	t.Helper()
	s, err := Open(filepath.Join(folder, "model"), begin, o)
	if err == nil {
		_ = s.Close()
	}
	filetest.WantError(t, err, words...)
}

// TestOlderGeneration: if the newest checkpoint is damaged, the older one and the journal make the same model.
func TestOlderGeneration(t *testing.T) {
	folder := filetest.Folder(t)
	s := mustOpen(t, folder, Options{})
	for life := range 3 {
		learnSome(t, s, 40*life, 40*life+30)
		keepNow(t, s)
		learnSome(t, s, 40*life+30, 40*life+40)
		for _, stopped := range []bool{false, true} {
			if stopped {
				mustClose(t, s)
			}
			damaged := copyModel(t, folder)
			damage(t, filepath.Join(damaged, "model"))
			peekAt(t, damaged, int64(40*life+40), "warning: ", "is damaged", "model.old is used in its place") // a reader warns too
			var log lines
			again := mustOpen(t, damaged, Options{Log: log.add})
			wantSame(t, again.own.learner, s.own.learner, "life %d, stopped %t: the model", life, stopped)
			filetest.WantWords(t, log.String(), "is damaged", "replayed")
			mustClose(t, again)
		}
		s = mustOpen(t, folder, Options{})
	}
	filetest.True(t, s.own.journal.Stats().Bytes <= 10_000, "the journal is not trimmed: %+v", s.own.journal.Stats())
}

// TestCheckpoints: the server saves checkpoints by itself, but only after a change. Each trims the journal.
func TestCheckpoints(t *testing.T) {
	folder := filetest.Folder(t)
	s := mustOpen(t, folder, Options{Checkpoint: 5 * time.Millisecond})
	wait := func(number uint64) {
		t.Helper()
		await(t, fmt.Sprintf("a checkpoint after %d requests", number), func() bool {
			return s.own.lastKept().Applied == number
		})
	}
	learnSome(t, s, 0, 10)
	wait(10)
	learnSome(t, s, 10, 20)
	wait(20)
	learnSome(t, s, 20, 30)
	wait(30)
	filetest.True(t, s.own.journal.Stats().First > 10, "the journal is not trimmed: %+v", s.own.journal.Stats())
	loaded := filetest.Must(checkpoint.Peek(filepath.Join(folder, "model")))(t)
	s.own.keep()        // as the clock calls it
	s.own.saving.Lock() // a save has ended
	defer s.own.saving.Unlock()
	later := filetest.Must(checkpoint.Peek(filepath.Join(folder, "model")))(t)
	filetest.Want(t, later.Generation, loaded.Generation, "the generation, although nothing has changed")
	again := mustOpen(t, copyModel(t, folder), Options{})
	wantSame(t, again.own.learner, s.own.learner, "the model after a kill")
}

// TestCheckpointFails: the log says that a checkpoint cannot be saved, and nothing is lost.
func TestCheckpointFails(t *testing.T) {
	folder := filetest.Folder(t)
	var log lines
	s := mustOpen(t, folder, Options{Checkpoint: 5 * time.Millisecond, Log: log.add})
	filetest.Check(t, s.own.store.Close())
	learnSome(t, s, 0, 10)
	await(t, "a warning", func() bool { return strings.Contains(log.String(), "nothing is lost") })
	learnSome(t, s, 10, 20)
	call(t, s, "GET", "/metrics", "").is(t, 200, "\ngophe_checkpoint_failed 1\n")
	filetest.True(t, s.Close() != nil, "Close tells nothing")
	filetest.Want(t, mustOpen(t, folder, Options{}).own.learner.Rows(), 20, "rows after a failed checkpoint")
}

// TestJournalMismatch: the server refuses a journal of another model, and a journal that is older than the model.
func TestJournalMismatch(t *testing.T) {
	folder, s := taught(t, 10)
	early := copyModel(t, folder)
	keepNow(t, s)
	keepNow(t, s)
	learnSome(t, s, 10, 20)
	mustClose(t, s)

	mixed := copyModel(t, folder) // an old model and a new journal
	for _, name := range []string{"model", "model.old"} {
		filetest.Check(t, os.Rename(filepath.Join(early, name), filepath.Join(mixed, name)))
	}
	wantOpenError(t, mixed, newLearner, Options{}, "the journal begins with record", "restore the newer model")

	mixed = copyModel(t, folder) // a new model and an old journal
	filetest.Check(t, os.RemoveAll(filepath.Join(mixed, "model.journal")))
	filetest.Check(t, os.CopyFS(filepath.Join(mixed, "model.journal"), os.DirFS(filepath.Join(early, "model.journal"))))
	wantOpenError(t, mixed, newLearner, Options{}, "ends with record 10", "restore the newer one", "remedy: lose journal")
	peekAt(t, mixed, 20, "ends with record 10", "restore the newer one") // a reader warns too

	mixed = copyModel(t, folder) // another model
	for _, name := range checkpoint.Files(filepath.Join(mixed, "model")) {
		filetest.Check(t, os.RemoveAll(name))
	}
	wantOpenError(t, mixed, newLearner, Options{}, "the journal of another model", "remedy: lose journal")
}

// TestTornJournal: a kill cut the last request of the journal short before its answer. The server warns and starts.
func TestTornJournal(t *testing.T) {
	folder, s := taught(t, 10)
	torn := copyModel(t, folder)
	name := segments(t, torn)[0]
	filetest.Check(t, os.Truncate(name, filetest.Must(os.Stat(name))(t).Size()-20))
	var log lines
	again := mustOpen(t, torn, Options{Log: log.add})
	filetest.Want(t, again.own.learner.Rows(), 9, "rows")
	filetest.WantWords(t, log.String(), "cut short")
	learnSome(t, again, 9, 10)
	wantSame(t, again.own.learner, s.own.learner, "the model after the last request was sent again")
}

// askAbout forecasts visits under the ids v0, v1, … and returns the number of dropped records in each answer.
func askAbout(t testing.TB, s *Server, from, to int) (dropped string) {
	t.Helper()
	for n := from; n < to; n++ {
		said := ok[forecasts](t, s, "POST", "/v1/predict", fmt.Sprintf(`{"record":%s,"id":"v%d"}`, asJSON(visit(n), 1), n),
			"Idempotency-Key", fmt.Sprint("k", n))
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
		filetest.Want(t, askAbout(t, s, start.from, start.from+5), start.dropped, "records %d to %d dropped", start.from, start.from+4)
		filetest.Want(t, askAbout(t, s, start.from, start.from+5), start.dropped, "retries of %d to %d say", start.from, start.from+4)
		said := ok[struct{ Report score.Report }](t, s, "GET", "/v1/report", "").Report
		filetest.Want(t, said.Dropped, start.total, "records dropped up to record %d", start.from+4)
		filetest.True(t, said.Waiting <= s.own.learner.Options().Waiting, "%d records wait after record %d", said.Waiting, start.from+4)
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
			wantSame(t, again.own.learner, s.own.learner, "after record %d, with a damaged checkpoint %t, the model", start.from+4, damaged)
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
