package source

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"iter"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/records"
	"gophe/phe/remedy"
	"gophe/phe/stream/schema"
)

// JetStream is a stream of NATS JetStream. A message holds a row or more.
type JetStream struct {
	// Follow waits for new messages. Otherwise the log ends at the last message that was there when reading began.
	Follow bool
	Skip   bool         // missing messages are a bad row, and a first one may hold no row; otherwise they end the reading
	Say    func(string) // receives a line when no row has come for long; may be nil

	Path string // address of the stream, as it was given

	conn       *broker.Conn
	stream     string
	made       string // when
	first      uint64 // message, when it was opened
	where      *schema.Condition
	done, size atomic.Int64 // messages that were read, and of the stream
	newest     atomic.Int64 // when the last message came, in nanoseconds; 0 while it is learned

	options records.Options // the columns once they are known
	decoder *records.Decoder
	commas  []string // of Typed
	typed   bool     // it was called
}

// NewJetStream returns the log of a stream. The options say how to read its messages.
func NewJetStream(conn *broker.Conn, stream string, o records.Options) *JetStream {
	return &JetStream{options: o, Say: func(string) {}, conn: conn, stream: stream}
}

// Headers of messages.
const (
	ColumnsHeader = "Phe-Columns" // names the columns of the message's CSV, as a line of CSV
	BeginHeader   = "Phe-Begin"   // of the first message: the feeder's description of the rows, or InBody
	InBody        = "body"        // the message has no rows
)

// streamPlace is a position in a stream.
type streamPlace struct {
	*streamName
	Next uint64 `json:"next"`           // number of the message whose rows come next
	Rows int    `json:"rows,omitempty"` // of it that were read
	Sum  uint32 `json:"sum,omitempty"`  // CRC-32C of the newest message that was read, perhaps in part
}

// streamName is shared by all places of a reading.
type streamName struct {
	Stream  string    `json:"stream"`
	Created time.Time `json:"created"`         // another stream under the same name has another time
	Comma   rune      `json:"comma,omitempty"` // separator of CSV, if it was found by the first messages
}

// Position implements Place.
func (p streamPlace) Position() Position { return encode(p) }

// Identify implements Place. A stream is identified by the time when it was made.
func (p streamPlace) Identify(last Input) (Input, error) { return last, nil }

// String names the entry before the place.
func (p streamPlace) String() string {
	if p.Rows > 0 {
		return fmt.Sprintf("row %d of message %d of the stream %s", p.Rows, p.Next, p.Stream)
	}
	return fmt.Sprintf("message %d of the stream %s", p.Next-1, p.Stream)
}

// Columns implements Source.
func (l *JetStream) Columns(ctx context.Context) ([]string, error) {
	if l.options.Columns != nil {
		return l.options.Columns, nil
	}
	var first [][]byte
	var numbers []uint64
	at, size, named := &streamPlace{}, 0, ""
	err := l.read(ctx, at, func(m *streamMessage) bool {
		if m.Msg == nil {
			return !m.atEnd || len(first) == 0
		}
		if m.hasNoRows() {
			return true
		}
		if named = m.Headers().Get(ColumnsHeader); named != "" { // a line of the columns alone
			first = [][]byte{[]byte(named)}
			return false
		}
		first, numbers = append(first, m.Data()), append(numbers, at.Next)
		size += len(m.Data())
		return len(first) < sampleMessages && size < sampleBytes
	})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(first) == 0:
		return nil, remedy.Errorf("wait", "the stream %s has no rows yet; send some", l.stream)
	case named != "":
		o := l.options
		l.options.Header = records.HeaderYes
		err = l.detect(first, "the header "+ColumnsHeader)
		l.options.Header = o.Header
	default:
		if err = l.detect(first, "the stream "+l.stream); err != nil {
			err = l.detectOthers(first, numbers, err)
		}
	}
	return l.options.Columns, err
}

