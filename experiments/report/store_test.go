package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/result"
)

// store writes a result made up by a test, with the summaries that a run would write.
func store(f *result.File, path string) error {
	measure.Summarise(f)
	return f.Write(path)
}
