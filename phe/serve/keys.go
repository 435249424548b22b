package serve

// keys keeps the answers to requests that had a key. A retry then gets the same answer and changes nothing. The memory is bounded: the
// oldest answers are forgotten.
type keys struct {
	list      []*kept // oldest first
	byKey     map[string]*kept
	bytes     int64
	most      int
	mostBytes int64
}

// kept is the answer to a request.
type kept struct {
	Key    string `json:"key"`
	Sum    string `json:"sum"` // checksum of the request
	Status int    `json:"status"`
	Body   []byte `json:"body"`
}

func newKeys(o Options) keys {
	return keys{byKey: map[string]*kept{}, most: o.Keys, mostBytes: o.KeyBytes}
}

// find returns the answer to an earlier request; nil if there is none.
func (k *keys) find(key string) *kept {
	if key == "" {
		return nil
	}
	return k.byKey[key]
}

// add keeps an answer. It forgets the oldest answers if there is no room.
func (k *keys) add(a kept) {
	k.list = append(k.list, &a)
	k.byKey[a.Key] = &a
	k.bytes += a.size()
	for len(k.list) > k.most || k.bytes > k.mostBytes && len(k.list) > 1 {
		oldest := k.list[0]
		k.list[0], k.list = nil, k.list[1:]
		delete(k.byKey, oldest.Key)
		k.bytes -= oldest.size()
	}
}

func (a *kept) size() int64 { return int64(len(a.Key) + len(a.Sum) + len(a.Body)) }
