package streaming

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/stream/schema"
)

// server starts a NATS server and returns its URL.
func server(t *testing.T) string {
	t.Helper()
	url, stop, err := cluster.Server{Folder: filetest.Folder(t), Address: "127.0.0.1:0", Sync: "later"}.Start()
	filetest.Check(t, err)
	t.Cleanup(stop)
	return url
}

// freeAddress returns an address on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

// background runs a command until stop is called, and returns stop.
func background(t *testing.T, args ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- command(io.Discard, io.Discard, args...).ExecuteContext(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("phe %s: %v", strings.Join(args, " "), err)
		}
	}
}

// eventually runs a command until its output holds a text.
func eventually(t *testing.T, want string, args ...string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		out, _, err := phe(t, args...)
		if err == nil && strings.Contains(out, want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("phe %s: %v, without %q:\n%s", strings.Join(args, " "), err, want, out)
		}
	}
}

// A file that is fed, learned and kept on a cluster gives the model of one machine. The feeder goes on where the input has grown.
func TestSharedModelIsTheModelOfOneMachine(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "visits.csv", visits(2500))
	nats := []string{"--nats", server(t), "--name", "visits"}
	do := func(args ...string) []string { return append(args, nats...) }

	stopLearner, stopStandby := background(t, do("cluster", "learn")...), background(t, do("cluster", "learn")...)
	stopKeeper := background(t, do("cluster", "keep", "--every", "50ms")...)
	mustPhe(t, do("cluster", "feed", path, "--target", "bought", "--id", "visit")...)
	eventually(t, "3 learned of 3 fed", do("cluster", "verify")...)

	write(t, folder, "visits.csv", strings.TrimSuffix(visits(3100), "\n")) // a program is writing the last row
	_, said := mustPhe(t, do("cluster", "feed", path, "--target", "bought", "--id", "visit")...)
	if !strings.Contains(said, "the log has the first 3,099 rows") || !strings.Contains(said, "has no line end") {
		t.Errorf("the feeder says %q", said)
	}
	write(t, folder, "visits.csv", visits(3100))
	mustPhe(t, do("cluster", "feed", path, "--target", "bought", "--id", "visit")...)
	eventually(t, "5 learned of 5 fed", do("cluster", "verify")...)
	stopLearner()
	stopStandby()
	stopKeeper()

	shared, alone := filepath.Join(folder, "shared.phe"), filepath.Join(folder, "alone.phe")
	mustPhe(t, do("cluster", "replay", "--model", shared)...)
	fails(t, do("cluster", "replay", "--model", shared), "--force")
	mustPhe(t, "stream", path, "--target", "bought", "--id", "visit", "--model", alone)
	a, _ := mustPhe(t, "inspect", shared, "--json")
	b, _ := mustPhe(t, "inspect", alone, "--json")
	if a != b {
		t.Error("the shared model differs from the model of one machine")
	}
	out, _ := mustPhe(t, do("cluster", "status")...)
	contains(t, out, "5 chunks", "the input has ended", "after contribution")
}

// Another input under the same name, an input that has become shorter, and a bad row are errors that say what to do.
func TestFeederRefusesWhatDoesNotFit(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "visits.csv", visits(1500))
	nats := []string{"--nats", server(t), "--name", "visits", "--target", "bought", "--id", "visit"}
	feed := func(args ...string) error {
		_, _, err := phe(t, append(append([]string{"cluster", "feed"}, args...), nats...)...)
		return err
	}
	filetest.Check(t, feed(path))
	other := write(t, folder, "other.csv", strings.ReplaceAll(visits(1500), "v1400,c", "v1400,d"))
	short := write(t, folder, "short.csv", visits(1400))
	bad := write(t, folder, "bad.csv", visits(1500)+"v9,c1,p1,5,perhaps\n")
	for _, c := range []struct{ path, want string }{{other, "row 1401"}, {short, "ends after 1400 rows"}, {bad, "record 1501"}} {
		if err := feed(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("feeding %s: %v; want %q", filepath.Base(c.path), err, c.want)
		}
	}
	if err := feed(bad, "--bad", "skip"); err != nil {
		t.Errorf("feeding with --bad skip: %v", err)
	}
	if err := feed(path, "--chunk", "300"); err == nil || !strings.Contains(err.Error(), "--chunk is 300 now") {
		t.Errorf("a model was begun again with other chunks: %v", err)
	}
}

