package bench

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
)

// Record is one step of a check on a GPU, as gpu/check.py leaves it. Steps that measure nothing have no measurement.
type Record struct {
	Part        string       `json:"part"`
	Step        string       `json:"step"`
	Status      string       `json:"status"` // ok, failed, timeout or skipped
	Measurement *Measurement `json:"measurement"`
	DeviceMB    *float64     `json:"device_mb"` // the most memory in use on the device, sampled
	Scores      string       `json:"scores"`    // begins with agree where the scores equal a processor's
}

// GPUFile is the file in a folder of results that holds the records of a check, the parts one after the other.
const GPUFile = "gpu.jsonl"

// ReadGPU reads the records in a folder of results; none where the GPU was not measured.
func ReadGPU(folder string) ([]Record, error) {
	path := filepath.Join(folder, GPUFile)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, errors.Wrap(err, "cannot read what was measured on a GPU")
	}
	defer f.Close()
	records, err := readLines[Record](f)
	return records, errors.WithMessage(err, path)
}

// Read reads measurements, one JSON object a line.
func Read(r io.Reader) ([]Measurement, error) { return readLines[Measurement](r) }

func readLines[T any](r io.Reader) ([]T, error) {
	var all []T
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var value T
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &value); err != nil {
			return nil, errors.Wrapf(err, "line %d is not the JSON that is expected", n)
		}
		all = append(all, value)
	}
	return all, errors.Wrap(lines.Err(), "reading lines")
}
