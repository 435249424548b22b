package source_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/cluster"
	"gophe/phe/live/source"
	"gophe/phe/live/source/sourcetest"
	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// natsServer starts a server and connects to it.
func natsServer(t *testing.T) *broker.Conn {
	t.Helper()
	url, _ := brokertest.Start(t, t.TempDir())
	return brokertest.Dial(t, broker.Options{URLs: url})
}

// makeStream makes a stream of messages.
func makeStream(t *testing.T, conn *broker.Conn, name string, messages ...string) jetstream.Stream {
	t.Helper()
	s := brokertest.Stream(t, conn, jetstream.StreamConfig{Name: name, Subjects: []string{name}})
	for _, m := range messages {
		filetest.Must(conn.JS().Publish(t.Context(), name, []byte(m)))(t)
	}
	return s
}

func columns(names ...string) records.Options {
	return records.Options{Columns: names, Format: records.CSV}
}

// growing is a stream that gets its next message when the log has read all others.
type growing struct {
	*source.JetStream
	grow func() bool
}

func (l growing) Read(ctx context.Context, from source.Position) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		for e, err := range l.JetStream.Read(ctx, from) {
			e.AtEnd = e.AtEnd && !l.grow()
			if !yield(e, err) {
				return
			}
		}
	}
}

// TestJetStreamContract tests a stream that is at its end, and one that grows whenever its log waits.
func TestJetStreamContract(t *testing.T) {
	t.Parallel()
	conn := natsServer(t)
	lines, rows := visits(18)
	rows = append(append(rows[:5:5], nil), rows[5:]...)
	messages := []string{lines[0], strings.Join(lines[1:5], "") + "c1,x\n" + strings.Join(lines[5:9], "")}
	messages = append(messages, lines[9:]...)
	for name, there := range map[string]int{"whole": len(messages), "grows": 1} {
		makeStream(t, conn, name, messages[:there]...)
		t.Run(name, func(t *testing.T) {
			sourcetest.Contract(t, rows, func(*testing.T) source.Source {
				l := source.NewJetStream(conn, name, columns("customer", "item", "bought"))
				l.Follow = name == "grows"
				return growing{l, func() bool {
					if there == len(messages) {
						return false
					}
					filetest.Must(conn.JS().Publish(t.Context(), name, []byte(messages[there])))(t)
					there++
					return true
				}}
			})
		})
	}
}

