package cell_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/page/pagetest"
)

// lab is JupyterLab in Chromium with one notebook open.
type lab struct {
	*pagetest.Browser
	t     *testing.T
	name  string
	cells []string // sources of code cells
}

// openLab starts JupyterLab on a copy of a committed notebook without outputs, all cells open. GOPHE_JUPYTER names the folder of jupyter:
// .ci/widgets sets it.
func openLab(t *testing.T, name string) *lab {
	t.Helper()
	bin := os.Getenv("GOPHE_JUPYTER")
	if bin == "" {
		t.Skip("GOPHE_JUPYTER names no JupyterLab; .ci/widgets installs one and runs this test")
	}
	var notebook map[string]any
	filetest.Check(t, json.Unmarshal(filetest.Must(os.ReadFile(filepath.Join("..", name)))(t), &notebook))
	l := &lab{t: t, name: strings.TrimSuffix(name, ".ipynb")}
	for _, c := range notebook["cells"].([]any) {
		if cell := c.(map[string]any); cell["cell_type"] == "code" {
			cell["outputs"], cell["execution_count"], cell["metadata"] = []any{}, nil, map[string]any{}
			l.cells = append(l.cells, fmt.Sprint(cell["source"]))
		}
	}
	// The first cell finds the repository in the folder above the notebook's, and JupyterLab writes into the notebook.
	folder := filetest.Must(filepath.Abs("../../out"))(t)
	filetest.Check(t, os.MkdirAll(folder, 0o755))
	filetest.Check(t, os.WriteFile(filepath.Join(folder, name), filetest.Must(json.Marshal(notebook))(t), 0o644))
	address := serve(t, bin, folder)
	l.Browser = pagetest.Open(t, 10*time.Minute, func(string) bool { return true })
	l.Do(emulation.SetDeviceMetricsOverride(1280, 1000, 1, false), chromedp.Navigate(address+"/lab/tree/"+name))
	l.await(`document.querySelectorAll(".jp-CodeCell").length == ` + strconv.Itoa(len(l.cells)))
	l.awaitKernel(address)
	return l
}

// serve starts JupyterLab and returns its address.
func serve(t *testing.T, bin, folder string) string {
	t.Helper()
	listener := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	command := exec.Command(filepath.Join(bin, "jupyter"), "lab", "--no-browser", "--allow-root",
		"--ServerApp.token=", "--ServerApp.password=", "--ServerApp.port="+strconv.Itoa(port), "--ServerApp.root_dir="+folder)
	settings := t.TempDir()
	setting(t, settings, "@jupyterlab/notebook-extension/tracker", `{"windowingMode": "none"}`) // or cells out of sight are not on the page
	setting(t, settings, "@jupyterlab/apputils-extension/notification", `{"fetchNews": "false"}`)
	command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "JUPYTER_CONFIG_DIR="+settings, "JUPYTER_RUNTIME_DIR="+settings,
		"JUPYTERLAB_SETTINGS_DIR="+settings, "JUPYTERLAB_WORKSPACES_DIR="+settings, "GOPHE_HEADLESS=")
	command.WaitDelay = 5 * time.Second
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	filetest.Check(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it ends its kernels first
		_ = command.Wait()
		if t.Failed() {
			t.Logf("JupyterLab said: %.6000s", said.String())
		}
	})
	address := "http://127.0.0.1:" + strconv.Itoa(port)
	filetest.Until(t, "JupyterLab answers", func() bool {
		answer, err := http.Get(address + "/api")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil
	})
	return address
}

// setting writes a setting of JupyterLab.
func setting(t *testing.T, folder, name, content string) {
	t.Helper()
	path := filepath.Join(folder, name+".jupyterlab-settings")
	filetest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	filetest.Check(t, os.WriteFile(path, []byte(content), 0o644))
}

