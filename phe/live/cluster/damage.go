package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/highwayhash"
	"github.com/pkg/errors"
)

// remedy says what to do about a damaged store.
const remedy = "restore the server's folder from a copy, or feed and learn the rows again under another name. " +
	"With three servers, stop the one that leads, remove its folder and start it: it copies the streams of the others. " +
	"If the server's log says why it cannot read its folder, such as too many open files, mend only that"

// checkStore returns an error if NATS 2.14 would not start or answer with a folder, and would not say why.
func checkStore(folder string) error {
	checks := map[string]func(string) error{"msgs/*.blk": checkNumbers, "meta.inf": checkDescription, "obs/*/meta.inf": checkDescription}
	for pattern, check := range checks {
		paths, err := filepath.Glob(filepath.Join(folder, "jetstream/*/streams/*", pattern))
		if err != nil {
			return errors.Wrapf(err, "finding the logs in %s", folder)
		}
		for _, path := range paths {
			if err := check(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkDescription compares the description of a log, or of a consumer of it, with its checksum. NATS answers no question about a log
// whose consumer it cannot read.
func checkDescription(path string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return errors.Wrap(err, "reading the description of a log")
	}
	folder := filepath.Dir(path)
	want, err := os.ReadFile(filepath.Join(folder, "meta.sum"))
	if os.IsNotExist(err) { // NATS was killed before it wrote the checksum
		return nil
	}
	if err != nil {
		return errors.Wrap(err, "reading the description of a log")
	}
	name, advice := filepath.Base(folder), remedy
	if log, isConsumer := strings.CutSuffix(filepath.Dir(folder), "/obs"); isConsumer {
		name, advice = filepath.Base(log)+"/"+name, "remove its folder: only acknowledgements are in it, and nothing depends on them"
	}
	key := sha256.Sum256([]byte(name))
	hash, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		return errors.Wrap(err, "the checksum of a description")
	}
	hash.Write(body) // a hash never returns an error
	if hex.EncodeToString(hash.Sum(nil)) != string(want) {
		return errors.Errorf("%s or its checksum is damaged; %s", path, advice)
	}
	return nil
}

// checkNumbers returns an error if a message number in a file is far from the one before it, and the message's checksum is wrong. NATS
// would note each number between them as deleted, before it compares the checksum, and would take all memory and time.
func checkNumbers(path string) error {
	const far = 1 << 16
	f, err := os.Open(path)
	if err != nil {
		return errors.Wrap(err, "opening a log")
	}
	defer f.Close() // it was only read
	var before uint64
	for at := int64(0); ; {
		var head [12]byte
		if _, err := f.ReadAt(head[:], at); err == io.EOF { // the end, or a message that NATS cuts off
			return nil
		} else if err != nil {
			return errors.Wrap(err, "reading a log")
		}
		length, number := binary.LittleEndian.Uint32(head[:])&^hasHeader, binary.LittleEndian.Uint64(head[4:])
		if length == 0 {
			return nil
		}
		if tombstone := number&(1<<62) != 0; !tombstone {
			number &^= 1 << 63 // the message was erased
			if before > 0 && number > before+far && !isSound(f, at, length) {
				return errors.Errorf("%s is damaged: message %d follows message %d; %s", path, number, before, remedy)
			}
			before = max(before, number)
		}
		at += int64(length)
	}
}

// hasHeader is a flag in the length of a message.
const hasHeader = 1 << 31

// isSound compares a message in a file with its checksum. A message is its length, number and time, the length of its subject, the
// subject, the length of its header if it has one, the header, the body and the checksum. The log's name and the file's number make the
// key of the checksum.
func isSound(f *os.File, at int64, length uint32) bool {
	const subjectAt, sumSize, headerSize, most = 22, 8, 4, 32 << 20
	if length < subjectAt+sumSize || length > most {
		return false
	}
	b := make([]byte, length)
	if _, err := f.ReadAt(b, at); err != nil {
		return false
	}
	subject := subjectAt + int(binary.LittleEndian.Uint16(b[subjectAt-2:]))
	rest, end := subject, len(b)-sumSize
	if binary.LittleEndian.Uint32(b)&hasHeader != 0 {
		rest += headerSize
	}
	if rest > end {
		return false
	}
	number, _ := strings.CutSuffix(filepath.Base(f.Name()), ".blk")
	key := sha256.Sum256([]byte(filepath.Base(filepath.Dir(filepath.Dir(f.Name()))) + "-" + number))
	hash, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		return false
	}
	for _, part := range [][]byte{b[4:20], b[subjectAt:subject], b[rest:end]} {
		hash.Write(part) // a hash never returns an error
	}
	return bytes.Equal(hash.Sum(nil), b[end:])
}
