package store

import (
	"context"
	"time"

	"gophe/phe/live/broker"
)

// Status describes a store on its servers.
type Status struct {
	Store      string `json:"store,omitempty"`
	Checkpoint *Saved `json:"checkpoint,omitempty"` // the newest; nil if there is none
	Held       bool   `json:"held"`                 // a learner has the store
	Holder     string `json:"holder,omitempty"`     // its process and machine
}

// Saved is a checkpoint on servers.
type Saved struct {
	Mark
	Saved time.Time `json:"saved"`
}

// LookAt asks the servers for a store.
func LookAt(ctx context.Context, c *broker.Conn, name string) (s Status, err error) {
	b, err := c.OpenBucket(ctx, Bucket(name))
	if err != nil {
		return s, err
	}
	p, _, err := (&NATS{c: c, b: b, name: name}).key(ctx)
	if err != nil {
		return s, err
	}
	if s.Store, s.Held = name, p.Holder != ""; s.Held {
		s.Holder = p.holder()
	}
	if p.Object == "" {
		return s, nil
	}
	object, err := b.Info(ctx, p.Object)
	if err == nil {
		s.Checkpoint = &Saved{p.Mark, object.ModTime}
	}
	return s, err
}
