// Package learntest supports tests of the encoder and of models under it, as httptest does for servers. Check a model or an updater of
// your own by [Contract.Check].
package learntest

import (
	"os"
	"sync"
	"testing"

	"github.com/gomlx/compute"

	"gophe/phe/disk/filetest"
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

// Brief tells whether a test takes only a few of its cases. It does so on a backend that compiles, because each case costs seconds
// there, unless the long form is asked for. The pure-Go backend takes all cases.
func Brief(t testing.TB) bool {
	t.Helper()
	return Backend(t).Name() == "xla" && !filetest.Long()
}

var open = sync.OnceValues(func() (compute.Backend, error) {
	name := os.Getenv("GOPHE_TEST_BACKEND")
	if name == "" {
		name = backend.Go
	}
	return backend.Open(name)
})
