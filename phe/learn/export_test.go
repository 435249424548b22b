package learn

// What tests of its own look at.
var (
	NewLoop  = newLoop
	RoomFor  = roomFor
	Followed = followed
)

const CourseLength = courseLength
