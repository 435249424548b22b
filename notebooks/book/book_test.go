// Package book tests the pages of the book in Chromium, as a reader without a network opens them.
package book

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/page/pagetest"
)

// fixture is the page that only the tested book has. Its notebook is in testdata.
const fixture = "notebooks/fixture.html"

// folder returns the folder of the book, or skips the test.
func folder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("GOPHE_BOOK")
	if folder == "" {
		t.Skip("GOPHE_BOOK names no book: .ci/book builds one and tests it")
	}
	return folder
}

// pages returns the paths of the book's pages.
func pages(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (path == "_static" || path == "_downloads") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".html" {
			all = append(all, path)
		}
		return err
	})
	filetest.Check(t, err)
	filetest.True(t, len(all) >= 20 && slices.Contains(all, fixture), "the book has the pages %q", all)
	return all
}

// read opens a page of the book in a browser that may read local files only. It returns the book's folder, or skips the test.
func read(t *testing.T, path string) (b *pagetest.Browser, book string) {
	t.Helper()
	book = folder(t)
	b = pagetest.Open(t, 5*time.Minute, func(address string) bool {
		return strings.HasPrefix(address, "file://") || strings.HasPrefix(address, "data:")
	})
	b.Look(1280, "light")
	visit(b, book, path)
	return b, book
}

// visit opens a page and waits until its mathematics is drawn.
func visit(b *pagetest.Browser, folder, path string) {
	b.Do(chromedp.Navigate("file://" + filepath.Join(folder, path)))
	b.Await(`document.readyState === "complete" && [...document.querySelectorAll(".math")].every(m => m.querySelector("mjx-container"))`)
}

// TestBookPages opens each page in four looks: at the width of a desktop and of a telephone, light and dark.
func TestBookPages(t *testing.T) {
	b, folder := read(t, fixture)
	for _, path := range pages(t, folder) {
		b.Look(1280, "light")
		visit(b, folder, path)
		checkContent(t, b, path)
		var papers []string
		for _, width := range []int{1280, 360} {
			for _, colours := range []string{"light", "dark"} {
				b.Look(int64(width), colours)
				papers = append(papers, pagetest.Ask[string](b,
					`getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color`))
				wide := pagetest.Ask[int](b, `document.documentElement.scrollWidth`)
				filetest.True(t, wide <= width, "%s: a page for %d pixels is %d wide", path, width, wide)
				b.Keep(fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(strings.TrimSuffix(path, ".html"), "/", "-"), width, colours))
			}
		}
		filetest.True(t, papers[0] != papers[1], "%s: light and dark are %q", path, papers)
		filetest.Want(t, papers[2:], papers[:2], "%s: light and dark at another width", path)
		b.MustBeQuiet()
		if t.Failed() {
			t.Fatalf("at %s", path)
		}
	}
}

// checkContent: mathematics is drawn; pictures are there, have a description, and say the value of a point.
func checkContent(t *testing.T, b *pagetest.Browser, path string) {
	t.Helper()
	raw := pagetest.Ask[string](b, `(() => {
		const text = document.querySelector("article").cloneNode(true);
		text.querySelectorAll("pre, code, mjx-container, script").forEach(e => e.remove());
		return (text.textContent.match(/\$[^$]+\$|\\[([].*/) || [""])[0];
	})()`)
	filetest.Want(t, raw, "", "%s: raw mathematics", path)
	wrong := pagetest.Ask[int](b, `document.querySelectorAll("mjx-merror, [data-mml-node=merror]").length`)
	filetest.Want(t, wrong, 0, "%s: formulas that MathJax does not understand", path)
	pictures := pagetest.Ask[[]string](b,
		`[...document.querySelectorAll("article img")].filter(i => !i.complete || !i.naturalWidth || !i.alt).map(i => i.src)`)
	filetest.Want(t, len(pictures), 0, "%s: pictures that are missing or have no description, %q", path, pictures)
	silent := pagetest.Ask[int](b, `[...document.querySelectorAll("img[data-marks]")].filter(i => {
		i.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
		const text = document.querySelector(".mark-text")?.textContent;
		i.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
		return !text;
	}).length`)
	filetest.Want(t, silent, 0, "%s: pictures with marks that say nothing", path)
}

