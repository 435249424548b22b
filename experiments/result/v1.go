package result

import (
	"encoding/json"
	"os"

	"github.com/pkg/errors"
)

// The format before schemas had a number held everything in one JSON file. These types name the fields that have moved.
type (
	fileV1 struct {
		File
		Stream struct {
			Stream
			Days  []string `json:"days"`
			Users []int    `json:"users"`
		} `json:"stream"`
		Methods []methodV1 `json:"methods"`
	}
	methodV1 struct {
		Method
		Runs []runV1 `json:"runs"`
	}
	runV1 struct {
		Run
		Rows          []int                `json:"rows"`
		Accuracy      []float64            `json:"accuracy"`
		LogLikelihood []float64            `json:"log_likelihood"`
		Scores        map[string][]float64 `json:"scores"`
		Calibration   []float64            `json:"calibration"`
		Memory        []memoryV1           `json:"memory"`
		Prediction    []float64            `json:"prediction"`
		Tests         []scoreV1            `json:"tests"`
	}
	memoryV1 struct {
		Step      int     `json:"step"`
		Megabytes float64 `json:"megabytes"`
	}
	scoreV1 struct {
		After         int     `json:"after"`
		Set           int     `json:"set"`
		Accuracy      float64 `json:"accuracy"`
		AbsoluteError float64 `json:"absolute_error"`
		LogLikelihood float64 `json:"log_likelihood"`
	}
)

// ReadV1 loads a result of the format before schemas had a number; nil where the file has a schema.
func ReadV1(path string) (*File, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	var old fileV1
	if err := json.Unmarshal(content, &old); err != nil {
		return nil, errors.Wrapf(err, "%s is not a result file", path)
	}
	if old.Schema != 0 {
		return nil, nil
	}
	f := &old.File
	f.Stream = old.Stream.Stream
	f.Stream.Days, f.Stream.Users = old.Stream.Days, old.Stream.Users
	for _, was := range old.Methods {
		m := was.Method
		m.Runs = []Run{}
		for _, r := range was.Runs {
			m.Runs = append(m.Runs, r.run())
		}
		f.Methods = append(f.Methods, m)
	}
	return f, nil
}

func (old runV1) run() Run {
	r := old.Run
	r.Rows, r.Accuracy, r.LogLikelihood, r.Scores = old.Rows, old.Accuracy, old.LogLikelihood, old.Scores
	r.Calibration, r.Prediction = old.Calibration, old.Prediction
	for _, m := range old.Memory {
		r.Memory = append(r.Memory, Memory(m))
	}
	for _, s := range old.Tests {
		r.Tests = append(r.Tests, Score(s))
	}
	return r
}
