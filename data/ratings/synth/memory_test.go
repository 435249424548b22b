package synth

import (
	"testing"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

// TestGenerateMemory generates 3.2 million ratings. They take 97 MB on the way, of which 42 MB remain, and a process takes 20 MB.
func TestGenerateMemory(t *testing.T) {
	datatest.LimitPeak(t, 150, func() { filetest.Must(Generate(MovieLens32M().Scaled(0.1), 1))(t) })
}
