package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pkg/errors"
)

// callTimeout bounds one call. While a cluster elects a leader, a call may stay without an answer.
const callTimeout = 5 * time.Second

// retry calls a function until it succeeds, fails for good, or ctx or the log's patience ends. what names the call in the log and in
// errors.
func (l *Log) retry(ctx context.Context, what string, try func(context.Context) error) error {
	return l.retryWithin(ctx, what, callTimeout, try)
}

// ask calls a function as retry does, and returns its result. The error absent is none: the result is then what came with it, nil.
func ask[T any](ctx context.Context, l *Log, what string, absent error, call func(context.Context) (T, error)) (result T, err error) {
	err = l.retry(ctx, what, func(ctx context.Context) error {
		result, err = call(ctx)
		return except(err, absent)
	})
	return result, err
}

// except returns an error, or nil if it says what may be.
func except(err, may error) error {
	if errors.Is(err, may) {
		return nil
	}
	return err
}

// isAny reports whether an error is one of some.
func isAny(err error, some ...error) bool {
	return slices.ContainsFunc(some, func(one error) bool { return errors.Is(err, one) })
}

// retryWithin is retry with another time limit for each call. The first call gets a fifth of the limit, and each later one twice as much:
// a request to a server that has just started may be lost, and then nothing is gained by waiting.
func (l *Log) retryWithin(ctx context.Context, what string, limit time.Duration, try func(context.Context) error) error {
	began, pause, wait := time.Now(), 20*time.Millisecond, limit/5
	for ; ; pause, wait = min(2*pause, time.Second), min(2*wait, limit) {
		err := l.once(ctx, wait, try)
		if err == nil {
			if l.waiting.Load() && l.waiting.CompareAndSwap(true, false) {
				l.o.Log("the servers answer again")
			}
			return nil
		}
		if !transient(err) {
			return errors.Wrap(err, what)
		}
		if ctx.Err() != nil {
			return errors.Wrapf(ctx.Err(), "%s: the servers did not answer (%v)", what, err)
		}
		if l.o.Patience > 0 && time.Since(began) > l.o.Patience+limit-callTimeout {
			return errors.Wrapf(err, "%s: the servers did not answer for %v; start them, or mend their addresses", what, l.o.Patience)
		}
		if l.waiting.CompareAndSwap(false, true) {
			l.o.Log(fmt.Sprintf("%s waits for the servers: %v", what, err))
		}
		sleep(ctx, pause)
	}
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// once makes one call, which ends with its time limit or with the connection.
func (l *Log) once(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	l.mu.Lock()
	session := l.session
	l.mu.Unlock()
	defer context.AfterFunc(session, cancel)()
	return try(ctx)
}

// newSession ends the calls under way: their answers were lost with the connection.
func (l *Log) newSession() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	l.session, l.end = context.WithCancel(context.Background())
}

// transient reports whether an error may pass: a lost connection, a time limit, or servers that elect a leader.
func transient(err error) bool {
	if isAny(err, context.DeadlineExceeded, context.Canceled, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrNoServers,
		nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded, nats.ErrStaleConnection,
		jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown, jetstream.ErrConsumerLeadershipChanged) {
		return true
	}
	var answer jetstream.JetStreamError
	if errors.As(err, &answer) && answer.APIError() != nil {
		return transientAnswer(answer.APIError())
	}
	var network net.Error // the connection cannot be made
	return errors.As(err, &network) || errors.Is(err, io.EOF)
}

// transientAnswer judges an answer of JetStream.
func transientAnswer(e *jetstream.APIError) bool {
	switch server.ErrorIdentifier(e.ErrorCode) {
	case server.JSClusterNoPeersErrF: // the other servers have not started yet
		return true
	case server.JSStreamReplicasNotSupportedErr, server.JSNotEnabledForAccountErr, server.JSStreamInvalidConfigF, server.JSInvalidJSONErr,
		server.JSNoAccountErr, server.JSStreamInfoMaxSubjectsErr:
		return false
	}
	return e.Code >= 500
}