// Verify compares the log with the input, finds rows that two feeders mixed, and says what it cannot know.
func TestVerifyComparesWithTheInput(t *testing.T) {
	folder, url := t.TempDir(), server(t)
	path := write(t, folder, "visits.csv", visits(1500))
	nats := []string{"--nats", url, "--name", "visits"}
	verify := func(args ...string) (out, said string, err error) {
		return phe(t, append(append([]string{"cluster", "verify"}, args...), nats...)...)
	}
	mustPhe(t, append([]string{"cluster", "feed", path, "--target", "bought", "--id", "visit"}, nats...)...)
	if _, said, err := verify(); err != nil || !strings.Contains(said, "cannot know whether the rows of the log are the rows of your input") {
		t.Errorf("verify without an input says %q, error %v", said, err)
	}
	longer := write(t, folder, "longer.csv", visits(1501))
	for path, want := range map[string]string{path: "", longer: "has more rows"} {
		if out, said, err := verify(path); err != nil || !strings.Contains(out, "the log has the same 1,500 rows as "+path) ||
			!strings.Contains(said, want) {
			t.Errorf("verify %s: %v\n%s%s", path, err, out, said)
		}
	}
	other := write(t, folder, "other.csv", strings.ReplaceAll(visits(1500), "v7,c", "v7,d"))
	short := write(t, folder, "short.csv", visits(1400))
	for path, want := range map[string]string{other: "row 8 of", short: "ends after 1400 rows"} {
		_, _, err := verify(path)
		filetest.WantError(t, err, want)
	}

	log := filetest.Must(cluster.Connect(t.Context(), cluster.Options{Name: "visits", URLs: url}))(t)
	defer log.Close()
	filetest.Check(t, log.Feed(t.Context(), func(number uint64) ([]byte, error) { // as an older program did it
		if number > 3 {
			return nil, io.EOF
		}
		return shared.Chunk{First: 1400, Records: []schema.Record{{"v1400", "c1", "p1", "10", "yes"}}}.MarshalBinary()
	}))
	_, _, err := verify()
	filetest.WantError(t, err, "chunk 3: it begins with row 1401, and row 1501 comes next", "feed and learn the rows again")
}

// The folder of a run with several learners is refused, with a remedy.
func TestFolderOfSeveralLearners(t *testing.T) {
	folder := t.TempDir()
	path, model := write(t, folder, "visits.csv", visits(30)), filepath.Join(folder, "m.phe")
	old := model + ".cluster"
	filetest.Check(t, os.Mkdir(old, 0o700))
	args := []string{"stream", path, "--target", "bought", "--id", "visit", "--model", model, "--force"}
	fails(t, args, "move that folder away and learn the rows again")
	filetest.Check(t, os.Rename(old, old+".old"))
	mustPhe(t, args...)
}

// A command that asks a question gives up when nobody answers, and says so while it waits.
func TestDeadServer(t *testing.T) {
	if !filetest.Long() {
		t.Skip("it waits 10 s; GOPHE_TEST=long runs it")
	}
	dead := "nats://" + freeAddress(t)
	for _, question := range []string{"status", "verify", "replay", "forget-checkpoint"} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			_, said, err := phe(t, "cluster", question, "--nats", dead)
			filetest.WantError(t, err, "did not answer for 10s")
			if !strings.Contains(said, "waits for the servers") {
				t.Errorf("it says %q", said)
			}
		})
	}
}
