package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
	"gophe/phe/live/broker"
)

// startKey names the start state in the key-value store. It is written last, so a belief that has it has everything else.
const startKey = "start"

// startRecord is the value of startKey.
type startRecord struct {
	Object string `json:"object"`
	SHA256 string `json:"sha256"`
}

// Create gives the belief its place on the servers, and stores the state that all machines start from. A second call with equal bytes
// does nothing. A second call with other bytes is an error.
func (l *Log) Create(ctx context.Context, start *fold.State) error {
	if start.Position != 0 || start.Version != 0 || start.Ledger.Len() != 0 {
		return errors.Errorf("the start state has folded %d contributions; a start state has folded none", start.Position)
	}
	body, err := start.MarshalBinary()
	if err != nil {
		return err
	}
	if err := l.find(ctx); err != nil && !errors.Is(err, ErrMissing) {
		return err
	}
	if err := l.createStreams(ctx); err != nil {
		return err
	}
	if err := l.createStores(ctx); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	record := startRecord{Object: "start-" + nuid.Next(), SHA256: hex.EncodeToString(sum[:])}
	if err := l.putObject(ctx, record.Object, body); err != nil {
		return err
	}
	value, err := json.Marshal(record)
	if err != nil {
		return errors.WithStack(err)
	}
	err = l.Retry(ctx, "storing the start state", func(ctx context.Context) error {
		_, err := l.kv.Create(ctx, startKey, value)
		return err
	})
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	var there startRecord // of another process, or of this one before its answer was lost
	_, err = l.record(ctx, startKey, &there)
	if err == nil && there.Object != record.Object {
		_ = l.objects.Delete(ctx, record.Object) // it is not named anywhere; if it stays, it only takes space
	}
	if err == nil && there.SHA256 != record.SHA256 {
		err = errors.Errorf("the belief %q exists already and started from another state; take its own start state, or another name", l.o.Name)
	}
	return err
}

// createStreams creates the two logs. Limits retention without limits keeps every message.
func (l *Log) createStreams(ctx context.Context) error {
	for name, subject := range map[string]string{l.o.rowsStream(): l.o.rowsSubject(), l.o.contributionsStream(): l.o.contributionsSubject()} {
		config := jetstream.StreamConfig{Name: name, Subjects: []string{subject}, Storage: jetstream.FileStorage,
			Retention: jetstream.LimitsPolicy, Replicas: l.o.Replicas, Duplicates: 2 * time.Minute}
		stream, err := broker.Ask(ctx, l.Conn, "creating the log "+name, nil, func(ctx context.Context) (jetstream.Stream, error) {
			stream, err := l.JS.Stream(ctx, name)
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				return l.JS.CreateStream(ctx, config)
			}
			return stream, err
		})
		if err != nil {
			return errors.WithMessagef(err, "with %d replicas (3 need a cluster of three servers)", l.o.Replicas)
		}
		if replicas := stream.CachedInfo().Config.Replicas; replicas != l.o.Replicas {
			return errors.Errorf("the belief %q exists already with %d replicas, and %d are wanted; take %d",
				l.o.Name, replicas, l.o.Replicas, replicas)
		}
	}
	return nil
}

// createStores creates the key-value store and the object store. Both keep files by default.
func (l *Log) createStores(ctx context.Context) error {
	name, replicas := l.o.bucket(), l.o.Replicas
	return l.Retry(ctx, "creating the stores of "+l.o.Name, func(ctx context.Context) error {
		_, err := l.JS.KeyValue(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = l.JS.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas})
		}
		if err != nil {
			return err
		}
		_, err = l.JS.ObjectStore(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = l.JS.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Replicas: replicas})
		}
		if err != nil {
			return err
		}
		// Every read of a store must be a read from its leader. Otherwise any server answers, and may not know the newest value yet.
		for _, store := range []string{"KV_" + name, "OBJ_" + name} {
			stream, err := l.JS.Stream(ctx, store)
			if err != nil {
				return err
			}
			if config := stream.CachedInfo().Config; config.AllowDirect {
				config.AllowDirect = false
				if _, err := l.JS.UpdateStream(ctx, config); err != nil {
					return err
				}
			}
		}
		return l.openStores(ctx)
	})
}

// openStores opens the stores that exist.
func (l *Log) openStores(ctx context.Context) error {
	kv, err := l.JS.KeyValue(ctx, l.o.bucket())
	if err != nil {
		return err
	}
	objects, err := l.JS.ObjectStore(ctx, l.o.bucket())
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kv == nil {
		l.kv, l.objects = kv, objects
	}
	return nil
}

