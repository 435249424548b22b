package source

import (
	"cmp"
	"slices"

	"gophe/phe/internal/text"
	"gophe/phe/stream/repeats"
)

// Past counts the rows of an input that a model has passed, and names the inputs before it.
type Past struct {
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

	repeats.Counts // rows that came again; Rows counts Reused too

	Labels Labels `json:"labels,omitzero"` // of a source of their own
}

// Labels counts the labels that came in a source of their own, and what became of the order of rows and labels.
type Labels struct {
	Learned   int64 `json:"learned"`
	Unmatched int64 `json:"unmatched,omitempty"` // no row waited for them, or they were empty
	Bad       int64 `json:"bad,omitempty"`
	Passed    int64 `json:"passed,omitempty"` // rows that no longer waited for the labels' source
	Ahead     int64 `json:"ahead,omitempty"`  // record behind the last label; 0 if a later label has come
	End       int64 `json:"end,omitempty"`    // record from which another reading may give other bits; 0 if there is none

	repeats.Counts // labels that came again; Reused counts rows with the id of an earlier one, and other values
}

// See takes account of the place of an entry. at is the number of its record, or of the one before a label.
func (l *Labels) See(e Order, at int64, label bool) {
	switch e {
	case Passed:
		l.Passed++
		fallthrough
	case Late:
		l.End = cmp.Or(l.End, l.Ahead, max(1, at))
	case Ahead:
		l.Ahead = cmp.Or(l.Ahead, at)
	case Sure:
		if !label {
			l.Ahead = 0
		}
	}
}

// Choice says how a model goes on with a source.
type Choice struct {
	Again  bool // learn the source from its first record, even if it was learned or leaves the last input unfinished
	Append bool // the records of a pipe are new; otherwise the pipe begins again, and its records that were learned are skipped
	// Compare follows a comparison of all bytes that were learned. If it is nil, only the beginning, the end and a sample are compared.
	Compare func(done, all int64)
}

// Records returns the number of records that were passed.
func (p Past) Records() int64 {
	return p.Rows + p.Left + p.Bad + p.Repeated + p.Corrected + p.Labels.Reused
}

// Name returns the name of the input.
func (p Past) Name() text.Name { return cmp.Or(p.Several, p.Input.Name) }

// begin makes the past of a new input, whose first record is next.
func (p *Past) begin(in Input) {
	earlier := p.inputs()
	*p = Past{Input: in, Earlier: earlier[max(0, len(earlier)-maxEarlier):]}
}

// maxEarlier bounds the number of inputs that a checkpoint remembers.
const maxEarlier = 1000

// inputs returns the inputs that were learned, in part or as a whole, newest last.
func (p *Past) inputs() []Input {
	all, last := slices.Clip(p.Earlier), p.Input
	last.Rows = p.Rows
	for _, file := range p.inFiles().Before {
		all = append(all, file.Input)
		last.Rows = max(0, last.Rows-file.Rows)
	}
	if p.Records() == 0 || p.Input.SHA256+p.Input.Made == "" { // an unread input looks like every file, and a pipe like none
		return all
	}
	return append(all, last)
}

// inFiles returns the position in files; none if the source is another one.
func (p *Past) inFiles() (at filePosition) {
	_ = decode(ofRows(p.Position), &at)
	return at
}

// inStream returns the position in a stream. If the source is another one, it names no stream.
func (p *Past) inStream() streamPlace {
	at := streamPlace{streamName: &streamName{}}
	_ = decode(ofRows(p.Position), &at)
	return at
}

// ofRows returns the position of the rows in a position of Labelled; any other as it is.
func ofRows(p Position) Position {
	var at labelledPosition
	if len(p) > 0 && decode(p, &at) == nil {
		return at.Rows
	}
	return p
}
