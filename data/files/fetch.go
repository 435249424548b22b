package files

import (
	"context"
	"crypto/md5"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

// FetchOptions are the choices of Fetch.
type FetchOptions struct {
	Folder   string                  // folder for NAME.zip; Fetch makes it. FetchFolder returns the default
	BaseURL  string                  // URL of the folder to fetch from; "": the publisher's
	Progress func(done, total int64) // called with bytes, often, from one goroutine; may be nil
	stall    time.Duration           // longest wait for the next bytes; 0: a minute
}

// Fetched is a zip file on disk.
type Fetched struct {
	Path    string
	Was     bool   // the file existed before
	MD5     string // hexadecimal checksum of the file
	Checked bool   // MD5 is the published checksum; false if none is known
}

// FetchFolder returns the folder that Find searches first: the first folder of PHE_DATA, or else data/movielens of the
// checkout around the working directory.
func FetchFolder() (string, error) {
	for _, folder := range filepath.SplitList(os.Getenv(PathVariable)) {
		if folder != "" {
			return folder, nil
		}
	}
	if root := checkout(); root != "" {
		return filepath.Join(root, "data", "movielens"), nil
	}
	return "", remedy.Errorf("folder", "no folder to fetch to: run inside a checkout of %s, or set %s", Module, PathVariable)
}

// Fetch downloads NAME.zip from its publisher. GroupLens' licence allows research use: show it before the call.
//
// The download is called NAME.zip.part. It becomes NAME.zip when it is complete and has the published MD5, which is kept as
// NAME.zip.md5. A download that was cut off or cancelled continues where it ended, if the server allows it. Otherwise it
// starts again. A wrong checksum deletes nothing: the error says what to do. An existing file is checked and left alone.
func (s Source) Fetch(ctx context.Context, o FetchOptions) (Fetched, error) {
	if s.ZipBytes == 0 {
		return Fetched{}, errors.Errorf("%s is not published as a download: %s", s.Name, s.Remedy())
	}
	if o.BaseURL == "" {
		o.BaseURL = s.ZipFolder
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/") + "/"
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return Fetched{}, remedy.With("folder", errors.Wrap(err, "making the folder to fetch to"))
	}
	path := filepath.Join(o.Folder, s.zipName())
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return s.there(path)
	}
	d := newDownload(s, o)
	published, err := d.text(ctx, o.BaseURL+s.zipName()+".md5")
	if err != nil {
		return Fetched{}, err
	}
	want, err := s.expectedMD5(published)
	if err != nil {
		return Fetched{}, err
	}
	part := path + ".part"
	if err := d.file(ctx, o.BaseURL+s.zipName(), part); err != nil {
		return Fetched{}, err
	}
	fetched, err := checkMD5(part, want)
	if err != nil {
		return Fetched{}, errors.WithMessagef(err, "the download is kept, but not accepted; delete %s and fetch again", part)
	}
	if err := keep(path, part, published); err != nil {
		return Fetched{}, err
	}
	fetched.Path = path
	return fetched, nil
}

// there checks a file that existed before the call.
func (s Source) there(path string) (Fetched, error) {
	published, err := os.ReadFile(path + ".md5")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Fetched{}, errors.Wrap(err, "reading the checksum beside "+path)
	}
	want, err := s.expectedMD5(string(published))
	if err != nil {
		return Fetched{}, err
	}
	fetched, err := checkMD5(path, want)
	fetched.Was = true
	return fetched, errors.WithMessage(err, "the file was there before; move it away and fetch again")
}

var md5Text = regexp.MustCompile(`\b[0-9a-fA-F]{32}\b`)

// expectedMD5 returns the MD5 in the text published next to the zip file, or the declared MD5 if there is no text.
func (s Source) expectedMD5(published string) (string, error) {
	if published == "" {
		return s.ZipMD5, nil
	}
	sum := md5Text.FindString(published)
	if sum == "" {
		return "", errors.Errorf("%s.md5 holds no MD5 but %q: another server answers for the publisher, or the file beside the zip is damaged", s.zipName(), Clip(published))
	}
	return strings.ToLower(sum), nil
}

// checkMD5 compares a file with a checksum, unless the checksum is "".
func checkMD5(path, want string) (Fetched, error) {
	sum, err := fileSum(path, md5.New())
	if err != nil {
		return Fetched{}, err
	}
	if want != "" && sum != want {
		return Fetched{}, errors.Errorf("%s: its MD5 is %s, published is %s", path, sum, want)
	}
	return Fetched{Path: path, MD5: sum, Checked: want != ""}, nil
}

// keep writes the checksum next to the finished download and then gives the download its name.
func keep(path, part, published string) error {
	if published != "" {
		if err := os.WriteFile(path+".md5.part", []byte(published), 0o644); err != nil {
			return errors.Wrap(err, "keeping the checksum")
		}
		if err := os.Rename(path+".md5.part", path+".md5"); err != nil {
			return errors.Wrap(err, "keeping the checksum")
		}
	}
	return errors.Wrap(os.Rename(part, path), "giving the download its name")
}
