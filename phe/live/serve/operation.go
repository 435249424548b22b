package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream/schema"
)

// operation is a change of the model, in the form that the journal holds. It has one of Learn, Ask, Label and Limit.
//
// The model and the answers that are kept for retries depend only on the operations and their order. A replay of the
// journal therefore gives the same bits.
type operation struct {
	At    int64           `json:"at"`              // when the request came, in milliseconds since 1970
	Key   text.String     `json:"key,omitempty"`   // key by which a retry is recognised
	Sum   string          `json:"sum,omitempty"`   // sum of the request, to recognise another request with the same key
	First bool            `json:"first,omitempty"` // it has a key; no retry is written
	Learn []schema.Record `json:"learn,omitempty"`
	Ask   []schema.Record `json:"ask,omitempty"`
	IDs   []string        `json:"ids,omitempty"`   // of the records to ask about or to label
	Label []string        `json:"label,omitempty"` // targets
	Limit *limit          `json:"limit,omitempty"`
	// Ignored are names in the records that are no columns. The answer gives them, to a retry too.
	Ignored []string `json:"ignored,omitempty"`
}

// sign notes the key and the sum of an operation.
func (op *operation) sign(key string) error {
	if key == "" {
		return nil
	}
	b, err := op.encode()
	sum := sha256.Sum256(b)
	op.Key, op.Sum, op.First = text.String(key), base64.RawStdEncoding.EncodeToString(sum[:15]), true
	return err
}

// encode returns an operation as the journal holds it.
func (op *operation) encode() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // which makes some letters six times as long
	err := encoder.Encode(op)
	return b.Bytes(), errors.Wrap(err, "encoding an operation")
}

// limit is an operation that changes the number of records that may wait for their labels, and their time. The journal has it, so that a
// replay drops the same records. 0 keeps a limit.
type limit struct {
	Waiting     int   `json:"waiting,omitempty"`
	WaitingRows int64 `json:"waiting_rows,omitempty"`
}
