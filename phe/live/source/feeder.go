package source

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// Headers of a feeder's messages, beside ColumnsHeader and BeginHeader.
const (
	placeHeader  = "Phe-Place"  // position of the feeder's input behind the message's rows
	feederHeader = "Phe-Feeder" // name of the feeder, another one at each start
)

const (
	messageRows  = 1000        // most rows of a message
	messageBytes = 512 << 10   // bytes that end a message
	fillTime     = time.Second // longest time that a row waits for its message to fill
	maxHeaders   = 63 << 10    // bytes of a message's headers; NATS takes 64 KiB with its own
	longHeader   = 16 << 10    // bytes of one header that leaves room for the others
)

// Feeder appends the rows of an input to a stream, many in a message. Each message says how far its rows go in the input. So a feeder that
// starts again after a kill goes on behind the last message, and reads nothing before it. Each message must follow the one before it, so of
// two feeders one ends.
type Feeder struct {
	Stream string
	// Begin is what JetStream.Described returns when feeding goes on. Columns that were found once must not be found again in more rows.
	Begin        Description
	In           Source
	Replicas     int                       // of a stream that does not exist yet
	Check        func(schema.Record) error // why a row cannot be learned
	SkipBad      bool                      // leave out rows that cannot be learned, and count them
	Progress     func()                    // is called after each message; may be nil
	Fed          int64                     // rows of the stream that feeders appended
	Outside, Bad int64                     // rows of this run that were left out

	conn    *broker.Conn
	me      string
	subject string
	columns []string
	header  string    // their names, as a line of CSV
	csv     bool      // rows can be CSV
	last    uint64    // number of the last message
	made    time.Time // the stream
	from    Position
	held    *packed // it begins the next message
}

// feederPlace is the value of placeHeader.
type feederPlace struct {
	Rows int64    `json:"rows"`           // of the stream, up to the message's last
	Next Position `json:"next,omitempty"` // in the input
}

var (
	errOvertaken = errors.New("another feeder feeds this stream, and a stream takes one feeder; this one ends")
	errOrder     = &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}
)

// NewFeeder returns a feeder of a stream.
func NewFeeder(conn *broker.Conn, stream string) *Feeder {
	return &Feeder{Stream: stream, Replicas: 1, conn: conn, me: nuid.Next()}
}

// Run appends the rows that are not there yet, to the input's end.
func (f *Feeder) Run(ctx context.Context) error {
	if err := f.begin(ctx); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	entries := f.read(ctx)
	defer func() {
		stop()
		if f.In.Seekable() { // a pipe may be silent for ever
			for range entries {
			}
		}
	}()
	for {
		m, why := f.gather(ctx, entries)
		if m != nil && ctx.Err() == nil {
			if err := f.add(ctx, m); err != nil {
				return errors.WithMessagef(err, "message %d of the stream %s", f.last+1, f.Stream)
			}
			if f.Progress != nil {
				f.Progress()
			}
		}
		if why == io.EOF {
			return nil
		}
		if why != nil {
			return why
		}
	}
}

// describe finds the names of the input's columns, and whether its rows can be CSV.
func (f *Feeder) describe(ctx context.Context) error {
	columns, err := f.In.Columns(ctx)
	if err != nil {
		return err
	}
	f.columns, f.header = columns, records.CSVLine(columns)
	d, err := records.NewDecoder(records.Options{Columns: columns})
	if err != nil {
		return err
	}
	f.csv = len(f.header) <= longHeader && !strings.ContainsAny(f.header, "\r\n") && d.Open(nil, f.header) == nil
	return nil
}

// begin finds or makes the stream, and the place in the input behind its last message.
func (f *Feeder) begin(ctx context.Context) error {
	if err := f.Takes(ctx); err != nil {
		return err
	}
	if err := f.describe(ctx); err != nil {
		return err
	}
	_, err := f.conn.Stream(ctx, f.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = f.conn.Retry(ctx, "making the stream "+f.Stream, func(ctx context.Context) error {
			config := jetstream.StreamConfig{Name: f.Stream, Subjects: []string{f.Stream}, Replicas: f.Replicas}
			_, err := f.conn.JS().CreateStream(ctx, config)
			return err
		})
		if err != nil {
			return errors.WithMessagef(err, "with %d replicas (3 need a cluster of three servers)", f.Replicas)
		}
	}
	info, err := NewJetStream(f.conn, f.Stream, records.Options{}).Info(ctx)
	if err != nil {
		return err
	}
	c := info.Config
	if c.MaxMsgs > 0 || c.MaxBytes > 0 || c.MaxAge > 0 || c.MaxMsgsPerSubject > 0 {
		what := "deletes its oldest messages by a limit; a learner that comes later lacks their rows"
		if c.Discard == jetstream.DiscardNew {
			what = "refuses messages at its limit (discard new), and the feeder waits then; mend it: nats stream edit " +
				f.Stream + " --max-msgs=-1 --max-bytes=-1"
		}
		f.conn.Say("warning: the stream " + f.Stream + " " + what)
	}
	f.conn.WarnOf(c)
	f.subject, f.last, f.made = c.Subjects[0], info.State.LastSeq, info.Created
	return f.resume(ctx)
}

