package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/live/broker"
)

// remedy says what to do about a damaged store.
const remedy = "restore the server's folder from a copy, or feed and learn the rows again under another name. " +
	"With three servers, stop the one that leads, remove its folder and start it: it copies the logs of the others. " +
	"If the server's log says why it cannot read its folder, such as too many open files, mend only that"

// errLost says that a whole log is gone.
var errLost = errors.New("the store has lost this log; " + remedy)

// damaged marks the error of an object that is missing or damaged.
type damaged struct{ error }

// Unwrap returns the error that is marked.
func (d damaged) Unwrap() error { return d.error }

// missing returns an error if a message of a log should be there, and cannot be read. A server that has just become the leader gets
// some time to find it.
func (l *Log) missing(ctx context.Context, stream string, number uint64) error {
	for tries := range 3 {
		if broker.Sleep(ctx, time.Duration(tries)*100*time.Millisecond); ctx.Err() != nil {
			return errors.WithStack(ctx.Err())
		}
		_, err := l.Message(ctx, stream, number)
		if !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
		info, err := l.streamInfo(ctx, stream)
		if err != nil || number < info.State.FirstSeq || number > info.State.LastSeq {
			return err
		}
	}
	return errors.Errorf("message %d of the %s is missing or damaged; %s", number, strings.TrimPrefix(stream, "phe_"+l.o.Name+"_"), remedy)
}

// lost returns the reason why there is no start record: ErrMissing, unless the belief has rows or contributions, so that it was there once.
func (l *Log) lost(ctx context.Context) error {
	for _, name := range []string{l.o.rowsStream(), l.o.contributionsStream()} {
		stream, err := l.JS.Stream(ctx, name)
		if err == nil && stream.CachedInfo().State.LastSeq > 0 {
			return errors.Errorf("the start record of %q is missing or damaged, and %s has messages; %s", l.o.Name, name, remedy)
		}
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	return ErrMissing
}

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
	if os.IsNotExist(err) { // NATS was killed before it wrote it
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

// checkNumbers returns an error if a message number in a file is far from the one before it. NATS would note each number between them as
// deleted, before it compares a checksum, and would take all memory. The head of a message has its length and its number, with flags in
// the high bits.
func checkNumbers(path string) error {
	const maxGap = 1 << 26 // numbers between two messages that are left
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
		length, number := binary.LittleEndian.Uint32(head[:])&^(1<<31), binary.LittleEndian.Uint64(head[4:])
		if length == 0 {
			return nil
		}
		if tombstone := number&(1<<62) != 0; !tombstone {
			number &^= 1 << 63 // the message was erased
			if before > 0 && number > before+maxGap {
				return errors.Errorf("%s is damaged: message %d follows message %d; %s", path, number, before, remedy)
			}
			before = max(before, number)
		}
		at += int64(length)
	}
}
