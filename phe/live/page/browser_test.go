package page_test

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/page"
	"gophe/phe/live/page/pagetest"
	live "gophe/phe/live/serve"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

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

// serve serves a page at an address, and the reasons of a learner beside it.
func serve(t *testing.T, address string, p *page.Page, l *stream.Learner) (host string, gone func()) {
	t.Helper()
	listener := filetest.Must(net.Listen("tcp", address))(t)
	server := live.Beside(l, p)
	go server.Serve(listener)
	gone = func() { p.Close(); server.Close() }
	t.Cleanup(gone)
	return listener.Addr().String(), gone
}

// TestBrowser follows a stream in Chromium: drawings, changes, other widths and colours, harmful names, and a lost connection.
func TestBrowser(t *testing.T) {
	learner, records, err := stream.Begin(read(visits(4000)), schema.Hints{Target: "buys"}, stream.Options{})
	filetest.Check(t, err)
	learn := func(rows int) {
		t.Helper()
		for range rows {
			record, err := records.Read()
			if err != nil {
				return // the end
			}
			_, _, err = learner.Step(record)
			filetest.Check(t, err)
		}
	}
	p := page.New(learner.Moment, page.Options{Title: "visits.csv", Progress: func() float64 { return 0.5 }, Asks: learner.Schema})
	host, gone := serve(t, "127.0.0.1:0", p, learner)
	b := pagetest.Open(t, time.Minute, func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && u.Host == host
	})
	b.Look(1280, "light")
	b.Do(chromedp.Navigate("http://" + host + "/"))
	for range 8 {
		learn(250)
		time.Sleep(300 * time.Millisecond)
	}
	b.Await(`document.getElementById("rows").textContent === "2,000"`)
	for range 50 {
		filetest.Must(learner.Predict(schema.Record{image + "?", "p1", ""}))(t)
	}
	learn(10_000)
	b.Await(`document.getElementById("rows").textContent === "4,061"`)
	b.Keep("desktop-light")
	checkDrawn(t, b)
	checkNames(t, b)
	checkWhy(t, b, learner)
	checkLooks(t, b)
	p.Finish(true)
	b.Await(`document.getElementById("state").textContent === "ended"`)
	b.MustBeQuiet()
	checkLost(t, b, host, gone, learner)
}

