package data

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
)

// groupLens is the folder in which GroupLens publishes MovieLens.
const groupLens = "https://files.grouplens.org/datasets/movielens/"

// FetchOptions are the choices of Fetch.
type FetchOptions struct {
	Folder   string                  // where NAME.zip will lie; made if it is not there. FetchFolder is the usual one
	BaseURL  string                  // of the folder to fetch from; "": GroupLens'
	Progress func(done, total int64) // bytes; called often, from one goroutine. nil: nobody is told
	stall    time.Duration           // the longest wait for the next bytes; 0: a minute
}

// Fetched is a zip file that is there.
type Fetched struct {
	Path    string
	Was     bool   // it was there before
	MD5     string // hexadecimal, of the file
	Checked bool   // MD5 is what GroupLens publishes; false where that is not known
}

// FetchFolder is where Find looks first: the first folder of PHE_DATA or else data/movielens of the checkout around the
// working directory.
func FetchFolder() (string, error) {
	for _, folder := range filepath.SplitList(os.Getenv(PathVariable)) {
		if folder != "" {
			return folder, nil
		}
	}
	if root := checkout(); root != "" {
		return filepath.Join(root, "data", "movielens"), nil
	}
	return "", errors.Errorf("no folder to fetch to: run inside a checkout of %s, set %s, or name one with --to", modulePath, PathVariable)
}

// Fetch downloads NAME.zip, as GroupLens publishes it, for LoadRatings to read. Its licence allows research use; show it
// before the call.
//
// The download is NAME.zip.part until it is complete and its MD5 is the one published beside it, which is kept as
// NAME.zip.md5; only then it has its name. One that was cut off, or stopped through the context, goes on where it was, if
// the server allows; else it starts over. Nothing is deleted on a wrong checksum: the error says what to do. A file
// that is there already is checked and left alone.
func (s RatingSource) Fetch(ctx context.Context, o FetchOptions) (Fetched, error) {
	if s.ZipBytes == 0 {
		return Fetched{}, errors.Errorf("%s is not published as a download: %s", s.Name, s.Remedy())
	}
	if o.BaseURL == "" {
		o.BaseURL = groupLens
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/") + "/"
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return Fetched{}, errors.Wrap(err, "making the folder to fetch to; name another with --to")
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

// there checks a file that was there before.
func (s RatingSource) there(path string) (Fetched, error) {
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
	return fetched, errors.WithMessage(err, "it was there before; move it away and fetch again")
}

var md5Text = regexp.MustCompile(`\b[0-9a-fA-F]{32}\b`)

// expectedMD5 returns the MD5 in what is published beside the zip file, or the declared one where that is "".
func (s RatingSource) expectedMD5(published string) (string, error) {
	if published == "" {
		return s.ZipMD5, nil
	}
	sum := md5Text.FindString(published)
	if sum == "" {
		return "", errors.Errorf("%s.md5 holds no MD5 but %q: something else answers for the publisher, or the file beside the zip is damaged", s.zipName(), clip(published))
	}
	return strings.ToLower(sum), nil
}

// checkMD5 compares a file with a checksum, unless that is "".
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

// keep gives the finished download its name, the checksum beside it first.
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
