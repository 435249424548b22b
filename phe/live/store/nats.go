package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/live/checkpoint"
)

// NATS keeps checkpoints as objects, and one key that names the newest one and the program that may replace it. Every change of the
// key names the revision that it replaces. So a program that slept, and wakes when it has a successor, changes nothing: it is fenced.
//
// The holder changes the key every Beat. Another program takes the store over when it has seen no change for Silence by its own clock. A
// wrong guess costs only time: both learn the same rows, and only the holder saves.
//
// Any object is a true checkpoint, since it holds a learner and its position in one log. So an older one does as well if the newest is
// damaged, or if the key is.
type NATS struct {
	Beat, Silence time.Duration

	ctx     context.Context // of the program
	busy    atomic.Int64    // when the learner began with the rows that came, in nanoseconds; 0 while it waits for rows
	c       *broker.Conn
	b       *broker.Bucket
	name    string
	turn    chan struct{} // one change of the key at a time
	held    pointer       // the key, while this program holds it
	at      uint64        // its revision
	fenced  bool
	left    []string           // checkpoints of before that the next save deletes
	told    atomic.Uint64      // 1 more than the revision of the key that was said to be damaged
	stop    context.CancelFunc // nil: not held
	beating sync.WaitGroup
}

// pointer is the value of the key.
type pointer struct {
	Object   string `json:"object,omitempty"`
	Previous string `json:"previous,omitempty"`
	Mark
	Holder string `json:"holder,omitempty"` // empty: the last one has gone
	Where  string `json:"where,omitempty"`  // process and machine of the holder
	Beat   uint64 `json:"beat"`             // makes each value one of a kind
}

const pointerKey = "model"

// lastSave bounds a save after the program's context has ended.
const lastSave = 10 * time.Second

// Bucket returns the name of a store's place on the servers.
func Bucket(name string) string { return "phe-" + name }

// OpenNATS opens the store of a name, and makes it if there is none. With 0 replicas it waits until another program has made it, and with
// fewer it does not wait.
func OpenNATS(ctx context.Context, c *broker.Conn, name string, replicas int) (*NATS, error) {
	if err := broker.CheckName(name); err != nil {
		return nil, errors.WithMessage(err, "the store")
	}
	s := &NATS{ctx: ctx, Beat: 500 * time.Millisecond, Silence: 1500 * time.Millisecond, c: c, name: name,
		turn: make(chan struct{}, 1)}
	var err error
	if replicas > 0 {
		s.b, err = c.CreateBucket(ctx, Bucket(name), replicas)
		return s, errors.WithMessagef(err, "with %d replicas (3 need a cluster of three servers)", replicas)
	}
	for said := false; ; said = true {
		s.b, err = c.OpenBucket(ctx, Bucket(name))
		if !errors.Is(err, jetstream.ErrBucketNotFound) {
			return s, err
		}
		if replicas < 0 {
			return nil, errors.Errorf("there is no store %s on these servers; check its name, or start a learner into it", name)
		}
		if !said {
			c.Say(fmt.Sprintf("waits until a learner makes the store %s", name))
		}
		if broker.Sleep(ctx, lookEvery); ctx.Err() != nil {
			return nil, errors.WithMessagef(ctx.Err(), "there is no store %s on these servers; check its name", name)
		}
	}
}

// key returns the key and its revision; zero if there is none. In place of a damaged or missing key it returns one of the newest objects.
func (s *NATS) key(ctx context.Context) (p pointer, revision uint64, err error) {
	entry, err := s.b.Entry(ctx, pointerKey)
	if err != nil {
		return p, 0, err
	}
	if entry != nil {
		if revision = entry.Revision(); text.Decode(entry.Value(), &p) == nil && p.sound() {
			return p, revision, nil
		}
	}
	_, p, err = s.objects(ctx)
	if p.Object != "" && s.told.Swap(revision+1) != revision+1 {
		s.c.Say(fmt.Sprintf("warning: the key of the store %s is missing or damaged; the checkpoint %s is used in its place",
			s.name, p.Object))
	}
	return p, revision, err
}

// sound reports whether a program may have written the key. A name without a generation is none of its objects.
func (p pointer) sound() bool {
	newest, _ := generationOf(p.Object) // 0 if there is none
	previous, _ := generationOf(p.Previous)
	return max(newest, previous) == p.Generation && (p.Object == "") == (newest == 0) && p.Rows >= 0 && p.Beat > 0 && p.Beat < 1<<62
}

// objects returns the names of the checkpoints, newest first, and a key of the first two.
func (s *NATS) objects(ctx context.Context) (names []string, p pointer, err error) {
	names, err = s.b.List(ctx)
	names = slices.DeleteFunc(names, func(name string) bool { n, _ := generationOf(name); return n == 0 })
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
	two := append(slices.Clone(names), "", "")
	p.Object, p.Previous = two[0], two[1]
	p.Generation, _ = generationOf(p.Object)
	return names, p, err
}

// What follows implements Store.
func (s *NATS) Name() string    { return "the store " + s.name }
func (s *NATS) Paths() []string { return nil }

