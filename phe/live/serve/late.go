package serve

import (
	"cmp"
	"fmt"
	"net/http"

	"gophe/phe/stream"
)

// limit is an operation that changes how many records may wait for their labels, and for how long. The journal has it, so that a
// replay drops the same records. 0 keeps a limit.
type limit struct {
	Waiting     int   `json:"waiting,omitempty"`
	WaitingRows int64 `json:"waiting_rows,omitempty"`
}

// limitWaiting brings the limits of the options into the journal and the model, if they are new.
func (s *Server) limitWaiting() error {
	has, wanted := s.learner.Options(), limit{s.options.Waiting, s.options.WaitingRows}
	if cmp.Or(wanted.Waiting, has.Waiting) == has.Waiting && cmp.Or(wanted.WaitingRows, has.WaitingRows) == has.WaitingRows {
		return nil
	}
	op := operation{At: now(), Limit: &wanted}
	record, err := op.encode()
	if err != nil {
		return err
	}
	number, err := s.journal.Write(record)
	if err != nil {
		return err
	}
	if err := s.journal.Sync(number); err != nil {
		return err
	}
	_, before := s.learner.Waiting()
	s.apply(number, op)
	if _, after := s.learner.Waiting(); after > before {
		s.options.Log(fmt.Sprintf("warning: %s dropped %s records that waited for their labels: the new limits have no room for them",
			s.path, stream.Grouped(after-before)))
	}
	return nil
}

// limit applies new limits.
func (s *Server) limit(op operation) answer {
	if err := s.learner.SetWaiting(op.Limit.Waiting, op.Limit.WaitingRows); err != nil {
		return s.refuse(fault(err), op.At)
	}
	return s.reply(http.StatusOK, learned{Model: s.model(op.At)})
}

// sayDropped logs, once, that records were dropped whose labels had not come.
func (s *Server) sayDropped(n int64) {
	if n > 0 && !s.dropping && s.ready.Load() {
		s.dropping = true
		o := s.learner.Options()
		s.options.Log(fmt.Sprintf("warning: records that wait for their labels are dropped from now on, "+
			"since more than %s wait, or one has waited for %s rows; send labels sooner, or raise --waiting or --waiting-rows",
			stream.Grouped(int64(o.Waiting)), stream.Grouped(o.WaitingRows)))
	}
}
