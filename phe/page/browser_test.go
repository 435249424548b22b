package page_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"gophe/phe/page"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// browser is a Chromium without a window. It records complaints and requests.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu                 sync.Mutex
	complaints, others []string // messages of the console; requests to other hosts
}

// open starts Chromium, or skips the test if there is none.
func open(t *testing.T, host string) *browser {
	t.Helper()
	program := os.Getenv("GOPHE_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); program == "" && err == nil {
			program = found
		}
	}
	if program == "" {
		t.Skip("no Chromium here: `make test-page` installs it, or GOPHE_CHROMIUM names it")
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(profile(t)),
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocated, end := chromedp.NewExecAllocator(t.Context(), o...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocated)
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(end)
	b := &browser{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) { b.hear(event, host) })
	return b
}

// hear notes complaints and requests to other hosts.
func (b *browser) hear(event any, host string) {
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
		if u, err := url.Parse(e.Request.URL); err != nil || u.Host != host {
			b.others = append(b.others, e.Request.URL)
		}
	}
}

func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// ask returns the value of a JavaScript expression.
func ask[T any](b *browser, expression string) (value T) {
	b.t.Helper()
	b.do(chromedp.Evaluate(expression, &value))
	return value
}

// await waits until a JavaScript expression is true.
func (b *browser) await(expression string) {
	b.t.Helper()
	for limit := time.Now().Add(15 * time.Second); !ask[bool](b, expression); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			b.t.Fatalf("%s does not become true; the page says: %.600s", expression, ask[string](b, "document.body.innerText"))
		}
	}
}

// look takes a screenshot if GOPHE_PAGE_PICTURES names a folder for it.
func (b *browser) look(name string) {
	b.t.Helper()
	folder := os.Getenv("GOPHE_PAGE_PICTURES")
	if folder == "" {
		return
	}
	var picture []byte
	b.do(chromedp.FullScreenshot(&picture, 100))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// Names of items that would do harm if the page took them for HTML.
const (
	script = `<script>window.harmed = 1</script>`
	image  = `"><img src=x onerror="window.harmed = 1">`
)

// visits makes n rows of customers, some of them under harmful names.
func visits(n int) string {
	var text strings.Builder
	text.WriteString("customer,page,buys")
	for i := range n {
		buys := "no"
		if i%7 < 3 {
			buys = "yes"
		}
		fmt.Fprintf(&text, "\nc%d,p%d,%s", i%(7+i/40), i%11, buys)
	}
	for range 30 { // often enough to be frequent
		fmt.Fprintf(&text, "\n%s,p1,yes\n%q,p2,no", script, "x")
	}
	fmt.Fprintf(&text, "\n\"%s\",p1,yes", strings.ReplaceAll(image, `"`, `""`))
	return text.String()
}

// serve serves a page at an address.
func serve(t *testing.T, address string, p *page.Page) (host string, gone func()) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: p}
	go server.Serve(listener)
	gone = func() { p.Close(); server.Close() }
	t.Cleanup(gone)
	return listener.Addr().String(), gone
}

