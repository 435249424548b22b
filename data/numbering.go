package data

// numbering numbers ids 0, 1, 2, … as they come. Small ids, which are the rule, are looked up in an array: a map takes
// nine times as long, and each of 32 million ratings is looked up three times.
type numbering struct {
	ids   []int32
	small []int32 // by id: its number + 1, or 0
	large map[int32]int32
}

const smallIDs = 1 << 20

func newNumbering() *numbering {
	return &numbering{small: make([]int32, smallIDs), large: make(map[int32]int32)}
}

// lookUp returns the number of an id, which is not negative.
func (n *numbering) lookUp(id int32) (number int32, ok bool) {
	if id < smallIDs {
		number = n.small[id] - 1
		return number, number >= 0
	}
	number, ok = n.large[id]
	return number, ok
}

// number returns the number of an id, a new one if it has none.
func (n *numbering) number(id int32) int32 {
	if number, ok := n.lookUp(id); ok {
		return number
	}
	number := int32(len(n.ids))
	n.ids = append(n.ids, id)
	if id < smallIDs {
		n.small[id] = number + 1
	} else {
		n.large[id] = number
	}
	return number
}
