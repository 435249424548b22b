package learn

import (
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// What tests of its own look at.
var (
	NewLoop   = newLoop
	RoomFor   = roomFor
	NewCourse = newCourse
	Followed  = followed
)

const CourseDone, CourseEpochs = courseDone, courseEpochs

// Uploads calls f with the name of each program that runs from now on and the bytes that its arguments have and the device has not.
func Uploads(t testing.TB, f func(program string, bytes int)) {
	watch = func(program string, args []*tensors.Tensor) {
		bytes, seen := 0, map[*tensors.Tensor]bool{}
		for _, a := range args {
			if !seen[a] && !a.IsOnAnyDevice() {
				bytes += int(a.Shape().ByteSize())
			}
			seen[a] = true
		}
		f(program, bytes)
	}
	t.Cleanup(func() { watch = nil })
}
