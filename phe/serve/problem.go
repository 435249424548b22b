package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// problem is the reason why a request is refused, and the remedy for the client.
type problem struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`    // for programs
	Message string `json:"message"` // for people
	Retry   int    `json:"-"`       // seconds after which the same request may succeed; 0 if it will not
}

// Error returns the message. A function that reads JSON returns a problem as its error.
func (p *problem) Error() string { return p.Message }

// refusal is the body of a refused request.
type refusal struct {
	Model *model   `json:"model,omitempty"` // nil for a client that may not know the model
	Error *problem `json:"error"`
}

// refuse returns the answer to a request that came at a time.
func (s *Server) refuse(p *problem, at int64) answer {
	said := refusal{Error: p}
	if p.Status != http.StatusUnauthorized && p.Status != http.StatusMisdirectedRequest {
		m := s.model(at)
		said.Model = &m
	}
	return s.say(p.Status, said)
}

// say returns an answer.
func (s *Server) say(status int, body any) answer {
	b, err := json.Marshal(body)
	if err != nil { // a fault of the program
		return answer{Status: http.StatusInternalServerError, Body: []byte(`{"error":{"code":"fault","message":"the answer cannot be written as JSON"}}`)}
	}
	return answer{Status: status, Body: append(b, '\n')}
}

// now returns the time in milliseconds since 1970.
func now() int64 { return time.Now().UnixMilli() }

func unauthorised() *problem {
	return &problem{Status: http.StatusUnauthorized, Code: "unauthorised", Message: "send the header \"Authorization: Bearer TOKEN\" with the server's token"}
}

func wrongHost(host string) *problem {
	return &problem{Status: http.StatusMisdirectedRequest, Code: "wrong_host",
		Message: fmt.Sprintf("this server has no token and answers requests to localhost only, not to %q; give it a token", host)}
}

func notFound(path string) *problem {
	return &problem{Status: http.StatusNotFound, Code: "not_found", Message: fmt.Sprintf("there is no path %q; /openapi.json describes all paths", path)}
}

func wrongMethod(got, want string) *problem {
	return &problem{Status: http.StatusMethodNotAllowed, Code: "wrong_method", Message: fmt.Sprintf("the method is %s; this path takes %s", got, want)}
}

func notJSON(kind string) *problem {
	return &problem{Status: http.StatusUnsupportedMediaType, Code: "not_json", Message: fmt.Sprintf("the body is %s; send JSON with the header \"Content-Type: application/json\", not compressed", kind)}
}

func tooLarge(most int64) *problem {
	return &problem{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: fmt.Sprintf("the body has more than %d bytes; send fewer records in a request", most)}
}

func slow(limit time.Duration) *problem {
	return &problem{Status: http.StatusRequestTimeout, Code: "slow", Message: fmt.Sprintf("the body did not come within %s; send it faster, or in smaller requests", limit)}
}

func malformed(err error) *problem {
	return &problem{Status: http.StatusBadRequest, Code: "malformed", Message: "the body cannot be read: " + strings.TrimPrefix(err.Error(), "json: ") + "; /openapi.json describes it"}
}

func invalid(code, format string, values ...any) *problem {
	return &problem{Status: http.StatusUnprocessableEntity, Code: code, Message: fmt.Sprintf(format, values...)}
}

func keyReused(key string) *problem {
	return invalid("key_reused", "another request had the key %q; take a new key for each request, and the same one for its retries", key)
}

func idWaits(id string) *problem {
	return &problem{Status: http.StatusConflict, Code: "id_waits", Message: fmt.Sprintf("a record waits for its label under the id %q already; take a new id. Nothing of this request was kept", id)}
}

func follower(belief string) *problem {
	return &problem{Status: http.StatusConflict, Code: "follower", Message: fmt.Sprintf("this server only follows the belief %s, which other machines learn; "+
		"send rows with their targets to the feeder of %s, and ask for forecasts without ids. Nothing of this request was kept", belief, belief)}
}

func busy() *problem {
	return &problem{Status: http.StatusTooManyRequests, Code: "busy", Message: "too many requests are under way; nothing of this one was done. Send it again later", Retry: 1}
}

func stopping() *problem {
	return &problem{Status: http.StatusServiceUnavailable, Code: "stopping", Message: "the server stops; nothing of this request was done. Send it again later", Retry: 5}
}

func late(limit time.Duration) *problem {
	return &problem{Status: http.StatusServiceUnavailable, Code: "late", Retry: 1,
		Message: fmt.Sprintf("no answer within %s; the request may still count. Send it again with the same Idempotency-Key, and it counts once", limit)}
}

func notSafe(err error) *problem {
	return &problem{Status: http.StatusServiceUnavailable, Code: "not_safe", Retry: 30,
		Message: "the request cannot be kept safe, so it may not count: " + err.Error() + ". Send it again with the same Idempotency-Key when the server has been started again"}
}

func fault(err error) *problem {
	return &problem{Status: http.StatusInternalServerError, Code: "fault", Message: "a fault of the program: " + err.Error()}
}
