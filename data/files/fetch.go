package files

import (
	"cmp"
	"context"
	"crypto/md5"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
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

// FetchFolder returns the folder that Find searches first: the first folder of PHE_DATA, or else data/movielens of the
// checkout around the working directory.
func FetchFolder() (string, error) {
	if folder := cmp.Or(filepath.SplitList(os.Getenv(PathVariable))...); folder != "" {
		return folder, nil
	}
	if root := checkout(); root != "" {
		return filepath.Join(root, "data", "movielens"), nil
	}
	return "", remedy.Errorf("folder", "no folder to fetch to: run inside a checkout of %s, or set %s", Module, PathVariable)
}

// Fetch downloads NAME.zip from its publisher and returns its path. GroupLens' licence allows research use: show it before the call.
//
// The download is called NAME.zip.part. It becomes NAME.zip when it is complete and its checksum is the declared one. A download that was
// cut off or cancelled continues where it ended, if the server allows it. Otherwise it starts again. A wrong checksum deletes nothing: the
// error says what to do. A file that was there before is checked and left alone.
func (s Source) Fetch(ctx context.Context, o FetchOptions) (path string, before bool, err error) {
	if s.ZipBytes == 0 {
		return "", false, errors.Errorf("%s is not published as a download: %s", s.Name, s.Remedy())
	}
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return "", false, remedy.With("folder", errors.Wrap(err, "making the folder to fetch to"))
	}
	path = filepath.Join(o.Folder, s.zipName())
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, true, errors.WithMessage(s.checkZip(path), "the file was there before; move it away and fetch again")
	}
	part := path + ".part"
	if err := s.download(ctx, o, part); err != nil {
		return "", false, err
	}
	if err := s.checkZip(part); err != nil {
		return "", false, errors.WithMessagef(err, "the download is kept, but not accepted; delete %s and fetch again", part)
	}
	return path, false, errors.Wrap(os.Rename(part, path), "giving the download its name")
}

// checkZip compares the zip file with its declared MD5, or the files in it with theirs.
func (s Source) checkZip(path string) error {
	if s.ZipMD5 == "" {
		for _, f := range s.Files {
			if err := s.verifyFile(f, path); err != nil {
				return err
			}
		}
		return nil
	}
	sum, err := fileSum(path, md5.New())
	if err == nil && sum != s.ZipMD5 {
		err = errors.Errorf("%s: its MD5 is %s, declared %s", path, sum, s.ZipMD5)
	}
	return err
}

// client gives up soon without a network. It asks for the file's own bytes, which lengths and ranges count.
var client = &http.Client{Transport: &http.Transport{
	Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	TLSHandshakeTimeout: 10 * time.Second, DisableCompression: true,
}}

// download appends the rest of the zip file to the part that the path holds.
func (s Source) download(ctx context.Context, o FetchOptions, path string) error {
	var done int64
	if info, err := os.Stat(path); err == nil {
		done = info.Size()
	}
	o.stall = cmp.Or(o.stall, time.Minute)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(o.stall, func() { cancel(errors.Errorf("nothing came for %s", o.stall)) })
	defer stalled.Stop()
	url := strings.TrimSuffix(cmp.Or(o.BaseURL, s.ZipFolder), "/") + "/" + s.zipName()
	byHand := fmt.Sprintf("by hand: download %s and put it into %s", url, o.Folder)
	response, err := get(ctx, url, done)
	switch {
	case context.Cause(ctx) != nil:
		return errors.Wrap(context.Cause(ctx), "fetching")
	case err != nil:
		return errors.Errorf("no connection: %v; %s", err, byHand)
	}
	defer response.Body.Close()
	how, total := os.O_APPEND, done+response.ContentLength
	switch from := fmt.Sprintf("bytes %d-", done); {
	case response.StatusCode == http.StatusOK: // the whole file, even if a part was requested
		how, done, total = os.O_TRUNC, 0, response.ContentLength
	case response.StatusCode == http.StatusPartialContent && strings.HasPrefix(response.Header.Get("Content-Range"), from):
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable: // nothing is left to fetch; the checksum decides
		return nil
	default:
		return errors.Errorf("%s answers %q (%s; the publisher's page is %s)", url, response.Status, byHand, s.Origin)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o644)
	if err != nil {
		return errors.Wrap(err, "fetching")
	}
	defer file.Close()
	err = copyTo(ctx, file, response.Body, done, total, func(done int64) {
		stalled.Reset(o.stall)
		if o.Progress != nil {
			o.Progress(done, max(done, total))
		}
	})
	if err != nil {
		return errors.WithMessagef(err, "the part received stays in %s, and the same command goes on from there", path)
	}
	return errors.Wrap(file.Sync(), "fetching")
}

// get requests a file from an offset to its end.
func get(ctx context.Context, url string, offset int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", Module)
	if offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	return client.Do(request)
}

// copyTo copies the answer, which begins at byte done of total, and tells each time how far it is. The error says why it ended early.
func copyTo(ctx context.Context, file io.Writer, answer io.Reader, done, total int64, came func(done int64)) error {
	block := make([]byte, 1<<16)
	for {
		n, err := answer.Read(block)
		if _, err := file.Write(block[:n]); err != nil {
			return errors.Wrap(err, "fetching")
		}
		done += int64(n)
		came(done)
		switch {
		case err == io.EOF && done >= total:
			return nil
		case context.Cause(ctx) != nil:
			return errors.Wrapf(context.Cause(ctx), "fetching stopped after %d of %d bytes", done, total)
		case err != nil:
			return errors.Errorf("the connection was cut after %d of %d bytes: %v", done, total, err)
		}
	}
}
