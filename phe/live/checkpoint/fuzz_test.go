package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// FuzzLoad parses arbitrary bytes, and bytes to which the right checksum was added. Whatever is taken for whole must have the
// right checksum and the announced length.
func FuzzLoad(f *testing.F) {
	whole := handMade("gophe checkpoint 1\n", "payload")
	f.Add(whole, 0)
	f.Add(whole[:len(whole)-sha256.Size], 7)
	f.Add(handMade("gophe checkpoint 2\n", "payload"), 0)
	f.Add([]byte("gophe checkpoint 1\n{\"payload\":-1}\n"), 0)
	f.Add([]byte("gophe checkpoint 1\n{\"payload\":9223372036854775807}\n"), 0)
	f.Add([]byte("gophe checkpoint 1\nnull\n"), 1)
	f.Fuzz(func(t *testing.T, b []byte, sealed int) {
		if sealed > 0 && sealed <= len(b) { // seal as if the last bytes were the payload
			lines, payload := b[:len(b)-sealed], b[len(b)-sealed:]
			sum := sha256.Sum256(append(bytes.Clone(payload), lines...))
			b = append(bytes.Clone(b), sum[:]...)
		}
		h, payload, err := parse(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if payload != nil {
				t.Fatalf("%d bytes beside the error %v", len(payload), err)
			}
			return
		}
		if int64(len(payload)) != h.Payload {
			t.Fatalf("%d bytes, announced are %d", len(payload), h.Payload)
		}
		head := b[:len(b)-sha256.Size-len(payload)]
		sum := sha256.Sum256(append(bytes.Clone(payload), head...))
		if !bytes.HasSuffix(b, append(bytes.Clone(payload), sum[:]...)) || !bytes.HasPrefix(b, []byte("gophe checkpoint 1\n")) {
			t.Fatalf("taken for whole: %q", b)
		}
	})
}
