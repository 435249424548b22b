package phe

import (
	"maps"
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

// find returns the row of each item. New items have the next free ones, a different row for each; with shared, all of them have the next
// free row. With keep, they keep their rows.
func (v *vocabulary) find(items []string, keep, shared bool) (ItemRows, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	found, fresh := make([]int32, len(items)), map[string]int32{}
	for i, item := range items {
		row, ok := v.rows[item]
		if !ok {
			row, ok = fresh[item]
		}
		if !ok {
			row = int32(len(v.rows) + len(fresh))
			if int(row) == v.capacity {
				return ItemRows{}, errors.Errorf("item %q would be one more than a vocabulary's capacity of %d; raise capacity, or use rows %q, whose memory is bounded", item, v.capacity, Hashed)
			}
			if !shared {
				fresh[item] = row
			}
		}
		found[i] = row
	}
	if keep {
		maps.Copy(v.rows, fresh)
	}
	return ItemRows{Buckets: found}, nil
}

// list returns the items in the order of their rows; nil without a vocabulary.
func (v *vocabulary) list() []string {
	if v == nil {
		return nil
	}
	v.mutex.Lock()
	defer v.mutex.Unlock()
	items := make([]string, len(v.rows))
	for item, row := range v.rows {
		items[row] = item
	}
	return items
}