// detectOthers finds the columns without the messages that have no columns for themselves. If these end the reading, it names the first.
func (l *JetStream) detectOthers(first [][]byte, numbers []uint64, err error) error {
	var whole [][]byte
	bad := uint64(0)
	for i, m := range first {
		if _, alone := records.Detect([][]byte{m}, "", l.options); alone == nil {
			whole = append(whole, m)
		} else if bad == 0 {
			bad = numbers[i]
		}
	}
	switch {
	case len(whole) == 0 || bad == 0:
		return err
	case l.Skip:
		return l.detect(whole, "the stream "+l.stream)
	}
	return remedy.With("bad message", errors.WithMessagef(err, "message %d", bad))
}

// Read implements Source.
func (l *JetStream) Read(ctx context.Context, from Position) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if _, err := l.Columns(ctx); err != nil {
			if ctx.Err() == nil {
				yield(Entry{}, err)
			}
			return
		}
		at := streamPlace{streamName: &streamName{}}
		err := decode(from, &at)
		if err == nil {
			err = l.start(at.Comma)
		}
		var failed error
		if settled := l.options.Own == nil; err == nil {
			err = l.read(ctx, &at, func(m *streamMessage) bool {
				if m.Msg != nil && !settled {
					settled, failed = true, l.settle(ctx)
				}
				return failed == nil && l.yield(m, at, func(e Entry, err error) bool { return yield(e, err) && ctx.Err() == nil })
			})
		}
		if err = cmp.Or(failed, err); err != nil && ctx.Err() == nil {
			yield(Entry{}, err)
		}
	}
}

// Description describes the rows of a stream, in its first message.
type Description struct {
	Schema schema.Schema `json:"schema"`
	Where  string        `json:"where,omitempty"` // condition of the rows
	Hints  schema.Hints  `json:"hints,omitzero"`  // by which the schema was inferred
}

