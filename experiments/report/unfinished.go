package report

import (
	"gophe/experiments/result"

	"github.com/pkg/errors"
)

// missing returns the error of a result that is not there.
func missing(folder *result.Folder, spec string) error {
	_, err := folder.Get(spec)
	return err
}

// unfinished returns the error of a result that is half done.
func unfinished(folder *result.Folder, f *result.File) error {
	return errors.Errorf("the run of %s is %s; finish it with `phe run %s --resume --out %s`", f.Name, f.Status, f.Name, folder.Path())
}
