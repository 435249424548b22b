package phe

import (
	"sync"

	"github.com/pkg/errors"
)

// vocabulary gives each item a row of its own, in order of arrival, up to a fixed capacity (EE and P-EE, Sec. 4.1). It is safe for
// concurrent use.
type vocabulary struct {
	mutex    sync.Mutex
	rows     map[string]int32
	capacity int
}

// find returns the row of each item, and the rows that new items would get: the next free ones, a different row for each. With shared,
// all new items have the next free row, and would get none.
func (v *vocabulary) find(items []string, shared bool) (found []int32, fresh map[string]int32, err error) {
	found, fresh = make([]int32, len(items)), map[string]int32{}
	for i, item := range items {
		row, ok := v.rows[item]
		if !ok {
			row, ok = fresh[item]
		}
		if !ok {
			row = int32(len(v.rows) + len(fresh))
			if int(row) == v.capacity {
				return nil, nil, errors.Errorf("item %q would be one more than a vocabulary's capacity of %d; raise capacity, or use rows %q, whose memory is bounded", item, v.capacity, Hashed)
			}
			if !shared {
				fresh[item] = row
			}
		}
		found[i] = row
	}
	return found, fresh, nil
}

// list returns the items in the order of their rows.
func (v *vocabulary) list() []string {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	items := make([]string, len(v.rows))
	for item, row := range v.rows {
		items[row] = item
	}
	return items
}
