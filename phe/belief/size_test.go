package belief_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

// announced returns the beginning of a file whose header announces a number of float32s. None follows.
func announced(kind, config string, numbers int) []byte {
	header := fmt.Sprintf(`{"kind":%q,"config":%s,"parts":[{"name":"a","len":%d,"type":"float32"}]}`, kind, config, numbers)
	return append(binary.LittleEndian.AppendUint64([]byte("gophe belief 2\n"), uint64(len(header))), header...)
}

// An owner is asked for its parts only when their numbers are there.
func TestAnnouncedNumbers(t *testing.T) {
	b := announced("k", "{}", 17<<20)
	open := func(belief.Header) ([]belief.Part, error) {
		t.Error("memory would be taken for numbers that are not there")
		return nil, io.EOF
	}
	filetest.WantError(t, filetest.Failure(belief.Read(b, open)), "damaged or cut off")
}

// A learner's sizes are compared with the numbers in its file.
func TestSizesOfSavedLearner(t *testing.T) {
	c := onepass.Stream(onepass.Shape{Columns: 20})
	c.Buckets, c.LatentRows = 1<<30, 1<<27
	file := append(announced("onepass", string(filetest.Must(json.Marshal(c))(t)), 100), make([]byte, 400)...)
	took := filetest.Allocated(func() {
		filetest.WantError(t, (&onepass.Model{}).UnmarshalBinary(file), "bytes of memory, and its file holds 400")
	})
	filetest.True(t, took <= 16<<20, "%d MB", took>>20)
}

// A state of more than 64 MiB is read again. Many records that wait for their labels have one.
func TestLargeState(t *testing.T) {
	if !filetest.Long() {
		t.Skip("writes 65 MiB")
	}
	var b bytes.Buffer
	config := json.RawMessage(`"` + strings.Repeat("x", 65<<20) + `"`)
	filetest.Check(t, belief.Write(&b, "k", config, nil))
	filetest.Must(belief.Read(b.Bytes(), func(h belief.Header) ([]belief.Part, error) {
		filetest.True(t, bytes.Equal(h.Config, config), "the state is another")
		return nil, nil
	}))(t)
}
