package datatest

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

// Summary holds the length, the ends and the checksum of a long sequence that numpy drew.
type Summary struct {
	N     int     `json:"n"`
	Head  []int32 `json:"head"`
	Tail  []int32 `json:"tail"`
	CRC32 uint32  `json:"crc32"`
}

// Check compares a sequence with numpy's.
func (s Summary) Check(t *testing.T, what string, got []int32) {
	t.Helper()
	if len(got) != s.N || !slices.Equal(got[:len(s.Head)], s.Head) || !slices.Equal(got[len(got)-len(s.Tail):], s.Tail) {
		t.Fatalf("%s: %d values beginning %v, numpy has %d beginning %v", what, len(got), got[:min(8, len(got))], s.N, s.Head)
	}
	var content []byte
	for _, v := range got {
		content = binary.LittleEndian.AppendUint32(content, uint32(v))
	}
	if sum := crc32.ChecksumIEEE(content); sum != s.CRC32 {
		t.Errorf("%s: differs from numpy in the middle: CRC-32 %d, want %d", what, sum, s.CRC32)
	}
}

// NumpyDump holds permutations that numpy drew, and the blocks of Adult's online stream.
type NumpyDump struct {
	Streams []struct {
		Seed         uint32    `json:"seed"`
		Permutations []Summary `json:"permutations"`
	} `json:"streams"`
	Adult struct {
		Chunks         int     `json:"chunks"`
		InitialScored  Summary `json:"initial_scored"`
		InitialHeldOut Summary `json:"initial_held_out"`
		ChunksScored   Summary `json:"chunks_scored"`
		ChunksHeldOut  Summary `json:"chunks_held_out"`
	} `json:"adult"`
}

//go:embed testdata/numpy.json
var numpyJSON []byte

// Numpy returns the content of testdata/numpy.json, which testdata/dump_numpy.py writes.
func Numpy(t *testing.T) (dump NumpyDump) {
	t.Helper()
	filetest.Check(t, json.Unmarshal(numpyJSON, &dump))
	return dump
}
