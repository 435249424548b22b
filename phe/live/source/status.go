package source

import (
	"context"
	"time"

	"gophe/phe/live/broker"
	"gophe/phe/records"
)

// Stream describes a stream on its servers.
type Stream struct {
	Name     string `json:"stream"`
	Messages uint64 `json:"messages"` // number of the last one
	Bytes    uint64 `json:"bytes"`
	Replicas int    `json:"replicas"`
	Leader   string `json:"leader"` // server that orders the messages; empty without a cluster
	Peers    []Peer `json:"peers"`  // the other servers that store them

	created time.Time
}

// Peer is a server that stores a copy of a stream.
type Peer struct {
	Name    string `json:"name"`
	Current bool   `json:"current"` // it has all messages
	Lag     uint64 `json:"lag"`
}

// LookAt asks the servers for a stream.
func LookAt(ctx context.Context, c *broker.Conn, stream string) (*Stream, error) {
	info, err := NewJetStream(c, stream, records.Options{}).Info(ctx)
	if err != nil {
		return nil, err
	}
	s := &Stream{Name: stream, Messages: info.State.LastSeq, Bytes: info.State.Bytes, Replicas: info.Config.Replicas,
		created: info.Created}
	if info.Cluster != nil {
		s.Leader = info.Cluster.Leader
		for _, p := range info.Cluster.Replicas {
			s.Peers = append(s.Peers, Peer{p.Name, p.Current, p.Lag})
		}
	}
	return s, nil
}

// Behind returns the number of messages after a model's position; all if the model learns another stream of this name, or none has come.
func (s *Stream) Behind(at Position) uint64 {
	p := (&Past{Position: at}).inStream()
	switch {
	case len(at) == 0 || p.Stream == s.Name && !p.Created.Equal(s.created): // before its first message
		return s.Messages
	case p.Stream != s.Name:
		return 0
	}
	return s.Messages + 1 - max(1, min(p.Next, s.Messages+1))
}