// Load implements Store. While another program holds the store it stands by.
func (s *NATS) Load(ctx context.Context) (l checkpoint.Loaded, err error) {
	if err := s.take(ctx); err != nil {
		return l, err
	}
	l.Path = s.Name()
	l.Payload, err = s.load(ctx)
	return l, err
}

// take waits until this program may save.
func (s *NATS) take(ctx context.Context) error {
	s.end()
	me, told := nuid.Next(), false
	for seen, since := uint64(0), time.Now(); ; broker.Sleep(ctx, s.Beat/5) {
		asked := time.Now()
		p, revision, err := s.key(ctx)
		if err != nil {
			return err
		}
		if revision != seen || time.Since(asked) > s.Beat { // while the servers are silent the holder cannot speak
			seen, since = revision, time.Now()
		}
		if silent := time.Since(since) >= s.Silence; p.Holder == "" || silent {
			if silent {
				s.c.Say(fmt.Sprintf("takes the store %s over: %s has been silent for %v", s.name, p.holder(), s.Silence))
			}
			p.Holder, p.Where, p.Beat = me, thisProcess(), p.Beat+1
			now, err := s.b.Swap(ctx, pointerKey, p.text(), revision)
			if broker.IsSwapped(err) { // by another program, or by this one, and the answer was lost
				var there pointer
				if there, now, err = s.key(ctx); err == nil && there.Holder != me {
					continue
				}
			}
			if err == nil {
				s.begin(p, now)
				return s.recover(ctx)
			}
			return err
		}
		if !told {
			told = true
			s.c.Say(fmt.Sprintf("stands by: %s learns into the store %s", p.holder(), s.name))
		}
	}
}

// holder names the program that holds the store.
func (p pointer) holder() string { return cmp.Or(p.Where, "its learner") }

func thisProcess() string {
	machine, err := os.Hostname()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("process %d of %s", os.Getpid(), machine)
}

func (p pointer) text() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // a pointer can always be written
	}
	return string(b)
}

// begin holds the store, and keeps it by beats.
func (s *NATS) begin(p pointer, revision uint64) {
	s.held, s.at, s.fenced = p, revision, false
	s.Learns(false) // it may have been fenced with rows in hand, long ago
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.beating.Go(func() {
		for hangs := false; ; {
			if broker.Sleep(ctx, s.Beat); ctx.Err() != nil {
				return
			}
			was, since := hangs, s.busy.Load()
			if hangs = since > 0 && time.Since(time.Unix(0, since)) > longest; hangs {
				if !was {
					s.c.Say(fmt.Sprintf("warning: rows wait, and none was learned for %v; another program may take the store %s over",
						longest, s.name))
				}
				continue
			}
			if err := s.change(ctx, func(*pointer) {}); errors.Is(err, ErrFenced) {
				return
			}
		}
	})
}

// longest is the longest time for the rows of one read. A learner that takes more hangs, and loses the store.
const longest = 30 * time.Second

// Learns implements Store.
func (s *NATS) Learns(rows bool) {
	since := int64(0)
	if rows {
		since = time.Now().UnixNano()
	}
	s.busy.Store(since)
}

// end ends the beats.
func (s *NATS) end() {
	if s.stop != nil {
		s.stop()
		s.beating.Wait()
		s.stop = nil
	}
}

// change rewrites the key by compare-and-set; ErrFenced if another program holds it.
func (s *NATS) change(ctx context.Context, edit func(*pointer)) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return errors.WithStack(ctx.Err())
	}
	for !s.fenced {
		p := s.held
		edit(&p)
		p.Beat++
		now, err := s.b.Swap(ctx, pointerKey, p.text(), s.at)
		if err == nil {
			s.held, s.at = p, now
			return nil
		}
		if !broker.IsSwapped(err) {
			return err
		}
		there, revision, err := s.key(ctx)
		if err != nil {
			return err
		}
		switch {
		case there.text() == p.text(): // it happened, and the answer was lost
			s.held, s.at = p, revision
			return nil
		case there.Holder == s.held.Holder: // an earlier change, whose answer nobody waited for
			s.held, s.at = there, revision
		default:
			s.fenced = true
		}
	}
	return errors.WithStack(ErrFenced)
}

// mine returns the key if this program still holds it.
func (s *NATS) mine(ctx context.Context) (p pointer, err error) {
	err = s.change(ctx, func(held *pointer) { p = *held })
	return p, err
}

