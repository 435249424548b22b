package cluster

import (
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
)

// freeAddresses returns addresses that are free.
func freeAddresses(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for range n {
		l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close() // after all are chosen, so that they differ
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

// startNodes starts a cluster of three that wants a certificate and a password, from clients and from each other.
func startNodes(t *testing.T) (stops map[string]func(), o Options) {
	t.Helper()
	secret, mine, pool := secured(t)
	addresses := freeAddresses(t, 3)
	routes := "nats-route://phe:secret@" + strings.Join(addresses, ", nats-route://phe:secret@")
	stops = map[string]func(){}
	var urls []string
	for i, address := range addresses {
		name := fmt.Sprint("n", i)
		config := file(t, fmt.Sprintf("server_name: %s\n%s\ncluster {\nname: phe\nlisten: %q\nroutes: [%s]\n%s\n}\n", name, secret, address, routes, secret))
		url, stop, err := Server{Folder: t.TempDir(), Address: "127.0.0.1:0", Config: config}.Start()
		filetest.Check(t, err)
		t.Cleanup(stop)
		stops[name] = stop
		urls = append(urls, url)
	}
	return stops, Options{Name: "test", URLs: strings.Join(urls, ","), Replicas: 3, Username: "phe", Password: "secret",
		TLS: &tls.Config{Certificates: []tls.Certificate{mine}, RootCAs: pool}, Log: func(line string) { t.Log(line) }}
}

// Three servers store the logs. The one that orders the contributions ends half way, and nothing is lost.
func TestCluster(t *testing.T) {
	t.Parallel()
	stops, o := startNodes(t)
	ctx := limited(t)
	l := filetest.Must(Connect(ctx, o))(t)
	t.Cleanup(l.Close)
	filetest.Check(t, l.Create(ctx, startState()))
	filetest.Check(t, l.Feed(ctx, chunks(numRows)))
	f := follow(t, t.Context(), l)
	learner := newLearner(f)
	var there, goOn chan struct{}
	learner.at, there, goOn = waitAt("published")
	background(t, t.Context(), learner.run)
	<-there
	status := filetest.Must(l.Status(ctx))(t)
	if status.Replicas != 3 || stops[status.Leader] == nil || len(status.Peers) != 2 {
		t.Fatalf("%+v", status)
	}
	stops[status.Leader]()
	close(goOn)
	complete(t, l, f)
	filetest.Check(t, f.save(ctx))
	s, err := l.checkpoint(ctx, clustertest.Open)
	if err != nil || s.state == nil || s.state.Position != f.Metrics().Position || s.state.Verdicts[fold.Counted] != numChunks {
		t.Errorf("%+v, error %v", s, err)
	}
}
