package play

import "sync"

// message is a move of a control, as the page sends it.
type message struct {
	Number int    `json:"n"` // 1, 2, 3 and so on
	Name   string `json:"name"`
	Value  string `json:"value"`
	Stop   bool   `json:"stop"`
	Hello  bool   `json:"hello"`
	skip   bool   // a newer move waits, so that no picture is drawn for this one
}

// moves is a queue that puts messages back into the order in which the page sent them: GoNB delivers each in a goroutine of
// its own.
type moves struct {
	mu    sync.Mutex
	early map[int]message // messages whose predecessors have not come
	next  int             // number of the next message in order
	queue []message
	some  chan struct{} // holds a value if the queue is not empty
}

func newMoves() *moves {
	return &moves{early: map[int]message{}, next: 1, some: make(chan struct{}, 1)}
}

// put takes a message in any order.
func (q *moves) put(m message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, twice := q.early[m.Number]; twice || m.Number < q.next {
		return
	}
	q.early[m.Number] = m
	for {
		m, ok := q.early[q.next]
		if !ok {
			return
		}
		delete(q.early, q.next)
		q.next++
		q.queue = append(q.queue, m)
		select {
		case q.some <- struct{}{}:
		default:
		}
	}
}

// take returns all waiting messages in order. Moves that a newer one follows are marked: only the last one needs a picture.
func (q *moves) take() []message {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.queue
	q.queue = nil
	for i := range taken {
		taken[i].skip = i+1 < len(taken) && !taken[i+1].Stop
	}
	return taken
}
