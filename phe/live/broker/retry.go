package broker

import (
	"cmp"
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

// CallTimeout bounds one call without its transfer. While a cluster elects a leader, a call may stay without an answer.
const CallTimeout = 5 * time.Second

// longestPause is the longest time between two calls.
const longestPause = 250 * time.Millisecond

// Retry calls a function until it succeeds, fails for good, or ctx or the connection's patience ends. what names the call in the log and in
// errors.
func (c *Conn) Retry(ctx context.Context, what string, try func(context.Context) error) error {
	return c.retry(ctx, what, 0, try)
}

// Ask calls a function as Retry does, and returns its result.
func Ask[T any](ctx context.Context, c *Conn, what string, call func(context.Context) (T, error)) (result T, err error) {
	err = c.Retry(ctx, what, func(ctx context.Context) error {
		result, err = call(ctx)
		return err
	})
	return result, err
}

// Except returns an error, or nil if it is the expected one.
func Except(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// IsAny reports whether an error is one of several.
func IsAny(err error, some ...error) bool {
	return slices.ContainsFunc(some, func(one error) bool { return errors.Is(err, one) })
}

// retry is Retry for calls that also take the time of a transfer. The rest of a try takes at most four times as long as recent calls, or a
// tenth of the time since the first try. Servers that elect a leader lose a request, so a long wait would only add to the outage.
func (c *Conn) retry(ctx context.Context, what string, transfer time.Duration, try func(context.Context) error) error {
	began, mine := time.Now(), false // mine: this call told the log, and others may succeed meanwhile
	defer func() {
		if mine {
			c.told.Store(0)
		}
	}()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, longestPause) {
		asked := time.Now()
		wait := max(4*time.Duration(c.usual.Load()), asked.Sub(began)/10)
		err := c.once(ctx, transfer+min(max(wait, CallTimeout/20), CallTimeout), try)
		if err == nil && transfer == 0 {
			c.usual.Store(max(int64(time.Since(asked)), c.usual.Load()*7/8))
		}
		if err == nil {
			if mine && c.told.Swap(0) > 0 {
				c.o.Log("the servers answer again")
			}
			return nil
		}
		if !Transient(err) || c.life.Err() != nil {
			return errors.Wrap(err, what)
		}
		err = cmp.Or(c.cause(), err)
		if ctx.Err() != nil {
			return errors.Wrapf(ctx.Err(), "%s: the servers did not answer (%s)", what, inWords(err))
		}
		if c.o.Patience > 0 && time.Since(began) > c.o.Patience+transfer {
			return errors.Errorf("%s: the servers did not answer for %v; start them, or mend their addresses (%s)", what, c.o.Patience,
				inWords(err))
		}
		tell := int32(1)
		if refused(err) || !Transient(err) || noRoom(err) != "" {
			tell = 2
		}
		if told := c.told.Load(); told < tell && c.told.CompareAndSwap(told, tell) {
			mine = true
			c.o.Log(fmt.Sprintf("%s waits for the servers: %s", what, inWords(err)))
		}
		Sleep(ctx, pause)
	}
}

// inWords says why a call was not answered.
func inWords(err error) string {
	switch {
	case refused(err):
		return "they " + refusal + err.Error()
	case IsAny(err, context.Canceled, nats.ErrDisconnected, nats.ErrConnectionClosed, jetstream.ErrConnectionClosed):
		return "the connection is lost"
	case errors.Is(err, nats.ErrNoServers):
		return "no answer"
	case IsAny(err, context.DeadlineExceeded, nats.ErrTimeout):
		return "no answer; the server's log may say why, such as a full disk"
	}
	return cmp.Or(noRoom(err), err.Error())
}

// noRoom says in words that the servers have no room for more; empty if an error does not say so.
func noRoom(err error) string {
	var answer jetstream.JetStreamError
	if !errors.As(err, &answer) || answer.APIError() == nil {
		return ""
	}
	words := ""
	switch server.ErrorIdentifier(answer.APIError().ErrorCode) {
	case server.JSInsufficientResourcesErr, server.JSStorageResourcesExceededErr:
		words = "their disk is full, or the limit max_file_store is reached; make room or raise it, and start them again"
	case server.JSStreamCreateErrF:
		words = "they cannot write it, perhaps to a full disk; their log says more; make room, and start them again"
	case server.JSAccountResourcesExceededErr:
		words = "the account may store no more; raise its limit, or delete streams"
	case server.JSStreamStoreFailedF:
		words = "the stream takes no more; raise its limit (nats stream edit), or make room on the servers' disk"
	default:
		return ""
	}
	return words + " (" + answer.APIError().Description + ")"
}

// Sleep waits for a time, or until ctx ends.
func Sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// once makes one call, which ends with its time limit or with the connection.
func (c *Conn) once(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if l := c.line.Load(); l != nil {
		defer context.AfterFunc(l.gone, cancel)()
	}
	return try(ctx)
}

// Transient reports whether an error may pass: a lost connection, a time limit, or servers that elect a leader.
func Transient(err error) bool {
	if IsAny(err, context.DeadlineExceeded, context.Canceled, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrNoServers,
		nats.ErrDisconnected, nats.ErrConnectionClosed, nats.ErrStaleConnection, jetstream.ErrConnectionClosed,
		jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown, jetstream.ErrConsumerLeadershipChanged) {
		return true
	}
	var answer jetstream.JetStreamError
	if errors.As(err, &answer) && answer.APIError() != nil {
		switch server.ErrorIdentifier(answer.APIError().ErrorCode) {
		case server.JSClusterNoPeersErrF, server.JSAccountResourcesExceededErr: // others have not started yet, or somebody makes room
			return true
		case server.JSStreamReplicasNotSupportedErr, server.JSNotEnabledForAccountErr, server.JSStreamInvalidConfigF,
			server.JSInvalidJSONErr, server.JSNoAccountErr, server.JSStreamInfoMaxSubjectsErr:
			return false
		}
		return answer.APIError().Code >= 500
	}
	var network net.Error // the connection cannot be made
	return errors.As(err, &network) || errors.Is(err, io.EOF)
}
