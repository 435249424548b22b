package toy

// must returns value. The learners of this package are correct by construction, so an error is a mistake in it.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
