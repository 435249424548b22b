// Package pagetest drives pages in Chromium without a window. The tests of the live page and of the book use it.
package pagetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"gophe/phe/disk/filetest"
)

// Browser is a Chromium with one page. It records the page's complaints and requests.
type Browser struct {
	Context context.Context // of chromedp

	t                  *testing.T
	pictures           string // folder for pictures, which GOPHE_PAGE_PICTURES names; empty if they are not kept
	mu                 sync.Mutex
	complaints, others []string // messages of the console; requests that are not allowed
}

// Open starts Chromium, or skips the test if there is none. The browser ends after the limit, and then the test fails. Allowed
// reports whether a page may request an address.
func Open(t *testing.T, limit time.Duration, allowed func(address string) bool) *Browser {
	t.Helper()
	program := os.Getenv("GOPHE_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); program == "" && err == nil {
			program = found
		}
	}
	if program == "" {
		t.Skip("no Chromium here: .ci/chromium installs it, or GOPHE_CHROMIUM names it")
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(profile(t)),
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(limit))
	allocated, end := chromedp.NewExecAllocator(t.Context(), o...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocated, chromedp.WithBrowserOption(chromedp.WithDialTimeout(limit)))
	t.Cleanup(end)
	filetest.Check(t, chromedp.Run(ctx)) // a cold start beside other tests takes half a minute, and the test's time begins after it
	ctx, end = context.WithTimeout(ctx, limit)
	t.Cleanup(end)
	b := &Browser{Context: ctx, t: t, pictures: os.Getenv("GOPHE_PAGE_PICTURES")}
	chromedp.ListenTarget(ctx, func(event any) { b.receive(event, allowed) })
	return b
}

// profile returns a folder for the browser. Chromium may still write into it while it ends, so that its removal may fail.
func profile(t *testing.T) string {
	t.Helper()
	folder := filetest.Must(os.MkdirTemp("", "chromium"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// receive notes complaints and requests that are not allowed.
func (b *Browser) receive(event any, allowed func(string) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text+" "+e.Entry.URL)
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, fmt.Sprint("console.", e.Type))
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Error())
	case *network.EventRequestWillBeSent:
		if !allowed(e.Request.URL) {
			b.others = append(b.others, e.Request.URL)
		}
	}
}

// Do runs actions of chromedp. An error ends the test.
func (b *Browser) Do(actions ...chromedp.Action) {
	b.t.Helper()
	filetest.Check(b.t, chromedp.Run(b.Context, actions...))
}

// Ask returns the value of a JavaScript expression. It waits for a promise.
func Ask[T any](b *Browser, expression string) (value T) {
	b.t.Helper()
	b.Do(chromedp.Evaluate(expression, &value, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return value
}

// Await waits until a JavaScript expression is true.
func (b *Browser) Await(expression string) {
	b.t.Helper()
	for limit := time.Now().Add(15 * time.Second); !Ask[bool](b, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			b.t.Fatalf("%s does not become true; the page says: %.600s", expression, Ask[string](b, "document.body.innerText"))
		}
	}
}

// Look gives the page a width and the colours that its reader prefers: "light" or "dark". Less than 500 pixels are a telephone.
func (b *Browser) Look(width int64, colours string) {
	b.t.Helper()
	size := emulation.SetDeviceMetricsOverride(width, 900, 1, false)
	if width < 500 {
		size = emulation.SetDeviceMetricsOverride(width, 740, 2, true)
	}
	b.Do(size, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}}))
}

// Keep takes a screenshot if GOPHE_PAGE_PICTURES names a folder for it.
func (b *Browser) Keep(name string) {
	b.t.Helper()
	if b.pictures == "" {
		return
	}
	var picture []byte
	b.Do(chromedp.FullScreenshot(&picture, 100))
	filetest.Check(b.t, os.WriteFile(filepath.Join(b.pictures, name+".png"), picture, 0o644))
}

// MustBeQuiet fails the test if the console has a message or the page made a request that is not allowed, and forgets them.
func (b *Browser) MustBeQuiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) > 0 || len(b.others) > 0 {
		b.t.Errorf("complaints %q, requests elsewhere %q", b.complaints, b.others)
	}
	b.complaints, b.others = nil, nil
}
