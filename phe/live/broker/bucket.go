package broker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"
)

// Bucket is a key-value store and an object store of one name. Its methods may run concurrently.
type Bucket struct {
	c    *Conn
	name string
	last atomic.Pointer[stores]
}

// stores are the stores of a bucket over one connection.
type stores struct {
	js      jetstream.JetStream
	keys    jetstream.KeyValue
	objects jetstream.ObjectStore
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// CheckName returns an error if a server cannot have a name. Capitals are not allowed: some file systems do not tell them apart.
func CheckName(name string) error {
	if nameForm.MatchString(name) {
		return nil
	}
	return errors.Errorf("the name is %q; use 1 to 64 lower-case letters, digits, hyphens and underscores, and begin with a letter "+
		"or digit", name)
}

// SameReplicas returns an error if a stream has another number of replicas than is wanted. Any number will do if 1 is wanted.
func SameReplicas(name string, are, want int) error {
	if want > 1 && are != want {
		return errors.Errorf("%s exists already with %d replicas, and %d are wanted; leave that out, or take another name", name, are, want)
	}
	return nil
}

// CreateBucket creates a bucket unless it exists, and opens it. Both stores keep files.
func (c *Conn) CreateBucket(ctx context.Context, name string, replicas int) (b *Bucket, err error) {
	err = c.Retry(ctx, "creating the stores of "+name, func(ctx context.Context) error {
		_, err := c.JS().KeyValue(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = c.JS().CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas})
		}
		if err != nil {
			return err
		}
		_, err = c.JS().ObjectStore(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = c.JS().CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Replicas: replicas})
		}
		if err != nil {
			return err
		}
		// Every read of a store must be a read from its leader. Otherwise any server answers, and may not know the newest value yet.
		for _, store := range []string{"KV_" + name, "OBJ_" + name} {
			stream, err := c.JS().Stream(ctx, store)
			if err != nil {
				return err
			}
			config := stream.CachedInfo().Config
			if err := SameReplicas(name, config.Replicas, replicas); err != nil {
				return err
			}
			if config.AllowDirect {
				config.AllowDirect = false
				if _, err := c.JS().UpdateStream(ctx, config); err != nil {
					return err
				}
			}
		}
		b, err = c.openBucket(ctx, name) // a handle made before would ask any server, and none would answer
		return err
	})
	return b, err
}

// OpenBucket opens a bucket. The error is jetstream.ErrBucketNotFound if there is none.
func (c *Conn) OpenBucket(ctx context.Context, name string) (*Bucket, error) {
	return Ask(ctx, c, "opening the stores of "+name, func(ctx context.Context) (*Bucket, error) { return c.openBucket(ctx, name) })
}

// openBucket finds no bucket while it is being made: its handle would ask any server for ever, and none would answer.
func (c *Conn) openBucket(ctx context.Context, name string) (*Bucket, error) {
	for _, store := range []string{"KV_" + name, "OBJ_" + name} {
		stream, err := c.JS().Stream(ctx, store)
		if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && stream.CachedInfo().Config.AllowDirect {
			return nil, jetstream.ErrBucketNotFound
		}
		if err != nil {
			return nil, err
		}
	}
	return &Bucket{c: c, name: name}, nil
}

// stores returns the stores over the newest connection.
func (b *Bucket) stores(ctx context.Context) (on *stores, err error) {
	js := b.c.JS()
	if on = b.last.Load(); on != nil && on.js == js {
		return on, nil
	}
	on = &stores{js: js}
	if on.keys, err = js.KeyValue(ctx, b.name); err == nil {
		on.objects, err = js.ObjectStore(ctx, b.name)
	}
	if err == nil {
		b.last.Store(on)
	}
	return on, err
}

// retry is Conn.retry for a call that uses the stores.
func (b *Bucket) retry(ctx context.Context, what string, transfer time.Duration, try func(context.Context, *stores) error) error {
	return b.c.retry(ctx, what, transfer, func(ctx context.Context) error {
		on, err := b.stores(ctx)
		if err != nil {
			return err
		}
		return try(ctx, on)
	})
}

// Entry returns the entry of a key; nil if there is none.
func (b *Bucket) Entry(ctx context.Context, key string) (entry jetstream.KeyValueEntry, err error) {
	err = b.retry(ctx, "reading the key "+key, 0, func(ctx context.Context, on *stores) error {
		entry, err = on.keys.Get(ctx, key)
		return Except(err, jetstream.ErrKeyNotFound)
	})
	return entry, err
}

// Swap replaces the value of the bucket's only key if the key has the revision, and returns the new revision. IsSwapped reports whether the
// key has another one. Even then Swap may have replaced the value: a lost answer makes it try again.
func (b *Bucket) Swap(ctx context.Context, key, value string, revision uint64) (now uint64, err error) {
	if revision == 0 {
		if err := b.mend(ctx, key); err != nil {
			return 0, err
		}
	}
	err = b.retry(ctx, "changing the key "+key, 0, func(ctx context.Context, on *stores) error {
		if revision > 0 {
			now, err = on.keys.Update(ctx, key, []byte(value), revision)
		} else {
			now, err = on.keys.Create(ctx, key, []byte(value))
		}
		return b.c.IfThere(ctx, "KV_"+b.name, err)
	})
	return now, err
}

