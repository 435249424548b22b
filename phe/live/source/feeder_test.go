package source_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// feeder returns a feeder of a file into the stream s.
func feeder(t *testing.T, conn *broker.Conn, paths ...string) *source.Feeder {
	t.Helper()
	in := filetest.Must(source.Open(t.Context(), source.Options{}, paths...))(t)
	t.Cleanup(func() { in.Close() })
	f := source.NewFeeder(conn, "s")
	f.In = in
	f.Check = func(schema.Record) error { return nil }
	return f
}

// fedRows returns the rows of the stream s.
func fedRows(t *testing.T, conn *broker.Conn) []string {
	t.Helper()
	rows, _, err := sourcetest.Rows(t.Context(), source.NewJetStream(conn, "s", records.Options{}), nil)
	filetest.Check(t, err)
	return rows
}

// Whatever the fields hold, the stream has the rows of the file: letters that are not UTF-8, separators, quotes, line ends, a row that
// equals the header, one column alone.
func TestFeederKeepsEveryField(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a.csv": "x,y z\n1,\"a\"\"b,c\nd\"\n,\n\" 2 \",caf\xe9\n\xef\xbb\xbf3,{\n#,'\n",
		"b.csv": "a;b\n1,5;2\n;\n",
		"c.csv": "x\n1\nb\n\"\"\n\"a,b\"\n",
		"d.jsonl": `{"x":"a\r\nb","y":"x"}` + "\n" + `{"x":"x","y":"y"}` + "\n" +
			`{"x":null,"y":[1,2]}` + "\n" + `{"x":"\u0000","y":"z"}` + "\n",
		"e.jsonl": `{" x":"1","y\n":"2"}` + "\n" + `{" x":"3","y\n":{"z":4}}` + "\n",
	} {
		conn := natsServer(t)
		path := put(t, t.TempDir(), name, content)
		in := filetest.Must(source.Open(t.Context(), source.Options{}, path))(t)
		want, _, err := sourcetest.Rows(t.Context(), in, nil)
		filetest.Check(t, err)
		filetest.Check(t, feeder(t, conn, path).Run(t.Context()))
		filetest.Want(t, fedRows(t, conn), want, "%s: the rows of the stream", name)
	}
}

// wantRows fails unless the stream s has the rows of lines from one number to another.
func wantRows(t *testing.T, conn *broker.Conn, from, to int, what string) {
	t.Helper()
	want := strings.Split(strings.TrimSpace(lines(to, "")), "\n")[1+from:]
	filetest.True(t, slices.Equal(fedRows(t, conn), want), "%s: the stream has other rows than %d to %d", what, from, to)
}

// lines returns a CSV of a number of rows, of which the rows that are bad have no number.
func lines(rows int, last string) string {
	var b strings.Builder
	b.WriteString("number,text\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,some text\n", i)
	}
	return b.String() + last
}

