package streaming

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/cluster"
)

// Servers that follow a store forecast as the model of a file does, say where they stand, and do not learn. A server that learns the rows
// itself compares its bits. Both outlive the NATS server.
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
	replays, _, stopReplays := startServe(t, "--store", url+"/shop", "--replay", url+"/many")
	record := `{"record": {"customer": "c7", "page": "p1", "seconds": 20}}`
	type answer struct {
		Model     struct{ Rows, Checkpoint, Behind *int64 }
		Forecasts json.RawMessage
	}
	forecast := func(server string) (a answer) {
		t.Helper()
		filetest.Check(t, json.Unmarshal([]byte(post(t, server+"/v1/predict", record)), &a))
		return a
	}
	want := forecast(alone)
	for _, server := range []string{loads, replays} {
		got := forecast(server)
		for tries := 0; *got.Model.Rows < *want.Model.Rows && tries < 1000; tries++ {
			time.Sleep(5 * time.Millisecond)
			got = forecast(server)
		}
		filetest.Want(t, *got.Model.Rows, *want.Model.Rows, "rows of a follower")
		filetest.Want(t, string(got.Forecasts), string(want.Forecasts), "forecasts of a follower")
		filetest.True(t, got.Model.Checkpoint != nil, "a follower names no checkpoint")
		filetest.Want(t, got.Model.Behind != nil, server == replays, "it says how far it is behind")
		status, text := ask(t, "POST", server+"/v1/learn", `{"record": {"customer": "c7", "page": "p1", "seconds": 20, "bought": "yes"}}`)
		filetest.Want(t, status, 409, "status of a request to learn")
		filetest.WantWords(t, text, "feeder of many")
	}
	_, metrics := ask(t, "GET", replays+"/metrics", "")
	filetest.WantWords(t, metrics, "gophe_bits_differed_total 0", "gophe_log_rows_behind 0")
	stopNATS()
	nats.Address = strings.TrimPrefix(url, "nats://")
	forecast(loads)
	_, stopNATS, err = nats.Start()
	filetest.Check(t, err)
	before := *forecast(loads).Model.Checkpoint
	conn := filetest.Must(broker.Connect(t.Context(), broker.Options{URLs: url}))(t)
	defer conn.Close()
	filetest.Must(conn.JS.Publish(t.Context(), "many", []byte("v1200,c1,p1,30,yes")))(t)
	for tries := 0; *forecast(loads).Model.Checkpoint == before; tries++ {
		if time.Sleep(5 * time.Millisecond); tries > 2000 {
			t.Fatalf("it stays at checkpoint %d: %s", before, told)
		}
	}
	cancelled(t, stopLearner)
	for _, stop := range []func() error{stopAlone, stopLoads, stopReplays} {
		filetest.Check(t, stop())
	}
	filetest.WantWords(t, told.String(), "stopped; checkpoint")
}

// A follower's mistakes are told with their remedies, and no secret is repeated.
func TestServeStoreMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		"name that too, with --store": {"--replay", "nats://a/rows"},
		"leave out the file":          {"m.phe", "--store", "nats://a/shop"},
		"none of the others can be":   {"--store", "nats://a/shop", "--read-only"},
		"a password or a token":       {"--store", "nats://eve:hush@127.0.0.1/shop", "--address", "127.0.0.1:0"},
		"write nats://HOST":           {"--store", "nats://127.0.0.1", "--address", "127.0.0.1:0"},
	} {
		_, _, err := phe(t, append([]string{"serve"}, args...)...)
		filetest.WantError(t, err, want)
		filetest.WantNone(t, err.Error(), "hush")
	}
}
