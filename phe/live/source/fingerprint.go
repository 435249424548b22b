package source

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/pkg/errors"
)

// Fingerprint recognises the first bytes of a file. It holds a checksum of these bytes, and checksums of the bytes before some places.
// The places have equal distances. The distance grows with the file, so that the number of places stays small.
type Fingerprint struct {
	Bytes  int64  `json:"bytes"`            // number of bytes
	Sum    uint32 `json:"sum"`              // CRC-32C of the bytes
	Block  int64  `json:"block"`            // distance of two places
	Places []byte `json:"places,omitempty"` // CRC-32C of the bytes before each place, 4 bytes each
}

const (
	minBlock  = 64 << 10
	maxPlaces = 1024     // an even number
	maxSample = 16 << 20 // bytes of a sample of blocks
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// add adds the bytes that follow. A copy of the fingerprint from before the call stays valid.
func (f *Fingerprint) add(bytes []byte) {
	f.Block = max(f.Block, minBlock)
	for len(bytes) > 0 {
		n := min(int64(len(bytes)), f.Block-f.Bytes%f.Block)
		f.Sum = crc32.Update(f.Sum, castagnoli, bytes[:n])
		f.Bytes += n
		bytes = bytes[n:]
		if f.Bytes%f.Block > 0 {
			continue
		}
		if f.Places = binary.LittleEndian.AppendUint32(f.Places, f.Sum); f.places() == maxPlaces {
			f.thin()
		}
	}
}

func (f *Fingerprint) places() int { return len(f.Places) / 4 }

// thin forgets every second place.
func (f *Fingerprint) thin() {
	fewer := make([]byte, 0, len(f.Places))
	for i := 4; i < len(f.Places); i += 8 {
		fewer = append(fewer, f.Places[i:i+4]...)
	}
	f.Places, f.Block = fewer, 2*f.Block
}

// extend adds a file's bytes up to the given number.
func (f *Fingerprint) extend(file io.ReaderAt, bytes int64) error {
	return read(file, f.Bytes, bytes, f.add)
}

// read calls use with a file's bytes from one offset to another. It is no error if the file has fewer.
func read(file io.ReaderAt, from, to int64, use func([]byte)) error {
	in, buffer := io.NewSectionReader(file, from, max(0, to-from)), make([]byte, min(minBlock, max(0, to-from)))
	for {
		n, err := in.Read(buffer)
		use(buffer[:n])
		if err == io.EOF {
			return nil
		} else if err != nil {
			return errors.Wrap(err, "reading a file to identify it")
		}
	}
}

// blocks returns the number of blocks. A place lies between two blocks. A fingerprint that no program wrote has no blocks.
func (f *Fingerprint) blocks() int {
	if f.Bytes <= 0 || f.Block < minBlock || f.Bytes/f.Block != int64(f.places()) || f.places() >= maxPlaces {
		return 0
	}
	return int((f.Bytes-1)/f.Block) + 1
}

// all returns all blocks.
func (f *Fingerprint) all() []int { return rand.Perm(f.blocks()) }

// sample returns the blocks with the last 64 KiB, and blocks at random. Another part of the package compares the first 64 KiB.
func (f *Fingerprint) sample() []int {
	n := f.blocks()
	if n == 0 {
		return nil
	}
	return append(rand.Perm(n)[:min(n, max(1, int(maxSample/f.Block)))], n-1, int(max(0, f.Bytes-minBlock)/f.Block))
}

// difference compares blocks with a file. It says where the first of them differs, and returns "" if none does.
func (f *Fingerprint) difference(file io.ReaderAt, blocks []int, progress func(done, all int64)) (string, error) {
	slices.Sort(blocks)
	for i, block := range slices.Compact(blocks) {
		if progress != nil {
			progress(int64(i)*f.Block, int64(len(blocks))*f.Block)
		}
		from, to := int64(block)*f.Block, min(int64(block+1)*f.Block, f.Bytes)
		sum, bytes := f.before(block), int64(0)
		err := read(file, from, to, func(b []byte) {
			sum = crc32.Update(sum, castagnoli, b)
			bytes += int64(len(b))
		})
		switch {
		case err != nil:
			return "", err
		case bytes < to-from:
			return fmt.Sprintf(": it ends at byte %d of %d", from+bytes, f.Bytes), nil
		case sum != f.before(block+1):
			return fmt.Sprintf(": bytes %d to %d differ", from, to-1), nil
		}
	}
	return "", nil
}

// before returns the checksum of the bytes before a block.
func (f *Fingerprint) before(block int) uint32 {
	switch {
	case block == 0:
		return 0
	case block <= f.places():
		return binary.LittleEndian.Uint32(f.Places[4*(block-1):])
	}
	return f.Sum
}
