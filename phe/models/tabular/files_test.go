package tabular_test

import (
	"bytes"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// The file of a model of other columns, numbers or classes is refused, also where all its sizes are the same.
func TestFilesTellModelsApart(t *testing.T) {
	c := methods[0].config(0, 2)
	l := newLearner(t, c, learn.Options{})
	for _, change := range map[string]func(*tabular.Config){
		"columns": func(c *tabular.Config) { c.Columns = []string{"column0", "column2"} },
		"numbers": func(c *tabular.Config) { c.Numbers = 1 }, // none has an input of zeros
		"classes": func(c *tabular.Config) { c.Classes = 3 },
	} {
		other := c
		change(&other)
		var file bytes.Buffer
		filetest.Must(newLearner(t, other, learn.Options{}).WriteTo(&file))(t)
		filetest.WantError(t, filetest.Failure(l.ReadFrom(&file)), "the file's network is")
	}
}
