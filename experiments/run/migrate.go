package run

import (
	"path/filepath"
	"slices"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/task"
)

// Migrated is an identity that a migration has changed.
type Migrated struct {
	Result   string // its name
	Method   string // its label; empty for the whole spec
	Old, New string
}

// Migrate rewrites the results in a folder that have the format before schemas had a number. Every number stays.
// Identities become identities of resolved specs, so that results can still be resumed. It returns the identities that changed.
func Migrate(folder string) ([]Migrated, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, errors.Wrapf(err, "the folder %s cannot be listed", folder)
	}
	var all []Migrated
	for _, path := range paths {
		f, err := result.ReadV1(path)
		if err != nil {
			return all, err
		}
		if f == nil {
			continue
		}
		changed, err := migrate(f)
		if err == nil {
			err = f.Write(path)
		}
		if err != nil {
			return all, errors.WithMessagef(err, "migrating %s", path)
		}
		all = append(all, changed...)
	}
	return all, nil
}

func migrate(f *result.File) ([]Migrated, error) {
	spec, err := spec.Parse("the spec in the manifest", f.Manifest.Spec)
	if err != nil {
		return nil, err
	}
	changed := []Migrated{{f.Name, "", f.Manifest.SpecHash, spec.Fingerprint()}}
	f.Manifest.SpecHash = spec.Fingerprint()
	for _, family := range families(spec, 1) {
		for _, m := range slices.Concat(family.entries(spec, true), family.entries(spec, false)) {
			if own := f.Method(m.Name, m.Frozen); own != nil && spec.Protocol.Name != protocol.TwoItems {
				changed = append(changed, Migrated{f.Name, m.Label(), own.Hash, m.Hash})
				own.Hash = m.Hash
			}
		}
	}
	if f.Stream.Steps == 0 { // results from before streams were described
		_, plan, err := task.Load(spec, files.Options{})
		if err != nil {
			return nil, err
		}
		f.Stream = plan.Describe()
	}
	measure.Summarise(f)
	return changed, nil
}
