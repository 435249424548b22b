package fieldpath_test

import (
	"fmt"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/remedy/fieldpath"
)

func Example() {
	err := fieldpath.In("model", fieldpath.In("encoder", fieldpath.Errorf("num_buckets", "num_buckets is %d; it must be at least 2", 1)))
	fmt.Println(err)
	fmt.Println(fieldpath.Path(errors.WithMessage(err, "spec mine")))
	// Output:
	// num_buckets is 1; it must be at least 2
	// model.encoder.num_buckets
}

// Nothing wrong stays nothing wrong, and an error without a field gets the field that it is in.
func TestIn(t *testing.T) {
	if err := fieldpath.In("model", nil); err != nil {
		t.Errorf("an error of nothing: %v", err)
	}
	plain := errors.New("out of order")
	if err := fieldpath.In("model", plain); fieldpath.Path(err) != "model" || !errors.Is(err, plain) || fieldpath.Path(plain) != "" {
		t.Errorf("path %q of %v", fieldpath.Path(err), err)
	}
	for want, given := range map[string][]bool{"b": {false, true, true}, "a": {false, false, false}} {
		if got := fieldpath.First([]string{"a", "b", "c"}, given...); got != want {
			t.Errorf("the first field given is %q, want %q", got, want)
		}
	}
}

// A value that is none of the choices is an error that lists them.
func TestOneOf(t *testing.T) {
	type colour string
	if err := fieldpath.OneOf("colour", colour("red"), "blue", "red"); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		`colour is "pink"; choose "blue" or "red"`:            fieldpath.OneOf("colour", colour("pink"), "blue", "red"),
		`colour is ""; choose "blue", "red", "grey" or "tan"`: fieldpath.OneOf("colour", colour(""), "blue", "red", "grey", "tan"),
	} {
		if err.Error() != want || fieldpath.Path(err) != "colour" {
			t.Errorf("the error %q of field %q, want %q", err, fieldpath.Path(err), want)
		}
	}
}
