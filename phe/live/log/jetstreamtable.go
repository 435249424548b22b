package log

import (
	"context"
	"fmt"
	"path"

	"gophe/data/records"
	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// OpenJetStream connects to the servers of an address such as nats://host/sales. A driver learns the rows that meet a condition. The
// schema is the model's, and nil for a new one. With follow the log has no end.
func OpenJetStream(ctx context.Context, address, where string, o records.Options, s *schema.Schema, follow bool,
	to broker.Options) (*JetStream, error) {
	urls, name, err := broker.Address(address)
	if err != nil {
		return nil, err
	}
	to.URLs = urls
	conn, err := broker.Connect(ctx, to)
	if err != nil {
		return nil, err
	}
	l := NewJetStream(conn, name, o)
	if l.Path, l.Follow = address, follow; to.Log != nil {
		l.Say = to.Log
	}
	info, err := l.Info(ctx)
	if err == nil {
		conn.WarnOf(info.Config)
		l.made, l.first = stamp(info.Created), info.State.FirstSeq
		var columns []string
		if columns, err = l.Columns(ctx); err == nil {
			l.where, err = schema.Where(where, columns)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	if s != nil {
		l.Fit(*s)
	}
	return l, nil
}

// Name implements Table.
func (l *JetStream) Name() string { return l.Path }

// Files implements Table.
func (l *JetStream) Files() []string { return nil }

// Condition implements Table.
func (l *JetStream) Condition() func(record []string) bool {
	if l.where == nil {
		return nil
	}
	return l.where.Holds
}

// Infer implements Table. The first rows are at most those that the stream has.
func (l *JetStream) Infer(h schema.Hints) (schema.Schema, error) {
	l.Typed(nil)
	look := func(keep func([]string) bool) ([][]string, error) { return First(context.Background(), l, keep) }
	return infer(l.Path, l.options.Columns, l.where, look, h)
}

// Fit implements Table.
func (l *JetStream) Fit(as schema.Schema) {
	l.Typed(as.Commas())
	l.where.Fit(as)
}

// Seekable implements Table.
func (l *JetStream) Seekable() bool { return true }

// Progress implements Table, in messages.
func (l *JetStream) Progress() (read, size int64) { return l.done.Load(), l.size.Load() }

// Unfinished implements Table.
func (l *JetStream) Unfinished() int64 { return 0 }

// Lost implements Table.
func (l *JetStream) Lost(err error, _ int64) error { return err }

// Close ends the connection.
func (l *JetStream) Close() error {
	l.conn.Close()
	return nil
}

// inStream returns the position in a stream. If the log is another one, it names no stream.
func (s *State) inStream() streamPlace {
	at := streamPlace{streamName: &streamName{}}
	_ = decode(s.Position, &at)
	return at
}

// chooseStream goes on with a stream if it is the input of the last checkpoint. Otherwise learning begins at its first row.
func (s *State) chooseStream(l *JetStream, o Options) error {
	if s.inStream().Stream == l.stream && !(o.Again && s.Ended) {
		s.Input.Name, s.Input.Made = text.Name(l.Path), l.made
		return nil
	}
	if s.Records() > 0 && !s.Ended && !o.Again {
		return remedy.Errorf("learn again", "%s of %s were learned, and the rest was not; give that input again before %s",
			stream.Counted(s.Records(), "record"), s.Name(), l.Path)
	}
	for _, in := range s.inputs() {
		if in.Made == l.made && path.Base(string(in.Name)) == l.stream && !o.Again {
			return remedy.Errorf("learn once more", "%s was learned before: %s", l.Path, stream.Counted(in.Rows, "row"))
		}
	}
	if o.Replaces != nil {
		s.last = o.Replaces.output()
	}
	if l.first > 1 {
		l.Say(fmt.Sprintf("the stream %s begins at message %d: the messages before it were deleted, and their rows are not learned",
			l.stream,
			l.first))
	}
	s.begin(Input{Name: text.Name(l.Path), Made: l.made})
	return nil
}
