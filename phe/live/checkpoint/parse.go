package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"os"
	"strconv"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// refusal is an error for a file that may be whole, and that must neither be used nor replaced. So is an error of the system. All other
// errors of readFile mean that the file is damaged or missing.
type refusal struct{ error }

// readFile returns the checkpoint in one file and verifies all its bytes. The error does not name the file.
func readFile(name string) (Loaded, error) {
	f, err := open(name)
	if err != nil {
		return Loaded{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Loaded{}, err
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

// open opens a plain file.
func open(name string) (disk.File, error) {
	if disk.CheckPlain(name) != nil {
		return nil, errIrregular
	}
	return disk.System.OpenFile(name, os.O_RDONLY, 0)
}

// errIrregular is the error for a folder, a pipe or a device. Like the others, it does not name the file.
var errIrregular = refusal{errors.New("it is a folder, a pipe or a device, not a plain file; choose another path")}

// readHeader returns the header of the checkpoint in one file, and verifies only that.
func readHeader(name string) (h header, err error) {
	f, err := open(name)
	if err != nil {
		return h, err
	}
	defer f.Close()
	_, h, err = parseLines(f)
	return h, err
}

// parse verifies a file before it takes memory for the payload: a file with holes can be larger than memory.
func parse(f io.ReaderAt, size int64) (header, []byte, error) {
	lines, h, err := parseLines(f)
	if err != nil {
		return header{}, nil, err
	}
	begin, end := int64(len(lines)), size-sha256.Size
	if end-begin != h.Payload || h.Payload < 0 {
		return header{}, nil, errors.Errorf("its length of %d bytes does not fit its header, which announces %d bytes of payload", size,
			h.Payload)
	}
	verify := func(to io.Writer) error {
		sum, want := sha256.New(), make([]byte, sha256.Size)
		_, err := io.Copy(io.MultiWriter(sum, to), io.NewSectionReader(f, begin, h.Payload))
		if err == nil {
			_, err = f.ReadAt(want, end)
		}
		if err != nil && err != io.EOF {
			return errors.Wrap(err, "it cannot be read to its end")
		}
		if sum.Write(lines); !bytes.Equal(sum.Sum(nil), want) {
			return errors.New("its checksum is wrong")
		}
		return nil
	}
	if err := verify(io.Discard); err != nil {
		return header{}, nil, err
	}
	payload := bytes.NewBuffer(make([]byte, 0, h.Payload))
	err = verify(payload)
	return h, payload.Bytes(), err
}

// parseLines reads the two lines at the beginning of a file.
func parseLines(f io.ReaderAt) (lines []byte, h header, err error) {
	content := make([]byte, maxHeader)
	n, err := f.ReadAt(content, 0)
	content = content[:n]
	switch {
	case disk.Failed(err):
		return nil, header{}, err
	case beginsForeign(content[:min(n, len(formatName))]):
		return nil, header{}, errForeign
	case n == 0:
		return nil, header{}, errors.New("it is empty")
	}
	first, rest, found := bytes.Cut(content, []byte{'\n'})
	if !found {
		return nil, header{}, errors.New("its first line does not end")
	}
	if err := checkFormat(first); err != nil {
		return nil, header{}, err
	}
	second, _, found := bytes.Cut(rest, []byte{'\n'})
	if !found {
		return nil, header{}, errors.New("its header does not end")
	}
	if err := json.Unmarshal(second, &h); err != nil {
		return nil, header{}, errors.Wrap(err, "its header cannot be read")
	}
	return content[:len(first)+1+len(second)+1], h, nil
}

// checkFormat examines the first line. A later version is no damage: to fall back to PATH.old would throw away the state that
// a newer program saved.
func checkFormat(line []byte) error {
	if string(line)+"\n" == firstLine {
		return nil
	}
	if bytes.HasPrefix(line, []byte("gophe run state ")) {
		return refusal{errors.New("it holds an unfinished run of an experiment, not a saved model; choose another path")}
	}
	rest, ours := bytes.CutPrefix(line, []byte(formatName))
	version, err := strconv.ParseUint(string(rest), 10, 32)
	if ours && err == nil && version > formatVersion {
		return refusal{errors.Errorf("its format is version %d, and this program knows %d; use a newer program, or move the file away",
			version, formatVersion)}
	}
	return errors.Errorf("its first line is %.40q, and no checkpoint begins like this", line)
}

// errForeign is the error for a file that no store has written. It completes a sentence that begins with the file's name.
var errForeign = refusal{errors.New("is no model, but a file of another kind; choose another path")}

// beginsForeign reports whether a file with this beginning was never a checkpoint. Damage changes some bytes or clears them; in another
// file less than half of the bytes agree.
func beginsForeign(head []byte) bool {
	agree := 0
	for i, b := range head {
		if b == formatName[i] || b == 0 {
			agree++
		}
	}
	return 2*agree < len(head) && !bytes.HasPrefix(head, []byte("gophe run state "))
}
