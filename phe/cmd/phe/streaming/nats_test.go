package streaming

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/cluster"
	"gophe/phe/live/driver"
	"gophe/phe/live/store"
)

// published makes streams of the rows of a CSV: "one" has a JSON object a message, and "many" lines of CSV, the header first.
func published(t *testing.T, o broker.Options, table string, rows int) {
	t.Helper()
	conn := filetest.Must(broker.Connect(t.Context(), o))(t)
	defer conn.Close()
	for _, name := range []string{"one", "many"} {
		filetest.Must(conn.JS().CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name}}))(t)
	}
	for _, object := range objects(t, table) {
		filetest.Must(conn.JS().PublishAsync("one", []byte(object)))(t)
	}
	for lines := strings.SplitAfter(strings.TrimSuffix(table, "\n"), "\n"); len(lines) > 0; {
		n := min(rows, len(lines))
		filetest.Must(conn.JS().PublishAsync("many", []byte(strings.Join(lines[:n], ""))))(t)
		lines = lines[n:]
	}
	<-conn.JS().PublishAsyncComplete()
}

// objects returns the rows of a CSV as JSON.
func objects(t *testing.T, table string) (all []string) {
	t.Helper()
	lines := strings.Fields(table)
	names := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		var fields []string
		for i, field := range strings.Split(line, ",") {
			fields = append(fields, fmt.Sprintf("%q:%s", names[i], filetest.Must(json.Marshal(field))(t)))
		}
		all = append(all, "{"+strings.Join(fields, ",")+"}")
	}
	return all
}

// bits returns the bits of a model's learner, and the state.
func bits(t *testing.T, model string) ([]byte, driver.State) {
	t.Helper()
	return bitsOf(t, filetest.Must(checkpoint.Peek(model))(t))
}

func bitsOf(t *testing.T, loaded checkpoint.Loaded) ([]byte, driver.State) {
	t.Helper()
	l, state, err := driver.Load(loaded)
	filetest.Check(t, err)
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b, driver.State{}))
	return b.Bytes(), state
}

// wantBits checks that a model has learned a number of rows, and has the wanted bits. It returns whether the input has ended.
func wantBits(t *testing.T, model string, want []byte, rows int64) (ended bool) {
	t.Helper()
	got, state := bits(t, model)
	filetest.True(t, bytes.Equal(got, want), "%s has other bits", model)
	filetest.Want(t, state.Rows, rows, "rows of %s", model)
	return state.Ended
}

// reference returns the bits of a model that learns a table from a file.
func reference(t *testing.T, table string, settings ...string) []byte {
	t.Helper()
	folder := t.TempDir()
	model := filepath.Join(folder, "file.phe")
	mustPhe(t, append([]string{"stream", write(t, folder, "visits.csv", table), "--model", model}, settings...)...)
	want, _ := bits(t, model)
	return want
}

// follow follows an input until its model has a number of rows.
func follow(t *testing.T, model string, rows int64, input ...string) {
	t.Helper()
	_, stop := background(t, append([]string{"stream", "--follow", "--model", model}, input...)...)
	filetest.Until(t, "all rows are saved", func() (all bool) {
		if loaded, err := checkpoint.Peek(model); err == nil {
			_, state := bitsOf(t, loaded)
			all = state.Rows == rows
		}
		return all
	})
	cancelled(t, stop)
}

// A file that rotates is followed until Ctrl-C, also after that, and gives the bits of one file. Without --follow the error names it.
func TestFollowFile(t *testing.T) {
	folder, table := t.TempDir(), visits(2500)
	lines, path, model := strings.SplitAfter(table, "\n"), filepath.Join(folder, "visits.csv"), filepath.Join(folder, "m.phe")
	part := func(from, to int) { write(t, folder, "visits.csv", lines[0]+strings.Join(lines[from:to], "")) }
	part(1, 1001)
	schema, _ := mustPhe(t, "stream", path, "--target", "bought", "--id", "visit", "--show-schema")
	learn := []string{"--schema", write(t, folder, "schema.json", schema), "--checkpoint", "10ms"}
	for _, rows := range []int64{1000, 2000, 2500} {
		follow(t, model, rows, append([]string{path}, learn...)...)
		if rows < 2500 {
			filetest.Check(t, os.Rename(path, fmt.Sprint(path, "-2026", rows)))
			part(int(rows)+1, min(int(rows)+1001, 2501))
		}
	}
	wantBits(t, model, reference(t, table, learn...), 2500)
	filetest.Check(t, os.Rename(path, path+".1"))
	part(1, 3)
	fails(t, []string{"stream", path, "--model", model}, "has changed in the part that was learned", "or add --follow if it was renamed")
	filetest.Check(t, os.Rename(path+".1", path))
	prints(t, "2,500 rows", "stream", path, "--model", model)
	mustPhe(t, "stream", write(t, folder, "other.csv", visits(3)), "--model", model) // it was not learned before
}

