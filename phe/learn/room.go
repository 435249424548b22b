package learn

// RoomFor is room for n: 64, 128, … 4096, and from there on 16384, 65536, … Sizes come in few classes, since each has
// programs of its own, whose compilation takes seconds; up to the size of a batch or of a prediction, padding costs time.
func RoomFor(n int) int {
	room := doubled(64, min(n, 2*mostExcerpted))
	for room < n {
		room *= 4
	}
	return room
}

// doubled is size, doubled until it holds n.
func doubled(size, n int) int {
	for size < n {
		size *= 2
	}
	return size
}

// mostExcerpted is the most records of an excerpt that are predicted at a time: it bounds the memory of the samples. They may
// have twice as many items.
const mostExcerpted = 2048

// mostPinned is the most records of a pinned batch that are predicted at a time.
const mostPinned = 512

// tableRoom is room for n rows of a table, of which the items that there is room for use at most most. It does not depend on the
// table's size, so that a table that grows compiles nothing anew.
func tableRoom(n, most int) int { return min(doubled(2048, n), most) }
