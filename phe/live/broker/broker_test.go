package broker_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/cluster"
)

// An address names servers and a stream. One with a secret is refused, and the error does not repeat it.
func TestAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"nats://a/sales":                    "nats://a sales",
		"nats://a:4222,b:4222,c:4222/sales": "nats://a:4222,nats://b:4222,nats://c:4222 sales",
		"nats://a,nats://b/s.t":             "nats://a,nats://b s.t",
		"nats://[::1]:4222,[::2]/s":         "nats://[::1]:4222,nats://[::2] s",
	} {
		urls, name, err := broker.Address(address)
		filetest.Check(t, err)
		filetest.Want(t, urls+" "+name, want, "%s", address)
	}
	for _, address := range []string{"nats://", "nats:///sales", "nats://a", "nats://a/"} {
		_, _, err := broker.Address(address)
		filetest.WantError(t, err, "write nats://HOST/STREAM")
	}
	for _, server := range []string{"a:b", "a:http2x", "a:65536", "a:-1", "[::1", "::1", "a:4222,b:x", "a,", "%zz"} {
		_, _, err := broker.Address("nats://" + server + "/sales")
		filetest.WantError(t, err, "nats://"+server+"/sales names no server", "write it as HOST or HOST:PORT with a port up to 65535")
	}
	for _, address := range []string{"nats://eve:hush@a/sales", "nats://hush@a/sales", "nats://a,eve:hush@b/sales",
		"nats://eve:hu/sh@a/sales"} {
		_, _, err := broker.Address(address)
		filetest.WantError(t, err, "the servers' address holds a user, a password or a token")
		_, connecting := broker.Connect(t.Context(), broker.Options{URLs: address})
		filetest.WantError(t, connecting, "the servers' address holds a user, a password or a token")
		filetest.WantNone(t, err.Error()+connecting.Error(), "hush")
	}
}

func TestBadNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Adult", "a.b", "a b", "a*", "a>", "-a", "_a", "ä", "a/b", strings.Repeat("a", 65)} {
		filetest.WantError(t, broker.CheckName(name), "use 1 to 64 lower-case letters")
	}
	for _, name := range []string{"a", "adult-2_x", "9", strings.Repeat("a", 64)} {
		filetest.Check(t, broker.CheckName(name))
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for words, o := range map[string]broker.Options{
		"give one of username with":        {Token: "t", Username: "u"},
		"there are no server URLs":         {},
		"the connection: the servers did ": {URLs: "nats://127.0.0.1:1"}, // nobody listens on port 1
	} {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := broker.Connect(ctx, o)
		stop()
		filetest.WantError(t, err, words)
	}
}

// A call gives up at Close, and after the connection's patience, without a server from the beginning and without the server that was there.
// A later call finds the server that comes back after that.
func TestPatience(t *testing.T) {
	t.Parallel()
	o := broker.Options{URLs: "nats://127.0.0.1:1", Patience: 50 * time.Millisecond} // nobody listens on port 1
	_, err := broker.Connect(t.Context(), o)
	filetest.WantError(t, err, "the servers did not answer for 50ms; start them")
	s := cluster.Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Sync: "later"}
	url, stop, err := s.Start()
	filetest.Check(t, err)
	o.URLs, s.Address = url, strings.TrimPrefix(url, "nats://")
	closed := brokertest.Dial(t, broker.Options{URLs: url})
	closed.Close()
	_, err = closed.Stream(t.Context(), "s") // it waits for nobody
	filetest.WantError(t, err, "connection closed")
	c := brokertest.Dial(t, o)
	stop()
	for range 3 { // longer than the patience
		_, err = c.Stream(t.Context(), "s")
		filetest.WantError(t, err, "the servers did not answer for 50ms; start them")
	}
	_, stop, err = s.Start()
	filetest.Check(t, err)
	t.Cleanup(stop)
	for began := time.Now(); !errors.Is(err, jetstream.ErrStreamNotFound); {
		if _, err = c.Stream(t.Context(), "s"); time.Since(began) > 30*time.Second {
			t.Fatalf("the server is there, and a call says: %v", err)
		}
	}
}

