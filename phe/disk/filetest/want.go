package filetest

import (
	"math"
	"reflect"
	"testing"
)

// Want checks that something holds. The text, as of fmt.Printf, says what was found instead.
func Want(t testing.TB, holds bool, format string, found ...any) {
	t.Helper()
	if !holds {
		t.Errorf(format, found...)
	}
}

// WantEqual checks that a value is the wanted one, in depth. A list without elements is like none. The text, as of fmt.Printf, names it.
func WantEqual[T any](t testing.TB, got, want T, format string, name ...any) {
	t.Helper()
	if !(isEmpty(got) && isEmpty(want)) && !reflect.DeepEqual(got, want) {
		t.Errorf(format+": got %v, want %v", append(name, got, want)...)
	}
}

func isEmpty(list any) bool {
	v := reflect.ValueOf(list)
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}

// WantNear checks that a number is the wanted one within a tolerance. The text, as of fmt.Printf, names it.
func WantNear(t testing.TB, got, want, within float64, format string, name ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf(format+": got %v, want %v", append(name, got, want)...)
	}
}
