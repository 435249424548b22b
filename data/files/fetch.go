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
// The download becomes NAME.zip when it is complete and its checksum is the declared one. Otherwise nothing of it stays. A file that was
// there before is checked and left alone.
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
	part := filepath.Join(o.Folder, s.Name+".part.zip") // a kill leaves it, and the next call overwrites it
	defer os.Remove(part)
	if err := s.download(ctx, o, part); err != nil {
		return "", false, err
	}
	if err := s.checkZip(part); err != nil {
		return "", false, errors.WithMessage(err, "the download is not the declared file, and is removed; fetch again")
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

// client gives up soon without a network. It asks for the file's own bytes, which lengths count.
var client = &http.Client{Transport: &http.Transport{
	Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	TLSHandshakeTimeout: 10 * time.Second, DisableCompression: true,
}}

// download writes the publisher's zip file to a path.
func (s Source) download(ctx context.Context, o FetchOptions, path string) error {
	o.stall = cmp.Or(o.stall, time.Minute)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(o.stall, func() { cancel(errors.Errorf("nothing came for %s", o.stall)) })
	defer stalled.Stop()
	url := strings.TrimSuffix(cmp.Or(o.BaseURL, s.ZipFolder), "/") + "/" + s.zipName()
	byHand := fmt.Sprintf("by hand: download %s and put it into %s", url, o.Folder)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return errors.Wrap(err, "fetching")
	}
	request.Header.Set("User-Agent", Module)
	response, err := client.Do(request)
	switch {
	case context.Cause(ctx) != nil:
		return errors.Wrap(context.Cause(ctx), "fetching")
	case err != nil:
		return errors.Errorf("no connection: %v; %s", err, byHand)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.Errorf("%s answers %q (%s; the publisher's page is %s)", url, response.Status, byHand, s.Origin)
	}
	file, err := os.Create(path)
	if err != nil {
		return errors.Wrap(err, "fetching")
	}
	defer file.Close()
	done, total := int64(0), response.ContentLength
	_, err = io.Copy(file, io.TeeReader(response.Body, arrived(func(n int) {
		stalled.Reset(o.stall)
		if done += int64(n); o.Progress != nil {
			o.Progress(done, max(done, total))
		}
	})))
	if err != nil {
		return errors.Wrapf(cmp.Or(context.Cause(ctx), err), "fetching stopped after %d of %d bytes; fetch again", done, total)
	}
	return errors.Wrap(file.Sync(), "fetching")
}

// arrived is called with the number of bytes of each block that has come.
type arrived func(n int)

// Write implements io.Writer.
func (a arrived) Write(block []byte) (int, error) {
	a(len(block))
	return len(block), nil
}