// TestBookMarks points at pictures with mouse, finger and keyboard.
func TestBookMarks(t *testing.T) {
	b, _ := read(t, fixture)
	texts := []string{"PHE, 40: 84.2 ± 0.3", `<img src=x onerror="window.harmed = 1"> & "it's"`,
		"a longer text at the right edge of the picture"}
	for _, width := range []int{1280, 360} {
		b.Look(int64(width), "light")
		b.Do(chromedp.ScrollIntoView("img[data-marks]"))
		// scrolling hides texts
		pagetest.Ask[bool](b, `new Promise(ready => requestAnimationFrame(() => requestAnimationFrame(() => ready(true))))`)
		for i, share := range [][2]float64{{0.25, 0.25}, {0.5, 0.5}} {
			x, y := place(b, share[0], share[1])
			b.Do(chromedp.MouseEvent(input.MouseMoved, x+5, y-5))
			mustSay(t, b, texts[i])
		}
		b.Keep(fmt.Sprintf("hover-%d", width))
		x, y := place(b, 0.25, 0.75)
		b.Do(chromedp.MouseEvent(input.MouseMoved, x, y))
		mustSay(t, b, "")
		b.Do(chromedp.Focus("img[data-marks]"), chromedp.KeyEvent(kb.ArrowRight))
		mustSay(t, b, texts[0])
		b.Do(chromedp.KeyEvent(kb.ArrowLeft))
		mustSay(t, b, texts[2])
		right := pagetest.Ask[float64](b, `document.querySelector(".mark-text").getBoundingClientRect().right`)
		filetest.True(t, right <= float64(width), "at %d pixels a text ends at %g", width, right)
		b.Do(chromedp.KeyEvent(kb.Escape))
		mustSay(t, b, "")
		b.Do(chromedp.Blur("img[data-marks]"))
	}
	x, y := place(b, 0.25, 0.25)
	tap := []*input.TouchPoint{{X: x + 4, Y: y}}
	b.Do(input.DispatchTouchEvent(input.TouchStart, tap), input.DispatchTouchEvent(input.TouchEnd, nil))
	mustSay(t, b, texts[0])
	filetest.True(t, !pagetest.Ask[bool](b, `window.harmed === 1`), "a mark's text was taken for HTML")
	b.MustBeQuiet()
}

// place returns where a share of the first picture with marks is in the window.
func place(b *pagetest.Browser, x, y float64) (float64, float64) {
	box := pagetest.Ask[[]float64](b, `(() => { const b = document.querySelector("img[data-marks]").getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()`)
	return box[0] + x*box[2], box[1] + y*box[3]
}

// mustSay: the page shows the text of a mark, or none.
func mustSay(t *testing.T, b *pagetest.Browser, want string) {
	t.Helper()
	got := pagetest.Ask[string](b, `document.querySelector(".mark-text")?.textContent ?? ""`)
	filetest.Want(t, got, want, "what the page says")
}

// TestBookSearch types a word and follows the result.
func TestBookSearch(t *testing.T) {
	b, folder := read(t, fixture)
	b.Do(chromedp.SendKeys("input[name=q]", "zebra"+kb.Enter))
	b.Await(`document.querySelector("ul.search li p.context")?.textContent.includes("The word zebra appears here only") ?? false`)
	b.Await(`document.querySelector(".search-summary").textContent.includes("one page")`)
	b.Keep("search")
	b.Do(chromedp.Click("ul.search li a"))
	b.Await(`document.querySelector("h1")?.textContent.includes("A page for the test") ?? false`)
	visit(b, folder, "search.html?q=posterior")
	b.Await(`document.querySelectorAll("ul.search li a[href^='notebooks/']").length > 2`)
	b.MustBeQuiet()
}