// checkDrawn: every chart has ink, and so has the calibration.
func checkDrawn(t *testing.T, b *pagetest.Browser) {
	t.Helper()
	for _, id := range []string{"scorePlot", "ratePlot", "newPlot"} {
		ink := pagetest.Ask[int](b, `(() => { const c = document.querySelector("#`+id+` canvas");
			const image = c.getContext("2d").getImageData(0, 0, c.width, c.height);
			return image.data.filter((v, i) => i % 4 === 3 && v > 0).length; })()`)
		filetest.True(t, ink >= 2000, "%s has %d pixels of ink", id, ink)
	}
	marks, score := pagetest.Ask[int](b, `document.querySelectorAll("#fit circle").length`),
		pagetest.Ask[float64](b, `+document.getElementById("score").textContent`)
	filetest.True(t, marks >= 2, "the calibration has %d marks", marks)
	filetest.True(t, score > 0 && score < 1, "the score is %g", score)
	for _, c := range []struct{ what, script, want string }{
		{"no words about fields that say nothing", `document.querySelector("#odd[hidden] #fields").textContent`, ""},
		{"words about new items", `document.querySelector("#strange").textContent`,
			fmt.Sprintf(`in forecasts, 50 of 50 fields of "customer" had never been learned, such as %q; usually 1.9 %%`, image+"?")},
		{"tables: ten rows, of which the last is what the figures say; shares that add up; all rows by their class", `(() => {
			const cells = (id, r) => [...document.querySelectorAll("#" + id + " tbody tr:" + r + " td")].map(e => e.textContent);
			const sum = list => Math.round(list.reduce((a, b) => a + parseFloat(b.replace(",", "")), 0));
			return [document.querySelectorAll("#scoreTable tbody tr").length, cells("scoreTable", "last-child")[0],
				cells("scoreTable", "last-child")[1] === cells("models", "first-child")[1], sum(cells("newTable", "last-child").slice(1)),
				sum([cells("classes", "first-child")[4], cells("classes", "last-child")[4]])].join(" ");
		})()`, "10 4,061 true 100 4061"},
		{"scores in % of the base rate's, and again in their own unit", `(() => {
			const cell = r => parseFloat(document.querySelector("#models tbody tr:" + r + "-child td:last-child").textContent);
			const was = [cell("first"), cell("last")], unit = document.getElementById("unit"); unit.click();
			const right = Math.abs(cell("first") - 100 * was[0] / was[1]) < 0.06 && cell("last") === 100;
			unit.click();
			return right + " " + (was.join() === [cell("first"), cell("last")].join());
		})()`, "true true"},
		{"pictures of the charts, below their words", `(() => {
			const proto = HTMLAnchorElement.prototype, click = proto.click, saved = [];
			proto.click = function () { saved.push(this); };
			for (const id of ["scorePicture", "newPicture"]) document.getElementById(id).click();
			proto.click = click;
			return saved.map((a, i) => {
				const head = [...atob(a.href.split("data:image/png;base64,")[1]).slice(20, 24)];
				const height = head.reduce((n, c) => 256 * n + c.charCodeAt(0), 0);
				return a.download + " " + (height > document.querySelectorAll("#scorePlot canvas, #newPlot canvas")[i].height);
			}).join();
		})()`, "score.png true,new-items.png true"},
		{"no line that only says 0", `["alarms", "waiting", "dropped"].filter(id => document.getElementById(id).offsetParent).join()`,
			"alarms"},
		{"words about three alarms, two of them of forecasts", `import("./series.js").then(s => s.alarms([{rows: 9, alarms: 1},
			{rows: 99, alarms: 3}], [{row: 8, says: "a"}, {row: 40, says: "b"}]).map(a => a.after + " " + a.rows + " " + a.says).join())`,
			"7 8 a,39 40 b,9 99 fields had become worse"},
		{"ticks of axes", `import("./format.js").then(f => [[0, 1, 2], [0, 2500, 5000], [0, 5000, 10000], [1.234e6, 1.236e6],
			[0, 2e-6], [0.25, 0.3]].map(list => f.ticks(list).join(" ")).join())`,
			"0 1 2,0 2500 5000,0 5k 10k,1.234M 1.236M,0 2e-6,0.25 0.30"},
		{"rate around a time in which nobody looked", `import("./series.js").then(s => s.rate([0, 1, 2, 3, 4, 30, 31, 32]
			.map(t => ({t, rows: 10 * Math.min(t, 4) }))).map(v => v ?? "-").join(" "))`, "- 10 10 10 10 - 0 0"},
	} {
		filetest.Want(t, pagetest.Ask[string](b, c.script), c.want, "%s", c.what)
	}
}

// checkNames: harmful names are shown as text.
func checkNames(t *testing.T, b *pagetest.Browser) {
	t.Helper()
	for _, name := range []string{script, image} {
		shown := fmt.Sprintf(`[...document.querySelectorAll("td bdi")].some(e => e.textContent === %q)`, name)
		filetest.True(t, pagetest.Ask[bool](b, shown), "%s is not shown", name)
	}
	const harmed = `window.harmed === 1 || document.querySelector("main script, main img") !== null`
	filetest.True(t, !pagetest.Ask[bool](b, harmed), "an item's name was taken for HTML")
}

