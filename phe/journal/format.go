package journal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/pkg/errors"
)

// A segment begins with a line of 63 bytes: format, identity, number of the first record, checksum. Records follow:
//
//	length uint32 | number uint64 | checksum of these 12 bytes uint32 | payload | checksum of the payload uint32 | '\n'
//
// All numbers are little-endian and all checksums CRC-32C. The checksum of the length tells a record that was cut short from a
// record whose length is damaged.
const (
	magic      = "gophe journal 1 "
	lineBytes  = len(magic) + mostIdentity + 1 + 20 + 1 + 8 + 1
	headBytes  = 4 + 8 + 4
	footBytes  = 4 + 1
	recordsEnd = '\n'

	mostIdentity = 16
)

// MostRecord is the number of bytes that a record may have.
const MostRecord = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checkIdentity(identity string) error {
	plain := func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	if len(identity) > mostIdentity || strings.TrimFunc(identity, plain) != "" {
		return errors.Errorf("the journal's identity is %q; choose at most %d letters and digits", identity, mostIdentity)
	}
	return nil
}

// line returns the first line of a segment.
func line(identity string, first uint64) []byte {
	b := fmt.Appendf(nil, "%s%-*s %020d ", magic, mostIdentity, identity, first)
	return fmt.Appendf(b, "%08x\n", crc32.Checksum(b, castagnoli))
}

// parseLine reads the first line of a segment.
func parseLine(b []byte) (identity string, first uint64, err error) {
	if !strings.HasPrefix(string(b), magic) {
		return "", 0, errors.New("it does not begin like a journal of this program; move it out of the journal's folder")
	}
	identity = strings.TrimRight(string(b[len(magic):len(magic)+mostIdentity]), " ")
	_, err = fmt.Sscanf(string(b[len(magic)+mostIdentity+1:len(b)-10]), "%d", &first)
	if err != nil || string(line(identity, first)) != string(b) {
		return "", 0, errors.New("its first line is damaged; restore a copy of the file")
	}
	return identity, first, nil
}

// appendRecord appends a record to a buffer.
func appendRecord(b []byte, number uint64, payload []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	b = append(b, payload...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(payload, castagnoli))
	return append(b, recordsEnd)
}

// The errors of parseRecord.
var (
	errTorn    = errors.New("cut short")
	errDamaged = errors.New("damaged")
)

// parseRecord reads the record at the beginning of the rest of a segment. The error is errTorn if a kill or a power failure can
// have left the rest: the beginning of a last record that was not synced. Otherwise it is errDamaged.
func parseRecord(rest []byte, number uint64) (payload []byte, bytes int, err error) {
	if len(rest) < headBytes {
		return nil, 0, errTorn
	}
	if crc32.Checksum(rest[:12], castagnoli) != binary.LittleEndian.Uint32(rest[12:]) {
		return nil, 0, damagedUnlessUnwritten(rest, headBytes)
	}
	length := int(binary.LittleEndian.Uint32(rest))
	if length > MostRecord || binary.LittleEndian.Uint64(rest[4:]) != number {
		return nil, 0, errDamaged
	}
	bytes = headBytes + length + footBytes
	if len(rest) < bytes {
		return nil, 0, errTorn
	}
	payload = rest[headBytes : headBytes+length]
	foot := rest[headBytes+length : bytes]
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(foot) || foot[4] != recordsEnd {
		return nil, 0, damagedUnlessUnwritten(rest, bytes)
	}
	return payload, bytes, nil
}

// damagedUnlessUnwritten returns errTorn if the record ends in zeros that reach to the end of the file, and otherwise errDamaged.
// The system had made the file longer, and the power failed before it wrote the bytes. No record ends in zeros.
func damagedUnlessUnwritten(rest []byte, bytes int) error {
	const least = 8 // fewer zeros may be damage
	written := len(rest)
	for written > 0 && rest[written-1] == 0 {
		written--
	}
	if written < bytes && len(rest)-written >= least {
		return errTorn
	}
	return errDamaged
}
