package streaming

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
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
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/cluster"
	"gophe/phe/live/log"
)

// published makes streams of the rows of a CSV: "one" has a JSON object a message, and "many" lines of CSV, the header first.
func published(t *testing.T, o broker.Options, table string, rows int) {
	t.Helper()
	conn := filetest.Must(broker.Connect(t.Context(), o))(t)
	defer conn.Close()
	for _, name := range []string{"one", "many"} {
		filetest.Must(conn.JS.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name}}))(t)
	}
	for _, object := range objects(t, table) {
		filetest.Must(conn.JS.PublishAsync("one", []byte(object)))(t)
	}
	for lines := strings.SplitAfter(strings.TrimSuffix(table, "\n"), "\n"); len(lines) > 0; {
		n := min(rows, len(lines))
		filetest.Must(conn.JS.PublishAsync("many", []byte(strings.Join(lines[:n], ""))))(t)
		lines = lines[n:]
	}
	<-conn.JS.PublishAsyncComplete()
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
func bits(t *testing.T, model string) ([]byte, log.State) {
	t.Helper()
	l, state, err := log.Load(filetest.Must(checkpoint.Peek(model))(t))
	filetest.Check(t, err)
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b, log.State{}))
	return b.Bytes(), state
}

// A file of CSV, one of JSON lines, a folder, streams of one row a message and of a thousand, and one that is followed give the same bits.
func TestStreamOfNATS(t *testing.T) {
	folder, url := t.TempDir(), server(t)
	table := visits(2500)
	path := write(t, folder, "visits.csv", table)
	published(t, broker.Options{URLs: url}, table, 1000)
	learn := []string{"--target", "bought", "--id", "visit", "--model"}
	reference := filepath.Join(folder, "file.phe")
	mustPhe(t, append([]string{"stream", path}, append(learn, reference)...)...)
	want, _ := bits(t, reference)
	lines, parts := strings.SplitAfter(table, "\n"), filepath.Join(folder, "parts")
	filetest.Check(t, os.Mkdir(parts, 0o700))
	write(t, parts, "1.csv", strings.Join(lines[:1000], ""))
	write(t, parts, "2.csv", lines[0]+strings.Join(lines[1000:], ""))
	for _, input := range []string{parts, write(t, folder, "visits.jsonl", strings.Join(objects(t, table), "\n")+"\n")} {
		mustPhe(t, append([]string{"stream", input}, append(learn, input+".phe")...)...)
		if got, state := bits(t, input+".phe"); !bytes.Equal(got, want) || state.Rows != 2500 || !state.Ended {
			t.Errorf("%s: other bits, or %d rows", input, state.Rows)
		}
	}
	for _, name := range []string{"one", "many"} {
		model := filepath.Join(folder, name+".phe")
		command := append([]string{"stream", url + "/" + name}, append(learn, model)...)
		for range 2 { // the second time there is nothing new
			out, _ := mustPhe(t, command...)
			contains(t, out, "2,500 rows")
		}
		got, state := bits(t, model)
		if !bytes.Equal(got, want) || state.Rows != 2500 || !state.Ended {
			t.Errorf("%s: other bits, or %d rows", name, state.Rows)
		}
		followed := filepath.Join(folder, name+"-followed.phe")
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- command0("stream", url+"/"+name, "--follow", "--checkpoint", "10ms", "--target", "bought", "--id", "visit",
				"--model", followed).ExecuteContext(ctx)
		}()
		for state.Rows = 0; state.Rows < 2500; time.Sleep(10 * time.Millisecond) {
			if loaded, err := checkpoint.Peek(followed); err == nil {
				_, state, err = log.Load(loaded)
				filetest.Check(t, err)
			}
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got, _ := bits(t, followed); !bytes.Equal(got, want) {
			t.Errorf("%s: other bits when it is followed", name)
		}
	}
	out, _ := mustPhe(t, "eval", url+"/many", "--target", "bought")
	contains(t, out, "2,500 rows")
	file := []string{"stream", path, "--target", "bought", "--id", "visit", "--model", filepath.Join(folder, "one.phe")}
	mustPhe(t, file...) // on top of the stream
	fails(t, append(file, "--follow"), "--follow waits for new rows of a stream")
	fails(t, []string{"stream", url + "/one", path, "--target", "bought"}, "a stream is learned by itself")
	fails(t, []string{"stream", url + "/one", "--check", "--target", "bought", "--model", filepath.Join(folder, "x.phe")},
		"--check compares files")
	fails(t, []string{"stream", url + "/none", "--target", "bought", "--model", filepath.Join(folder, "x.phe")},
		"nats stream add NAME --subjects none")
	err := command0("stream", "nats://eve:hush@127.0.0.1/one", "--target", "bought", "--model", filepath.Join(folder, "x.phe")).Execute()
	filetest.WantError(t, err, "a password or a token", "take it out, and give --nats-user with PHE_NATS_PASSWORD")
	if strings.Contains(err.Error(), "hush") {
		t.Error(err)
	}
}

