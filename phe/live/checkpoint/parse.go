package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// refusal is an error for a file that may be whole, and that must neither be used nor replaced. All other errors of readFile
// mean that the file is damaged or missing.
type refusal struct{ error }

// readFile returns the checkpoint in one file and verifies all its bytes. The error does not name the file.
func readFile(name string) (Loaded, error) {
	f, err := disk.System.OpenFile(name, os.O_RDONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Loaded{}, err
	case errors.Is(err, fs.ErrPermission):
		return Loaded{}, refusal{errors.New("this user may not read it; change its permissions")}
	case err != nil:
		return Loaded{}, errors.Wrap(err, "it cannot be opened")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Loaded{}, errors.Wrap(err, "it cannot be examined")
	}
	if !info.Mode().IsRegular() {
		return Loaded{}, refusal{errors.New("it is a folder or a device, not a plain file; choose another path")}
	}
	h, payload, err := parse(f, info.Size())
	if err != nil {
		return Loaded{}, err
	}
	if h.Kind != kind {
		return Loaded{}, refusal{errors.Errorf("it holds a state of kind %q, not of kind %q; choose another path", h.Kind, kind)}
	}
	return Loaded{Payload: payload, Generation: h.Generation, Saved: h.Saved, Path: name}, nil
}

// readHeader returns the header of the checkpoint in one file, and verifies nothing else.
func readHeader(name string) (header, error) {
	f, err := disk.System.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return header{}, err
	}
	defer f.Close()
	_, h, err := parseLines(bufio.NewReaderSize(f, maxHeader))
	return h, err
}

// parse reads a file of size bytes to its end and verifies it. It compares the header's length with the size before it
// allocates the payload: a damaged length may be huge.
func parse(from io.Reader, size int64) (header, []byte, error) {
	if size == 0 {
		return header{}, nil, errors.New("it is empty")
	}
	r := bufio.NewReaderSize(from, maxHeader)
	if head, _ := r.Peek(len(formatName)); beginsForeign(head) {
		return header{}, nil, errForeign
	}
	lines, h, err := parseLines(r)
	if err != nil {
		return header{}, nil, err
	}
	if size-int64(len(lines))-sha256.Size != h.Payload || h.Payload < 0 {
		return header{}, nil, errors.Errorf("its length of %d bytes does not fit its header, which announces %d bytes of payload",
			size, h.Payload)
	}
	payload := make([]byte, h.Payload)
	var stored [sha256.Size]byte
	for _, part := range [][]byte{payload, stored[:]} {
		if _, err := io.ReadFull(r, part); err != nil {
			return header{}, nil, errors.Wrap(err, "it cannot be read to its end")
		}
	}
	sum := sha256.New()
	sum.Write(payload)
	sum.Write(lines)
	if !bytes.Equal(sum.Sum(nil), stored[:]) {
		return header{}, nil, errors.New("its checksum is wrong")
	}
	return h, payload, nil
}

// parseLines reads both lines.
func parseLines(r *bufio.Reader) (lines []byte, h header, err error) {
	first, err := r.ReadSlice('\n')
	if err != nil {
		return nil, header{}, errors.New("its first line does not end")
	}
	lines = bytes.Clone(first)
	if err := checkFormat(lines); err != nil {
		return nil, header{}, err
	}
	second, err := r.ReadSlice('\n')
	if err != nil {
		return nil, header{}, errors.New("its header does not end")
	}
	if err := json.Unmarshal(second, &h); err != nil {
		return nil, header{}, errors.Wrap(err, "its header cannot be read")
	}
	return append(lines, second...), h, nil
}

// checkFormat examines the first line. A later version is no damage: to fall back to PATH.old would throw away the state that
// a newer program saved.
func checkFormat(line []byte) error {
	if string(line) == firstLine {
		return nil
	}
	if bytes.HasPrefix(line, []byte("gophe run state ")) {
		return refusal{errors.New("it holds an unfinished run of an experiment, not a saved model; choose another path")}
	}
	rest, ours := bytes.CutPrefix(line, []byte(formatName))
	version, err := strconv.ParseUint(string(bytes.TrimSuffix(rest, []byte{'\n'})), 10, 32)
	if ours && err == nil && version > formatVersion {
		return refusal{errors.Errorf("its format is version %d, and this program knows %d; use a newer program, or move the file away",
			version, formatVersion)}
	}
	return errors.Errorf("its first line is %.40q, and no checkpoint begins like this", line)
}

// errForeign is the error for a file that no store has written. It completes a sentence that begins with the file's name.
var errForeign = refusal{errors.New("is no model, but a file of another kind; choose another path")}

// beginsForeign returns whether a file that begins like this was never a checkpoint. Damage changes some bytes, or clears them. Less than
// half of the bytes of any other file agree.
func beginsForeign(head []byte) bool {
	agree := 0
	for i, b := range head {
		if b == formatName[i] || b == 0 {
			agree++
		}
	}
	return 2*agree < len(head) && !bytes.HasPrefix(head, []byte("gophe run state "))
}
