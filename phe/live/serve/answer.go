package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// answer is the answer to a request.
type answer struct {
	Status int
	Body   []byte // JSON
	Again  bool   // it was given to an earlier request with the same key
	header http.Header
}

// reply returns an answer.
func reply(status int, body any) answer {
	b, err := encode(body)
	if err != nil { // a fault of the program
		const text = `{"error":{"code":"fault","message":"the answer cannot be written as JSON"}}`
		return answer{Status: http.StatusInternalServerError, Body: []byte(text)}
	}
	return answer{Status: status, Body: b}
}

// encode returns the JSON of a value, with letters such as < in one byte.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), errors.Wrapf(err, "encoding %T", value)
}

// now returns the time in milliseconds since 1970.
func now() int64 { return time.Now().UnixMilli() }

// model describes the model in an answer.
type model struct {
	Rows int64 `json:"rows"` // learned
	// Age is the number of seconds since the newest of these rows came; nil if there is none.
	Age *float64 `json:"age_seconds"`
	// Checkpoint is the number of the checkpoint that was loaded; nil for a server that learns, or reads a file.
	Checkpoint *uint64 `json:"checkpoint,omitempty"`
}

// learned answers the operations that learn.
type learned struct {
	Model   model    `json:"model"`
	Learned int      `json:"learned"`           // rows
	Unknown []string `json:"unknown,omitempty"` // ids under which no record waits
	Why     string   `json:"why,omitempty"`     // why no record waits under these ids
	Ignored []string `json:"ignored,omitempty"` // names in the records that are no columns
	repeats.Counts
}

// forecasts answers /v1/predict and /v1/explain.
type forecasts struct {
	Model     model      `json:"model"`
	Forecasts []forecast `json:"forecasts"`         // in the order of the records
	Dropped   int64      `json:"dropped,omitempty"` // records that waited for their labels, and had to make room for these
	Ignored   []string   `json:"ignored,omitempty"` // names in the records that are no columns
}

// forecast is the model's forecast of a record.
type forecast struct {
	Class         string             `json:"class,omitempty"`         // the likeliest
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // probabilities of all classes
	Value         *float64           `json:"value,omitempty"`         // a number's mean, or a count's median
	Low           *float64           `json:"low,omitempty"`           // the interval from Low to High holds nine in ten numbers or counts
	High          *float64           `json:"high,omitempty"`
	// Novelty is the number of times that the record's rarest item was learned; nil if the record has no items.
	Novelty *int64   `json:"novelty"`
	Unread  []string `json:"unread,omitempty"` // columns whose fields could not be read
	Spread  float64  `json:"spread"`           // standard deviation of the model's uncertainty, in the logit or the mean

	Why *stream.Explanation `json:"why,omitempty"` // of /v1/explain
}

// newForecast returns a learner's forecast of a target as clients see it.
func newForecast(t *schema.Target, f stream.Forecast) forecast {
	result := forecast{Spread: finite(f.Spread), Unread: f.Unread}
	if f.Novelty >= 0 {
		result.Novelty = &f.Novelty
	}
	if t.Kind != schema.Classes {
		result.Value, result.Low, result.High = new(finite(f.Value)), new(finite(f.Low)), new(finite(f.High))
		return result
	}
	result.Class = t.Classes[int(f.Value)]
	result.Probabilities = map[string]float64{}
	if len(t.Classes) == 2 {
		result.Probabilities[t.Classes[0]], result.Probabilities[t.Classes[1]] = 1-f.Probability, f.Probability
	}
	for k, p := range f.Classes {
		result.Probabilities[t.Classes[k]] = p
	}
	return result
}

// finite returns the nearest number that JSON can write.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return max(-math.MaxFloat64, min(v, math.MaxFloat64))
}

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
