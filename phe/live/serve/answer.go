package serve

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"time"

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
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)                 // of classes such as <=50K
	if err := encoder.Encode(body); err != nil { // a fault of the program
		const text = `{"error":{"code":"fault","message":"the answer cannot be written as JSON"}}`
		return answer{Status: http.StatusInternalServerError, Body: []byte(text)}
	}
	return answer{Status: status, Body: b.Bytes()}
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
	Why     string   `json:"why,omitempty"`     // none waits under these
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
	Low           *float64           `json:"low,omitempty"`           // the interval that holds nine in ten numbers or counts
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
		value, low, high := finite(f.Value), finite(f.Low), finite(f.High)
		result.Value, result.Low, result.High = &value, &low, &high
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
