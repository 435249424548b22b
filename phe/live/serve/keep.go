package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/driver"
)

// served is the part of a checkpoint that belongs to the server.
type served struct {
	Journal   string `json:"journal"`              // identity of the journal
	Applied   uint64 `json:"applied"`              // number of the last operation that the model has learned
	LearnedAt int64  `json:"learned_at,omitempty"` // when the newest row came, in milliseconds since 1970
	Newest    uint64 `json:"newest,omitempty"`     // number with which the journal's newest file began; 0: unknown
	Closed    bool   `json:"closed,omitempty"`     // the server stopped, and no operation came after Applied
	Keys      []kept `json:"keys,omitempty"`       // answers for retries, oldest first
}

// maxSegment is the size of the journal's newest file at which a checkpoint is due.
const maxSegment = 16 << 20

// checkpoints are the two generations on the disk.
type checkpoints struct {
	served           // part of the newest, without its keys
	at     time.Time // when the newest was saved
	older  uint64    // number of the last operation in the one before
	failed error     // of the last attempt to save
}

// snapshot is a copy of everything that a checkpoint holds.
type snapshot struct {
	learner bytes.Buffer
	served  served
	state   driver.State
	err     error // the copy failed
}

// snapshot copies the model between two operations. The copy takes as many bytes as the file, and some milliseconds. The disk then
// does not delay the operations.
func (s *Server) snapshot() *snapshot {
	c := &snapshot{state: s.state, served: served{Journal: s.lastKept().Journal, Applied: s.applied, LearnedAt: s.learnedAt.Load()}}
	for _, a := range s.keys.list {
		c.served.Keys = append(c.served.Keys, *a)
	}
	c.err = s.learner.Write(&c.learner)
	return c
}

// save saves a snapshot. The caller ensures that no other snapshot is being saved.
func (s *Server) save(c *snapshot) (err error) {
	if c.state.Served, err = json.Marshal(c.served); err == nil {
		err = c.err
	}
	if err == nil {
		err = s.store.Save(func(w io.Writer) error {
			err := json.NewEncoder(w).Encode(c.state) // as stream.Learner.Write writes its caller's values
			if err == nil {
				_, err = w.Write(c.learner.Bytes())
			}
			return errors.Wrap(err, "writing the learner")
		})
	}
	s.keptMu.Lock()
	defer s.keptMu.Unlock()
	if s.kept.failed = err; err == nil {
		s.kept = checkpoints{served: c.served, at: time.Now(), older: s.kept.Applied}
		s.kept.Keys = nil // they take memory
	}
	return err
}

// keep begins to save a checkpoint if something has changed and the last one is saved. It does not wait for the disk.
func (s *Server) keep() {
	if !s.saving.TryLock() {
		return
	}
	if s.lastKept().Applied == s.applied {
		s.saving.Unlock()
		return
	}
	c := s.snapshot()
	s.ended.Go(func() {
		defer s.saving.Unlock()
		if err := s.saveAndTrim(c); err != nil {
			s.options.Log("warning: " + err.Error())
		}
	})
}

// saveAndTrim saves a snapshot. It then removes from the journal the operations that the older generation holds too. If the newest
// generation is damaged, the older generation and the journal still make the whole model.
//
// The snapshot names the journal's newest file, so the file is made first. A start without this file then notices the loss. Only a
// kill before the snapshot is saved leaves a newest file that no checkpoint names.
func (s *Server) saveAndTrim(c *snapshot) error {
	var broken error
	if s.journal.Stats().Err == nil { // an error of the journal was logged before
		broken = s.journal.Rotate()
	}
	c.served.Newest = s.journal.Stats().Newest
	if err := s.save(c); err != nil {
		return errors.WithMessage(err, "nothing is lost, since the journal has it")
	}
	if broken != nil || s.journal.Stats().Err != nil {
		return broken
	}
	return s.journal.Trim(s.lastKept().older)
}

// saveFirst saves a checkpoint before the first request. It names the newest file of the journal.
func (s *Server) saveFirst(newest uint64) error {
	c := s.snapshot()
	c.served.Newest = newest
	return s.save(c)
}

// lastKept returns the checkpoints on the disk.
func (s *Server) lastKept() checkpoints {
	s.keptMu.Lock()
	defer s.keptMu.Unlock()
	return s.kept
}
