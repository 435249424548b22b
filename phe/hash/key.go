// Package hash turns categorical items into rows of the hash embedding tables (paper, Section 3.2): an item becomes an
// MD5 key, the key becomes K buckets, one per universal hash function, and one row of the assembly weights. It runs on
// the host; the graph receives the int32 rows.
//
// The paper names universal hashing and stops there. Two variants exist: [CarterWegman], exact, for new data, and
// [Authors], which reproduces the published program bucket for bucket.
package hash

import (
	"crypto/md5"
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"
	"github.com/pkg/errors"
)

// Variant names one way of computing keys and hash functions. Keys of one variant mean nothing to the other.
type Variant string

const (
	// Authors is what the authors' program computes (PROTOCOL, section 0): the key is MD5 mod 10¹⁶, the functions have
	// fixed constants and wrapping int64 arithmetic, the weight row is the key mod P. Use it to reproduce their numbers.
	Authors Variant = "authors"

	// CarterWegman is universal hashing as Carter and Wegman define it (paper, Section 3.2): the key is MD5 mod the
	// prime 2⁶¹ − 1, the arithmetic is exact, the constants are drawn from the seed, and the weight row is one more such
	// function. It is the default for new data.
	CarterWegman Variant = "carter-wegman"

	// Quick has the functions of CarterWegman and takes the key by xxHash in place of MD5, which is ten times as fast on
	// short items. Two items get one key with a probability of about 2⁻⁶¹ all the same.
	Quick Variant = "quick"
)

// Validate returns an error naming the allowed values unless v is one of them.
func (v Variant) Validate() error {
	switch v {
	case Authors, CarterWegman, Quick:
		return nil
	}
	return errors.Errorf("unknown hash variant %q, allowed are %q, %q and %q", string(v), string(Authors), string(CarterWegman), string(Quick))
}

// Key is the number that stands for item in the hash functions of v: the MD5 of its bytes, read as a 128-bit big-endian
// integer, reduced modulo 10¹⁶ (Authors) or 2⁶¹ − 1 (CarterWegman). Any bytes are accepted, UTF-8 or not. It panics on
// a variant that Validate refuses.
func (v Variant) Key(item string) uint64 { return v.KeyOf([]byte(item)) }

// KeyOf is Key of an item that the caller holds as bytes. It allocates nothing.
func (v Variant) KeyOf(item []byte) uint64 {
	if v == Quick {
		return reduceMersenne(0, xxhash.Sum64(item))
	}
	digest := md5.Sum(item)
	hi, lo := binary.BigEndian.Uint64(digest[:8]), binary.BigEndian.Uint64(digest[8:])
	switch v {
	case Authors:
		return bits.Rem64(hi, lo, authorsKeys)
	case CarterWegman:
		return reduceMersenne(hi, lo)
	}
	panic(v.Validate())
}
