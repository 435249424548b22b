// Package phetest supports tests of the encoder and of models under it, as httptest does for servers.
package phetest

import (
	"os"
	"testing"

	"github.com/gomlx/compute"

	"gophe/phe/backend"
)

// Backend opens the backend that tests run on: the one named by GOPHE_TEST_BACKEND, or the pure-Go one, which is
// always there.
func Backend(t testing.TB) compute.Backend {
	t.Helper()
	name := os.Getenv("GOPHE_TEST_BACKEND")
	if name == "" {
		name = backend.Go
	}
	b, err := backend.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
