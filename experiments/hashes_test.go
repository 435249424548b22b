package experiments

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"gophe/experiments/result"
)

// counted is a task of which only the items are known: hashes depend on nothing else of it.
type counted struct {
	task
	items int
}

func (c counted) numItems() int { return c.items }

// A field that Spec gains must leave the hashes of specs without it as they are: else `phe run --resume` refuses results
// that took hours, and --refresh computes them anew.
func TestCommittedHashes(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("out", "*.json"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d results; %v", len(paths), err)
	}
	old := map[string]bool{}
	for _, path := range paths {
		f, err := result.Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		asRun, err := ParseSpec(path, f.Manifest.Spec)
		if err != nil {
			t.Error(err)
			continue
		}
		specs := []Spec{asRun}
		if slices.Contains(Names(), f.Name) {
			today, err := LoadSpec(f.Name)
			if err != nil {
				t.Error(err)
				continue
			}
			specs = append(specs, today)
		}
		for _, spec := range specs {
			if spec.Hash() != f.Manifest.SpecHash {
				t.Errorf("%s: the spec's hash is %s, its result says %s", f.Name, spec.Hash(), f.Manifest.SpecHash)
			}
			if spec.Protocol.Name == TwoItems {
				continue // its methods are the program's own
			}
			r := &run{spec: spec, task: counted{items: 100}}
			for _, frozen := range []bool{false, true} {
				for _, family := range r.families() {
					for _, m := range family.rows(r, frozen) {
						if was := f.Method(m.Name, frozen); was == nil {
							t.Errorf("%s: the result lacks %s", f.Name, m.Label())
						} else if was.Hash == "" { // from before methods had one
							old[f.Name] = true
						} else if was.Hash != m.Hash {
							t.Errorf("%s: %s has hash %s, its result says %s", f.Name, m.Label(), m.Hash, was.Hash)
						}
					}
				}
			}
		}
	}
	if len(old) > 2 {
		t.Errorf("results without hashes: %v", slices.Sorted(maps.Keys(old)))
	}
}