// A feeder goes on behind the last message's rows. It refuses another input, a stream of others, and one whose last message is gone.
func TestFeederResumes(t *testing.T) {
	t.Parallel()
	conn, ctx := natsServer(t), t.Context()
	path := put(t, t.TempDir(), "rows.csv", lines(2500, ""))
	f := feeder(t, conn, path)
	filetest.Check(t, f.Run(ctx))
	filetest.Want(t, f.Fed, 2500, "rows fed")
	filetest.Check(t, os.WriteFile(path, []byte(lines(2600, "")), 0o600))
	other := feeder(t, conn, path)
	filetest.Check(t, other.Run(ctx))
	filetest.Want(t, fedRows(t, conn)[2599:], []string{"2599,some text"}, "the last row")
	s := filetest.Must(conn.JS().Stream(ctx, "s"))(t)
	m := filetest.Must(s.GetMsg(ctx, 4))(t)
	filetest.True(t, len(m.Data) <= 3000, "the last message has %d bytes", len(m.Data))
	filetest.WantWords(t, m.Header.Get("Phe-Place"), `"rows":2600`)
	refuses := func(path string, words ...string) {
		t.Helper()
		filetest.WantError(t, feeder(t, conn, path).Run(ctx), words...)
	}
	refuses(put(t, t.TempDir(), "other.csv", strings.Replace(lines(2600, ""), "7,some", "7,same", 1)), "has changed in the part")
	refuses(put(t, t.TempDir(), "short.csv", lines(2400, "")), "has changed in the part")
	filetest.Must(conn.JS().Publish(ctx, "s", []byte("1,a")))(t)
	refuses(path, "another program wrote the last message of the stream s, number 5")
	filetest.Check(t, s.DeleteMsg(ctx, 5))
	refuses(path, "the last message", "feed into a stream of another name")
	for config, words := range map[*jetstream.StreamConfig]string{
		{Name: "many", Subjects: []string{"a.*"}}:             "without * and >",
		{Name: "queue", Retention: jetstream.WorkQueuePolicy}: "it deletes messages that were read",
		{Name: "mute", NoAck: true}:                           "nats stream edit mute --ack",
		{Name: "small", MaxMsgSize: 500_000}:                  "nats stream edit small --max-msg-size=-1",
	} {
		filetest.Must(conn.JS().CreateStream(ctx, *config))(t)
		f := feeder(t, conn, path)
		f.Stream = config.Name
		filetest.WantError(t, f.Run(ctx), words)
	}
}

// A feeder warns of each limit by which a stream deletes its oldest messages, and only of these.
func TestFeederWarns(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	path := put(t, t.TempDir(), "rows.csv", lines(3, ""))
	for i, c := range []jetstream.StreamConfig{{}, {MaxMsgs: 9}, {MaxBytes: 1 << 20}, {MaxAge: time.Hour}, {MaxMsgsPerSubject: 9}} {
		said := ""
		conn := brokertest.Dial(t, broker.Options{URLs: url, Log: func(line string) { said += line }})
		c.Name = fmt.Sprint("limited-", i)
		brokertest.Stream(t, conn, c)
		f := feeder(t, conn, path)
		f.Stream = c.Name
		filetest.Check(t, f.Run(t.Context()))
		warning := "warning: the stream " + c.Name + " deletes its oldest messages by a limit; a learner that comes later lacks their rows"
		filetest.Want(t, said, []string{"", warning}[min(i, 1)], "what is said of %+v", c)
	}
}

// A description that is too long for a header is a message of its own, and no row.
func TestLongBegin(t *testing.T) {
	t.Parallel()
	conn, ctx := natsServer(t), t.Context()
	path := put(t, t.TempDir(), "rows.csv", lines(1200, ""))
	for range 2 { // the second feeder has nothing to do
		f := feeder(t, conn, path)
		f.Begin = source.Description{Where: strings.Repeat("long ", 40_000), Schema: schema.Schema{Columns: []schema.Column{{Name: "x"}}}}
		filetest.Check(t, f.Run(ctx))
		log := source.NewJetStream(conn, "s", records.Options{})
		begun, found, err := log.Described(ctx)
		filetest.Check(t, err)
		filetest.True(t, found && begun.Where == f.Begin.Where, "another description")
		rows := fedRows(t, conn)
		filetest.Want(t, len(rows), 1201, "rows, with none of the first message")
		filetest.Want(t, rows[0], "", "the row of the first message")
	}
}

