package streaming

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/cluster"
	"gophe/phe/live/driver"
	"gophe/phe/live/store"
)

// stored returns the newest checkpoint of a store: the learner's bits, the state and the generation.
func stored(t *testing.T, url, name string) ([]byte, driver.State, uint64) {
	t.Helper()
	conn := filetest.Must(broker.Connect(t.Context(), broker.Options{URLs: url}))(t)
	defer conn.Close()
	payload, generation, err := filetest.Must(store.OpenNATS(t.Context(), conn, name, 0))(t).Newest(t.Context(), 0)
	filetest.Check(t, err)
	bits, state := bitsOf(t, checkpoint.Loaded{Payload: payload})
	return bits, state, generation
}

// audited returns the checksum that a command prints, and the line that learns the rows again.
func audited(t *testing.T, command ...string) (sum string, line []string) {
	t.Helper()
	out, _ := mustPhe(t, append(command, "--json")...)
	var printed struct{ Audit audit }
	filetest.Check(t, json.Unmarshal([]byte(out), &printed))
	text, _ := mustPhe(t, command...)
	filetest.WantWords(t, text, "checksum", printed.Audit.Sum, "learned again by: "+printed.Audit.Line)
	return printed.Audit.Sum, strings.Fields(strings.ReplaceAll(strings.TrimPrefix(printed.Audit.Line, "phe "), "'", ""))
}

// A model in a store has the bits of the model of a file. The second program needs addresses alone, stands by, and goes on when the first
// ends. A person learns the rows again and compares checksums: store, stream and file agree. A changed row and a flipped bit are
// found.
func TestStreamIntoStore(t *testing.T) {
	url, table := server(t), visits(2500)
	published(t, broker.Options{URLs: url}, table, 1000)
	settings := []string{"--target", "bought", "--id", "visit", "--delay", "30", "--where", "seconds>11", "--memory", "64K"}
	want := reference(t, table, settings...)
	follow := []string{"stream", url + "/one", "--store", url + "/shop", "--follow", "--checkpoint", "40ms"}
	_, stopFirst := background(t, append(follow, settings...)...)
	filetest.Until(t, "most rows are saved", func() bool { _, state, _ := stored(t, url, "shop"); return state.Rows >= 2400 })
	fails(t, append(follow, "--memory", "128K"), "memory is 128K now, and it was 64K", "name another model")
	said, stopSecond := background(t, follow...)
	filetest.Until(t, "one stands by", func() bool { return strings.Contains(said.String(), "stands by") })
	cancelled(t, stopFirst)
	_, _, before := stored(t, url, "shop")
	filetest.Until(t, "the second one saves", func() bool { _, _, after := stored(t, url, "shop"); return after != before })
	cancelled(t, stopSecond)
	filetest.WantWords(t, said.String(), "stands by")
	t.Chdir(t.TempDir())
	status := []string{"feed", "--status", url + "/one", "--store", url + "/shop"}
	compare := func() string {
		t.Helper()
		sum, again := audited(t, status...)
		mustPhe(t, again...)
		other, line := audited(t, "inspect", "again.phe")
		filetest.Want(t, other, sum, "the checksum of the stream's rows")
		filetest.Want(t, strings.Join(line, " "), strings.Join(again, " "), "the line of the model that was learned again")
		return sum
	}
	compare() // at a row
	filetest.Check(t, os.Remove("again.phe"))
	mustPhe(t, "stream", url+"/one", "--store", url+"/shop") // to its end
	got, state, _ := stored(t, url, "shop")
	filetest.True(t, bytes.Equal(got, want), "other bits than those of the file; the state is %+v", state)
	filetest.Want(t, state.Ended, true, "the stream has ended")
	sum := compare()
	ofFile := func(table, model string) string {
		mustPhe(t, append([]string{"stream", write(t, ".", "visits.csv", table), "--model", model}, settings...)...)
		sum, _ := audited(t, "inspect", model)
		return sum
	}
	filetest.Want(t, ofFile(table, "file.phe"), sum, "the checksum of the file's rows")
	filetest.True(t, ofFile(strings.Replace(table, "v78,c26", "v78,c27", 1), "changed.phe") != sum, "a changed row has the same checksum")

	flipped := filetest.Must(store.OpenNATS(t.Context(), brokertest.Dial(t, broker.Options{URLs: url}), "shop", 0))(t)
	payload := filetest.Must(flipped.Load(t.Context()))(t).Payload
	save := func() {
		filetest.Check(t, flipped.Save(func(w io.Writer) error { _, err := w.Write(payload); return err }))
	}
	payload[len(payload)-100] ^= 1
	save()
	fails(t, status, "these beliefs are damaged")
	digest := sha256.Sum256(payload[bytes.IndexByte(payload, '\n')+1 : len(payload)-sha256.Size]) // of a bit that flipped in memory
	copy(payload[len(payload)-sha256.Size:], digest[:])
	save()
	other, _ := audited(t, status...)
	filetest.True(t, other != sum, "a flipped bit has the same checksum")
	filetest.Check(t, flipped.Close())
	for flag, message := range map[string]string{"--model=m.phe": "--model is for a model in a file",
		"--predictions=f.csv": "--predictions is for a model",
		"--force":             "--force is for a model"} {
		fails(t, append(follow, flag), message)
	}
	fails(t, []string{"stream", "visits.csv", "--store", url + "/shop"}, "phe feed FILE nats://HOST/STREAM")
}

