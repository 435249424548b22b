package streaming

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/cluster"
)

// Rows come all the time, for two learners of one store. The holder is stopped for longer than the other one's patience, and wakes beside
// its successor. Each row counts once. The long form disturbs a hundred times: it kills half of the holders, and stops and starts the
// server at some.
func TestStandBy(t *testing.T) {
	times, fenced := 1, 0
	if filetest.Long() {
		times = 100
	}
	s := cluster.Server{Folder: filetest.Folder(t), Address: "127.0.0.1:0", Sync: "later"}
	url, stop, err := s.Start()
	filetest.Check(t, err)
	defer func() { stop() }()
	s.Address = strings.TrimPrefix(url, "nats://")
	conn := brokertest.Dial(t, broker.Options{URLs: url})
	filetest.Must(conn.JS().CreateStream(t.Context(), jetstream.StreamConfig{Name: "visits"}))(t)
	end, all := make(chan bool), make(chan string)
	go func() { all <- publish(t, conn, visits(10_000), end) }()

	learning := []string{"--target", "bought", "--id", "visit", "--ids", "5000"} // the table comes again after 10,000 rows
	command := append([]string{"stream", url + "/visits", "--store", url + "/shop", "--follow", "--checkpoint", "60ms"}, learning...)
	learned := func(more int64) (rows int64) {
		filetest.Until(t, "rows are saved", func() bool {
			_, state, _ := stored(t, url, "shop")
			rows = state.Records()
			return rows >= more
		})
		return rows
	}
	holder := start(t, command...)
	rows := learned(1)
	next := start(t, command...)
	for n := 1; n <= times; n++ {
		time.Sleep(time.Duration(rand.Int64N(int64(100 * time.Millisecond))))
		switch {
		case n%10 == 0:
			stop()
			_, stop, err = s.Start()
			filetest.Check(t, err)
		case n%2 == 0:
			filetest.Check(t, holder.Kill())
			holder.wait(t)
			holder, next = next, start(t, command...)
		default:
			fenced += holder.sleep(t)
			holder, next = next, holder
		}
		rows = learned(rows + 1)
	}
	close(end)
	table := <-all
	rows = learned(int64(strings.Count(table, "\n")) - 1)
	for _, l := range []*child{holder, next} {
		filetest.Check(t, l.Kill())
		l.wait(t)
	}
	folder := t.TempDir()
	reference := filepath.Join(folder, "file.phe")
	mustPhe(t, append([]string{"stream", write(t, folder, "visits.csv", table), "--model", reference}, learning...)...)
	want, _ := bits(t, reference)
	got, state, _ := stored(t, url, "shop")
	filetest.True(t, bytes.Equal(got, want), "after %d rows the bits differ from those of the file", state.Rows)
	t.Logf("%d rows, %d disturbances, %d learners woke beside their successors", rows, times, fenced)
	filetest.True(t, fenced > 0, "no learner woke beside its successor: %s\n%s", holder.said.String(), next.said.String())
}

// publish appends the rows of a table to the stream visits, a hundred at a time, until it may end. It sends every third hundred twice, and
// returns the table of all of them.
func publish(t *testing.T, conn *broker.Conn, table string, end <-chan bool) string {
	header, body, _ := strings.Cut(table, "\n")
	lines := strings.SplitAfter(strings.TrimSuffix(body, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	all := header + "\n"
	for sent, at := uint64(0), 0; ; sent, at = sent+1, (at+100*int(min(1, sent%3)))%len(lines) {
		select {
		case <-end:
			return all
		case <-time.After(10 * time.Millisecond):
		}
		rows := strings.Join(lines[at:at+100], "")
		err := conn.Retry(t.Context(), "a message", func(ctx context.Context) error {
			_, err := conn.JS().Publish(ctx, "visits", []byte(header+"\n"+rows), jetstream.WithExpectLastSequence(sent))
			var answer *jetstream.APIError
			if errors.As(err, &answer) && answer.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
				return nil // it is there, and the answer was lost
			}
			return err
		})
		filetest.True(t, err == nil, "%v", err)
		all += rows
	}
}

// sleep stops a learner for longer than the patience of others. It returns 1 if the learner says that it has been overtaken.
func (p *child) sleep(t *testing.T) int {
	t.Helper()
	filetest.Check(t, p.Signal(syscall.SIGSTOP))
	time.Sleep(2 * time.Second)
	filetest.Check(t, p.Signal(syscall.SIGCONT))
	for range 500 {
		if strings.Contains(p.said.String(), "another program has taken the store over") {
			return 1
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}
