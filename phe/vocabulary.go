package phe

import (
	"sync"

	"github.com/pkg/errors"
)

// vocabulary gives each item a row of its own, in order of arrival (EE and P-EE, Sec. 4.1), up to a fixed capacity. It is safe for
// concurrent use.
type vocabulary struct {
	mutex    sync.Mutex
	rows     map[string]int32
	capacity int
}

// find returns the row of each item. New ones get the next rows, which they keep only if asked. An error keeps nothing.
func (v *vocabulary) find(items []string, keep bool) ([]int32, error) {
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
				return nil, errors.Errorf("item %q would be number %d of a vocabulary with capacity %d; raise capacity, or use rows %q, whose memory is bounded",
					item, row+1, v.capacity, Hash)
			}
			fresh[item] = row
		}
		found[i] = row
	}
	if keep {
		for item, row := range fresh {
			v.rows[item] = row
		}
	}
	return found, nil
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