// Two feeders fight, answers get lost, and the stream is made anew: no row is lost, and none comes twice.
func TestFeedersFight(t *testing.T) {
	t.Parallel()
	conn, ctx := natsServer(t), t.Context()
	path := put(t, t.TempDir(), "rows.csv", lines(20_000, ""))
	ended := make(chan error, 2)
	for range 2 {
		f := feeder(t, conn, path)
		go func() { ended <- f.Run(ctx) }()
	}
	for range 2 {
		err := <-ended
		filetest.True(t, err == nil || strings.Contains(err.Error(), "another feeder feeds this stream"), "%v", err)
	}
	filetest.Check(t, feeder(t, conn, path).Run(ctx))
	wantRows(t, conn, 0, 20_000, "two feeders")

	filetest.Check(t, conn.JS().DeleteStream(ctx, "s"))
	line := brokertest.NewLine(t, conn.JS().Conn().ConnectedUrl())
	breaks := int64(2)
	if filetest.Long() {
		breaks = 100
	}
	for k := int64(1); line.Broken.Load() < breaks; k = k%23 + 1 {
		line.Answer.Store(0)
		f := feeder(t, brokertest.Dial(t, broker.Options{URLs: line.URL}), path)
		line.Answer.Store(k)
		filetest.Check(t, f.Run(ctx))
		filetest.Want(t, f.Fed, 20_000, "rows fed")
		wantRows(t, conn, 0, 20_000, "lost answers")
		filetest.Check(t, conn.JS().DeleteStream(ctx, "s"))
	}

	f := feeder(t, conn, path)
	f.Progress = func() {
		if f.Fed == 10_000 {
			anew(t, conn)
		}
	}
	err := f.Run(ctx)
	filetest.WantError(t, err, "deleted the stream and made it anew; start the feeder again")
	filetest.True(t, errors.Is(err, source.ErrReplaced), "%v", err)
	filetest.Check(t, feeder(t, conn, path).Run(ctx))
	wantRows(t, conn, 0, 20_000, "a stream made anew")
}

// A server that lost the end of its disk has fewer messages of the same stream: the feeder ends, and the next one goes on there.
func TestFeederLostEnd(t *testing.T) {
	t.Parallel()
	server, before := cluster.Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Sync: "later"}, filepath.Join(t.TempDir(), "before")
	url, stop, err := server.Start()
	filetest.Check(t, err)
	t.Cleanup(func() { stop() })
	server.Address = strings.TrimPrefix(url, "nats://")
	copied := func(to, from string) {
		stop()
		filetest.Check(t, os.RemoveAll(to))
		filetest.Check(t, os.CopyFS(to, os.DirFS(from)))
		_, stop, err = server.Start()
		filetest.Check(t, err)
	}
	conn, path := brokertest.Dial(t, broker.Options{URLs: url}), put(t, t.TempDir(), "rows.csv", lines(5000, ""))
	f := feeder(t, conn, path)
	f.Progress = func() {
		switch f.Fed {
		case 2000:
			copied(before, server.Folder)
		case 4000:
			copied(server.Folder, before)
		}
	}
	err = f.Run(t.Context())
	filetest.WantError(t, err, "the stream ends at message 2, and message 4 was stored; start the feeder again, and it goes on there")
	filetest.True(t, errors.Is(err, source.ErrLostEnd), "%v", err)
	filetest.Check(t, feeder(t, conn, path).Run(t.Context()))
	wantRows(t, conn, 0, 5000, "a lost end")
}

// A folder of many files is fed once and in order, by feeders that stop after each message, and so is what comes to its end. Another order
// of its files is refused, and so is a change of one that was passed.
func TestFeederOfManyFiles(t *testing.T) {
	t.Parallel()
	conn, folder := natsServer(t), t.TempDir()
	name := func(k int) string { return filepath.Join(folder, fmt.Sprintf("%03d.csv", k)) }
	put := func(path string, from, to int) {
		t.Helper()
		all := strings.SplitAfter(lines(to, ""), "\n")
		filetest.Check(t, os.WriteFile(path, []byte(all[0]+strings.Join(all[1+from:], "")), 0o600))
	}
	run := func() (f *source.Feeder, err error) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		f = feeder(t, conn, folder)
		f.Progress = stop
		return f, f.Run(ctx)
	}
	for k := range 400 {
		put(name(k), 6*k, 6*k+6)
	}
	for fed := int64(0); fed < 2400; {
		f, _ := run() // the error is that it was stopped
		filetest.True(t, f.Fed > fed, "%d rows are fed, and then %d", fed, f.Fed)
		fed = f.Fed
		s := filetest.Must(conn.JS().Stream(t.Context(), "s"))(t)
		place := filetest.Must(s.GetMsg(t.Context(), s.CachedInfo().State.LastSeq))(t).Header.Get("Phe-Place")
		filetest.WantWords(t, place, fmt.Sprintf(`"rows":%d`, fed))
		filetest.True(t, len(place) < 500, "the place has %d bytes", len(place))
	}
	put(name(399), 6*399, 2403) // the last one grows
	put(name(400), 2403, 2410)
	_, _ = run()
	f, err := run()
	filetest.Check(t, err)
	filetest.Want(t, f.Fed, 2410, "rows fed")
	wantRows(t, conn, 0, 2410, "many files")
	const changed = "of the first 400 files, up to "
	put(name(7), 42, 49)
	filetest.WantError(t, filetest.Failure(run()), changed, "put it back")
	put(name(7), 42, 48)
	put(filepath.Join(folder, "0070.csv"), 0, 1)
	filetest.WantError(t, filetest.Failure(run()), changed, "a name that comes after the others")
	filetest.Check(t, os.Remove(filepath.Join(folder, "0070.csv")))
	filetest.Check(t, filetest.Failure(run()))
	for k := range 2 {
		filetest.Check(t, os.Remove(name(k)))
	}
	filetest.WantError(t, filetest.Failure(run()), changed, "is gone")
}