// ErrMissing says that the belief was not created.
var ErrMissing = errors.New("the belief does not exist on these servers; create it first, or check its name")

// find finds the belief. It returns ErrMissing if there is none.
func (l *Log) find(ctx context.Context) error {
	l.mu.Lock()
	found := l.kv != nil
	l.mu.Unlock()
	if found {
		return nil
	}
	return l.Retry(ctx, "finding the belief "+l.o.Name, func(ctx context.Context) error {
		kv, err := l.JS.KeyValue(ctx, l.o.bucket())
		if err == nil {
			_, err = kv.Get(ctx, startKey)
		}
		if broker.IsAny(err, jetstream.ErrBucketNotFound, jetstream.ErrKeyNotFound) {
			return l.lost(ctx)
		}
		if err != nil {
			return err
		}
		err = l.openStores(ctx)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			err = errors.Errorf("the store has lost the start state and the checkpoints; %s", remedy)
		}
		return err
	})
}

// await waits until the belief was created.
func (l *Log) await(ctx context.Context) error {
	for told := false; ; told = true {
		err := l.find(ctx)
		if !errors.Is(err, ErrMissing) {
			return err
		}
		if !told {
			l.o.Log(fmt.Sprintf("waits until the belief %q is created", l.o.Name))
		}
		if broker.Sleep(ctx, 100*time.Millisecond); ctx.Err() != nil {
			return err
		}
	}
}

// Start returns the state before the first contribution, and ErrMissing if the belief was not created.
func (l *Log) Start(ctx context.Context, open fold.Open) (*fold.State, error) {
	if err := l.find(ctx); err != nil {
		return nil, err
	}
	return l.start(ctx, open)
}

// start returns the start state of a belief that was found.
func (l *Log) start(ctx context.Context, open fold.Open) (*fold.State, error) {
	var record startRecord
	_, err := l.record(ctx, startKey, &record)
	if err == nil && record.Object == "" {
		err = errors.Errorf("the start record of %q is missing or damaged; %s", l.o.Name, remedy)
	}
	if err != nil {
		return nil, err
	}
	body, err := l.getObject(ctx, record.Object)
	if sum := sha256.Sum256(body); err == nil && hex.EncodeToString(sum[:]) != record.SHA256 {
		err = damaged{errors.New("its checksum is wrong")}
	}
	if errors.As(err, new(damaged)) {
		return nil, errors.Errorf("the start state of %q is missing or damaged (%v); %s", l.o.Name, err, remedy)
	}
	if err != nil {
		return nil, err
	}
	s, err := fold.LoadState(body, open)
	return s, errors.WithMessagef(err, "the start state of %q", l.o.Name)
}

// putObject stores bytes under a name.
func (l *Log) putObject(ctx context.Context, name string, body []byte) error {
	return l.RetryWithin(ctx, "storing "+name, transferTimeout(len(body)), func(ctx context.Context) error {
		_, err := l.objects.PutBytes(ctx, name, body)
		return err
	})
}

// getObject returns the bytes of a name. It asks for each part, since a server waits in silence for a part that it cannot read.
func (l *Log) getObject(ctx context.Context, name string) (body []byte, err error) {
	info, err := broker.Ask(ctx, l.Conn, "finding "+name, nil, func(ctx context.Context) (*jetstream.ObjectInfo, error) {
		return l.objects.GetInfo(ctx, name)
	})
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, damaged{err}
	}
	if err != nil {
		return nil, err
	}
	parts, next := jetstream.WithGetMsgSubject(fmt.Sprintf("$O.%s.C.%s", info.Bucket, info.NUID)), uint64(1)
	for part := range info.Chunks {
		m, err := l.Message(ctx, "OBJ_"+info.Bucket, next, parts)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, damaged{errors.Wrapf(err, "part %d of %d of the object %s is missing or damaged", part+1, info.Chunks, name)}
		}
		if err != nil {
			return nil, err
		}
		body, next = append(body, m.Data...), m.Sequence+1
	}
	sum := sha256.New()
	sum.Write(body)
	if jetstream.GetObjectDigestValue(sum) != info.Digest {
		return nil, damaged{errors.Errorf("the object %s has another digest than it was stored with", name)}
	}
	return body, nil
}

// transferTimeout allows a slow line a second for each megabyte.
func transferTimeout(size int) time.Duration {
	return broker.CallTimeout + time.Duration(size>>20)*time.Second
}
