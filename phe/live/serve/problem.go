package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// problem is the reason why a request is refused, and the remedy for the client.
type problem struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`    // for programs
	Message string `json:"message"` // for people

	header   http.Header // of the answer
	stranger bool        // the client may not know the model
}

// Error returns the message.
func (p *problem) Error() string { return p.Message }

// refusal is the body of a refused request.
type refusal struct {
	Model *model   `json:"model,omitempty"` // nil for a client that may not know the model
	Error *problem `json:"error"`
}

// with adds a header to the answer.
func (p *problem) with(name, value string) *problem {
	p.header.Add(name, value)
	return p
}

// after says that the same request may succeed after some seconds.
func (p *problem) after(seconds int) *problem { return p.with("Retry-After", strconv.Itoa(seconds)) }

// answer returns the answer to a refused request, with a description of the model unless it is nil.
func (p *problem) answer(m *model) answer {
	a := reply(p.Status, refusal{m, p})
	a.header = p.header
	return a
}

// refusing returns the problem of a request that is refused with a status.
func refusing(status int, code, format string, values ...any) *problem {
	return &problem{Status: status, Code: code, Message: fmt.Sprintf(format, values...), header: http.Header{}}
}

// invalid returns the problem of a request whose content is wrong.
func invalid(code, format string, values ...any) *problem {
	return refusing(http.StatusUnprocessableEntity, code, format, values...)
}

func notJSON(kind string) *problem {
	return refusing(http.StatusUnsupportedMediaType, "not_json", "the body is %s; "+
		"send JSON with the header \"Content-Type: application/json\", not compressed", kind)
}

func malformed(err error) *problem {
	return refusing(http.StatusBadRequest, "malformed", "the body cannot be read: %s; /openapi.json describes it",
		strings.TrimPrefix(err.Error(), "json: "))
}

func tooLarge(format string, values ...any) *problem {
	return refusing(http.StatusRequestEntityTooLarge, "too_large", format+"; send fewer in a request", values...)
}

func bodyTooLarge(limit int64) *problem {
	return refusing(http.StatusRequestEntityTooLarge, "too_large",
		"the body has more than %d bytes; send fewer records in a request", limit)
}

func busy() *problem {
	return refusing(http.StatusTooManyRequests, "busy", "too many requests are under way, or their bodies "+
		"take too much memory; nothing of this one was done. Send it again later").after(1)
}

func late(limit time.Duration) *problem {
	return refusing(http.StatusServiceUnavailable, "late", "no answer within %s; the request may still count. "+
		"Send it again with the same Idempotency-Key, and it counts once", limit).after(1)
}

func notSafe(err error) *problem {
	return refusing(http.StatusServiceUnavailable, "not_safe", "the request cannot be kept safe, so it may not count: %s. "+
		"Send it again with the same Idempotency-Key when the server has been started again", err).after(30)
}

func fault(err error) *problem {
	return refusing(http.StatusInternalServerError, "fault", "a fault of the program: %s", err)
}
