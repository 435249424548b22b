package log

import (
	"context"
	"time"

	"gophe/data/records"
	"gophe/phe/live/broker"
)

// Status describes a stream, and the store of the learner that learns it.
type Status struct {
	Stream     string `json:"stream"`
	Store      string `json:"store,omitempty"`
	Messages   uint64 `json:"messages"` // number of the last one
	Bytes      uint64 `json:"bytes"`
	Checkpoint *Saved `json:"checkpoint,omitempty"` // the newest; nil without a store
	Behind     uint64 `json:"behind"`               // messages after the checkpoint
	Held       bool   `json:"held"`                 // a learner has the store
	Holder     string `json:"holder,omitempty"`     // its process and machine
	Replicas   int    `json:"replicas"`
	Leader     string `json:"leader"` // server that orders the messages; empty without a cluster
	Peers      []Peer `json:"peers"`  // the other servers that store them

	created time.Time // the stream
}

// Saved is a checkpoint.
type Saved struct {
	Mark
	Saved time.Time `json:"saved"`
}

// Peer is a server that stores a copy of a stream.
type Peer struct {
	Name    string `json:"name"`
	Current bool   `json:"current"` // it has all messages
	Lag     uint64 `json:"lag"`
}

// LookAt asks the servers for a stream.
func LookAt(ctx context.Context, c *broker.Conn, stream string) (*Status, error) {
	info, err := NewJetStream(c, stream, records.Options{}).Info(ctx)
	if err != nil {
		return nil, err
	}
	s := &Status{Stream: stream, Messages: info.State.LastSeq, Bytes: info.State.Bytes, Replicas: info.Config.Replicas,
		created: info.Created}
	if info.Cluster != nil {
		s.Leader = info.Cluster.Leader
		for _, p := range info.Cluster.Replicas {
			s.Peers = append(s.Peers, Peer{p.Name, p.Current, p.Lag})
		}
	}
	return s, nil
}

// LookAtStore adds what the servers know of a store.
func (s *Status) LookAtStore(ctx context.Context, c *broker.Conn, name string) error {
	s.Store = name
	b, err := c.OpenBucket(ctx, Bucket(name))
	if err != nil {
		return err
	}
	p, _, err := (&NATSStore{c: c, b: b, name: name}).key(ctx)
	if err != nil {
		return err
	}
	if s.Held = p.Holder != ""; s.Held {
		s.Holder = p.holder()
	}
	if p.Object == "" {
		return nil
	}
	object, err := b.Info(ctx, p.Object)
	if err != nil {
		return err
	}
	at := (&State{Position: p.Position}).inStream()
	if len(p.Position) == 0 || at.Stream == s.Stream && !at.Created.Equal(s.created) { // before its first message
		at = streamPlace{&streamName{Stream: s.Stream}, 1, 0, 0}
	}
	if at.Stream == s.Stream {
		s.Behind = s.Messages + 1 - max(1, min(at.Next, s.Messages+1))
	}
	s.Checkpoint = &Saved{p.Mark, object.ModTime}
	return nil
}
