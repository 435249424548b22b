package broker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"
)

// Bucket is a key-value store and an object store of one name. Its methods may run concurrently.
type Bucket struct {
	Keys    jetstream.KeyValue
	Objects jetstream.ObjectStore

	c *Conn
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// CheckName returns an error if a name has no place on a server. Capitals are not allowed, because some file systems do not tell them
// apart.
func CheckName(name string) error {
	if nameForm.MatchString(name) {
		return nil
	}
	return errors.Errorf("the name is %q; use 1 to 64 lower-case letters, digits, hyphens and underscores, and begin with a letter "+
		"or digit", name)
}

// SameReplicas returns an error if a stream has other replicas than somebody wants. 1 is what nobody wants in particular.
func SameReplicas(name string, are, want int) error {
	if want > 1 && are != want {
		return errors.Errorf("%s exists already with %d replicas, and %d are wanted; leave that out, or take another name", name, are, want)
	}
	return nil
}

// CreateBucket creates a bucket unless it exists, and opens it. Both stores keep files.
func (c *Conn) CreateBucket(ctx context.Context, name string, replicas int) (b *Bucket, err error) {
	err = c.Retry(ctx, "creating the stores of "+name, func(ctx context.Context) error {
		_, err := c.JS.KeyValue(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = c.JS.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas})
		}
		if err != nil {
			return err
		}
		_, err = c.JS.ObjectStore(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = c.JS.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Replicas: replicas})
		}
		if err != nil {
			return err
		}
		// Every read of a store must be a read from its leader. Otherwise any server answers, and may not know the newest value yet.
		for _, store := range []string{"KV_" + name, "OBJ_" + name} {
			stream, err := c.JS.Stream(ctx, store)
			if err != nil {
				return err
			}
			config := stream.CachedInfo().Config
			if err := SameReplicas(name, config.Replicas, replicas); err != nil {
				return err
			}
			if config.AllowDirect {
				config.AllowDirect = false
				if _, err := c.JS.UpdateStream(ctx, config); err != nil {
					return err
				}
			}
		}
		b, err = c.openBucket(ctx, name) // a handle from before would ask any server, and none would answer
		return err
	})
	return b, err
}

// OpenBucket opens a bucket. The error is jetstream.ErrBucketNotFound if there is none.
func (c *Conn) OpenBucket(ctx context.Context, name string) (*Bucket, error) {
	return Ask(ctx, c, "opening the stores of "+name, nil, func(ctx context.Context) (*Bucket, error) { return c.openBucket(ctx, name) })
}

// openBucket takes a bucket that is still being made for none: a handle of one would ask any server for ever, and none would answer.
func (c *Conn) openBucket(ctx context.Context, name string) (*Bucket, error) {
	for _, store := range []string{"KV_" + name, "OBJ_" + name} {
		stream, err := c.JS.Stream(ctx, store)
		if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && stream.CachedInfo().Config.AllowDirect {
			return nil, jetstream.ErrBucketNotFound
		}
		if err != nil {
			return nil, err
		}
	}
	keys, err := c.JS.KeyValue(ctx, name)
	if err != nil {
		return nil, err
	}
	objects, err := c.JS.ObjectStore(ctx, name)
	return &Bucket{keys, objects, c}, err
}

// Entry returns the entry of a key; nil if there is none.
func (b *Bucket) Entry(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	return Ask(ctx, b.c, "reading the key "+key, jetstream.ErrKeyNotFound, func(ctx context.Context) (jetstream.KeyValueEntry, error) {
		return b.Keys.Get(ctx, key)
	})
}

// Swap replaces the value of a revision of the bucket's only key, and returns the new revision. IsSwapped tells whether there was another
// revision. The swap may have happened even so, and its answer was lost.
func (b *Bucket) Swap(ctx context.Context, key, value string, revision uint64) (now uint64, err error) {
	if revision == 0 {
		if err := b.mend(ctx, key); err != nil {
			return 0, err
		}
	}
	err = b.c.Retry(ctx, "changing the key "+key, func(ctx context.Context) error {
		if revision > 0 {
			now, err = b.Keys.Update(ctx, key, []byte(value), revision)
		} else {
			now, err = b.Keys.Create(ctx, key, []byte(value))
		}
		return b.c.IfThere(ctx, "KV_"+b.Keys.Bucket(), err)
	})
	return now, err
}

// mend empties the key-value store if it counts values of its only key and returns none. A server with a damaged value would answer no
// change of the key, or drop each new value at once.
func (b *Bucket) mend(ctx context.Context, key string) error {
	name := "KV_" + b.Keys.Bucket()
	return b.c.Retry(ctx, "looking through "+name, func(ctx context.Context) error {
		stream, err := b.c.JS.Stream(ctx, name)
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(">"))
		if err != nil || info.State.Msgs == 0 && len(info.State.Subjects) == 0 {
			return err
		}
		if _, err = b.Keys.Get(ctx, key); !errors.Is(err, jetstream.ErrKeyNotFound) { // nil: another program has just made it
			return err
		}
		return stream.Purge(ctx)
	})
}

// IsSwapped reports whether an error of Swap says that there was another revision. A cluster has an error of its own for it.
func IsSwapped(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// Put stores bytes under a name.
func (b *Bucket) Put(ctx context.Context, name string, body []byte) error {
	transfer := time.Second + time.Duration(len(body)>>20)*time.Second // on a slow line
	return b.c.retry(ctx, "storing "+name, transfer, func(ctx context.Context) error {
		info, err := b.Objects.PutBytes(ctx, name, body)
		if err != nil {
			return err
		}
		return b.isWhole(ctx, info)
	})
}

// isWhole returns a transient error unless the servers have an object with all its parts. Package jetstream (v1.54) takes an object for
// stored whose last messages were lost with a connection, since it tells nobody of them.
func (b *Bucket) isWhole(ctx context.Context, info *jetstream.ObjectInfo) error {
	there, err := b.Objects.GetInfo(ctx, info.Name)
	if errors.Is(err, jetstream.ErrObjectNotFound) || err == nil && there.NUID != info.NUID {
		return nats.ErrDisconnected
	}
	if err != nil {
		return err
	}
	stream, err := b.c.JS.Stream(ctx, "OBJ_"+info.Bucket)
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

// Get returns the bytes of a name. It asks for each part, since a server waits in silence for a part that it cannot read.
func (b *Bucket) Get(ctx context.Context, name string) (body []byte, err error) {
	info, err := Ask(ctx, b.c, "finding "+name, nil, func(ctx context.Context) (*jetstream.ObjectInfo, error) {
		return b.Objects.GetInfo(ctx, name)
	})
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
	stream, of := "OBJ_"+b.Keys.Bucket(), jetstream.WithGetMsgSubject("$O."+b.Keys.Bucket()+".M.>")
	info, err := b.c.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	for next := max(1, info.State.FirstSeq); next <= info.State.LastSeq; next++ {
		m, err := b.c.Message(ctx, stream, next, of)
		if errors.Is(err, jetstream.ErrMsgNotFound) { // here or behind
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
	return b.c.Retry(ctx, "deleting "+name, func(ctx context.Context) error {
		return Except(b.Objects.Delete(ctx, name), jetstream.ErrObjectNotFound)
	})
}

// damaged marks the error of an object that is missing or damaged.
type damaged struct{ error }

// Unwrap returns the error that is marked.
func (d damaged) Unwrap() error { return d.error }

// IsDamaged reports whether an error says that an object is missing or damaged.
func IsDamaged(err error) bool { return errors.As(err, new(damaged)) }
