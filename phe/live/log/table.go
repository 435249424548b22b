package log

import (
	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// Table is a log whose columns a schema describes: a Source, or a stream of messages.
type Table interface {
	Log
	Name() string                              // as the user gave it
	Files() []string                           // that are read
	Condition() func(record []string) bool     // whether a record belongs to the stream; nil if all do
	Infer(schema.Hints) (schema.Schema, error) // from the first records
	Fit(schema.Schema)                         // reads the columns as a schema says
	Seekable() bool                            // it can be read again
	Progress() (read, size int64)              // of the same unit; a size of 0 is not known. It may run concurrently
	Aside() records.Aside
	Unfinished() int64 // number of a last line that was left alone; 0 if there is none
	// Lost adds to an error the number of records that were read and not learned, and that cannot be read again.
	Lost(err error, learned int64) error
	Close() error
}
