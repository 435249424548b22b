package learn

// What tests of its own look at.
var (
	NewLoop   = newLoop
	RoomFor   = roomFor
	NewCourse = newCourse
	Followed  = followed
)

const CourseDone, CourseEpochs = courseDone, courseEpochs