// TestBookNavigation: the notebooks come in the order of their names, those beyond the paper last.
func TestBookNavigation(t *testing.T) {
	b, folder := read(t, "index.html")
	got := pagetest.Ask[[]string](b, `[...document.querySelectorAll(".sidebar-tree a")].map(a => a.getAttribute("href"))`+
		`.filter(h => h.startsWith("notebooks/"))`)
	var want []string
	for _, path := range pages(t, folder) {
		if strings.HasPrefix(path, "notebooks/") && path != fixture {
			want = append(want, path)
		}
	}
	beyond := func(path string) int {
		if c := path[len("notebooks/")]; '6' <= c && c <= '9' {
			return 1
		}
		return 0
	}
	slices.SortFunc(want, func(a, b string) int { return cmp.Or(beyond(a)-beyond(b), strings.Compare(a, b)) })
	filetest.Want(t, got, want, "the navigation")
}

// TestBookFolds: a folded cell opens at a click. Print leaves it and the navigation out, and is light for all readers.
func TestBookFolds(t *testing.T) {
	b, folder := read(t, fixture)
	seen := func(selector string) bool {
		return pagetest.Ask[bool](b, fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, selector))
	}
	filetest.True(t, !seen("details.hide pre") && seen("details.hide summary"), "a folded cell is open")
	filetest.True(t, seen(".sidebar-drawer"), "the navigation is not there")
	b.Do(emulation.SetEmulatedMedia().WithMedia("print").
		WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	filetest.True(t, !seen("details.hide summary") && !seen(".sidebar-drawer"), "folded cells or the navigation are in print")
	paper := pagetest.Ask[string](b,
		`getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector(".cell_input")).color`)
	filetest.Want(t, paper, "rgb(255, 255, 255)rgb(0, 0, 0)", "the colours of print")
	n := sheets(b)
	filetest.True(t, 1 <= n && n <= 3, "the page is printed on %d sheets", n)
	b.Do(emulation.SetEmulatedMedia(), chromedp.Click("details.hide summary"))
	filetest.True(t, seen("details.hide pre"), "a folded cell does not open")
	visit(b, folder, "notebooks/4.2-classification.html")
	filetest.True(t, sheets(b) > 0, "a chapter is not printed")
}

// sheets prints a page and returns the number of A4 sheets.
func sheets(b *pagetest.Browser) int {
	var pdf []byte
	b.Do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPaperWidth(8.27).WithPaperHeight(11.69).Do(ctx)
		return err
	}))
	return bytes.Count(pdf, []byte("/Type /Page\n"))
}

var (
	address = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	name    = regexp.MustCompile(`\bid="([^"]+)"`)
)

// TestBookLinks: each link within the book leads to a file, and to a place of it.
func TestBookLinks(t *testing.T) {
	folder := folder(t)
	names := map[string]map[string]bool{}
	content := map[string]string{}
	for _, path := range pages(t, folder) {
		text := filetest.Must(os.ReadFile(filepath.Join(folder, path)))(t)
		content[path], names[path] = string(text), map[string]bool{"": true}
		for _, m := range name.FindAllStringSubmatch(content[path], -1) {
			names[path][m[1]] = true
		}
	}
	for path, text := range content {
		for _, m := range address.FindAllStringSubmatch(text, -1) {
			link, err := url.Parse(m[1])
			if err != nil || link.Scheme != "" {
				if err != nil || link.Scheme != "https" && link.Scheme != "data" {
					t.Errorf("%s: link %s", path, m[1])
				}
				continue
			}
			target := path
			if link.Path != "" {
				target = filepath.Join(filepath.Dir(path), link.Path)
			}
			if _, err := os.Stat(filepath.Join(folder, target)); err != nil {
				t.Errorf("%s: link %s: %v", path, m[1], err)
			} else if names[target] != nil && !names[target][link.Fragment] {
				t.Errorf("%s: link %s: there is no such place", path, m[1])
			}
		}
	}
}
