package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"time"

	"github.com/pkg/errors"
)

// Spec describes a run.
type Spec struct {
	Name         string  `json:"name"`
	Source       string  `json:"source"` // key of sources
	Rows         uint64  `json:"rows"`
	ChunkRows    uint64  `json:"chunk_rows"`
	Learners     int     `json:"learners"`
	Nodes        int     `json:"nodes"`         // servers: 1 or 3
	Sync         bool    `json:"sync"`          // servers sync their disk before each answer
	Kills        int     `json:"kills"`         // kill -9 of a learner or the keeper, at random times
	ServerKills  int     `json:"server_kills"`  // kill -9 of the server that orders the contributions
	Forget       bool    `json:"forget"`        // the servers forget all acknowledgements half way
	Pauses       int     `json:"pauses"`        // a learner is stopped for longer than AckWait and goes on
	AckWaitMS    int     `json:"ack_wait_ms"`   // a silent learner's chunk goes to another one
	CostMicros   float64 `json:"cost_micros"`   // time that a row takes elsewhere
	Share        float64 `json:"share"`         // bound on staleness; 0 sets none
	CheckpointMS int     `json:"checkpoint_ms"` // time between checkpoints
}

//go:embed specs.json
var specsJSON []byte

// specs returns the specs of some names, or all.
func specs(names []string) ([]Spec, error) {
	decoder := json.NewDecoder(bytes.NewReader(specsJSON))
	decoder.DisallowUnknownFields()
	var all, chosen []Spec
	if err := decoder.Decode(&all); err != nil {
		return nil, errors.Wrap(err, "specs.json")
	}
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(s Spec) bool { return s.Name == name })
		if i < 0 {
			return nil, errors.Errorf("there is no spec %q in specs.json", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func (s Spec) ackWait() time.Duration { return time.Duration(s.AckWaitMS) * time.Millisecond }

func (s Spec) chunks() uint64 { return (s.Rows + s.ChunkRows - 1) / s.ChunkRows }
