package phe

import "github.com/pkg/errors"

// vocabulary gives each item a row of its own, in order of arrival (EE and P-EE, Sec. 4.1), up to a fixed capacity.
type vocabulary struct {
	rows     map[string]int32
	capacity int
}

func (v *vocabulary) row(item string) (int32, error) {
	if row, ok := v.rows[item]; ok {
		return row, nil
	}
	if len(v.rows) == v.capacity {
		return 0, errors.Errorf("item %q would be number %d of a vocabulary with capacity %d; raise capacity, or use rows %q, whose memory is bounded",
			item, len(v.rows)+1, v.capacity, Hash)
	}
	row := int32(len(v.rows))
	v.rows[item] = row
	return row, nil
}
