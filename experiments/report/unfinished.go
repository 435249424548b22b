package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/result"

	"github.com/pkg/errors"
)

// missing returns the error of a result that is not there.
func missing(folder *result.Folder, spec string) error {
	_, err := folder.Get(spec)
	return err
}

// rowOf returns the row of a label in the result of a spec. Both must be there.
func rowOf(folder *result.Folder, spec, label string) (measure.Row, error) {
	f, err := folder.Get(spec)
	r := measure.Find(f, label)
	if err == nil && r.Method == nil {
		err = errors.Errorf("the result of %s has no %s; make it again with `phe run %s --force --out %s`", spec, label, spec, folder.Path())
	}
	return r, err
}

// unfinished returns the error of a result that is half done.
func unfinished(folder *result.Folder, f *result.File) error {
	return errors.Errorf("the run of %s is %s; finish it with `phe run %s --resume --out %s`", f.Name, f.Status, f.Name, folder.Path())
}
