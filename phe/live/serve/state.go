package serve

import (
	"gophe/phe/live/store"
	"gophe/phe/stream"
)

// readLearner calls a function with the learner, and returns the description of the model that the function saw. The function must not
// ask for another description, since a followed model may be locked meanwhile.
func (s *Server) readLearner(use func(*stream.Learner)) (m model) {
	if s.followed == nil {
		use(s.own.learner)
		return s.own.model(now())
	}
	s.followed.Read(func(l *stream.Learner, at store.Following) {
		use(l)
		m = describe(at)
	})
	return m
}

// model returns the description of the model as it is now.
func (s *Server) model() model { return s.readLearner(func(*stream.Learner) {}) }

// describe returns the description of a model that is followed.
func describe(at store.Following) model {
	m := model{Rows: at.Rows}
	if at.Checkpoint > 0 {
		m.Checkpoint = &at.Checkpoint
	}
	if at.Rows > 0 {
		m.Age = new(max(0, at.Age.Seconds()))
	}
	return m
}

// unready returns why the server is not ready; empty if it is. Clients without a token may know the reason, so it has no details.
func (s *Server) unready() string {
	switch {
	case s.early != nil:
		return "the server has no model yet: it loads the model, or waits for the first checkpoint of its store"
	case s.followed != nil && s.closed.Load() || s.stopping.Load():
		return "the server stops"
	case s.own != nil && !s.own.ready.Load():
		return "the server stops, or its disk has failed; its log says which"
	case s.followed != nil && !s.followed.Position().CaughtUp:
		return "the server has not caught up with the program that learns its model"
	}
	return ""
}

// refuse returns the answer to a request that is refused.
func (s *Server) refuse(p *problem) answer {
	if p.stranger || s.early != nil {
		return p.answer(nil)
	}
	return p.answer(new(s.model()))
}
