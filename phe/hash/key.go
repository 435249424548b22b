// Package hash turns categorical items into rows of the hash embedding tables (paper, Section 3.2). An item becomes an MD5 key. The
// key becomes K buckets, one for each universal hash function, and one row of the assembly weights. The package runs on the host,
// and the graph receives the int32 rows.
//
// The paper names universal hashing and gives no details. [CarterWegman] is exact, for new data. [Authors] reproduces the published
// program bucket for bucket.
//
// The order of calls: [NewFamily] draws the functions, [Variant.Key] makes an item's key, and [Family.Buckets] and [Family.WeightRow]
// find its rows.
package hash

import (
	"crypto/md5"
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"
	"github.com/pkg/errors"
)

// Variant names one way to compute keys and hash functions. Keys of one variant have no meaning in another.
type Variant string

const (
	// Authors is the hash of the authors' program (PROTOCOL, section 0). The key is MD5 mod 10¹⁶, the functions have
	// fixed constants and wrapping int64 arithmetic, and the weight row is the key mod P. Use it to reproduce their numbers.
	Authors Variant = "authors"

	// CarterWegman is universal hashing as Carter and Wegman define it (paper, Section 3.2). The key is MD5 mod the prime 2⁶¹ − 1, and
	// the arithmetic is exact. The seed draws the constants. The weight row has a function of its own. It is the default for new data.
	CarterWegman Variant = "carter-wegman"

	// Quick has the functions of CarterWegman, and its keys come from xxHash in place of MD5, which is ten times as fast on
	// short items. Two items still share a key with a probability of about 2⁻⁶¹.
	Quick Variant = "quick"
)

// validate returns an error that names the allowed values unless v is one of them.
func (v Variant) validate() error {
	switch v {
	case Authors, CarterWegman, Quick:
		return nil
	}
	return errors.Errorf("unknown hash variant %q, allowed are %q, %q and %q", v, Authors, CarterWegman, Quick)
}

// Key returns an item's key, the input of v's hash functions. It is the MD5 of the item's bytes, read as a 128-bit big-endian integer,
// modulo 10¹⁶ (Authors) or 2⁶¹ − 1 (CarterWegman). Invalid UTF-8 is allowed too. Key panics on a variant that validate refuses.
func (v Variant) Key(item string) uint64 { return v.KeyOf([]byte(item)) }

// KeyOf is Key for an item given as bytes. It allocates no memory.
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
	panic(v.validate())
}

// Mix is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014). Every bit of x flips about half of the result's bits, and 0 stays 0.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