// A server that follows a store forecasts as the model of a file does, says where it stands, and does not learn. It outlives the NATS
// server.
func TestServeFollowsStore(t *testing.T) {
	nats := cluster.Server{Folder: filetest.Folder(t), Address: "127.0.0.1:0", Sync: "later"}
	url, stopNATS, err := nats.Start()
	filetest.Check(t, err)
	defer func() { stopNATS() }()
	published(t, broker.Options{URLs: url}, visits(1200), 100)
	settings := []string{"--target", "bought", "--id", "visit", "--where", "seconds>11"}
	_, stopLearner := background(t, append([]string{"stream", url + "/many", "--store", url + "/shop", "--follow", "--checkpoint", "50ms"},
		settings...)...)
	_, _, model := learned(t, 1200, settings...)
	alone, _, stopAlone := startServe(t, model)
	loads, told, stopLoads := startServe(t, "--store", url+"/shop")
	record := `{"record": {"customer": "c7", "page": "p1", "seconds": 20}}`
	type answer struct {
		Model     struct{ Rows, Checkpoint *int64 }
		Forecasts json.RawMessage
	}
	forecast := func(server string) (a answer) {
		t.Helper()
		filetest.Check(t, json.Unmarshal([]byte(post(t, server+"/v1/predict", record)), &a))
		return a
	}
	want := forecast(alone)
	filetest.Until(t, "the follower has all rows", func() bool { return *forecast(loads).Model.Rows == *want.Model.Rows })
	got := forecast(loads)
	filetest.Want(t, string(got.Forecasts), string(want.Forecasts), "forecasts of a follower")
	filetest.True(t, got.Model.Checkpoint != nil, "a follower names no checkpoint")
	status, text := ask(t, "POST", loads+"/v1/learn", `{"record": {"customer": "c7", "page": "p1", "seconds": 20, "bought": "yes"}}`)
	filetest.Want(t, status, 409, "status of a request to learn")
	filetest.WantWords(t, text, "to that program")
	stopNATS()
	nats.Address = strings.TrimPrefix(url, "nats://")
	forecast(loads)
	_, stopNATS, err = nats.Start()
	filetest.Check(t, err)
	before := *forecast(loads).Model.Checkpoint
	conn := filetest.Must(broker.Connect(t.Context(), broker.Options{URLs: url}))(t)
	defer conn.Close()
	filetest.Must(conn.JS().Publish(t.Context(), "many", []byte("v1200,c1,p1,30,yes")))(t)
	filetest.Until(t, "a newer checkpoint is served", func() bool { return *forecast(loads).Model.Checkpoint > before })
	cancelled(t, stopLearner)
	for _, stop := range []func() error{stopAlone, stopLoads} {
		filetest.Check(t, stop())
	}
	filetest.WantWords(t, told.String(), "stopped; checkpoint")
}

// While the servers have another password, the learner, a stand-by, the feeder and a follower wait, and say why. None ends, and all go on.
// The long form does it ten times for 15 s, and each time it cuts the line at another answer.
func TestRefusedForATime(t *testing.T) {
	rounds, outage := 1, time.Duration(0)
	if filetest.Long() {
		rounds, outage = 10, 15*time.Second
	}
	nats, stopNATS := cluster.Server{Folder: filetest.Folder(t), Address: "127.0.0.1:0", Sync: "later"}, func() {}
	defer func() { stopNATS() }()
	serve := func(password string) {
		t.Helper()
		stopNATS()
		nats.Config = brokertest.File(t, "authorization { user: phe, password: "+password+" }")
		url, stop, err := nats.Start()
		filetest.Check(t, err)
		stopNATS, nats.Address = stop, strings.TrimPrefix(url, "nats://")
	}
	serve("hush")
	t.Setenv(passwordVariable, "hush")
	line := brokertest.NewLine(t, "nats://"+nats.Address)
	rows := strings.SplitAfter(visits(200+rounds), "\n")
	args := func(command ...string) []string { return append(command, "--nats-user", "phe") }
	send(t, strings.Join(rows[:201], ""))
	feed := args("feed", "-", line.URL+"/visits", "--target", "bought")
	mustPhe(t, feed...)
	to := stdin(t)
	filetest.Must(to.WriteString(strings.Join(rows[:201], "")))(t)
	shop := args("stream", line.URL+"/visits", "--store", line.URL+"/shop", "--follow", "--checkpoint", "50ms")
	told, stop := map[string]*diagnostics{}, map[string]func() error{}
	told["feeder"], stop["feeder"] = background(t, feed...)
	told["learner"], stop["learner"] = background(t, shop...)
	var url string
	url, told["follower"], stop["follower"] = startServe(t, args("--store", line.URL+"/shop")...)
	told["stand-by"], stop["stand-by"] = background(t, shop...)
	filetest.Until(t, "one stands by", func() bool { return strings.Contains(told["stand-by"].String(), "stands by") })
	for k := 1; k <= rounds; k++ {
		line.Answer.Store(int64(k))
		serve("guess")
		for name, said := range told {
			filetest.Until(t, name+" says why", func() bool { return strings.Count(said.String(), "they refuse the connection") >= k })
		}
		time.Sleep(outage)
		filetest.Must(to.WriteString(rows[200+k]))(t)
		serve("hush")
		back, last := time.Now(), fmt.Sprintf(`"rows":%d,`, 200+k)
		filetest.Until(t, "the follower has the last row", func() bool {
			return strings.Contains(post(t, url+"/v1/predict", `{"record": {"customer": "c7"}}`), last)
		})
		t.Logf("round %d: current after %v", k, time.Since(back))
	}
	for _, name := range []string{"feeder", "learner", "stand-by"} {
		cancelled(t, stop[name])
	}
	filetest.Check(t, stop["follower"]())
}
