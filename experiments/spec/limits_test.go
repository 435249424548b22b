package spec

import (
	"fmt"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// A whole number that is too large is refused by its name and place, before anything is made of it.
func TestSizesAreBounded(t *testing.T) {
	const spec = `{"name": "a", "title": "t", "dataset": "adult", "convention": "paper", "protocol": {"name": "online", "initial_fraction": 0.3, "initial_epochs": 1, "chunk_rows": 100, "max_chunks": 3},
 "seeds": [0], "model": {"train_samples": 2, "batch_size": 256, "encoder": {"num_buckets": 7, "embedding_dim": 20}},
 "methods": [{"name": "PHE", "rows": "hash", "estimate": "posterior", "update_epochs": 1}]}`
	parse := func(text string) error {
		_, err := Parse("a.json", []byte(text))
		return err
	}
	filetest.Check(t, parse(spec))
	for _, name := range []string{"update_epochs", "initial_epochs", "chunk_rows", "max_chunks", "train_samples", "batch_size", "num_buckets"} {
		at := strings.Index(spec, `"`+name+`": `) + len(name) + 4
		end := at + strings.IndexAny(spec[at:], ",}")
		for _, value := range []string{"4611686018427387904", "9223372036854775807", "4294967296"} {
			filetest.WantError(t, parse(spec[:at]+value+spec[end:]), "a.json:", name+" is "+value, name+" is limited to ")
		}
	}
	method := strings.Replace(spec, `"rows"`, `"model": {"test_samples": 4611686018427387904}, "rows"`, 1)
	filetest.WantError(t, parse(method), "test_samples is limited to 10000")
	large := strings.Replace(strings.Replace(spec, `"num_buckets": 7`, `"num_buckets": 200000000`, 1), `"seeds": [0]`, `"seeds": [0, 1, 2]`, 1)
	filetest.WantError(t, parse(large), "parameters are limited to 1073741824")
	filetest.WantError(t, parse(strings.Replace(spec, `"batch_size": 256`, `"batch_size": 200000000`, 1)), "a step is limited to")
	seeds := strings.Trim(strings.ReplaceAll(fmt.Sprint(make([]int, maxRuns+1)), " ", ","), "[]")
	filetest.WantError(t, parse(strings.Replace(spec, `[0]`, "["+seeds+"]", 1)), "seeds is limited to 1000")
}