// A purge under a feeder of a pipe takes no row of the pipe: those that come after it are there once. The next start is refused, since
// nothing says how far the pipe was fed.
func TestPurgeUnderPipe(t *testing.T) { // alone: it has the standard input
	conn, stdin := natsServer(t), os.Stdin
	t.Cleanup(func() { os.Stdin = stdin })
	run := func(after func()) (*source.Feeder, error) {
		from, to, err := os.Pipe()
		filetest.Check(t, err)
		os.Stdin = from
		go func() {
			_, _ = to.WriteString(lines(2500, ""))
			to.Close()
		}()
		f := feeder(t, conn, "-")
		f.Progress = func() {
			if f.Fed == 1000 {
				after()
			}
		}
		return f, f.Run(t.Context())
	}
	purge := func() { filetest.Check(t, filetest.Must(conn.JS().Stream(t.Context(), "s"))(t).Purge(t.Context())) }
	for range 2 { // the second start finds nothing new
		f, err := run(purge)
		filetest.Check(t, err)
		filetest.Want(t, f.Fed, 2500, "rows fed")
		wantRows(t, conn, 1000, 2500, "after the purge")
	}
	purge()
	filetest.WantError(t, filetest.Failure(run(purge)), "has deleted the last message of the stream s, number 3", "of another name")
	filetest.Check(t, conn.JS().DeleteStream(t.Context(), "s"))
	filetest.WantError(t, filetest.Failure(run(func() { anew(t, conn) })),
		"made it anew; start the feeder again, with the pipe from its beginning, and it feeds the new one")
}

// anew makes the stream s anew, as if the server had not synced its disk.
func anew(t *testing.T, conn *broker.Conn) {
	t.Helper()
	for {
		s := filetest.Must(conn.JS().Stream(t.Context(), "s"))(t)
		filetest.Check(t, conn.JS().DeleteStream(t.Context(), "s"))
		made := brokertest.Stream(t, conn, s.CachedInfo().Config)
		if made.CachedInfo().State.Msgs == 0 { // the server may find the files of a stream that it has just deleted
			return
		}
	}
}

// A bad row is named, and the rows before it are fed.
func TestFeederNamesRows(t *testing.T) {
	t.Parallel()
	conn, ctx := natsServer(t), t.Context()
	path := put(t, t.TempDir(), "rows.csv", lines(1200, "bad,x,y\n"+"1200,some text\n"))
	f := feeder(t, conn, path)
	filetest.WantError(t, f.Run(ctx), "rows.csv, record 1201 (line 1202)", "expected 2 fields")
	filetest.Want(t, f.Fed, 1200, "rows fed")
	f = feeder(t, conn, path)
	f.SkipBad = true
	filetest.Check(t, f.Run(ctx))
	filetest.Want(t, f.Fed, 1201, "rows fed")
	filetest.Want(t, f.Bad, 1, "bad rows")
	filetest.Want(t, fedRows(t, conn)[1199:], []string{"1199,some text", "1200,some text"}, "the last rows")
}