// Each position is a way in, between messages and inside one. A stream that was cut, made anew, or has lost its end is
// refused with numbers.
func TestJetStream(t *testing.T) {
	t.Parallel()
	conn, ctx := natsServer(t), t.Context()
	made := func() jetstream.Stream {
		return makeStream(t, conn, "s", "1,a", "2,b\n3\n\n4,\"c\nd\"\n", "", "5,e", "6,f")
	}
	s, l := made(), source.NewJetStream(conn, "s", columns("x", "y"))
	rows, after, err := sourcetest.Rows(ctx, l, nil)
	filetest.Check(t, err)
	want := []string{"1,a", "2,b",
		"message 2 of the stream s, line 2: expected 2 fields, found 1; add the missing fields, or remove the line",
		"4,c\nd", "", "5,e", "6,f"}
	filetest.Want(t, rows, want, "rows")
	for i, p := range after {
		rest, _, err := sourcetest.Rows(ctx, l, p)
		filetest.Check(t, err)
		filetest.Want(t, fmt.Sprintf("%q", rest), fmt.Sprintf("%q", want[i+1:]), "the rows behind %s", p)
	}
	wants := func(from source.Position, is error, words string) {
		t.Helper()
		_, _, err := sourcetest.Rows(ctx, l, from)
		filetest.WantError(t, err, words)
		filetest.True(t, errors.Is(err, is), "%v", err)
	}
	skips := func(from source.Position, words string) { // the gap is a bad row, and a place to go on from
		t.Helper()
		open := source.NewJetStream(conn, "s", columns("x", "y"))
		open.Skip = true
		rest, places, err := sourcetest.Rows(ctx, open, from)
		filetest.Check(t, err)
		n := len(rest) - 2
		filetest.WantWords(t, rest[n], words)
		next, _, err := sourcetest.Rows(ctx, open, places[n])
		filetest.Check(t, err)
		filetest.Want(t, next, []string{"6,f"}, "rows behind the gap")
	}
	filetest.Check(t, s.DeleteMsg(ctx, 4))
	wants(after[1], source.ErrTruncated, "message 4 of the stream s is missing, and the stream ends at message 5")
	skips(after[1], "message 4 of the stream s is missing")
	filetest.Check(t, s.Purge(ctx, jetstream.WithPurgeSequence(5)))
	wants(after[3], source.ErrTruncated, "the stream s begins at message 5, and message 3 is next: 2 messages were deleted")
	skips(after[3], "2 messages were deleted")
	if rest, _, err := sourcetest.Rows(ctx, l, after[5]); err != nil || len(rest) != 1 { // all that was deleted was read
		t.Error(rest, err)
	}
	filetest.Check(t, conn.JS().DeleteStream(ctx, "s"))
	_, _, err = sourcetest.Rows(ctx, l, after[5])
	filetest.WantError(t, err, "the stream s is there no more; somebody has deleted it")
	time.Sleep(time.Millisecond)
	made()
	wants(after[5], source.ErrReplaced, "and the model learns one that was made")

	// A server that lost its disk's end has fewer messages of the same stream, and new ones in their place.
	created := filetest.Must(conn.Stream(ctx, "s"))(t).Created.Format(time.RFC3339Nano)
	at := func(next, rows int, sum uint32) source.Position {
		return fmt.Appendf(nil, `{"stream":"s","created":%q,"next":%d,"rows":%d,"sum":%d}`, created, next, rows, sum)
	}
	wants(at(7, 0, 1), source.ErrLostEnd, "the stream s ends at message 5, and message 6 was read")
	wants(at(6, 1, 1), source.ErrLostEnd, "the stream s ends at message 5, and message 6 was read")
	wants(at(5, 0, 1), source.ErrLostEnd, "message 4 of the stream s has the checksum")
	wants(at(2, 1, 1), source.ErrLostEnd, "message 2 of the stream s has the checksum")
	_, _, err = sourcetest.Rows(ctx, source.NewJetStream(conn, "s", columns("x", "y")), source.Position(`[]`))
	filetest.WantError(t, err, "the position is of another kind of log")
}

// Anything but a stream that keeps its messages is refused, with the remedy.
func TestJetStreamRefuses(t *testing.T) {
	t.Parallel()
	conn := natsServer(t)
	makeStream(t, conn, "orders")
	for name, r := range map[string]jetstream.RetentionPolicy{"queue": jetstream.WorkQueuePolicy, "interest": jetstream.InterestPolicy} {
		filetest.Must(conn.JS().CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"},
			Retention: r}))(t)
	}
	for name, words := range map[string]string{
		"none": "A plain subject keeps no message, so no row could be read again after a kill; " +
			"make a stream of it: nats stream add NAME --subjects none",
		"a.b":      "nats stream add NAME --subjects a.b",
		"queue.a":  "the stream queue keeps the messages of the subject queue.a; name that stream",
		"queue":    `the stream queue has the retention "WorkQueue"`,
		"interest": `the stream interest has the retention "Interest"`,
		"orders":   "the stream orders has no rows yet",
	} {
		_, err := source.NewJetStream(conn, name, records.Options{}).Columns(t.Context())
		filetest.WantError(t, err, words)
	}
}

