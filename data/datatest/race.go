//go:build race

package datatest

// race tells whether the race detector is on.
const race = true
