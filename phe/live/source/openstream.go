package source

import (
	"context"
	"fmt"
	"path"

	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/remedy"
	"gophe/phe/stream/schema"
)

// OpenStream connects to the servers of an address such as nats://host/sales.
func OpenStream(ctx context.Context, address string, o Options, to broker.Options) (*JetStream, error) {
	urls, name, err := broker.Address(address)
	if err == nil {
		o.Options, err = o.forModel()
	}
	if err != nil {
		return nil, err
	}
	to.URLs = urls
	conn, err := broker.Connect(ctx, to)
	if err != nil {
		return nil, err
	}
	l := NewJetStream(conn, name, o.Options)
	l.Path, l.Follow, l.Skip = address, o.Follow, o.SkipBad
	if to.Log != nil {
		l.Say = to.Log
	}
	info, err := l.Info(ctx)
	if err == nil {
		conn.WarnOf(info.Config)
		l.made, l.first = stamp(info.Created), info.State.FirstSeq
		var columns []string
		if columns, err = l.Columns(ctx); err == nil {
			l.where, err = schema.Where(o.Where, columns)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	if o.Schema != nil {
		l.Fit(*o.Schema)
	}
	return l, nil
}

// What follows implements Source.
func (l *JetStream) Name() string                          { return l.Path }
func (l *JetStream) Paths() []string                       { return nil }
func (l *JetStream) Condition() func(record []string) bool { return l.where.Keep() }
func (l *JetStream) Seekable() bool                        { return true }
func (l *JetStream) Drains() bool                          { return false }
func (l *JetStream) Progress() (messages, all int64)       { return l.done.Load(), l.size.Load() }
func (l *JetStream) Unfinished() int64                     { return 0 }
func (l *JetStream) Lost(err error, _ int64) error         { return err }

// Infer implements Source. It looks at no more rows than the stream has.
func (l *JetStream) Infer(h schema.Hints) (schema.Schema, error) {
	h.Lists = l.untyped()
	look := func(keep func([]string) bool) ([][]string, error) { return First(context.Background(), l, keep) }
	return infer(l.Path, l.options.Columns, l.where, look, h)
}

// Fit implements Source.
func (l *JetStream) Fit(as schema.Schema) {
	l.Typed(as.Commas())
	l.where.Fit(as)
}

// Close ends the connection.
func (l *JetStream) Close() error {
	l.conn.Close()
	return nil
}

// Choose implements Source. It goes on with a stream if it is the input of the last checkpoint. Otherwise learning begins at its first row.
func (l *JetStream) Choose(p *Past, c Choice) (begins bool, err error) {
	if p.inStream().Stream == l.stream && !(c.Again && p.Ended) {
		p.Input.Name, p.Input.Made = text.Name(l.Path), l.made
		return false, nil
	}
	if p.Records() > 0 && !p.Ended && !c.Again {
		return false, remedy.Errorf("learn again", "%s of %s were learned, and the rest was not; give that input again before %s",
			text.Counted(p.Records(), "record"), p.Name(), l.Path)
	}
	for _, in := range p.inputs() {
		if in.Made == l.made && path.Base(string(in.Name)) == l.stream && !c.Again {
			return false, remedy.Errorf("learn once more", "%s was learned before: %s", l.Path, text.Counted(in.Rows, "row"))
		}
	}
	if l.first > 1 {
		l.Say(fmt.Sprintf("the stream %s begins at message %d: the messages before it were deleted, and their rows are not learned",
			l.stream, l.first))
	}
	p.begin(Input{Name: text.Name(l.Path), Made: l.made})
	return true, nil
}
