package learn

import (
	"testing"

	"gophe/phe/disk/filetest"
)

// A loop's steps have numbers of one era, 2³² long: one that would pass its end begins at the next era.
func TestFirstStep(t *testing.T) {
	const era = 1 << 32
	for _, c := range []struct {
		after uint64
		steps int
		want  uint64
	}{{0, 5, 0}, {7, 3, 7}, {era - 1, 1, era - 1}, {era - 1, 2, era}, {era - 5, 5, era - 5}, {era, 3, era}, {3*era + 9, 1, 3*era + 9}, {3*era - 2, 4, 3 * era}} {
		filetest.Want(t, firstStep(c.after, c.steps), c.want, "the first of %d steps after %d", c.steps, c.after)
	}
}