// The columns come from the first messages, of whatever form, and from the header that names them.
func TestJetStreamColumns(t *testing.T) {
	t.Parallel()
	conn := natsServer(t)
	for i, test := range []struct{ messages, want string }{
		{"x;y\n|1;2,5|3;4", "[x y] [ 1,2,5 3,4]"},
		{`{"x":1}|{"y":{"z":2}}|{"x":3,"y":{"z":4}}`, "[x y.z] [1, ,2 3,4]"},
	} {
		name := fmt.Sprint("s", i)
		makeStream(t, conn, name, strings.Split(test.messages, "|")...)
		l := source.NewJetStream(conn, name, records.Options{})
		names := filetest.Must(l.Columns(t.Context()))(t)
		rows, after, err := sourcetest.Rows(t.Context(), l, nil)
		filetest.Check(t, err)
		filetest.Want(t, fmt.Sprint(names, " ", rows), test.want, "names and rows")
		later := source.NewJetStream(conn, name, records.Options{Columns: names}) // a later program has them from the model
		rest, _, err := sourcetest.Rows(t.Context(), later, after[1])
		filetest.Check(t, err)
		filetest.Want(t, fmt.Sprint(rest), fmt.Sprint(rows[2:]), "the rest")
	}
}

// Lists of JSON messages are several items of one cell, as those of a file are.
func TestJetStreamLists(t *testing.T) {
	t.Parallel()
	conn := natsServer(t)
	makeStream(t, conn, "s", strings.Split(strings.Repeat(`{"l":["x","z"],"y":0}|{"l":["x"],"y":1}|`, 20)+`{"l":[],"y":1}`, "|")...)
	l := source.NewJetStream(conn, "s", records.Options{})
	filetest.Must(l.Columns(t.Context()))(t)
	of := filetest.Must(l.Infer(schema.Hints{Target: "y"}))(t)
	filetest.Want(t, of.Columns[0].Separator, "|", "separator of a list")
}

// A first message that is no table is named, and left out where bad rows are.
func TestJetStreamBadFirst(t *testing.T) {
	t.Parallel()
	conn := natsServer(t)
	makeStream(t, conn, "s", "\x00\x01\x02", `{"x":1,"y":2}`)
	l := source.NewJetStream(conn, "s", records.Options{})
	_, err := l.Columns(t.Context())
	filetest.WantError(t, err, "message 1: ", "remedy: bad message")
	l.Skip = true
	filetest.Want(t, filetest.Must(l.Columns(t.Context()))(t), []string{"x", "y"}, "columns")
	rows, _, err := sourcetest.Rows(t.Context(), l, nil)
	filetest.Check(t, err)
	filetest.Want(t, len(rows), 2, "rows")
	filetest.WantWords(t, rows[0], "message 1 of the stream s")
	filetest.Want(t, rows[1], "1,2", "the second row")
}

// A log that is followed waits for rows, through a pause and a restart of the server, and says so.
func TestJetStreamFollows(t *testing.T) {
	t.Parallel()
	s := cluster.Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Sync: "later"}
	url, stop, err := s.Start()
	filetest.Check(t, err)
	s.Address = strings.TrimPrefix(url, "nats://")
	conn := brokertest.Dial(t, broker.Options{URLs: url})
	makeStream(t, conn, "s")
	l := source.NewJetStream(conn, "s", records.Options{})
	l.Follow = true
	var said []string
	ctx, end := context.WithCancel(t.Context())
	defer end()
	publish := func(m string) {
		go func() {
			for ctx.Err() == nil {
				try, stop := context.WithTimeout(ctx, 100*time.Millisecond)
				_, err := conn.JS().Publish(try, "s", []byte(m), jetstream.WithMsgID(m))
				if stop(); err == nil {
					return
				}
			}
		}()
	}
	l.Say = func(line string) {
		if said = append(said, line); len(said) == 1 {
			publish(`{"x":1}`)
		}
	}
	got, waits := "", 0
	for e, err := range l.Read(ctx, nil) {
		filetest.Check(t, err)
		switch {
		case e.Waits:
			if waits++; e.AtEnd && waits == 1 {
				stop()
				_, again, err := s.Start()
				filetest.Check(t, err)
				defer again()
				publish(`{"x":2}`)
			}
		case e.Record[0] == "2":
			end()
			fallthrough
		default:
			got += e.Record[0]
		}
	}
	if got != "12" || waits == 0 || len(said) == 0 || said[0] != "the stream s is empty; waiting for its first row" {
		t.Error(got, waits, said)
	}
}
