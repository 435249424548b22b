package show

import (
	"strings"

	"gophe/figures"
)

// mostMarks is the largest number of marks that a notebook keeps of a picture, unless it has more series than that.
const mostMarks = 150

// thin leaves out marks of the longest series, at equal distances, until a picture has at most that many. Short series keep all
// of theirs.
func thin(marks []figures.Mark, most int) []figures.Mark {
	sizes := map[string]int{}
	for _, m := range marks {
		sizes[seriesOf(m)]++
	}
	limit := 1
	for kept(sizes, limit+1) <= most && limit < len(marks) {
		limit++
	}
	place := map[string]int{}
	var left []figures.Mark
	for _, m := range marks {
		name := seriesOf(m)
		n, i := sizes[name], place[name]
		place[name]++
		share := min(n, limit)
		if i*share/n != (i-1)*share/n || i == 0 {
			left = append(left, m)
		}
	}
	return left
}

// seriesOf returns the name of a mark's series: the text before the first comma.
func seriesOf(m figures.Mark) string {
	name, _, _ := strings.Cut(m.Text, ", ")
	return name
}

// kept returns the number of marks if no series has more than limit.
func kept(sizes map[string]int, limit int) (total int) {
	for _, n := range sizes {
		total += min(n, limit)
	}
	return total
}
