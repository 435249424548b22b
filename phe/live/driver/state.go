package driver

import (
	"encoding/json"
	"time"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/live/source"
)

// Options say how a driver runs. The zero value is the default.
type Options struct {
	Threads int           // with 2 or more, a pipeline learns the records; the bits are the same
	Rows    int64         // number of the source's last record to learn; 0: no limit
	Every   time.Duration // time between two checkpoints; 2 s
	Output  string        // file for the forecasts; none if empty
	// Overwrite lets Output be a file that exists and that the state does not name. The forecasts then begin anew in it.
	Overwrite bool
	Others    []string // files beside the input and the store that Output must not name
	Disk      disk.FS  // changes the file for the forecasts; the system's if it is nil
	// Progress is called after a checkpoint is saved, and between two checkpoints. The source may be in use meanwhile.
	Progress func(State)
	// Alarm is called with Forecast.Reason, and Forecast.Changed or else the number of the record. It must not call the driver.
	Alarm func(row int64, reason string)
}

// defaultEvery loses little to a kill, and costs little: a checkpoint of 2 MB takes 20 ms.
const defaultEvery = 2 * time.Second

// State is the part of a checkpoint beside the learner.
type State struct {
	source.Past

	Output       int64  `json:"output"` // bytes of the output
	OutputSHA256 string `json:"output_sha256,omitempty"`
	// OutputName is the name of the output without its folder. A kill may leave forecasts before a checkpoint has their length.
	OutputName text.String `json:"output_name,omitempty"`
	// OutputUnlike is true if only one of input and output has ended. Nothing was written to an ended output after the checkpoint.
	OutputUnlike bool `json:"output_unlike,omitempty"`

	last ending // of the output for the last input, until the first checkpoint

	Settings Settings `json:"settings,omitzero"` // by which the learner was made
	// NamedLater says that rows have the settings' id, and first rows had none: no command learns them again.
	NamedLater bool `json:"named_later,omitempty"`

	// Served is the state of package gophe/phe/live/serve for a learner that it has served. A driver keeps it unchanged.
	Served json.RawMessage `json:"served,omitempty"`
}

// output returns what may be begun anew: forecasts that the learner has written.
func (s *State) output() ending {
	if s.OutputName == "" && s.Output == 0 {
		return s.last
	}
	return ending{disk.Beginning{SHA256: s.OutputSHA256, Bytes: s.Output}, string(s.OutputName), s.Records(), s.Ended != s.OutputUnlike}
}