// Save implements Store. It keeps the checkpoint before this one, and deletes the one before that. After the program's context has ended it
// takes some seconds at most.
func (s *NATS) Save(write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.ctx))
	defer cancel()
	defer context.AfterFunc(s.ctx, func() { broker.Sleep(ctx, lastSave); cancel() })()
	var packed bytes.Buffer
	var learned bits
	z, err := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return errors.WithStack(err)
	}
	if err := write(io.MultiWriter(z, &learned)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return errors.Wrap(err, "packing a checkpoint")
	}
	mark, err := learned.mark()
	if err != nil {
		return err
	}
	p, err := s.mine(ctx) // before much is sent
	if err != nil {
		return err
	}
	mark.Generation = p.Generation + 1
	object, old := fmt.Sprintf("%020d-%s", mark.Generation, nuid.Next()), "" // names have the order of the generations
	if err := s.b.Put(ctx, object, packed.Bytes()); err != nil {
		return err
	}
	err = s.change(ctx, func(p *pointer) { old, p.Object, p.Previous, p.Mark = p.Previous, object, p.Object, mark })
	if err == nil {
		for _, name := range append(s.left, old) {
			_ = s.b.Delete(ctx, name) // if it stays, it only takes space
		}
		s.left = nil
	} // the object of a learner that is fenced may be its successor's newest, if the key was empty
	return err
}

func generationOf(object string) (generation uint64, err error) {
	_, err = fmt.Sscanf(object, "%d-", &generation)
	return generation, errors.Wrapf(err, "the name of the checkpoint %s", object)
}

// load returns the newest checkpoint that is whole, and nil if there is none. Only the holder may call it.
func (s *NATS) load(ctx context.Context) ([]byte, error) {
	p, err := s.mine(ctx)
	if err != nil {
		return nil, err
	}
	payload, object, err := s.whole(ctx, &p)
	if err != nil || object == p.Object {
		return payload, err
	}
	mark, err := MarkOf(payload)
	if err == nil {
		mark.Generation = p.Generation
		// the next save deletes the damaged one
		err = s.change(ctx, func(p *pointer) { p.Object, p.Previous, p.Mark = object, p.Object, mark })
	}
	return payload, err
}

// whole returns the newest checkpoint that is whole, and its object's name. It takes a newer pointer if another program saves meanwhile.
func (s *NATS) whole(ctx context.Context, p *pointer) (payload []byte, object string, err error) {
	for _, object = range []string{p.Object, p.Previous} {
		if object == "" {
			continue
		}
		if err != nil {
			s.c.Say(fmt.Sprintf("warning: %v; the checkpoint before it is used in its place", err))
		}
		if payload, err = s.read(ctx, object); !broker.IsDamaged(err) {
			return payload, object, err
		}
		if there, _, failed := s.key(ctx); failed == nil && there.Generation > p.Generation { // it was deleted while it was read
			*p = there
			return s.whole(ctx, p)
		}
	}
	if _, there, failed := s.objects(ctx); failed == nil && there.Object != "" && there.Object != p.Object && there.Object != p.Previous {
		*p = there // the key names objects that are not there
		return s.whole(ctx, p)
	}
	return nil, "", errors.WithMessagef(err,
		"the checkpoints of the store %s are missing or damaged; learn the rows again into a store of another name", s.name)
}

// read returns the checkpoint of an object.
func (s *NATS) read(ctx context.Context, object string) ([]byte, error) {
	packed, err := s.b.Get(ctx, object)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer z.Close()
	payload, err := io.ReadAll(z)
	return payload, errors.Wrapf(err, "unpacking the checkpoint %s", object)
}

// recover looks through the objects when this program has just taken the store. It finds the newest two again if the key names others. The
// rest, which a dead program left, stay until this one has saved.
func (s *NATS) recover(ctx context.Context) error {
	names, newest, err := s.objects(ctx)
	if err != nil {
		return err
	}
	p, err := s.mine(ctx)
	if err == nil && len(names) > 0 && !slices.Contains(names, p.Object) {
		s.c.Say(fmt.Sprintf("warning: the newest checkpoint of the store %s is missing or damaged; the checkpoint %s is used in its place",
			s.name, names[0]))
		p = newest
		err = s.change(ctx, func(held *pointer) { held.Object, held.Previous, held.Mark = p.Object, p.Previous, p.Mark })
	}
	s.left = slices.DeleteFunc(names, func(name string) bool { return name == p.Object || name == p.Previous })
	return err
}

// Newest waits for a checkpoint of a generation above one, and returns it with its generation.
func (s *NATS) Newest(ctx context.Context, above uint64) ([]byte, uint64, error) {
	for {
		p, _, err := s.key(ctx)
		if err != nil {
			return nil, 0, err
		}
		if p.Generation > above {
			payload, object, err := s.whole(ctx, &p)
			if err == nil && object != p.Object {
				p.Generation, err = generationOf(object)
			}
			return payload, p.Generation, err
		}
		if broker.Sleep(ctx, lookEvery); ctx.Err() != nil {
			return nil, 0, errors.WithStack(ctx.Err())
		}
	}
}

// Look returns the mark of the newest checkpoint.
func (s *NATS) Look(ctx context.Context) (Mark, error) {
	p, _, err := s.key(ctx)
	return p.Mark, err
}

// Close lets the store go. Another program may take the store over at once.
func (s *NATS) Close() error {
	if s.stop == nil {
		return nil
	}
	s.end()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.change(ctx, func(p *pointer) { p.Holder, p.Where = "", "" }); !errors.Is(err, ErrFenced) {
		return err
	}
	return nil
}
