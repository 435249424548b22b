// Package learntest supports tests of the encoder and of models under it, as httptest does for servers. Check a model or an updater of
// your own by [Contract.Check].
package learntest

import (
	"os"
	"sync"
	"testing"

	"github.com/gomlx/compute"

	"gophe/phe/learn/backend"
)

// Backend returns the backend that tests run on: the backend that GOPHE_TEST_BACKEND names, or the pure-Go one, which is always
// present. All tests of a process share it, since tensors belong to one instance.
func Backend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var open = sync.OnceValues(func() (compute.Backend, error) {
	name := os.Getenv("GOPHE_TEST_BACKEND")
	if name == "" {
		name = backend.Go
	}
	return backend.Open(name)
})
