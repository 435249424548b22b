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
//	length uint32 | number uint64 | checksum of these 12 bytes uint32 | payload | checksum of the payload uint32 | '\n' or '+'
//
// Records that share a sync are one write. The first record of a write ends in a newline, and the others in a plus. So a newline
// proves that all writes before it were synced.
//
// All numbers are little-endian and all checksums CRC-32C. The checksum of the length tells a record that was cut short from a
// record whose length is damaged.
const (
	magic     = "gophe journal 1 "
	lineBytes = len(magic) + maxIdentity + 1 + 20 + 1 + 8 + 1
	headBytes = 4 + 8 + 4
	footBytes = 4 + 1
	recordEnd = '\n'
	laterEnd  = '+' // two bits differ

	maxIdentity = 16
)

// MaxRecord is the number of bytes that a record may have.
const MaxRecord = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// line returns the first line of a segment.
func line(identity string, first uint64) []byte {
	b := fmt.Appendf(nil, "%s%-*s %020d ", magic, maxIdentity, identity, first)
	return fmt.Appendf(b, "%08x\n", crc32.Checksum(b, castagnoli))
}

// parseLine reads the first line of a segment.
func parseLine(b []byte) (identity string, first uint64, err error) {
	if !strings.HasPrefix(string(b), magic) {
		return "", 0, errors.New("it does not begin like a journal of this program; move it out of the journal's folder")
	}
	identity = strings.TrimRight(string(b[len(magic):len(magic)+maxIdentity]), " ")
	_, err = fmt.Sscanf(string(b[len(magic)+maxIdentity+1:len(b)-10]), "%d", &first)
	if err != nil || string(line(identity, first)) != string(b) {
		return "", 0, errors.New("its first line is damaged; restore a copy of the file")
	}
	return identity, first, nil
}

// appendRecord appends a record to a buffer. The first record of a buffer begins a write.
func appendRecord(b []byte, number uint64, payload []byte) []byte {
	start, end := len(b), byte(recordEnd)
	if start > 0 {
		end = laterEnd
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	b = append(b, payload...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(payload, castagnoli))
	return append(b, end)
}

// The errors of parseRecord. Read has ErrTorn too, for a journal that is cut short at its end.
var (
	ErrTorn = errors.New("it was cut short. A kill or a power failure leaves such an end, of a request that had no answer; " +
		"after neither, restore a copy of the file")
	errDamaged = errors.New("damaged")
)

// parseRecord reads the record at the beginning of the rest of a segment. The error is ErrTorn if the rest ends in the record. With
// errDamaged, bytes tells where the damage is: in the head, in the whole record, or in its number.
func parseRecord(rest []byte, number uint64) (payload []byte, bytes int, err error) {
	if len(rest) < headBytes {
		return nil, 0, ErrTorn
	}
	if crc32.Checksum(rest[:12], castagnoli) != binary.LittleEndian.Uint32(rest[12:]) {
		return nil, headBytes, errDamaged
	}
	length := int(binary.LittleEndian.Uint32(rest))
	if length > MaxRecord || binary.LittleEndian.Uint64(rest[4:]) != number {
		return nil, 0, errDamaged
	}
	bytes = headBytes + length + footBytes
	if len(rest) < bytes {
		return nil, 0, ErrTorn
	}
	payload = rest[headBytes : headBytes+length]
	foot := rest[headBytes+length : bytes]
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(foot) || foot[4] != recordEnd && foot[4] != laterEnd {
		return nil, bytes, errDamaged
	}
	return payload, bytes, nil
}

// unwritten reports whether a power failure can have left the damage in these bytes of a segment. The system had made the file longer,
// and the power failed before all sectors of the last write were on the disk. The sectors that the disk lacks are zeros. No other
// write comes after them, since it would have begun when they were safe.
func unwritten(content []byte, from, bytes int, number uint64) bool {
	for at := from + 1; at+headBytes <= len(content); at++ {
		later := binary.LittleEndian.Uint64(content[at+4:])
		if later <= number || later > number+uint64(len(content)) {
			continue // the checksums of all places would take long
		}
		if _, bytes, err := parseRecord(content[at:], later); err == nil && content[at+bytes-1] == recordEnd {
			return false
		}
	}
	const sector, minZeros = 512, 8 // fewer zeros may belong to the record, but not where it begins or the file ends
	begin, end := from+headBytes, from+bytes
	if bytes == headBytes {
		begin = from
	}
	for at, next := begin, begin; at < min(end, len(content)); at = next {
		next = min((at/sector+1)*sector, len(content))
		written := at + len(strings.TrimRight(string(content[at:next]), "\x00"))
		zeros := next - written
		if zeros > 0 && written < end && (zeros >= minZeros || written == from || next == len(content)) {
			return true
		}
	}
	return false
}
