package remedy_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

func Example() {
	err := remedy.Errorf("bigger", "%d columns do not fit", 3)
	fmt.Println(err)
	fmt.Println(remedy.Of(errors.WithMessage(err, "sales.csv")))
	// Output:
	// 3 columns do not fit
	// bigger
}

// A name changes no error: its cause, its text and its stack stay.
func TestWith(t *testing.T) {
	if err := remedy.With("again", nil); err != nil || remedy.Of(err) != "" || remedy.Of(io.EOF) != "" {
		t.Errorf("an error of nothing: %v", err)
	}
	err := remedy.With("again", errors.Wrap(io.EOF, "reading"))
	if !errors.Is(err, io.EOF) || err.Error() != "reading: EOF" || !strings.Contains(fmt.Sprintf("%+v", err), "remedy_test.go") {
		t.Errorf("%+v", err)
	}
}
