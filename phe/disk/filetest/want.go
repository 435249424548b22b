package filetest

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// maxShown is the number of letters of a value that a message shows.
const maxShown = 2000

// The checks below call Helper only when they fail, since it is slow and some stand in long loops.

// Want checks that a value is the wanted one, in depth. A list without elements is like none. The format and its arguments name the
// value: Want(t, rows, 20, "rows of %s", path).
func Want[T any](t testing.TB, got, want T, what string, args ...any) {
	if !reflect.DeepEqual(got, want) && !(isEmpty(got) && isEmpty(want)) {
		t.Helper()
		t.Errorf("%s: %s, want %s", fmt.Sprintf(what, args...), shown(got), shown(want))
	}
}

func isEmpty(list any) bool {
	v := reflect.ValueOf(list)
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}

// Near checks that a number is the wanted one but for a tolerance. NaN never is.
func Near[T float32 | float64](t testing.TB, got, want T, tolerance float64, what string, args ...any) {
	if !(math.Abs(float64(got)-float64(want)) <= tolerance) {
		t.Helper()
		t.Errorf("%s: %v, want %v ± %g", fmt.Sprintf(what, args...), got, want, tolerance)
	}
}

// Some returns a list that comes from files or from the program, such as all tables. An empty one ends the test: no loop would check it.
func Some[T any](t testing.TB, list []T, what string) []T {
	if len(list) == 0 {
		t.Helper()
		t.Fatalf("there are no %s", what)
	}
	return list
}

// True checks that something holds. The format and its arguments say what is wrong otherwise.
func True(t testing.TB, holds bool, wrong string, args ...any) {
	if !holds {
		t.Helper()
		t.Errorf(wrong, args...)
	}
}

// shown returns a value for a message. Strings stand in quotes, and a long value is cut.
func shown(value any) string {
	format := "%+v"
	switch value.(type) {
	case string, []string:
		format = "%q"
	}
	return fmt.Sprintf("%.*s", maxShown, fmt.Sprintf(format, value))
}

// WantWords checks that a text has all words.
func WantWords(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		True(t, strings.Contains(text, word), "%q is not in %s", word, text)
	}
}

// WantNone checks that a text has none of the words.
func WantNone(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		True(t, !strings.Contains(text, word), "%q is in %s", word, text)
	}
}

// Allocated returns the number of bytes that a call allocates, with all that runs beside it.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Until waits until something holds, and fails if it does not within half a minute.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatal("in vain: " + what)
		}
	}
}
