package streaming

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk/outfile"
	"gophe/phe/live/driver"
	"gophe/phe/live/page"
	"gophe/phe/live/serve"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/terminal"
)

// shower shows the progress and the alarms of a learner.
type shower struct {
	line    *terminal.Line
	in      source.Source
	learner *stream.Learner
	began   time.Time
	rows    int64        // learned before this run
	end     atomic.Int64 // row of equalBits; 0 if there is none
	w       io.Writer
}

func newShower(w io.Writer, in source.Source, l *stream.Learner) *shower {
	return &shower{line: terminal.NewLine(w, in.Name()), in: in, learner: l, began: time.Now(), rows: l.Rows(), w: w}
}

// progress shows one line.
func (s *shower) progress(state driver.State) {
	s.end.Store(state.Labels.End)
	now := s.learner.Report()
	rate := float64(now.Rows-s.rows) / time.Since(s.began).Seconds()
	doing := fmt.Sprintf("%s, %s rows/s, %s", terminal.Counted(state.Rows, "row"), terminal.Grouped(int64(rate)), now.Line())
	read, size := s.in.Progress()
	s.line.Count(read, size, doing)
}

// moment returns the state of the learner that the page shows.
func (s *shower) moment() stream.Moment {
	m := s.learner.Moment()
	if row := s.end.Load(); row > 0 {
		m.Verdict = append(slices.Clip(m.Verdict), equalBits(row))
	}
	return m
}

// alarm shows an alarm on a line of its own.
func (s *shower) alarm(row int64, reason string) {
	s.line.Finish()
	fmt.Fprintf(s.w, "alarm at row %s: %s\n", terminal.Grouped(row), reason)
}

// pageAddress is the page's default address. Only this machine reaches it.
const pageAddress = "127.0.0.1:8418"

// livePage is a page and the server that serves it. A nil livePage does nothing.
type livePage struct {
	*page.Page
	server *http.Server
	input  source.Source
	ended  atomic.Bool // the input was learned to its end
}

// pageFlags ask for the page.
type pageFlags struct{ page string } // address; empty for no page

func (f *pageFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.page, "page", "", "show the stream on a live page in a browser, at an address such as --page=127.0.0.1:9000 "+
		"(--page alone: "+pageAddress+")")
	c.Flags().Lookup("page").NoOptDefVal = pageAddress
}

// show opens the page; it returns nil without --page.
func (f *pageFlags) show(c *cobra.Command, s *shower) (*livePage, error) {
	in, l := s.in, s.learner
	address := f.page
	if address == "" {
		return nil, nil
	}
	if _, err := strconv.Atoi(address); err == nil { // a port alone
		address = net.JoinHostPort("127.0.0.1", address)
	}
	if _, err := hostOf(address); err != nil {
		return nil, errors.Errorf("--page is %q; write it as a port from 0 to 65535, or as HOST:PORT, such as 127.0.0.1:0 for any free one",
			f.page)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot open the page; give another address, such as --page=127.0.0.1:0 for any free port")
	}
	p := &livePage{input: in}
	title := filepath.Base(in.Name())
	if in.Name() == outfile.Standard {
		title = "standard input"
	}
	p.Page = page.New(s.moment, page.Options{Title: title, Progress: p.progress, Viewers: serve.MaxBeside / 4, Asks: l.Schema})
	p.server = serve.Beside(l, p.Page)
	p.server.Handler = ownNames(listener.Addr(), p.server.Handler)
	go p.server.Serve(listener) //nolint:errcheck // it ends with the server
	fmt.Fprintln(c.ErrOrStderr(), "page     ", pageURL(listener.Addr()))
	return p, nil
}

// hostOf returns the host of an address whose port is a number.
func hostOf(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	_, wrong := strconv.ParseUint(port, 10, 16)
	return host, cmp.Or(err, wrong)
}

// pageURL returns the address that a person opens.
func pageURL(a net.Addr) string {
	at := a.(*net.TCPAddr).AddrPort()
	if at.Addr().IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d/, and every other name of this machine; everybody who reaches it sees the page", at.Port())
	}
	return "http://" + netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String() + "/"
}

// ownNames refuses requests under a foreign name on a page that only this machine reaches. serve.IsLocal says why.
func ownNames(a net.Addr, next http.Handler) http.Handler {
	if !a.(*net.TCPAddr).IP.IsLoopback() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !serve.IsLocal(r.Host) {
			http.Error(w, "this page is served to localhost only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// progress returns the share of the input that is read. It is negative if that is not known.
func (p *livePage) progress() float64 {
	read, size := p.input.Progress()
	switch {
	case size == 0:
		return -1
	case p.ended.Load():
		return 1
	}
	return float64(read) / float64(size)
}

// finish shows the stream's end.
func (p *livePage) finish(err error) {
	if p != nil {
		p.ended.Store(err == nil)
		p.Finish(err == nil)
	}
}

// stay keeps the page open until Ctrl-C if a person is at the terminal. A script continues at once.
func (p *livePage) stay(c *cobra.Command) {
	if p != nil && terminal.Of(c.ErrOrStderr()) != nil {
		fmt.Fprintln(c.ErrOrStderr(), "\nthe page stays open until Ctrl-C; everything is saved")
		<-c.Context().Done()
	}
}

// close sends the final state to the viewers and ends the server.
func (p *livePage) close() {
	if p == nil {
		return
	}
	p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if p.server.Shutdown(ctx) != nil { // a viewer does not take the final state
		p.server.Close()
	}
}