// checkWhy: by keys alone, a person asks for the reason of a typed record, which is the learner's, and of a forecast of the list.
func checkWhy(t *testing.T, b *pagetest.Browser, l *stream.Learner) {
	t.Helper()
	const because = `[...document.querySelectorAll("#reason tbody tr")].map(r => r.innerText.replace(/\s+/g, " ").trim()).join("\n")`
	b.Do(chromedp.Evaluate(`document.querySelector("#askFields input").focus()`, nil), chromedp.KeyEvent("c3"+kb.Tab+image+kb.Enter))
	b.Await(`document.querySelector("#reason").offsetParent !== null`)
	_, x, err := l.Explain(schema.Record{"c3", image, ""}, 8, -1)
	filetest.Check(t, err)
	want := fmt.Sprintf("%+.2f a usual row\n", x.UsualRow)
	for _, line := range x.Lines {
		want += fmt.Sprintf("%+.2f %.2f %d %s %s %.1f %%\n", line.Adds, line.Spread, line.Learned, line.Field, line.Column,
			100**line.IfUsual)
	}
	want = strings.ReplaceAll(want+fmt.Sprintf("%+.2f what came last\n%+.2f ", x.CameLast, x.Value), "-", "−") + x.Of
	filetest.Want(t, pagetest.Ask[string](b, because), want, "the reason of a typed record")
	b.Do(chromedp.Evaluate(`document.querySelector("#reason").hidden = true; document.querySelector("#asked button").focus()`, nil),
		chromedp.KeyEvent(kb.Enter))
	b.Await(`document.querySelector("#reason").offsetParent !== null`)
	filetest.True(t, pagetest.Ask[bool](b,
		`[...document.querySelectorAll("#askFields input")].every(i => i.value && `+because+`.includes(i.value))`),
		"the forecast of the list has another reason: %s", pagetest.Ask[string](b, because))
	b.Keep("why")
}

// checkLooks: dark and light differ, and a telephone does not scroll sideways.
func checkLooks(t *testing.T, b *pagetest.Browser) {
	t.Helper()
	b.Do(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => { d.open = true; })`, nil))
	var papers []string
	for _, value := range []string{"light", "dark"} {
		b.Look(1280, value)
		papers = append(papers, pagetest.Ask[string](b, `(s => s.backgroundColor + s.color)(getComputedStyle(document.body))`))
	}
	filetest.True(t, papers[0] != papers[1], "dark and light are %s", papers[0])
	b.Keep("desktop-dark")
	b.Look(360, "dark")
	wide := pagetest.Ask[int](b, `document.documentElement.scrollWidth`)
	filetest.True(t, wide <= 360, "a page for 360 pixels is %d wide", wide)
	b.Await(`[...document.querySelectorAll(".plot canvas")].every(c => c.getBoundingClientRect().right <= 360)`)
	filetest.Want(t, pagetest.Ask[string](b, `[...document.querySelectorAll("h1, #target, .bars bdi, td")]
		.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText).join()`), "", "what is cut at 360 pixels")
	b.Keep("telephone-dark")
	b.Look(360, "light")
	b.Keep("telephone-light")
}

// checkLost: the page says that the program is gone, and continues when it is back. The learner is full and only served then: the page
// shows the past that the learner keeps, and no chart without a line.
func checkLost(t *testing.T, b *pagetest.Browser, host string, gone func(), l *stream.Learner) {
	t.Helper()
	filetest.True(t, pagetest.Ask[bool](b, `document.getElementById("lost").hidden`),
		"the page says that the program is gone while it is there")
	gone()
	b.Await(`document.getElementById("lost").innerText.includes("its final state")`)
	b.Keep("gone")
	again := page.New(l.Moment, page.Options{Title: "again", Serving: true})
	_, gone = serve(t, host, again, l)
	b.Await(`document.getElementById("title").textContent === "again" && document.getElementById("lost").hidden`)
	b.Await(`document.getElementById("state").textContent === "serving"`)
	filetest.Want(t, pagetest.Ask[string](b, `["scorePlot", "ratePlot", "newPlot", "rate", "models", "fit"]
		.filter(id => document.getElementById(id).offsetParent).join()`), "scorePlot,newPlot,models,fit",
		"what the page shows of a full learner")
	b.Keep("serving")
	gone()
	b.Await(`document.getElementById("lost").innerText.includes("No connection to the program")`)
}
