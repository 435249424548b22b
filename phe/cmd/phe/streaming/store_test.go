package streaming

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/log"
)

// stored returns the newest checkpoint of a store: the learner's bits, the state and the generation.
func stored(t *testing.T, url, name string) ([]byte, log.State, uint64) {
	t.Helper()
	conn := filetest.Must(broker.Connect(t.Context(), broker.Options{URLs: url}))(t)
	defer conn.Close()
	payload, generation, err := filetest.Must(log.OpenNATS(t.Context(), conn, name, 0))(t).Newest(t.Context(), 0)
	filetest.Check(t, err)
	l, state, err := log.Load(checkpoint.Loaded{Payload: payload})
	filetest.Check(t, err)
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b, log.State{}))
	return b.Bytes(), state, generation
}

// A model in a store has the bits of the model of a file. The second program needs addresses alone, stands by, and goes on when the first
// ends. The rows are learned again and compared; a changed row is found.
func TestStreamIntoStore(t *testing.T) {
	folder, url, table := t.TempDir(), server(t), visits(2500)
	published(t, broker.Options{URLs: url}, table, 1000)
	settings := []string{"--target", "bought", "--id", "visit", "--delay", "30", "--where", "seconds>11", "--memory", "64K"}
	reference := filepath.Join(folder, "file.phe")
	mustPhe(t, append([]string{"stream", write(t, folder, "visits.csv", table), "--model", reference}, settings...)...)
	want, _ := bits(t, reference)
	follow := []string{"stream", url + "/one", "--store", url + "/shop", "--follow", "--checkpoint", "40ms"}
	first, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- command0(append(follow, settings...)...).ExecuteContext(first) }()
	for rows := int64(0); rows < 2400; time.Sleep(5 * time.Millisecond) {
		_, state, _ := stored(t, url, "shop")
		rows = state.Rows
	}
	fails(t, append(follow, "--memory", "128K"), "--memory is 128K now, and it was 64K", "a store of another name")
	second, stopSecond := context.WithCancel(t.Context())
	var said bytes.Buffer
	go func() { ended <- command(&bytes.Buffer{}, &said, append(follow, "--hot")...).ExecuteContext(second) }()
	time.Sleep(100 * time.Millisecond)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_, _, before := stored(t, url, "shop")
	for after := before; after == before; time.Sleep(5 * time.Millisecond) {
		_, _, after = stored(t, url, "shop")
	}
	stopSecond()
	if err := <-ended; !errors.Is(err, context.Canceled) || !strings.Contains(said.String(), "stands by") {
		t.Fatalf("the stand-by ends with %v, and says %q", err, said.String())
	}
	contains(t, said.String(), "goes on from its own learner, 0 rows behind the checkpoint")
	mustPhe(t, "stream", url+"/one", "--store", url+"/shop") // to its end
	if got, state, _ := stored(t, url, "shop"); !bytes.Equal(got, want) || !state.Ended {
		t.Errorf("other bits than those of the file; the state is %+v", state)
	}
	again := []string{"stream", url + "/one", "--store", url + "/shop", "--relearn"}
	out, _ := mustPhe(t, again...)
	contains(t, out, "2,400 rows, learned again, give the bits of checkpoint")
	var compared struct {
		Same bool `json:"same_bits"`
	}
	out, _ = mustPhe(t, append(again, "--json")...)
	if err := json.Unmarshal([]byte(out), &compared); err != nil || !compared.Same {
		t.Errorf("%s, error %v", out, err)
	}
	flipped := filetest.Must(log.OpenNATS(t.Context(), brokertest.Dial(t, broker.Options{URLs: url}), "shop", 0))(t)
	payload := filetest.Must(flipped.Hold(t.Context()))(t)
	save := func() {
		filetest.Check(t, flipped.Save(func(w io.Writer) error { _, err := w.Write(payload); return err }))
	}
	payload[len(payload)-100] ^= 1
	save()
	fails(t, again, "these beliefs are damaged")
	payload[len(payload)-100] ^= 1
	save()
	mustPhe(t, again...)
	filetest.Check(t, flipped.Close())
	other := server(t)
	published(t, broker.Options{URLs: other}, strings.Replace(table, "v78,c26", "v78,c27", 1), 1000)
	fails(t, []string{"stream", other + "/one", "--store", url + "/shop", "--relearn"}, "2,400 rows, learned again, give other bits",
		"a row of the stream was changed")
	for flag, message := range map[string]string{"--model=m.phe": "--model is for a model in a file",
		"--predictions=f.csv": "--predictions is for a model",
		"--force":             "--force is for a model"} {
		fails(t, append(follow, flag), message)
	}
	fails(t, []string{"stream", reference, "--store", url + "/shop"}, "phe feed FILE nats://HOST/STREAM")
	fails(t, []string{"stream", url + "/one", "--relearn"}, "name it with --store")
	fails(t, append(again, "--follow"), "leave out --hot and --follow")
}
