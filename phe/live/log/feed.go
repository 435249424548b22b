package log

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/pkg/errors"

	"gophe/data/records"
	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/stream/schema"
)

// Headers of a feeder's messages.
const (
	placeHeader  = "Phe-Place"  // position of the feeder's input behind the message's rows
	feederHeader = "Phe-Feeder" // name of the feeder, another one at each start
	beginHeader  = "Phe-Begin"  // of the first message: Feeder.Begin
)

const (
	messageRows  = 1000        // most rows of a message
	messageBytes = 512 << 10   // bytes that end a message
	fillTime     = time.Second // longest time that a row waits for its message to fill
	headerBytes  = 16 << 10    // room for a position and a feeder's name
)

// Feeder appends the rows of an input to a stream, many in a message. Each message says how far its rows go in the input. So a feeder that
// starts again after a kill goes on behind the last message, and reads nothing before it. Each message must follow the one before it, so of
// two feeders one ends.
type Feeder struct {
	Stream string
	// Begin is a line that Begun returns when feeding goes on. Columns that were found once must not be found again in more rows.
	Begin                    string
	In                       Table
	Replicas                 int                               // of a stream that does not exist yet
	Check                    func(schema.Record) (bool, error) // whether a row has a target, and why it cannot be learned
	SkipBad                  bool                              // leave out rows that cannot be learned, and count them
	Progress                 func()                            // is called after each message; may be nil
	Fed                      int64                             // rows of the stream that feeders appended
	Outside, Unlabelled, Bad int64                             // rows of this run that were left out

	conn    *broker.Conn
	me      string
	subject string
	columns []string
	header  string // their names, as a line of CSV
	csv     bool   // rows can be CSV
	last    uint64 // number of the last message
	from    Position
	held    *packed // it begins the next message
}

// feederPlace is the value of placeHeader.
type feederPlace struct {
	Rows int64    `json:"rows"` // of the stream, with those of the message
	Next Position `json:"next"` // in the input
}