// mend empties the key-value store if it counts values of its only key and returns none. A server with a damaged value would answer no
// change of the key, or drop each new value at once.
func (b *Bucket) mend(ctx context.Context, key string) error {
	name := "KV_" + b.name
	return b.retry(ctx, "looking through "+name, 0, func(ctx context.Context, on *stores) error {
		stream, err := on.js.Stream(ctx, name)
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(">"))
		if err != nil || info.State.Msgs == 0 && len(info.State.Subjects) == 0 {
			return err
		}
		if _, err = on.keys.Get(ctx, key); !errors.Is(err, jetstream.ErrKeyNotFound) { // nil: another program has just made it
			return err
		}
		return stream.Purge(ctx)
	})
}

// IsSwapped reports whether an error of Swap says that the key has another revision. A cluster has its own error for that.
func IsSwapped(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// Put stores bytes under a name.
func (b *Bucket) Put(ctx context.Context, name string, body []byte) error {
	transfer := time.Second + time.Duration(len(body)>>20)*time.Second // on a slow line
	return b.retry(ctx, "storing "+name, transfer, func(ctx context.Context, on *stores) error {
		info, err := on.objects.PutBytes(ctx, name, body)
		if err != nil {
			return err
		}
		return on.isWhole(ctx, info)
	})
}

// isWhole returns a transient error unless the servers have an object with all its parts. Package jetstream (v1.54) reports success even if
// the object's last messages were lost with a connection.
func (on *stores) isWhole(ctx context.Context, info *jetstream.ObjectInfo) error {
	there, err := on.objects.GetInfo(ctx, info.Name)
	if errors.Is(err, jetstream.ErrObjectNotFound) || err == nil && there.NUID != info.NUID {
		return nats.ErrDisconnected
	}
	if err != nil {
		return err
	}
	stream, err := on.js.Stream(ctx, "OBJ_"+info.Bucket)
	if err != nil {
		return err
	}
	parts := partsOf(info)
	now, err := stream.Info(ctx, jetstream.WithSubjectFilter(parts))
	if err == nil && now.State.Subjects[parts] != uint64(info.Chunks) {
		return nats.ErrDisconnected
	}
	return err
}

// partsOf returns the subject of an object's parts.
func partsOf(info *jetstream.ObjectInfo) string {
	return fmt.Sprintf("$O.%s.C.%s", info.Bucket, info.NUID)
}

// Info describes the object of a name.
func (b *Bucket) Info(ctx context.Context, name string) (info *jetstream.ObjectInfo, err error) {
	err = b.retry(ctx, "finding "+name, 0, func(ctx context.Context, on *stores) error {
		info, err = on.objects.GetInfo(ctx, name)
		return err
	})
	return info, err
}

// Get returns the bytes of a name. It asks for each part, since a server waits in silence for a part that it cannot read.
func (b *Bucket) Get(ctx context.Context, name string) (body []byte, err error) {
	info, err := b.Info(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, damaged{err}
	}
	if err != nil {
		return nil, err
	}
	parts, next := jetstream.WithGetMsgSubject(partsOf(info)), uint64(1)
	for part := range info.Chunks {
		m, err := b.c.Message(ctx, "OBJ_"+info.Bucket, next, parts)
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

// List returns the names of the objects. It asks for each, since a server lists nothing, in silence, if it cannot read one.
func (b *Bucket) List(ctx context.Context) (names []string, err error) {
	stream, of := "OBJ_"+b.name, jetstream.WithGetMsgSubject("$O."+b.name+".M.>")
	info, err := b.c.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	for next := max(1, info.State.FirstSeq); next <= info.State.LastSeq; next++ {
		m, err := b.c.Message(ctx, stream, next, of)
		if errors.Is(err, jetstream.ErrMsgNotFound) { // a message here or later cannot be read
			continue
		}
		if err != nil {
			return nil, err
		}
		var object jetstream.ObjectInfo
		if err := json.Unmarshal(m.Data, &object); err == nil && !object.Deleted {
			names = append(names, object.Name)
		}
		next = m.Sequence
	}
	return names, nil
}

// Delete deletes an object if it is there.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	return b.retry(ctx, "deleting "+name, 0, func(ctx context.Context, on *stores) error {
		return Except(on.objects.Delete(ctx, name), jetstream.ErrObjectNotFound)
	})
}

// damaged marks the error of an object that is missing or damaged.
type damaged struct{ error }

// Unwrap returns the error that is marked.
func (d damaged) Unwrap() error { return d.error }

// IsDamaged reports whether an error says that an object is missing or damaged.
func IsDamaged(err error) bool { return errors.As(err, new(damaged)) }