// awaitKernel waits until the kernel runs and the page knows it. Cells that run before bring up a dialogue.
func (l *lab) awaitKernel(address string) {
	l.t.Helper()
	filetest.Until(l.t, "the kernel starts", func() bool {
		var kernels []struct {
			State string `json:"execution_state"`
			Pages int    `json:"connections"`
		}
		answer, err := http.Get(address + "/api/kernels")
		if err == nil {
			err = json.NewDecoder(answer.Body).Decode(&kernels)
			answer.Body.Close()
		}
		return err == nil && len(kernels) == 1 && kernels[0].State == "idle" && kernels[0].Pages > 0
	})
	l.await(`document.querySelector(".jp-Notebook-ExecutionIndicator[data-status=idle]") !== null`)
}

// await waits until a JavaScript expression is true. A cell may compute for minutes.
func (l *lab) await(expression string) {
	l.t.Helper()
	for limit := time.Now().Add(5 * time.Minute); !pagetest.Ask[bool](l.Browser, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			l.Keep("failed")
			l.t.Fatalf("%s does not become true; the outputs are %.3000s", expression,
				pagetest.Ask[string](l.Browser, `[...document.querySelectorAll(".jp-OutputArea")].map(a => a.innerText).join("\n----\n")`))
		}
	}
}

// start runs a cell by Control and Enter.
func (l *lab) start(cell int) {
	l.t.Helper()
	l.Do(chromedp.Evaluate(fmt.Sprintf(`document.querySelectorAll(".jp-CodeCell .cm-content")[%d].focus()`, cell), nil),
		chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)))
}

// output is a JavaScript expression for the text of a cell's outputs.
func output(cell int) string {
	return fmt.Sprintf(`document.querySelectorAll(".jp-CodeCell")[%d].querySelector(".jp-OutputArea").innerText`, cell)
}

// prompt is a JavaScript expression that is true if a cell has ended.
func ended(cell int) string {
	return fmt.Sprintf(`/\d/.test(document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")[%d].textContent)`, cell)
}

// isShown is a JavaScript expression that is true once the widget has a picture.
const isShown = `document.querySelector(".gophe-play svg") !== null`

// wantPicture waits until the text of the widget's picture has some words.
func (l *lab) wantPicture(words string) {
	l.t.Helper()
	l.await(fmt.Sprintf(`document.querySelector(".gophe-play svg").textContent.includes(%q)`, words))
}

// A slider in JupyterLab moves the picture, a text reaches it, and the cell ends by Stop, or when another cell waits, so that "run all
// cells" goes through. The log says how long a move takes.
func TestLab(t *testing.T) {
	const widget = 4
	l := openLab(t, "3.2-embeddings.ipynb")
	for cell := range widget {
		l.start(cell)
		l.await(ended(cell))
	}
	l.start(widget)
	l.await(isShown)
	l.Keep("first")
	const slider = `const s = document.querySelector(".gophe-play input[type=range]")`
	for n := 1; n <= 30; n++ {
		l.Do(chromedp.Evaluate(fmt.Sprintf(`{%s; s.value = %d; s.dispatchEvent(new Event("input"))}`, slider, 10+n), nil))
		l.await(fmt.Sprintf(`document.querySelector(".gophe-play").dataset.shown == "%d"`, n))
	}
	l.wantPicture("1/B = 0.02500")
	l.Do(chromedp.Evaluate(fmt.Sprintf(`{%s; for (let i = 1; i <= 200; i++) {
		s.value = 2 + i %% 49; s.dispatchEvent(new Event("input")) } }`, slider), nil))
	l.wantPicture("1/B = 0.1667") // the last of a fast move wins: 2 + 200 mod 49
	report(t, pagetest.Ask[string](l.Browser, `document.querySelector(".gophe-play").dataset.latency`))
	l.Do(chromedp.Evaluate(`{const s = document.querySelector(".gophe-play input[type=text]"); s.value = "<b>bold</b>";
		s.dispatchEvent(new Event("input"))}`, nil))
	l.Keep("moved")
	l.Do(chromedp.Click(".gophe-play [data-stop]"))
	l.await(ended(widget))
	filetest.WantWords(t, pagetest.Ask[string](l.Browser, output(widget)), "item = <b>bold</b>, B = 6, K = 3")
	l.Keep("stopped")
	l.start(widget)
	l.await(isShown)
	l.start(widget + 1)
	l.await(ended(widget + 1))
}