// Takes returns an error if the stream takes no rows, by its settings or its name. It reads nothing of the input.
func (f *Feeder) Takes(ctx context.Context) error {
	info, err := f.conn.Stream(ctx, f.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrInvalidStreamName) {
		return errors.WithMessage(broker.CheckName(f.Stream), "the stream")
	} else if err != nil {
		return err
	}
	c := info.Config
	if err := broker.SameReplicas("the stream "+f.Stream, c.Replicas, f.Replicas); err != nil {
		return err
	}
	mend := func(flags string) string { return "; mend it: nats stream edit " + f.Stream + " " + flags }
	switch {
	case c.NoAck:
		return errors.Errorf("the stream %s answers no message (no_ack), so no feeder knows which messages it has%s",
			f.Stream, mend("--ack"))
	case c.MaxMsgSize > 0 && c.MaxMsgSize < messageBytes+maxHeaders:
		return errors.Errorf("the stream %s takes messages of %d bytes, and a feeder's may have %d%s", f.Stream,
			c.MaxMsgSize, messageBytes+maxHeaders, mend("--max-msg-size=-1"))
	case len(c.Subjects) == 0 || strings.ContainsAny(c.Subjects[0], "*>"):
		return errors.Errorf("the stream %s takes the subjects %q, and a feeder needs a first one without * and >; name another stream",
			f.Stream, c.Subjects)
	}
	return nil
}

// resume reads the place from the last message.
func (f *Feeder) resume(ctx context.Context) error {
	if f.last == 0 {
		return nil
	}
	m, err := f.conn.Message(ctx, f.Stream, f.last)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return errors.Errorf("somebody has deleted the last message of the stream %s, number %d, which said how far the input was fed; "+
			"feed into a stream of another name", f.Stream, f.last)
	} else if err != nil {
		return err
	}
	said := m.Header.Get(placeHeader)
	if said == "" {
		return errors.Errorf("another program wrote the last message of the stream %s, number %d, so it does not say how far the "+
			"input was fed; feed into a stream of another name", f.Stream, f.last)
	}
	var at feederPlace
	err = errors.WithMessagef(text.Decode([]byte(said), &at), "the place in message %d", f.last)
	f.Fed, f.from = at.Rows, at.Next
	return err
}

// add appends rows. The first are after Begin, in a message of its own if it is long.
func (f *Feeder) add(ctx context.Context, p *packed) error {
	header := nats.Header{}
	if f.last == 0 && len(f.Begin.Schema.Columns) > 0 {
		begin, err := json.Marshal(f.Begin)
		if err != nil {
			return errors.Wrap(err, "the description of the rows")
		}
		if len(begin) <= longHeader {
			header.Set(BeginHeader, string(begin))
		} else if err := f.append(ctx, nats.Header{BeginHeader: {InBody}}, begin, feederPlace{}); err != nil {
			return err
		}
	}
	if p.csv {
		header.Set(ColumnsHeader, f.header)
	}
	return f.append(ctx, header, p.body, feederPlace{f.Fed + p.rows, short(p.after.Position())})
}

// append appends a message. One whose answer was lost is refused when it comes again, and is there already.
func (f *Feeder) append(ctx context.Context, header nats.Header, body []byte, after feederPlace) error {
	place, err := json.Marshal(after)
	if err != nil {
		return errors.Wrap(err, "the place in the input")
	}
	header.Set(placeHeader, string(place))
	header.Set(feederHeader, f.me)
	m := &nats.Msg{Subject: f.subject, Data: body, Header: header}
	for {
		err := f.conn.Retry(ctx, "storing it", func(ctx context.Context) error {
			_, err := f.conn.JS().PublishMsg(ctx, m, jetstream.WithExpectLastSequence(f.last), jetstream.WithExpectStream(f.Stream))
			return f.conn.IfThere(ctx, f.Stream, err)
		})
		stored := err == nil
		if errors.Is(err, errOrder) {
			stored, err = f.isStored(ctx, m.Data)
		}
		if stored && err == nil {
			f.last, f.Fed = f.last+1, after.Rows
		}
		if stored || err != nil {
			return err
		}
		if broker.Sleep(ctx, 20*time.Millisecond); ctx.Err() != nil {
			return errors.WithStack(ctx.Err())
		}
	}
}

// isStored reports whether this feeder's message is in the stream at its place. Another feeder's message there is an error.
func (f *Feeder) isStored(ctx context.Context, body []byte) (bool, error) {
	info, err := f.conn.Stream(ctx, f.Stream)
	again := "start the feeder again, and it "
	if !f.In.Seekable() {
		again = "start the feeder again, with the pipe from its beginning, and it "
	}
	switch {
	case err != nil:
		return false, err
	case !info.Created.Equal(f.made):
		return false, errors.Wrap(ErrReplaced, "somebody has deleted the stream and made it anew; "+again+"feeds the new one")
	case info.State.LastSeq < f.last:
		return false, errors.Wrapf(ErrLostEnd, "the stream ends at message %d, and message %d was stored; "+again+"goes on there",
			info.State.LastSeq, f.last)
	case info.State.LastSeq == f.last: // an earlier copy of the message is on its way through the cluster
		return false, nil
	}
	m, err := f.conn.Message(ctx, f.Stream, f.last+1)
	if err == nil && (m.Header.Get(feederHeader) != f.me || !bytes.Equal(m.Data, body)) {
		err = errOvertaken
	}
	return err == nil, errors.WithStack(err)
}
