package cluster_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
	"gophe/phe/live/cluster"
)

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for words, s := range map[string]cluster.Server{
		"needs a folder":                                   {},
		"choose auto, always or":                           {Folder: "x", Sync: "never"},
		`is "localhost"; write it as HOST:PORT with`:       {Folder: "x", Address: "localhost"},
		`is "localhost:70000"; write it as HOST:PORT with`: {Folder: "x", Address: "localhost:70000"},
		"the configuration none":                           {Folder: "x", Config: "none"},
		"unknown field":                                    {Folder: "x", Config: brokertest.File(t, "usr: gophe")},
	} {
		_, _, err := s.Start()
		filetest.WantError(t, err, words)
	}
}

// A server says at once that its address is taken.
func TestAddressTaken(t *testing.T) {
	t.Parallel()
	url, _ := brokertest.Start(t, filetest.Folder(t))
	_, _, err := cluster.Server{Folder: t.TempDir(), Address: strings.TrimPrefix(url, "nats://")}.Start()
	filetest.WantError(t, err, "address already in use", "stop the program that uses the address, or give another one")
}

// A server does not start with a folder that would take all its memory or silence a stream, and says which file is damaged.
func TestWildNumber(t *testing.T) {
	t.Parallel()
	folder := filetest.Folder(t)
	url, stop := brokertest.Start(t, folder)
	conn, ctx := brokertest.Dial(t, broker.Options{URLs: url}), t.Context()
	s := filetest.Must(conn.JS().CreateStream(ctx, jetstream.StreamConfig{Name: "s", Subjects: []string{"s"}}))(t)
	for i := range 20 {
		m := &nats.Msg{Subject: "s", Data: fmt.Appendf(nil, "row %d", i)}
		if i%2 == 0 {
			m.Header = nats.Header{"a": {"b"}}
		}
		filetest.Must(conn.JS().PublishMsg(ctx, m))(t)
	}
	filetest.Must(s.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "learners"}))(t)
	conn.Close()
	stop()
	f := filetest.Must(os.Open(filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams/s/msgs/1.blk")))(t)[0]))(t)
	defer f.Close()
	head := make([]byte, 4)
	for at, i := int64(0), 0; i < 20; i++ {
		filetest.Must(f.ReadAt(head, at))(t)
		length := binary.LittleEndian.Uint32(head) &^ cluster.HasHeader
		filetest.True(t, cluster.IsSound(f, at, length), "message %d is not sound", i+1)
		filetest.True(t, !cluster.IsSound(f, at, length-1), "message %d is sound without its last byte", i+1)
		at += int64(length)
	}
	for pattern, c := range map[string]struct {
		at    int
		wants []string
	}{
		"s/msgs/1.blk":            {9, []string{"1.blk is damaged: message", "restore"}},
		"s/obs/learners/meta.inf": {99, []string{"learners/meta.inf or its checksum is damaged", "remove its folder"}},
		"s/meta.sum":              {0, []string{"s/meta.inf or its checksum is damaged", "restore"}},
		"s/msgs/index.db":         {9, nil},
	} {
		copied := filetest.Folder(t)
		filetest.Check(t, os.CopyFS(copied, os.DirFS(folder)))
		path := filetest.Must(filepath.Glob(filepath.Join(copied, "jetstream/*/streams", pattern)))(t)[0]
		b := filetest.Must(os.ReadFile(path))(t)
		if strings.HasSuffix(path, ".blk") { // the number of the second message
			c.at += int(binary.LittleEndian.Uint32(b) &^ (1 << 31))
		}
		b[c.at] ^= 2
		filetest.Check(t, os.WriteFile(path, b, 0o600))
		_, stop, err := brokertest.Try(copied)
		if err == nil {
			stop()
		}
		if c.wants != nil {
			filetest.WantError(t, err, c.wants...)
		} else if err != nil {
			t.Error(err)
		}
	}
}