// Every widget of the committed notebooks moves in JupyterLab: its picture changes with its first control. The log has the
// latencies. This takes as long as all notebooks together, so that it runs only in the long form. GOPHE_PAGE_PICTURES keeps
// screenshots of each widget before and after the move; GOPHE_NOTEBOOK=NAME takes one notebook.
func TestWidgets(t *testing.T) {
	if !filetest.Long() {
		t.Skip("it runs every cell of every notebook; GOPHE_TEST=long does so")
	}
	var latencies strings.Builder
	paths := filetest.Must(filepath.Glob("../" + os.Getenv("GOPHE_NOTEBOOK") + "*.ipynb"))(t)
	for _, path := range filetest.Some(t, paths, "notebooks") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			l := openLab(t, filepath.Base(path))
			for cell := range l.cells {
				l.play(cell, &latencies)
			}
		})
	}
	if latencies.Len() > 0 { // a notebook may have no widget
		report(t, latencies.String())
	}
}

// move changes the first control of a widget.
const move = `(() => {
	const root = document.querySelector(".gophe-play"), find = s => root.querySelector(s);
	const fire = (e, value) => { e.value = value; e.dispatchEvent(new Event("input")); return e.dataset.name };
	const range = find("input[type=range]"), select = find("select"), text = find("input[type=text]");
	if (range) {
		const step = Number(range.step), to = Number(range.value) + Math.max(step, Math.round((range.max - range.min) / 4 / step) * step);
		return fire(range, to <= Number(range.max) ? to : range.min);
	}
	if (select) return fire(select, select.options[select.selectedIndex ? 0 : 1].value);
	return fire(text, text.value + "x");
})()`

// play runs a cell. If it shows a widget, it moves the first control five times and stops the cell.
func (l *lab) play(cell int, latencies *strings.Builder) {
	l.t.Helper()
	l.start(cell)
	l.await(ended(cell) + " || " + isShown)
	if pagetest.Ask[bool](l.Browser, ended(cell)) {
		filetest.WantNone(l.t, pagetest.Ask[string](l.Browser, output(cell)), "Error:", "exit status")
		filetest.True(l.t, !strings.Contains(l.cells[cell], "cell.Play("), "cell %d has ended without a widget", cell)
		return
	}
	l.Do(chromedp.Evaluate(`document.querySelector(".gophe-play").scrollIntoView({block: "center"})`, nil))
	picture := func() string {
		return pagetest.Ask[string](l.Browser, `document.querySelector(".gophe-play .picture")?.innerHTML ?? ""`)
	}
	first := picture()
	l.Keep(fmt.Sprintf("%s-%d-before", l.name, cell))
	for n := 1; n <= 5; n++ {
		control := pagetest.Ask[string](l.Browser, move)
		l.await(fmt.Sprintf(`document.querySelector(".gophe-play").dataset.shown == "%d"`, n))
		filetest.True(l.t, n > 1 || picture() != first, "cell %d: the picture does not change with %s", cell, control)
	}
	l.Keep(fmt.Sprintf("%s-%d-after", l.name, cell))
	fmt.Fprintln(latencies, pagetest.Ask[string](l.Browser, `document.querySelector(".gophe-play").dataset.latency`))
	l.Do(chromedp.Evaluate(`document.querySelector(".gophe-play [data-stop]").click()`, nil))
	l.await(ended(cell))
}

// report logs the latencies of moves in milliseconds.
func report(t *testing.T, text string) {
	t.Helper()
	var took []int
	for _, field := range strings.Fields(text) {
		took = append(took, filetest.Must(strconv.Atoi(field))(t))
	}
	slices.Sort(filetest.Some(t, took, "moves that were measured"))
	t.Logf("from a move to the new picture, %d moves: median %d ms, worst %d ms", len(took), took[len(took)/2], took[len(took)-1])
}
