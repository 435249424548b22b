package streaming

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/cluster"
)

// Servers that follow a store forecast as the model of a file does, say where they stand, and do not learn. A server that learns the rows
// itself compares its bits. Both outlive the NATS server.
func TestServeFollowsStore(t *testing.T) {
	folder, table := t.TempDir(), visits(1200)
	nats := cluster.Server{Folder: filetest.Folder(t), Address: "127.0.0.1:0", Sync: "later"}
	url, stopNATS, err := nats.Start()
	filetest.Check(t, err)
	defer func() { stopNATS() }()
	published(t, broker.Options{URLs: url}, table, 100)
	ctx, stopLearner := context.WithCancel(t.Context())
	learned := make(chan error, 1)
	go func() {
		learned <- command0("stream", url+"/many", "--store", url+"/shop", "--follow", "--checkpoint", "50ms", "--target", "bought",
			"--id", "visit",
			"--where", "seconds>11").ExecuteContext(ctx)
	}()
	model := filepath.Join(folder, "m.phe")
	mustPhe(t, "stream", write(t, folder, "visits.csv", table), "--target", "bought", "--id", "visit", "--where", "seconds>11",
		"--model", model)
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
		status, text := ask(t, "POST", server+"/v1/predict", record)
		if status != 200 {
			t.Fatalf("status %d: %s", status, text)
		}
		filetest.Check(t, json.Unmarshal([]byte(text), &a))
		return a
	}
	want := forecast(alone)
	for _, server := range []string{loads, replays} {
		got := forecast(server)
		for tries := 0; *got.Model.Rows < *want.Model.Rows && tries < 1000; tries++ {
			time.Sleep(5 * time.Millisecond)
			got = forecast(server)
		}
		if !bytes.Equal(got.Forecasts, want.Forecasts) || *got.Model.Rows != *want.Model.Rows {
			t.Errorf("the follower forecasts %s after %d rows, and the model's file %s", got.Forecasts, *got.Model.Rows, want.Forecasts)
		}
		if m := got.Model; m.Checkpoint == nil || (m.Behind != nil) != (server == replays) {
			t.Errorf("the follower stands at %+v", m)
		}
		status, text := ask(t, "POST", server+"/v1/learn", `{"record": {"customer": "c7", "page": "p1", "seconds": 20, "bought": "yes"}}`)
		if status != 409 || !strings.Contains(text, "feeder of many") {
			t.Errorf("a follower answers a request to learn with %d %s", status, text)
		}
	}
	_, metrics := ask(t, "GET", replays+"/metrics", "")
	contains(t, metrics, "gophe_bits_differed_total 0", "gophe_log_rows_behind 0")
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
	stopLearner()
	if err := <-learned; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, stop := range []func() error{stopAlone, stopLoads, stopReplays} {
		filetest.Check(t, stop())
	}
	contains(t, told.String(), "stopped; checkpoint")
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
		fails(t, append([]string{"serve"}, args...), want)
		if err := command0(append([]string{"serve"}, args...)...).Execute(); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("the error is %v", err)
		}
	}
}