// A file of CSV, one of JSON lines, a folder, streams of one row a message and of a thousand, and one that is followed give the same bits.
func TestStreamOfNATS(t *testing.T) {
	folder, url := t.TempDir(), server(t)
	table := visits(2500)
	path := write(t, folder, "visits.csv", table)
	published(t, broker.Options{URLs: url}, table, 1000)
	learn := []string{"--target", "bought", "--id", "visit", "--model"}
	want := reference(t, table, learn[:4]...)
	lines, parts := strings.SplitAfter(table, "\n"), filepath.Join(folder, "parts")
	filetest.Check(t, os.Mkdir(parts, 0o700))
	write(t, parts, "1.csv", strings.Join(lines[:1000], ""))
	write(t, parts, "2.csv", lines[0]+strings.Join(lines[1000:], ""))
	for _, input := range []string{parts, write(t, folder, "visits.jsonl", strings.Join(objects(t, table), "\n")+"\n")} {
		mustPhe(t, append([]string{"stream", input}, append(learn, input+".phe")...)...)
		filetest.True(t, wantBits(t, input+".phe", want, 2500), "%s has not ended", input)
	}
	for _, name := range []string{"one", "many"} {
		model := filepath.Join(folder, name+".phe")
		command := append([]string{"stream", url + "/" + name}, append(learn, model)...)
		for range 2 { // the second time there is nothing new
			prints(t, "2,500 rows", command...)
		}
		filetest.True(t, wantBits(t, model, want, 2500), "the stream %s has not ended", name)
		followed := filepath.Join(folder, name+"-followed.phe")
		follow(t, followed, 2500, url+"/"+name, "--checkpoint", "10ms", "--target", "bought", "--id", "visit")
		wantBits(t, followed, want, 2500)
	}
	out, _ := mustPhe(t, "eval", url+"/many", "--target", "bought")
	filetest.WantWords(t, out, "2,500 rows")
	file := []string{"stream", path, "--target", "bought", "--id", "visit", "--model", filepath.Join(folder, "one.phe")}
	mustPhe(t, file...) // on top of the stream
	fails(t, append(file, "--follow", "--complete"), "none of the others can be")
	fails(t, []string{"stream", url + "/one", path, "--target", "bought"}, "a stream is learned by itself")
	fails(t, []string{"stream", url + "/one", "--check", "--target", "bought", "--model", filepath.Join(folder, "x.phe")},
		"--check compares files")
	fails(t, []string{"stream", url + "/none", "--target", "bought", "--model", filepath.Join(folder, "x.phe")},
		"nats stream add NAME --subjects none")
	_, _, err := phe(t, "stream", "nats://eve:hush@127.0.0.1/one", "--target", "bought", "--model", filepath.Join(folder, "x.phe"))
	filetest.WantError(t, err, "a password or a token", "take it out, and give --nats-user with PHE_NATS_PASSWORD")
	filetest.WantNone(t, err.Error(), "hush")
}

// Servers with TLS and a password are for those who know both, whatever the command. No secret gets into checkpoints, pages and messages.
func TestSecureServers(t *testing.T) {
	config, certificate, key := brokertest.Secured(t)
	url, stop, err := cluster.Server{Folder: filetest.Folder(t), Address: "127.0.0.1:0", Sync: "later",
		Config: brokertest.File(t, config)}.Start()
	filetest.Check(t, err)
	t.Cleanup(stop)
	t.Setenv(passwordVariable, "hush")
	_, host, _ := strings.Cut(url, "://")
	rows, shop, model := "nats://"+host+"/rows", "nats://"+host+"/shop", filepath.Join(t.TempDir(), "m.phe")
	known := []string{"--nats-user", "phe", "--nats-ca", certificate, "--nats-cert", certificate, "--nats-key", key}
	var all strings.Builder
	for _, command := range [][]string{
		{"feed", write(t, t.TempDir(), "visits.csv", visits(400)), rows, "--target", "bought", "--id", "visit"},
		{"stream", rows, "--model", model, "--target", "bought", "--id", "visit"},
		{"stream", rows, "--store", shop, "--target", "bought", "--id", "visit"},
		{"feed", "--status", rows, "--store", shop},
	} {
		fails(t, command, "the servers refuse the connection")
		out, said := mustPhe(t, append(command, known...)...)
		all.WriteString(out + said)
	}
	follower, told, stopServe := startServe(t, append([]string{"--store", shop}, known...)...)
	for _, path := range []string{"/", "/metrics", "/v1/report", "/readyz"} {
		status, text := ask(t, "GET", follower+path, "")
		filetest.Want(t, status, 200, "status of %s", path)
		all.WriteString(text)
	}
	filetest.Check(t, stopServe())
	conn := brokertest.Dial(t, broker.Options{URLs: url, Username: "phe", Password: "hush", TLS: brokertest.Client(t, certificate, key)})
	shared, _, err := filetest.Must(store.OpenNATS(t.Context(), conn, "shop", 0))(t).Newest(t.Context(), 0)
	filetest.Check(t, err)
	all.WriteString(told.String() + string(shared) + string(filetest.Must(checkpoint.Peek(model))(t).Payload))
	filetest.WantNone(t, all.String(), "hush", "PRIVATE KEY", certificate, key)
}