// Servers without room for a message say so with what helps, to those who store it and in their own log. Calls that succeed meanwhile say
// nothing.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	const config = "accounts { A { jetstream: { max_file: %s }, users: [{user: phe, password: hush}] } }\njetstream { max_file_store: %s }"
	for want, c := range map[string]struct {
		account, all string
		most         int64
		log          string
	}{
		"their disk is full, or the limit max_file_store": {"-1", "200KB", -1, "exceeded for server; the disk of "},
		"the account may store no more; raise its limit":  {"200KB", "1GB", -1, "exceeded for account: \"A\"; the disk of "},
		"the stream takes no more; raise its limit":       {"-1", "1GB", 200_000, ""},
	} {
		own, said := make(chan string, 100), make(chan string, 100)
		url, stop, err := cluster.Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Sync: "later", Log: func(s string) { own <- s },
			Config: brokertest.File(t, fmt.Sprintf(config, c.account, c.all))}.Start()
		filetest.Check(t, err)
		t.Cleanup(stop)
		conn := brokertest.Dial(t, broker.Options{URLs: url, Username: "phe", Password: "hush", Log: func(s string) { said <- s }})
		brokertest.Stream(t, conn, jetstream.StreamConfig{Name: "s", MaxBytes: c.most, Discard: jetstream.DiscardNew})
		go func() {
			for err := error(nil); err == nil; {
				err = conn.Retry(t.Context(), "storing it", func(ctx context.Context) error {
					_, err := conn.JS().Publish(ctx, "s", make([]byte, 60_000))
					return err
				})
			}
		}()
		for !strings.Contains(<-said, "storing it waits for the servers: "+want) {
		}
		filetest.Must(conn.Stream(t.Context(), "s"))(t)
		filetest.Want(t, len(said), 0, "lines after the first")
		for c.log != "" && !strings.Contains(<-own, c.log) {
		}
	}
}

// With TLS and a password only those who know both get in.
func TestTLSAndPassword(t *testing.T) {
	t.Parallel()
	config, certificate, key := brokertest.Secured(t)
	url, stop, err := cluster.Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Sync: "later", Config: brokertest.File(t, config)}.Start()
	filetest.Check(t, err)
	t.Cleanup(stop)
	good := broker.Options{URLs: url, Username: "phe", Password: "hush", TLS: brokertest.Client(t, certificate, key)}
	filetest.Must(brokertest.Dial(t, good).CreateBucket(t.Context(), "b", 1))(t)
	for name, change := range map[string]func(*broker.Options){
		"another password":  func(o *broker.Options) { o.Password = "guess" },
		"no certificate":    func(o *broker.Options) { o.TLS = &tls.Config{RootCAs: good.TLS.RootCAs} },
		"an unknown server": func(o *broker.Options) { o.TLS = &tls.Config{Certificates: good.TLS.Certificates} },
		"no TLS":            func(o *broker.Options) { o.TLS = nil },
	} {
		o := good
		change(&o)
		_, err := broker.Connect(t.Context(), o)
		if err == nil {
			t.Errorf("%s: connected", name)
			continue
		}
		filetest.WantError(t, err, "the servers refuse the connection")
	}
}

// An object that lacks a part is stored again, and is damage to who reads it.
func TestLostPart(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, t.TempDir())
	ctx, c := t.Context(), brokertest.Dial(t, broker.Options{URLs: url})
	b := filetest.Must(c.CreateBucket(ctx, "b", 1))(t)
	filetest.Check(t, b.Put(ctx, "o", make([]byte, 300_000))) // three parts
	filetest.Want(t, len(filetest.Must(b.Get(ctx, "o"))(t)), 300_000, "bytes of the object")
	info, s := filetest.Must(b.Info(ctx, "o"))(t), filetest.Must(c.JS().Stream(ctx, "OBJ_b"))(t)
	filetest.Check(t, broker.IsWhole(b, ctx, info))
	filetest.Check(t, s.DeleteMsg(ctx, filetest.Must(s.GetLastMsgForSubject(ctx, "$O.b.C."+info.NUID))(t).Sequence))
	filetest.Want(t, broker.IsWhole(b, ctx, info), nats.ErrDisconnected, "what is said of two parts of three")
	err := filetest.Failure(b.Get(ctx, "o"))
	filetest.WantError(t, err, "part 3 of 3 of the object o is missing or damaged")
	filetest.True(t, broker.IsDamaged(err), "%v is no damage", err)
}
