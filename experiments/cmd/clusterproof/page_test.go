package main

import (
	"os"
	"testing"
)

// The page shows the committed results.
func TestPageShowsResults(t *testing.T) {
	b, err := os.ReadFile("../../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if want != string(b) {
		t.Error("the tables of docs/cluster.md are not those of the results; run `go run ./experiments/cmd/clusterproof page`")
	}
}
