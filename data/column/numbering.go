package column

// Numbering numbers IDs 0, 1, 2, … in the order in which they first appear. It looks small IDs up in an array, because a map
// takes nine times as long and each of 32 million ratings is looked up three times.
type Numbering struct {
	IDs   []int32 // by number
	small []int32 // by ID: its number + 1, or 0
	large map[int32]int32
}

// NewNumbering returns a numbering with an array for the IDs below small.
func NewNumbering(small int) *Numbering {
	return &Numbering{small: make([]int32, small), large: make(map[int32]int32)}
}

// LookUp returns the number of an ID, which is not negative.
func (n *Numbering) LookUp(id int32) (number int32, ok bool) {
	if int(id) < len(n.small) {
		number = n.small[id] - 1
		return number, number >= 0
	}
	number, ok = n.large[id]
	return number, ok
}

// Number returns the number of an ID. A new ID gets the next number.
func (n *Numbering) Number(id int32) int32 {
	if number, ok := n.LookUp(id); ok {
		return number
	}
	number := int32(len(n.IDs))
	n.IDs = append(n.IDs, id)
	if int(id) < len(n.small) {
		n.small[id] = number + 1
	} else {
		n.large[id] = number
	}
	return number
}

// Renumber replaces each ID of a column by its number and returns the IDs by number.
func (n *Numbering) Renumber(column []int32) (ids []int32) {
	for i, id := range column {
		column[i] = n.Number(id)
	}
	return n.IDs
}

// Number numbers values in the order in which they first appear. It returns the number of each value, and the distinct
// values by number.
func Number(values []string) (numbers []int32, distinct []string) {
	seen := make(map[string]int32)
	numbers = make([]int32, len(values))
	for i, v := range values {
		number, ok := seen[v]
		if !ok {
			number = int32(len(distinct))
			seen[v] = number
			distinct = append(distinct, v)
		}
		numbers[i] = number
	}
	return numbers, distinct
}