// TestBrowser follows a stream in Chromium: drawings, changes, other widths and colours, harmful names, and a lost connection.
func TestBrowser(t *testing.T) {
	learner, records, err := stream.Begin(read(visits(4000)), schema.Hints{Target: "buys"}, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learn := func(rows int) {
		t.Helper()
		for range rows {
			record, err := records.Read()
			if err != nil {
				return // the end
			}
			if _, _, err := learner.Step(record); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := page.New(learner.Moment, page.Options{Title: "visits.csv", Progress: func() float64 { return 0.5 }})
	host, gone := serve(t, "127.0.0.1:0", p)
	b := open(t, host)
	b.do(emulation.SetDeviceMetricsOverride(1280, 900, 1, false), chromedp.Navigate("http://"+host+"/"))
	for range 8 {
		learn(250)
		time.Sleep(300 * time.Millisecond)
	}
	b.await(`document.getElementById("rows").textContent === "2,000"`)
	learn(10_000)
	b.await(`document.getElementById("rows").textContent === "4,061"`)
	b.look("desktop-light")
	checkDrawn(b)
	checkNames(b)
	checkLooks(b)
	p.Finish(page.Ended)
	b.await(`document.getElementById("state").textContent === "ended"`)
	checkQuiet(b)
	checkLost(b, host, gone, learner)
}

// checkDrawn: every chart has ink, and so has the calibration.
func checkDrawn(b *browser) {
	b.t.Helper()
	for _, id := range []string{"scorePlot", "ratePlot", "newPlot"} {
		ink := ask[int](b, `(() => { const c = document.querySelector("#`+id+` canvas"); let n = 0;
			c.getContext("2d").getImageData(0, 0, c.width, c.height).data.forEach((v, i) => { if (i % 4 === 3 && v > 0) n++; }); return n; })()`)
		if ink < 2000 {
			b.t.Errorf("%s has %d pixels of ink", id, ink)
		}
	}
	if n := ask[int](b, `document.querySelectorAll("#fit circle").length`); n < 2 {
		b.t.Errorf("the calibration has %d marks", n)
	}
	if score := ask[float64](b, `+document.getElementById("score").textContent`); !(score > 0 && score < 1) {
		b.t.Errorf("the score is %g", score)
	}
}

// checkNames: harmful names are shown as text.
func checkNames(b *browser) {
	b.t.Helper()
	for _, name := range []string{script, image} {
		if !ask[bool](b, fmt.Sprintf(`[...document.querySelectorAll("td bdi")].some(e => e.textContent === %q)`, name)) {
			b.t.Errorf("%s is not shown", name)
		}
	}
	if ask[bool](b, `window.harmed === 1 || document.querySelector("main script, main img") !== null`) {
		b.t.Error("an item's name was taken for HTML")
	}
}

// checkLooks: dark and light differ, and a telephone does not scroll sideways.
func checkLooks(b *browser) {
	b.t.Helper()
	dark := func(value string) chromedp.Action {
		return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}})
	}
	var papers []string
	for _, value := range []string{"light", "dark"} {
		b.do(dark(value))
		papers = append(papers, ask[string](b, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color`))
	}
	if papers[0] == papers[1] {
		b.t.Errorf("dark and light are %s", papers[0])
	}
	b.look("desktop-dark")
	b.do(emulation.SetDeviceMetricsOverride(360, 740, 2, true))
	if w := ask[int](b, `document.documentElement.scrollWidth`); w > 360 {
		b.t.Errorf("a page for 360 pixels is %d wide", w)
	}
	b.await(`[...document.querySelectorAll(".plot canvas")].every(c => c.getBoundingClientRect().right <= 360)`)
	b.look("telephone-dark")
	b.do(dark("light"))
	b.look("telephone-light")
}

// checkQuiet: nothing went wrong so far, and no other server was asked.
func checkQuiet(b *browser) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) > 0 || len(b.others) > 0 {
		b.t.Errorf("complaints %q, requests to other hosts %q", b.complaints, b.others)
	}
}

// checkLost: the page says that the program is gone, and goes on when it is there again.
func checkLost(b *browser, host string, gone func(), l *stream.Learner) {
	b.t.Helper()
	if !ask[bool](b, `document.getElementById("lost").hidden`) {
		b.t.Error("the page says that the program is gone while it is there")
	}
	gone()
	b.await(`document.getElementById("lost").innerText.includes("its final state")`)
	b.look("gone")
	again := page.New(l.Moment, page.Options{Title: "again"})
	_, gone = serve(b.t, host, again)
	b.await(`document.getElementById("title").textContent === "again" && document.getElementById("lost").hidden`)
	gone()
	b.await(`document.getElementById("lost").innerText.includes("No connection to the program")`)
}

// profile returns a folder for the browser. Chromium may still write into it while it ends, so that its removal may fail.
func profile(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}