// Streams and a file are learned by processes that are killed, and the streams from a server that is stopped and started. A tenth of the
// rows come twice: the bits are those without a kill, and without the repeats. The long form kills a hundred times, and of these at least
// sixty go on at different rows in the middle.
func TestKilledStreamOfNATS(t *testing.T) {
	rows, kills, life, port := 3000, 1, 5*time.Millisecond, 0
	if filetest.Long() { // a client could take a port from 32768 on while the server is down
		rows, kills, life, port = 300_000, 100, 500*time.Millisecond, 10_000+os.Getpid()%20_000
	}
	chance := rand.New(rand.NewPCG(7, 9))
	folder, table := t.TempDir(), visits(rows)
	learning := []string{"--target", "bought", "--id", "visit", "--model"}
	want := reference(t, table, learning[:4]...)
	s := cluster.Server{Folder: filetest.Folder(t), Address: fmt.Sprint("127.0.0.1:", port), Sync: "later"}
	url, stop, err := s.Start()
	filetest.Check(t, err)
	defer func() { stop() }()
	published(t, broker.Options{URLs: url}, twice(table), 1000)
	inputs := map[string]string{"one": url + "/one", "many": url + "/many", "file": write(t, folder, "twice.csv", twice(table))}
	for name, input := range inputs {
		killed, middles, inside := 0, map[int64]bool{}, 0
		for round := 0; killed < kills; round++ {
			model := filepath.Join(folder, fmt.Sprintf("%s-%d.phe", name, round))
			for ended := false; !ended; {
				every, life := "60ms", life
				if filetest.Long() && killed%10 == 9 { // it must live until its first checkpoint
					every, life = "2s", 8*life
				}
				command := append([]string{"stream", input, "--checkpoint", every, "--predictions", model + ".csv"},
					append(learning, model)...)
				if killed == kills { // the rest without a kill
					mustPhe(t, command...)
					break
				}
				if filetest.Long() && chance.IntN(10) == 0 { // the server dies while a learner lives
					restarted := make(chan struct{})
					time.AfterFunc(life/4, func() {
						defer close(restarted)
						stop()
						_, again, err := s.Start()
						filetest.Check(t, err)
						stop = again
					})
					defer func() { <-restarted }()
				}
				if ended = learn(t, command, "", 100*time.Millisecond+life/4+time.Duration(chance.Int64N(int64(life)))); !ended {
					killed++
				}
				loaded, err := checkpoint.Peek(model)
				if errors.Is(err, checkpoint.ErrNone) {
					continue
				}
				filetest.Check(t, err)
				_, state, err := driver.Load(loaded)
				filetest.True(t, state.Records() >= state.Rows && state.Corrected+state.Reused == 0, "the ledger is %+v", state)
				if filetest.Check(t, err); !ended && state.Rows > 0 && state.Rows < int64(rows) {
					middles[state.Rows] = true
					if bytes.Contains(state.Position, []byte(`"rows"`)) {
						inside++
					}
				}
			}
			wantBits(t, model, want, int64(rows))
			_, state := bits(t, model)
			filetest.Want(t, state.Repeated, int64(rows/10), "rows of %s that came again", model)
		}
		t.Logf("%s: %d kills, %d different rows in the middle, %d times inside a message", name, killed, len(middles), inside)
		enough := len(middles) >= 60 && (name != "many" || inside > 0)
		filetest.True(t, enough || !filetest.Long(), "too few kills came in the middle")
	}
}

// twice returns a table of visits in which every tenth row comes again, some after itself and some up to 99 rows later.
func twice(table string) string {
	var all strings.Builder
	lines := strings.SplitAfter(strings.TrimSuffix(table, "\n"), "\n")
	due := map[int]string{}
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\n") + "\n"
		if all.WriteString(line); i > 0 && i%10 == 0 {
			due[min(len(lines)-1, i+i/10%10*11)] += line
		}
		all.WriteString(due[i])
	}
	return all.String()
}

// server starts a NATS server and returns its URL.
func server(t *testing.T) string {
	t.Helper()
	url, _ := brokertest.Start(t, filetest.Folder(t))
	return url
}

// A command that asks a question gives up when nobody answers, and says so while it waits.
func TestDeadServer(t *testing.T) {
	if !filetest.Long() {
		t.Skip("it waits 10 s; GOPHE_TEST=long runs it")
	}
	l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	dead := "nats://" + l.Addr().String() + "/s"
	filetest.Check(t, l.Close())
	model := filepath.Join(t.TempDir(), "m.phe")
	for _, question := range [][]string{{"feed", "--status", dead}, {"stream", dead, "--target", "y", "--model", model}} {
		t.Run(question[0], func(t *testing.T) {
			t.Parallel()
			_, said, err := phe(t, question...)
			filetest.WantError(t, err, "did not answer for 10s")
			filetest.WantWords(t, said, "waits for the servers")
		})
	}
}
