package streaming

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/live/source/sourcetest"
	"gophe/phe/live/store"
	"gophe/phe/records"
)

// A file that grows is fed and learned: the bits are the same as from the file. The status describes the stream.
func TestFeed(t *testing.T) {
	folder, url := t.TempDir(), server(t)
	path, to := write(t, folder, "visits.csv", strings.TrimSuffix(visits(2500), "\n")), url+"/visits"
	feed := func(path string, more ...string) []string {
		return append([]string{"feed", path, to, "--target", "bought", "--id", "visit"}, more...)
	}
	_, said := mustPhe(t, feed(path)...) // a program is writing the last row
	filetest.WantWords(t, said, "the stream visits has the first 2,499 rows of "+path, "has no line end")
	bad := visits(2500) + "v2500,c1,p1,5,perhaps\nv2501,c1,p1,5,\n"
	path = write(t, folder, "visits.csv", bad)
	fails(t, feed(path), "visits.csv, record 2501 (line 2502)", "perhaps", "--bad skip")
	_, said = mustPhe(t, feed(path, "--bad", "skip")...)
	filetest.WantWords(t, said, "has the first 2,501 rows", "1 row could not be learned")

	columns, _ := mustPhe(t, "stream", to, "--show-schema") // the feeder's, of the rows that it saw first
	schema := write(t, folder, "schema.json", columns)
	want := reference(t, visits(2500)+"v2501,c1,p1,5,\n", "--schema", schema)
	model := filepath.Join(folder, "a.phe")
	mustPhe(t, "stream", to, "--schema", schema, "--model", model)
	wantBits(t, model, want, 2501)

	conn := brokertest.Dial(t, broker.Options{URLs: url})
	kept := filetest.Must(store.OpenNATS(t.Context(), conn, "model", 1))(t)
	filetest.Must(kept.Load(t.Context()))(t)
	l, state, err := driver.Load(filetest.Must(checkpoint.Peek(model))(t))
	filetest.Check(t, err)
	filetest.Check(t, kept.Save(func(w io.Writer) error { return l.Write(w, state) }))
	both := []string{"feed", "--status", to, "--store", url + "/model"}
	out, _ := mustPhe(t, both...)
	filetest.WantWords(t, out, "messages:   5,", "number 1, after 2,501 rows", "0 messages to follow",
		fmt.Sprintf("process %d of ", os.Getpid()), " has the store", "copies:     1")
	filetest.Check(t, kept.Close())
	out, _ = mustPhe(t, append(both, "--json")...)
	var s struct {
		source.Stream
		store.Status
		Behind uint64
	}
	filetest.Check(t, json.Unmarshal([]byte(out), &s))
	filetest.True(t, !s.Held && s.Behind == 0, "%+v is held or behind", s)
	filetest.Want(t, s.Checkpoint.Rows, 2501, "rows of the checkpoint")
	filetest.Want(t, s.Messages, 5, "messages")
	filetest.Want(t, s.Store, "model", "store")
	// The columns of the store's model do as well.
	_, said = mustPhe(t, "feed", path, to, "--store", url+"/model", "--bad", "skip")
	filetest.WantWords(t, said, "has the first 2,501 rows")
	fails(t, []string{"feed", path, "visits", "--target", "bought"}, "write it as nats://HOST/STREAM")
	fails(t, []string{"feed", to, url + "/copy", "--target", "bought"}, "is a stream, and feed takes a file or a pipe")
	for _, name := range []string{"/Visits", "/a.b"} { // before the file is read
		fails(t, []string{"feed", "missing.csv", url + name, "--target", "bought"}, "use 1 to 64 lower-case letters")
	}

	// Settings that may cost rows are named.
	brokertest.Stream(t, conn, jetstream.StreamConfig{Name: "brief", Storage: jetstream.MemoryStorage, Discard: jetstream.DiscardNew,
		MaxMsgs: 3})
	_, said = mustPhe(t, "feed", path, url+"/brief", "--schema", schema, "--bad", "skip")
	filetest.WantWords(t, said, "refuses messages at its limit (discard new)", "nats stream edit brief", "brief is in memory alone")
	_, said = mustPhe(t, "stream", url+"/brief", "--schema", schema, "--model", filepath.Join(folder, "brief.phe"))
	filetest.WantWords(t, said, "the stream brief is in memory alone", "--storage file")

	// A learner takes the feeder's columns. No detour to another input makes it learn rows twice.
	model = filepath.Join(folder, "own.phe")
	out, _ = mustPhe(t, "stream", to, "--model", model)
	filetest.WantWords(t, out, "2,500 rows")
	wantBits(t, model, want, 2501)
	mustPhe(t, "feed", write(t, folder, "more.csv", visits(10)), url+"/more", "--target", "bought", "--id", "visit")
	fails(t, []string{"stream", url + "/typo", "--model", model}, "there is no stream typo")
	out, _ = mustPhe(t, "stream", to, "--model", model)
	filetest.WantWords(t, out, "2,501 rows of "+to+" are learned")
	mustPhe(t, "stream", url+"/more", "--model", model)
	fails(t, []string{"stream", to, "--model", model}, "was learned before: 2,501 rows", "--again learns it once more")
	_, _, err = phe(t, "feed", path, "nats://eve:hush@127.0.0.1/s", "--target", "bought")
	filetest.WantError(t, err, "a password or a token")
	filetest.WantNone(t, err.Error(), "hush")
}

// A feeder that is killed again and again loses no row, and doubles none. The long form kills a hundred.
func TestKilledFeeder(t *testing.T) {
	rows, kills, life := 3000, 1, 5*time.Millisecond
	if filetest.Long() {
		rows, kills, life = 60_000, 100, 300*time.Millisecond
	}
	chance := rand.New(rand.NewPCG(11, 13))
	content, logs := visits(rows), filetest.Folder(t)
	path, want := write(t, t.TempDir(), "visits.csv", content), strings.Split(strings.TrimSpace(content), "\n")[1:]
	url, _ := brokertest.Start(t, logs)
	messages := filepath.Join(logs, "jetstream", "$G", "streams", "s", "msgs", "1.blk")
	conn := brokertest.Dial(t, broker.Options{URLs: url})
	feed := []string{"feed", path, url + "/s", "--target", "bought", "--id", "visit"}
	middles, killed := 0, 0
	for killed < kills {
		for ended := false; !ended; {
			wait := time.Duration(chance.Int64N(int64(life)))
			if _, err := os.Stat(messages); err == nil {
				wait += 100 * time.Millisecond // for the start of the process
			}
			ended = learn(t, feed, messages, wait)
			s, err := conn.JS().Stream(t.Context(), "s")
			if filetest.Check(t, broker.Except(err, jetstream.ErrStreamNotFound)); ended {
				break
			}
			killed++
			if err == nil && s.CachedInfo().State.LastSeq > 0 {
				middles++
			}
			if killed == kills {
				mustPhe(t, feed...)
				break
			}
		}
		got, _, err := sourcetest.Rows(t.Context(), source.NewJetStream(conn, "s", records.Options{}), nil)
		filetest.Check(t, err)
		filetest.True(t, slices.Equal(got, want), "the stream has %d rows, and not the %d of the file", len(got), rows)
		filetest.Check(t, conn.JS().DeleteStream(t.Context(), "s"))
	}
	t.Logf("%d kills, %d in the middle", killed, middles)
	filetest.True(t, !filetest.Long() || middles >= 30, "too few kills came in the middle")
}
