package data

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// Verify finds the file and compares its checksum with the declared one: that of the file as committed or, if the file
// is plain CSV or was compressed anew, that of the uncompressed content, which is what Load demands. It reads no rows.
//
// The error is Find's, or says what is wrong with the file, naming it and the remedy. All six files together take 20 ms
// as committed.
func (s Source) Verify() error {
	path, err := s.Find()
	if err != nil {
		return errors.WithMessagef(err, "data set %q", s.Name)
	}
	if filepath.Base(path) == s.File {
		if sum, err := fileSum(path, sha256.New()); err != nil {
			return err
		} else if sum == s.FileSHA256 {
			return nil
		}
	}
	content, err := openContent(path)
	if err != nil {
		return errors.Errorf("%v; %s", err, s.remedy(path))
	}
	sum, err := content.finish()
	if err != nil {
		return errors.Errorf("%v; %s", err, s.remedy(path))
	}
	if sum != s.CSVSHA256 {
		return s.altered(path, sum, "")
	}
	return nil
}

// fileSum returns the hexadecimal checksum of a file as it lies on disk.
func fileSum(path string, hash hash.Hash) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", errors.Wrap(err, "reading a data file")
	}
	defer file.Close()
	if _, err := io.Copy(hash, file); err != nil {
		return "", errors.Wrap(err, "reading a data file")
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
