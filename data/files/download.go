package files

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/pkg/errors"
)

// download gets a data set's files over HTTP.
type download struct {
	source  Source
	options FetchOptions
	client  *http.Client
}

// newDownload returns a download whose connection times out soon, so that a missing network is reported at once.
func newDownload(s Source, o FetchOptions) *download {
	if o.stall == 0 {
		o.stall = time.Minute
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	transport.TLSHandshakeTimeout = 10 * time.Second
	transport.ResponseHeaderTimeout = o.stall
	transport.DisableCompression = true // so that lengths and ranges count the file's own bytes
	return &download{source: s, options: o, client: &http.Client{Transport: transport}}
}

// byHand tells a user how to download the file without this program.
func (d *download) byHand() string {
	url := d.options.BaseURL + d.source.zipName()
	return fmt.Sprintf("by hand: download %s, and %s.md5 if it exists, and put them into %s", url, url, d.options.Folder)
}

// get requests the file from an offset to its end.
func (d *download) get(ctx context.Context, url string, offset int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, errors.Wrap(err, "fetching")
	}
	request.Header.Set("User-Agent", Module)
	if offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	response, err := d.client.Do(request)
	if ctx.Err() != nil {
		return nil, errors.Wrap(ctx.Err(), "fetching")
	}
	if err != nil {
		return nil, errors.Errorf("no connection: %v; %s", err, d.byHand())
	}
	return response, nil
}

// text returns a small text file, or "" if the server has no such file.
func (d *download) text(ctx context.Context, url string) (string, error) {
	response, err := d.get(ctx, url, 0)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusNotFound:
		return "", nil
	case http.StatusOK:
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return string(text), errors.Wrap(err, "fetching "+url)
	}
	return "", d.refused(response)
}

// refused returns the error for an unexpected answer.
func (d *download) refused(response *http.Response) error {
	return errors.Errorf("%s answers %q (%s; the publisher's page is %s)", response.Request.URL, response.Status, d.byHand(), d.source.Origin)
}

// file downloads the rest of a file, and appends it to the part that the path holds.
func (d *download) file(ctx context.Context, url, path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return errors.Wrap(err, "fetching")
	}
	defer file.Close()
	offset, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Wrap(err, "fetching")
	}
	ctx, cancel := context.WithCancelCause(ctx) // copy cancels a read that receives nothing
	defer cancel(nil)
	response, err := d.get(ctx, url, offset)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	offset, total, err := d.begin(response, file, offset)
	if err != nil || offset == total {
		return err
	}
	if err := d.copy(ctx, cancel, file, response.Body, offset, total); err != nil {
		return errors.WithMessagef(err, "the part received stays in %s, and the same command goes on from there", path)
	}
	return errors.Wrap(file.Sync(), "fetching")
}

// begin reads the server's headers. It returns the offset at which the answer starts and the length of the file, −1 if
// unknown. It moves the file's position to the offset.
func (d *download) begin(response *http.Response, file *os.File, offset int64) (start, total int64, err error) {
	switch response.StatusCode {
	case http.StatusOK: // the whole file, even if a part was requested
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return 0, 0, errors.Wrap(err, "fetching")
		}
		return 0, response.ContentLength, errors.Wrap(file.Truncate(0), "fetching")
	case http.StatusPartialContent:
		var first, last int64
		if n, _ := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &total); n == 3 && first == offset && last == total-1 {
			return offset, total, nil
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if n, _ := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes */%d", &total); n == 1 && offset == total {
			return offset, total, nil
		}
	default:
		return 0, 0, d.refused(response)
	}
	return 0, 0, errors.Errorf("%s does not go on after the %d bytes of %s (it answers %q, range %q); delete that file and fetch again",
		response.Request.URL, offset, file.Name(), response.Status, response.Header.Get("Content-Range"))
}

// copy copies the answer, which begins at byte done of total. The error says why it ended early.
func (d *download) copy(ctx context.Context, cancel context.CancelCauseFunc, file io.Writer, body io.Reader, done, total int64) error {
	stalled := time.AfterFunc(d.options.stall, func() { cancel(errors.Errorf("nothing came for %s", d.options.stall)) })
	defer stalled.Stop()
	shown := total
	if shown < 0 {
		shown = d.source.ZipBytes
	}
	block := make([]byte, 1<<16)
	for {
		n, err := body.Read(block)
		stalled.Reset(d.options.stall)
		if _, err := file.Write(block[:n]); err != nil {
			return errors.Wrap(err, "fetching")
		}
		done += int64(n)
		if d.options.Progress != nil {
			d.options.Progress(done, max(done, shown))
		}
		switch {
		case err == io.EOF && (total < 0 || done == total):
			return nil
		case context.Cause(ctx) != nil:
			return errors.Wrapf(context.Cause(ctx), "fetching stopped after %d of %d bytes", done, total)
		case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
			return errors.Errorf("the connection was cut after %d of %d bytes", done, total)
		case err != nil:
			return errors.Wrapf(err, "the connection was lost after %d of %d bytes", done, total)
		}
	}
}
