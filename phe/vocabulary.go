package phe

import (
	"maps"
	"sync"

	"github.com/pkg/errors"
)

// vocabulary gives each item a row, in order of arrival, up to a fixed capacity (EE and P-EE, Sec. 4.1). It is safe for concurrent use.
type vocabulary struct {
	mutex    sync.Mutex
	rows     map[string]int32
	capacity int
}

// placement is how a vocabulary finds rows for new items.
type placement int

const (
	kept     placement = iota // each new item gets the next free row
	tried                     // the same, but the vocabulary does not change
	together                  // all new items have the next free row, and the vocabulary does not change
)

// find returns the row of each item.
func (v *vocabulary) find(items []string, how placement) (ItemRows, error) {
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
				return ItemRows{}, errors.Errorf("item %q would be one more than a vocabulary's capacity of %d; "+
					"raise capacity, or use rows %q, whose memory is bounded", item, v.capacity, Hashed)
			}
			if how != together {
				fresh[item] = row
			}
		}
		found[i] = row
	}
	if how == kept {
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