// command0 is a command whose output nobody reads.
func command0(args ...string) interface {
	Execute() error
	ExecuteContext(context.Context) error
} {
	return command(&bytes.Buffer{}, &bytes.Buffer{}, args...)
}

// A stream of a server with TLS and a password is learned by those who know both.
func TestStreamOfSecureNATS(t *testing.T) {
	folder := t.TempDir()
	key := filetest.Must(ecdsa.GenerateKey(elliptic.P256(), crand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:        true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der := filetest.Must(x509.CreateCertificate(crand.Reader, template, template, &key.PublicKey, key))(t)
	certificate := write(t, folder, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	secret := write(t, folder, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY",
		Bytes: filetest.Must(x509.MarshalPKCS8PrivateKey(key))(t)})))
	config := write(t, folder, "nats.conf",
		fmt.Sprintf("authorization { user: phe, password: hush }\ntls { cert_file: %q, key_file: %q }", certificate, secret))
	url, stop, err := cluster.Server{Folder: filepath.Join(folder, "logs"), Address: "127.0.0.1:0", Sync: "later", Config: config}.Start()
	filetest.Check(t, err)
	t.Cleanup(stop)
	t.Setenv(passwordVariable, "hush")
	f := natsFlags{user: "phe", authority: certificate}
	o := filetest.Must(f.connection(streamCommand(), url))(t)
	published(t, o, visits(200), 50)
	model := filepath.Join(folder, "m.phe")
	learn := []string{"stream", "nats://" + strings.TrimPrefix(strings.TrimPrefix(url, "nats://"), "tls://") + "/many",
		"--target", "bought", "--model", model, "--nats-ca", certificate}
	fails(t, learn, "the servers refuse the connection")
	mustPhe(t, append(learn, "--nats-user", "phe")...)
	if loaded := filetest.Must(checkpoint.Peek(model))(t); bytes.Contains(loaded.Payload, []byte("hush")) {
		t.Error("the model holds the password")
	}
}

// A stream is learned by processes that are killed, from a server that is stopped and started: the bits are those without a kill. The long
// form kills a hundred times, and of these at least sixty go on at different rows in the middle.
func TestKilledStreamOfNATS(t *testing.T) {
	rows, kills, life := 3000, 1, 5*time.Millisecond
	if filetest.Long() {
		rows, kills, life = 300_000, 100, 500*time.Millisecond
	}
	chance := rand.New(rand.NewPCG(7, 9))
	folder, table := t.TempDir(), visits(rows)
	path, reference := write(t, folder, "visits.csv", table), filepath.Join(folder, "file.phe")
	learning := []string{"--target", "bought", "--id", "visit", "--model"}
	mustPhe(t, append([]string{"stream", path}, append(learning, reference)...)...)
	want, _ := bits(t, reference)
	s := cluster.Server{Folder: filetest.Folder(t), Address: "127.0.0.1:0", Sync: "later"}
	url, stop, err := s.Start()
	filetest.Check(t, err)
	defer func() { stop() }()
	s.Address = strings.TrimPrefix(url, "nats://")
	published(t, broker.Options{URLs: url}, table, 1000)
	for _, name := range []string{"one", "many"} {
		killed, middles, inside := 0, map[int64]bool{}, 0
		for round := 0; killed < kills; round++ {
			model := filepath.Join(folder, fmt.Sprintf("%s-%d.phe", name, round))
			for ended := false; !ended; {
				every, life := "60ms", life
				if filetest.Long() && killed%10 == 9 { // it must live until its first checkpoint
					every, life = "2s", 8*life
				}
				command := append([]string{"stream", url + "/" + name, "--checkpoint", every}, append(learning, model)...)
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
				_, state, err := log.Load(loaded)
				if filetest.Check(t, err); !ended && state.Rows > 0 && state.Rows < int64(rows) {
					middles[state.Rows] = true
					if bytes.Contains(state.Position, []byte(`"rows"`)) {
						inside++
					}
				}
			}
			if got, state := bits(t, model); !bytes.Equal(got, want) || state.Rows != int64(rows) {
				t.Fatalf("%s: after %d kills the bits differ, or %d rows were learned", name, killed, state.Rows)
			}
		}
		t.Logf("%s: %d kills, %d different rows in the middle, %d times inside a message", name, killed, len(middles), inside)
		if filetest.Long() && (len(middles) < 60 || name == "many" && inside == 0) {
			t.Error("too few kills came in the middle")
		}
	}
}