// packed is rows of a message, all of one form.
type packed struct {
	body  []byte
	csv   bool
	rows  int64
	after Place
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

// begin finds or makes the stream, and the place in the input behind its last message.
func (f *Feeder) begin(ctx context.Context) error {
	columns, err := f.In.Columns(ctx)
	if err != nil {
		return err
	}
	f.columns, f.header = columns, csvLine(columns)
	d, err := records.NewDecoder(records.Options{Columns: columns})
	if err != nil {
		return err
	}
	f.csv = !strings.ContainsAny(f.header, "\r\n") && d.Open(nil, f.header) == nil
	_, err = f.conn.Stream(ctx, f.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if err := broker.CheckName(f.Stream); err != nil {
			return errors.WithMessage(err, "the stream")
		}
		err = f.conn.Retry(ctx, "making the stream "+f.Stream, func(ctx context.Context) error {
			config := jetstream.StreamConfig{Name: f.Stream, Subjects: []string{f.Stream}, Replicas: f.Replicas}
			_, err := f.conn.JS.CreateStream(ctx, config)
			return err
		})
		if err != nil {
			return errors.WithMessagef(err, "with %d replicas (3 need a cluster of three servers)", f.Replicas)
		}
	}
	info, err := NewJetStream(f.conn, f.Stream, records.Options{}).look(ctx, &streamPlace{})
	if err != nil {
		return err
	}
	if err := broker.SameReplicas("the stream "+f.Stream, info.Config.Replicas, f.Replicas); err != nil {
		return err
	}
	subjects := info.Config.Subjects
	if len(subjects) == 0 || strings.ContainsAny(subjects[0], "*>") {
		return errors.Errorf("the stream %s takes the subjects %q, and a feeder needs a first one without * and >; name another stream",
			f.Stream, subjects)
	}
	f.subject, f.last = subjects[0], info.State.LastSeq
	return f.resume(ctx)
}

// resume reads the place from the last message.
func (f *Feeder) resume(ctx context.Context) error {
	if f.last == 0 {
		return nil
	}
	m, err := f.conn.Message(ctx, f.Stream, f.last)
	if err != nil {
		return errors.WithMessage(err, "it is the last message, which says how far the input was fed; feed into a stream of another name")
	}
	said := m.Header.Get(placeHeader)
	if said == "" {
		return errors.Errorf("another program wrote the last message of the stream %s, number %d, so it does not say how far the "+
			"input was fed; feed into a stream of another name", f.Stream, f.last)
	}
	var at feederPlace
	err = errors.Wrapf(json.Unmarshal([]byte(said), &at), "the place in message %d", f.last)
	f.Fed, f.from = at.Rows, at.Next
	return err
}

// Begun returns what the first feeder of a stream kept in Begin; empty if there is no such stream, or it is another program's.
func (f *Feeder) Begun(ctx context.Context) (string, error) {
	m, err := f.conn.Message(ctx, f.Stream, 1)
	if broker.IsAny(err, jetstream.ErrStreamNotFound, jetstream.ErrMsgNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return m.Header.Get(beginHeader), nil
}

// read reads the input ahead, up to a message.
func (f *Feeder) read(ctx context.Context) <-chan Entry {
	entries := make(chan Entry, messageRows)
	go func() {
		defer close(entries)
		for e, err := range f.In.Read(ctx, f.from) {
			if e.Waits {
				continue
			}
			if e.Record = slices.Clone(e.Record); err != nil {
				e.Record, e.Bad = nil, err
			}
			select {
			case entries <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return entries
}

// gather returns a full message, or the rows that have come since its first one for a time, and why no more come: io.EOF at the end.
func (f *Feeder) gather(ctx context.Context, entries <-chan Entry) (m *packed, why error) {
	var late <-chan time.Time
	for m == nil || m.rows < messageRows && len(m.body) < messageBytes {
		if next := f.held; next != nil {
			if m == nil {
				m, late = &packed{csv: next.csv}, time.After(fillTime)
			} else if m.csv != next.csv || len(m.body)+len(next.body) > f.most() {
				return m, nil
			}
			m.body, m.rows, m.after = append(m.body, next.body...), m.rows+1, next.after
			f.held = nil
			continue
		}
		select {
		case e, open := <-entries:
			if !open && ctx.Err() == nil {
				return m, io.EOF
			}
			if f.held, why = f.take(e); why != nil {
				return m, why
			}
		case <-late:
			return m, nil
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, errors.WithStack(ctx.Err())
		}
	}
	return m, nil
}

// most is the number of bytes that a message's rows may have.
func (f *Feeder) most() int { return int(f.conn.NATS.MaxPayload()) - len(f.header) - headerBytes }

// accept reports whether a row belongs to the stream. It counts others.
func (f *Feeder) accept(e Entry) (bool, error) {
	err := e.Bad
	if keep := f.In.Condition(); err == nil && keep != nil && !keep(e.Record) {
		f.Outside++
		return false, nil
	}
	labelled := false
	if err == nil {
		labelled, err = f.Check(e.Record)
	}
	if err == nil && !labelled {
		f.Unlabelled++
	}
	return labelled, f.skip(e, err)
}

// skip counts a bad row, or returns its error with its place.
func (f *Feeder) skip(e Entry, err error) error {
	switch {
	case err == nil:
		return nil
	case f.SkipBad && (isBad(err) || errors.As(err, new(*schema.FieldError))):
		f.Bad++
		return nil
	case e.After == nil:
		return err
	}
	return errors.WithMessage(err, fmt.Sprint(e.After))
}

// take packs a row that belongs to the stream; nil if it does not.
func (f *Feeder) take(e Entry) (*packed, error) {
	fed, err := f.accept(e)
	if !fed || err != nil {
		return nil, err
	}
	p, err := f.pack(e.Record)
	if err == nil && len(p.body) > f.most() {
		err = &records.RecordError{File: f.In.Name(), Remedy: "shorten it, or give the servers a larger max_payload",
			Problem: fmt.Sprintf("the row has %d bytes, and the servers take %d", len(p.body), f.most())}
	}
	if p.after = e.After; err != nil {
		return nil, f.skip(e, err)
	}
	return p, nil
}

// pack returns a row as a line of CSV. It returns JSON if CSV would change the row: a line end or a zero byte in it,
// or the columns' names.
func (f *Feeder) pack(record []string) (p *packed, err error) {
	p = &packed{rows: 1}
	b := csvLine(record)
	if p.csv = f.csv && b != f.header && !(strings.ContainsAny(b, "\r\x00") && utf8.ValidString(b)); p.csv {
		p.body = []byte(b + "\n")
		return p, nil
	}
	p.body, err = appendObject(nil, f.columns, record)
	if err != nil {
		err = &records.RecordError{File: f.In.Name(), Problem: "it is not UTF-8", Remedy: "save the file as UTF-8"}
	}
	return p, err
}

// appendObject appends a row as a JSON object on a line.
func appendObject(b []byte, columns, record []string) (_ []byte, err error) {
	for i, field := range record {
		b = append(b, "{,"[min(i, 1)])
		if b, err = jsontext.AppendQuote(b, columns[i]); err == nil {
			b, err = jsontext.AppendQuote(append(b, ':'), field)
		}
		if err != nil {
			return b, errors.WithStack(err)
		}
	}
	return append(b, "}\n"...), nil
}

// csvLine returns fields as a line of CSV without its end.
func csvLine(fields []string) string {
	var b strings.Builder
	for i, field := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		if len(fields) > 1 && !strings.ContainsFunc(field, needsQuotes) {
			b.WriteString(field)
			continue
		}
		b.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
	}
	return b.String()
}

func needsQuotes(c rune) bool {
	return c < 0x80 && c != '.' && c != '-' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

// add appends a message. One whose answer was lost is refused when it comes again, and is there already.
func (f *Feeder) add(ctx context.Context, p *packed) error {
	at := feederPlace{f.Fed + p.rows, p.after.Position()}
	m := &nats.Msg{Subject: f.subject, Data: p.body, Header: nats.Header{placeHeader: {string(place(at))}, feederHeader: {f.me}}}
	if p.csv {
		m.Header.Set(ColumnsHeader, f.header)
	}
	if f.last == 0 && len(f.Begin) < f.most()/2 {
		m.Header.Set(beginHeader, f.Begin)
	}
	for {
		err := f.conn.Retry(ctx, "storing it", func(ctx context.Context) error {
			_, err := f.conn.JS.PublishMsg(ctx, m, jetstream.WithExpectLastSequence(f.last), jetstream.WithExpectStream(f.Stream))
			return err
		})
		stored := err == nil
		if errors.Is(err, errOrder) {
			stored, err = f.isStored(ctx, m.Data)
		}
		if stored && err == nil {
			f.last, f.Fed = f.last+1, at.Rows
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
	switch {
	case err != nil:
		return false, err
	case info.State.LastSeq < f.last:
		return false, errors.Wrapf(ErrLostEnd,
			"the stream ends at message %d, and message %d was stored; start the feeder again, and it goes "+
				"on there", info.State.LastSeq, f.last)
	case info.State.LastSeq == f.last: // an earlier copy of the message is on its way through the cluster
		return false, nil
	}
	m, err := f.conn.Message(ctx, f.Stream, f.last+1)
	if err == nil && (m.Header.Get(feederHeader) != f.me || !bytes.Equal(m.Data, body)) {
		err = errOvertaken
	}
	return err == nil, errors.WithStack(err)
}

// Compare reads the stream and the input from their beginnings, and returns an error that names the first row that differs. more says that
// the input has rows that were not fed.
func (f *Feeder) Compare(ctx context.Context) (more bool, err error) {
	if f.columns, err = f.In.Columns(ctx); err != nil {
		return false, err
	}
	log := NewJetStream(f.conn, f.Stream, records.Options{Columns: f.columns})
	info, err := log.look(ctx, &streamPlace{})
	if err != nil {
		return false, err
	}
	if first := info.State.FirstSeq; first > 1 {
		return false, errors.Wrapf(ErrTruncated, "the stream %s begins at message %d", f.Stream, first)
	}
	next, stop := iter.Pull2(f.In.Read(context.WithoutCancel(ctx), nil))
	defer stop()
	for e, err := range log.Read(ctx, nil) {
		if err != nil {
			return false, err
		}
		if e.Waits || e.Record == nil && e.Bad == nil {
			continue
		}
		if e.Bad != nil {
			return false, errors.WithMessagef(e.Bad, "%v", e.After)
		}
		in, err := f.nextFed(next)
		if err == io.EOF {
			return false, errors.Errorf("%s ends after %s, and the stream has %v, too: the first difference", f.In.Name(),
				text.Counted(f.Fed, "row"), e.After)
		}
		if err != nil {
			return false, err
		}
		for i, value := range in.Record {
			if value != e.Record[i] {
				return false, errors.Errorf("%v has %q in the column %q, and %v has %q: the first difference", in.After, value,
					f.columns[i],
					e.After, e.Record[i])
			}
		}
		if f.Fed++; f.Progress != nil && f.Fed%messageRows == 0 {
			f.Progress()
		}
	}
	if ctx.Err() != nil {
		return false, errors.WithStack(ctx.Err())
	}
	_, err = f.nextFed(next)
	return err == nil, broker.Except(err, io.EOF)
}

// nextFed returns the next row of the input that belongs to the stream.
func (f *Feeder) nextFed(next func() (Entry, error, bool)) (Entry, error) {
	for {
		e, err, more := next()
		if !more {
			return e, io.EOF
		}
		if e.Waits {
			continue
		}
		if err != nil {
			return e, err
		}
		if fed, err := f.accept(e); fed || err != nil {
			return e, err
		}
	}
}
