package serve

import (
	"sync"

	"gophe/phe/internal/text"
)

// keys keeps the answers to requests that had a key. A retry then gets the same answer and changes nothing. The memory is bounded: the
// oldest answers are forgotten.
type keys struct {
	mu       sync.Mutex          // guards the maps
	byKey    map[string]*kept    // the newest answer of each key
	underWay map[string]*waiting // requests without an answer yet; those without a key are at ""

	// These fields belong to the goroutine that applies operations.
	list     []*kept // oldest first
	bytes    int64
	limit    int
	maxBytes int64
}

// waiting is an operation in the queue.
type waiting struct {
	number    uint64
	operation operation
	answer    answer        // after done
	done      chan struct{} // closed when there is an answer
}

// kept is the answer to a request.
type kept struct {
	Key    text.String `json:"key"`
	Sum    string      `json:"sum"` // checksum of the request
	Status int         `json:"status"`
	Body   []byte      `json:"body"`
}

func newKeys(limit int, maxBytes int64) keys {
	return keys{byKey: map[string]*kept{}, underWay: map[string]*waiting{}, limit: limit, maxBytes: maxBytes}
}

// find returns the earlier request with a key, answered or under way; nil if there is none.
func (k *keys) find(key text.String) *waiting {
	if key == "" {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if a := k.byKey[string(key)]; a != nil {
		w := &waiting{operation: operation{Sum: a.Sum}, answer: answer{Status: a.Status, Body: a.Body}, done: make(chan struct{})}
		close(w.done)
		return w
	}
	return k.underWay[string(key)]
}

// begin notes that a request is under way.
func (k *keys) begin(w *waiting) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.underWay[string(w.operation.Key)] = w
}

// end answers a request that was under way.
func (k *keys) end(w *waiting, a answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.underWay, string(w.operation.Key))
	w.answer = a
	close(w.done)
}

// add keeps an answer. It forgets the oldest answers if there is no room.
func (k *keys) add(a kept) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, &a)
	k.byKey[string(a.Key)] = &a
	k.bytes += a.size()
	for len(k.list) > k.limit || k.bytes > k.maxBytes && len(k.list) > 1 {
		oldest := k.list[0]
		k.list[0], k.list = nil, k.list[1:]
		k.bytes -= oldest.size()
		if k.byKey[string(oldest.Key)] == oldest { // a server with fewer keys may have forgotten it, and taken the key again
			delete(k.byKey, string(oldest.Key))
		}
	}
}

func (a *kept) size() int64 { return int64(len(a.Key) + len(a.Sum) + len(a.Body)) }
