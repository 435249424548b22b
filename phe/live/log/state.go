package log

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/stream"
)

// Options say how a state goes on with a source (State.Choose), and how the source is learned (Run). The zero value is the default.
type Options struct {
	Again  bool // learn the source from its first record, even if it was learned or leaves the last input unfinished
	Append bool // the records of a pipe are new; otherwise the pipe begins again, and its records that were learned are skipped
	// Compare makes Choose compare all of the part that was learned. Choose calls it with the number of bytes that it has compared and of
	// all bytes. With a nil Compare it compares the beginning, the end and a sample of that part.
	Compare func(done, all int64)
	// Replaces is the state of an old learner, whose place a new one takes, and its forecasts with it.
	Replaces *State

	Keep    func(record []string) bool // whether a record belongs to the stream; nil keeps all. Two goroutines call it
	Delay   int                        // number of rows by which labels are late
	Threads int                        // with 2 or more, a pipeline learns the records; the bits are the same
	Rows    int64                      // number of the log's last record to learn; 0: no limit
	SkipBad bool                       // leave out records that cannot be read or learned, and count them
	Every   time.Duration              // time between two checkpoints; 2 s
	Output  string                     // file for the forecasts; none if empty
	// Overwrite lets Output be a file that exists and that the state does not name. The forecasts then begin anew in it.
	Overwrite bool
	// Others are files beside the input and the checkpoint that Output must not name.
	Others []string
	Disk   disk.FS // changes the file for the forecasts; the system's if it is nil
	// Progress is called after a checkpoint is saved, and between two checkpoints. The source may be in use meanwhile.
	Progress func(State)
	// Alarm is called with Forecast.Reason, and Forecast.Changed or else the number of the record. It must not call the driver.
	Alarm func(row int64, reason string)
}

// defaultEvery loses little to a kill, and costs little: a checkpoint of 2 MB takes 20 ms.
const defaultEvery = 2 * time.Second

// State is the part of a checkpoint beside the learner.
type State struct {
	Input    Input       `json:"input"`              // of several files, the one that was read last
	Several  text.Name   `json:"several,omitempty"`  // files as they were given; empty for one
	Position Position    `json:"position,omitempty"` // behind the last entry that was passed
	Rows     int64       `json:"rows"`               // records of the input that are in the stream
	Left     int64       `json:"left,omitempty"`     // records that did not meet the condition
	Bad      int64       `json:"bad,omitempty"`      // bad records that were skipped
	Why      text.String `json:"why,omitempty"`      // error of the last of them
	Ended    bool        `json:"ended,omitempty"`    // the input was read to its end
	Ends     int         `json:"ends,omitempty"`     // times that records whose labels were late were learned at an end
	Earlier  []Input     `json:"earlier,omitempty"`  // inputs that were learned before this one, newest last

	stream.Repeats // rows that came again; of these, Rows has those of Reused

	Output       int64  `json:"output"` // bytes of the output
	OutputSHA256 string `json:"output_sha256,omitempty"`
	// OutputName is the name of the output without its folder. A kill may leave forecasts before a checkpoint has their length.
	OutputName text.String `json:"output_name,omitempty"`
	// OutputUnlike is true if only one of input and output has ended. Nothing was written to an ended output after the checkpoint.
	OutputUnlike bool `json:"output_unlike,omitempty"`

	last ending // of the output for the last input, until the first checkpoint

	Flags map[string]text.String `json:"settings,omitempty"` // given when the learner was made

	// Served is the state of package gophe/phe/live/serve for a learner that it has served. A driver keeps it unchanged.
	Served json.RawMessage `json:"served,omitempty"`
}

// begin makes the state of a new input, whose first record is next. The output begins anew. Records of the last input whose
// labels are late are learned when the driver runs.
func (s *State) begin(in Input) {
	earlier := s.inputs()
	earlier = earlier[max(0, len(earlier)-maxEarlier):]
	*s = State{Input: in, Earlier: earlier, Flags: s.Flags, Served: s.Served, last: s.output()}
}

// inputs returns the inputs that were learned, in part or as a whole, newest last.
func (s *State) inputs() []Input {
	all, last := slices.Clip(s.Earlier), s.Input
	last.Rows = s.Rows
	for _, file := range s.place().Before {
		all = append(all, file.Input)
		last.Rows = max(0, last.Rows-file.Rows)
	}
	if s.Records() == 0 || s.Input.isPipe() { // an unread input looks like every file
		return all
	}
	return append(all, last)
}

// place returns the position in files; none if the log is another one.
func (s *State) place() (at filePosition) {
	_ = decode(s.Position, &at)
	return at
}

// output returns what may be begun anew: forecasts that the learner has written.
func (s *State) output() ending {
	if s.OutputName == "" && s.Output == 0 {
		return s.last
	}
	return ending{beginning{s.OutputSHA256, s.Output}, string(s.OutputName), s.Records(), s.Ended != s.OutputUnlike}
}

// Records returns the number of records that were passed.
func (s State) Records() int64 { return s.Rows + s.Left + s.Bad + s.Repeated + s.Corrected }

// Name returns the name of the input.
func (s State) Name() text.Name { return cmp.Or(s.Several, s.Input.Name) }

// maxEarlier bounds the number of inputs that a checkpoint remembers.
const maxEarlier = 1000

// check returns an error if the options would lose a record, or learn one that was left out.
func (d *driver) check(ctx context.Context) error {
	names := d.Learner.Schema.Names()
	d.log.Use(names)
	columns, err := d.log.Columns(ctx)
	if err != nil {
		return err
	}
	delay := d.options.Delay
	waiting, _ := d.Learner.Waiting()
	switch {
	case !slices.Equal(columns, names):
		return errors.Errorf("%s has the columns %q, and the model learns the columns %q; give an input with the same columns in the same order",
			d.State.Input.Name, columns, names)
	case delay < 0:
		return errors.Errorf("the delay is %d rows; give 0 or more", delay)
	case waiting > delay && d.State.Served != nil:
		return errors.Errorf("%d records wait for labels that the clients of a server bring; serve the model until the labels are there",
			waiting)
	case waiting > delay && d.State.Records() > 0:
		return errors.Errorf("%d records of %s wait for their labels, and the delay is %d rows; give the same delay as before",
			waiting, d.State.Input.Name, delay)
	case d.State.Left > 0 && d.keep == nil:
		return errors.Errorf("%d records of %s were left out, and now all records are kept; give the same condition as before",
			d.State.Left, d.State.Input.Name)
	}
	return nil
}