// Described implements Source: a feeder has put the description into the first message.
func (l *JetStream) Described(ctx context.Context) (d Description, ok bool, err error) {
	m, err := l.conn.Message(ctx, l.stream, 1)
	if broker.IsAny(err, jetstream.ErrStreamNotFound, jetstream.ErrMsgNotFound) {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	begin := m.Header.Get(BeginHeader)
	if begin == InBody {
		begin = string(m.Data)
	}
	if begin == "" {
		return d, false, nil
	}
	return d, true, errors.WithMessage(text.Decode([]byte(begin), &d), "the stream's first message does not describe its rows as this "+
		"program does; feed into a stream of another name")
}

// read calls take with the messages behind a place, and when none is there, until it returns false. It moves the place after each message.
func (l *JetStream) read(ctx context.Context, at *streamPlace, take func(*streamMessage) bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l.newest.Store(0)
	go l.watch(ctx)
	var end uint64
	for begun, done := false, false; ctx.Err() == nil && !done; {
		info, err := l.look(ctx, at)
		if err == nil && !begun {
			begun, end = true, info.State.LastSeq
			if l.Follow && end == 0 {
				l.Say(fmt.Sprintf("the stream %s is empty; waiting for its first row", l.stream))
			}
		}
		if err == nil && !l.Follow && at.Next > end {
			return nil
		}
		if err == nil {
			done, err = l.readSome(ctx, info, at, end, take)
		}
		if l.Skip && errors.Is(err, ErrTruncated) {
			done, err = l.jump(ctx, at, err, take)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Info asks for the stream. It is an error if the stream deletes messages that were read.
func (l *JetStream) Info(ctx context.Context) (*jetstream.StreamInfo, error) {
	return l.look(ctx, &streamPlace{})
}

// jump goes behind missing messages, and gives them as a bad row.
func (l *JetStream) jump(ctx context.Context, at *streamPlace, gap error, take func(*streamMessage) bool) (done bool, err error) {
	info, err := l.conn.Stream(ctx, l.stream)
	if err != nil {
		return false, err
	}
	next := info.State.LastSeq + 1
	m, err := l.conn.Message(ctx, l.stream, at.Next, jetstream.WithGetMsgSubject(">"))
	if err == nil {
		next = m.Sequence
	} else if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, err
	}
	*at = streamPlace{at.streamName, next, 0, 0}
	return !take(&streamMessage{gap: gap}), nil
}

// look asks for the stream, and whether the next message of a place follows the message that was read last.
func (l *JetStream) look(ctx context.Context, at *streamPlace) (*jetstream.StreamInfo, error) {
	info, err := l.conn.Stream(ctx, l.stream)
	if broker.IsAny(err, jetstream.ErrStreamNotFound, jetstream.ErrInvalidStreamName) {
		if at.Next > 0 && at.Stream == l.stream {
			return nil, remedy.Errorf("other model", "the stream %s is there no more; somebody has deleted it; learn its rows again into "+
				"another model", l.stream)
		}
		return nil, l.noStream(ctx)
	}
	if err != nil {
		return nil, err
	}
	if r := info.Config.Retention; r != jetstream.LimitsPolicy {
		return nil, errors.Errorf("the stream %s has the retention %q: it deletes messages that were read, so no row could be read again "+
			"after a kill; make a stream that keeps them: nats stream add NAME --source %s --retention limits", l.stream, r, l.stream)
	}
	name, s := "the stream "+l.stream, info.State
	switch {
	case at.Next == 0:
		at.streamName = &streamName{l.stream, info.Created, l.options.Comma}
		at.Next = max(1, s.FirstSeq)
	case at.Stream != l.stream:
		return nil, errors.Wrapf(ErrReplaced, "the model learns the stream %s, and this is %s; give that one", at.Stream, l.stream)
	case !at.Created.Equal(info.Created):
		return nil, remedy.With("other model", errors.Wrapf(ErrReplaced,
			"%s was made %s, and the model learns one that was made %s; learn it into another model",
			name, stamp(info.Created), stamp(at.Created)))
	case s.FirstSeq > at.Next:
		return nil, remedy.With("gap", errors.Wrapf(ErrTruncated,
			"%s begins at message %d, and message %d is next: %d messages were deleted", name, s.FirstSeq, at.Next, s.FirstSeq-at.Next))
	case s.LastSeq+1 < at.Next || at.Rows > 0 && s.LastSeq < at.Next:
		return nil, remedy.With("other model", errors.Wrapf(ErrLostEnd,
			"%s ends at message %d, and message %d was read; bring the server's folder back, or learn the stream into another model",
			name, s.LastSeq, at.read()))
	}
	if at.Sum == 0 || at.read() < s.FirstSeq {
		return info, nil
	}
	m, err := l.conn.Message(ctx, l.stream, at.read())
	if errors.Is(err, jetstream.ErrMsgNotFound) { // if its rows are needed, reading on finds that it is missing
		return info, nil
	}
	if err == nil {
		err = at.compare(m.Data)
	}
	return info, err
}

// read returns the number of the newest message that was read, perhaps in part.
func (p *streamPlace) read() uint64 {
	if p.Rows > 0 {
		return p.Next
	}
	return p.Next - 1
}

// compare returns an error unless a message is the newest one that was read.
func (p *streamPlace) compare(body []byte) error {
	if sum := crc32.Checksum(body, castagnoli); sum != p.Sum {
		return remedy.With("other model", errors.Wrapf(ErrLostEnd, "message %d of the stream %s has the checksum %08x, and the one that "+
			"was read had %08x: other messages have taken the place of the last ones; learn the stream into another model",
			p.read(), p.Stream, sum, p.Sum))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000000000") }

// noStream says what to do where there is no stream of the log's name.
func (l *JetStream) noStream(ctx context.Context) error {
	found, err := l.conn.JS().StreamNameBySubject(ctx, l.stream)
	if err == nil && found != "" {
		return errors.Errorf("there is no stream %s, and the stream %s keeps the messages of the subject %s; name that stream", l.stream,
			found, l.stream)
	}
	return errors.Errorf("there is no stream %s; check its name, or feed a file into it. A plain subject keeps no message, so no row "+
		"could be read again after a kill; make a stream of it: nats stream add NAME --subjects %s", l.stream, l.stream)
}

// readSome reads until the consumer is lost, and done is false, or until nothing more is wanted.
func (l *JetStream) readSome(ctx context.Context, info *jetstream.StreamInfo, at *streamPlace, end uint64,
	take func(*streamMessage) bool) (done bool, err error) {
	messages, left, err := l.conn.Messages(ctx, info, at.Next)
	if err != nil {
		return false, err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	newest := info.State.LastTime
	for told := false; ; { // take was told that there is no message
		wait := broker.Silence
		if left == 0 && !told {
			wait = time.Microsecond
		}
		m, err := messages.Next(jetstream.NextMaxWait(wait))
		switch {
		case errors.Is(err, nats.ErrTimeout):
			if told || left > 0 {
				if left, err = l.missing(ctx, at); err != nil || left > 0 {
					return false, err
				}
			}
			l.newest.Store(newest.UnixNano())
			if told = true; !take(&streamMessage{atEnd: left == 0}) {
				return true, nil
			}
			continue
		case err != nil:
			l.newest.Store(newest.UnixNano())
			return !take(&streamMessage{}), nil
		}
		if told && l.Follow {
			broker.Sleep(ctx, Linger)
		}
		told = false
		meta, err := m.Metadata()
		if err != nil {
			return true, errors.Wrap(err, "a message of a stream")
		}
		if left = meta.NumPending; meta.Sequence.Stream != at.Next {
			_, err := l.missing(ctx, at)
			return err != nil, err
		}
		l.newest.Store(0)
		newest = time.Now()
		sum := crc32.Checksum(m.Data(), castagnoli)
		more := take(&streamMessage{Msg: m, sum: sum})
		at.Next, at.Rows, at.Sum = at.Next+1, 0, sum
		l.done.Store(int64(at.Next - info.State.FirstSeq))
		l.size.Store(int64(at.Next - info.State.FirstSeq + left))
		if !more || !l.Follow && at.Next > end {
			return true, nil
		}
	}
}

// missing returns the number of messages from a place on. It is an error if the first is gone; a new leader gets some time to find it.
func (l *JetStream) missing(ctx context.Context, at *streamPlace) (left uint64, err error) {
	for tries := range 3 {
		if broker.Sleep(ctx, time.Duration(tries)*100*time.Millisecond); ctx.Err() != nil {
			return 0, nil
		}
		info, err := l.look(ctx, at)
		if err != nil || info.State.LastSeq < at.Next {
			return 0, err
		}
		left = info.State.LastSeq + 1 - at.Next
		if _, err = l.conn.Message(ctx, l.stream, at.Next); !errors.Is(err, jetstream.ErrMsgNotFound) {
			return left, err
		}
	}
	return left, remedy.With("gap", errors.Wrapf(ErrTruncated, "message %d of the stream %s is missing, and the stream ends at message "+
		"%d: it was deleted, or the store is damaged", at.Next, l.stream, at.Next+left-1))
}

const firstSilence = 10 * time.Second

// watch says at 10, 20, 40 seconds and so on that no message has come, until ctx ends.
func (l *JetStream) watch(ctx context.Context) {
	for next := firstSilence; ctx.Err() == nil; broker.Sleep(ctx, time.Second) {
		at := l.newest.Load()
		quiet := time.Since(time.Unix(0, at)).Round(time.Second)
		switch {
		case at <= 0 || quiet < firstSilence:
			if next > firstSilence {
				l.Say("rows come again from the stream " + l.stream)
			}
			next = firstSilence
		case quiet >= next:
			l.Say(fmt.Sprintf("the last row of the stream %s came %v ago: %s", l.stream, quiet, cmp.Or(l.conn.Why(), "it has no more")))
			for ; next <= quiet; next *= 2 {
			}
		}
	}
}
