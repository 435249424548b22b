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
	t *testing.T
}

// openLab starts JupyterLab on a notebook of the cells. GOPHE_JUPYTER names the folder of jupyter: .ci/widgets sets it.
func openLab(t *testing.T, cells ...string) *lab {
	t.Helper()
	folder := t.TempDir()
	writeNotebook(t, filepath.Join(folder, "play.ipynb"), cells)
	return openNotebook(t, folder, "play.ipynb", len(cells))
}

// openNotebook starts JupyterLab in a folder and opens a notebook with the given number of code cells.
func openNotebook(t *testing.T, folder, name string, cells int) *lab {
	t.Helper()
	bin := os.Getenv("GOPHE_JUPYTER")
	if bin == "" {
		t.Skip("GOPHE_JUPYTER names no JupyterLab; .ci/widgets installs one and runs this test")
	}
	address := serve(t, bin, folder)
	browser := pagetest.Open(t, 10*time.Minute, func(string) bool { return true })
	browser.Do(emulation.SetDeviceMetricsOverride(1280, 1000, 1, false))
	l := &lab{browser, t}
	l.Do(chromedp.Navigate(address + "/lab/tree/" + name))
	l.await(`document.querySelectorAll(".jp-CodeCell").length == ` + strconv.Itoa(cells))
	l.awaitKernel(address)
	return l
}

func writeNotebook(t *testing.T, path string, cells []string) {
	t.Helper()
	root := filetest.Must(filepath.Abs("../.."))(t)
	cells[0] = "%noautoget\n!*rm -f go.work && go work init . " + root + "\n" + cells[0]
	var list []map[string]any
	for i, source := range cells {
		list = append(list, map[string]any{"cell_type": "code", "id": fmt.Sprint("cell", i), "metadata": map[string]any{}, "execution_count": nil, "outputs": []any{}, "source": source})
	}
	content := filetest.Must(json.Marshal(map[string]any{"cells": list, "nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{
		"kernelspec": map[string]any{"display_name": "Go (gonb)", "language": "go", "name": "gonb"}}}))(t)
	filetest.Check(t, os.WriteFile(path, content, 0o644))
}

// serve starts JupyterLab and returns its address.
func serve(t *testing.T, bin, folder string) string {
	t.Helper()
	listener := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	command := exec.Command(filepath.Join(bin, "jupyter"), "lab", "--no-browser", "--allow-root", "--ServerApp.token=", "--ServerApp.password=",
		"--ServerApp.port="+strconv.Itoa(port), "--ServerApp.root_dir="+folder)
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
	for range 300 {
		if answer, err := http.Get(address + "/api"); err == nil {
			answer.Body.Close()
			return address
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("JupyterLab does not answer: %s", said.String())
	return ""
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
	for range 300 {
		var kernels []struct {
			State string `json:"execution_state"`
			Pages int    `json:"connections"`
		}
		answer, err := http.Get(address + "/api/kernels")
		if err == nil {
			err = json.NewDecoder(answer.Body).Decode(&kernels)
			answer.Body.Close()
		}
		if err == nil && len(kernels) == 1 && kernels[0].State == "idle" && kernels[0].Pages > 0 {
			l.await(`document.querySelector(".jp-Notebook-ExecutionIndicator[data-status=idle]") !== null`)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	l.t.Fatal("the kernel does not start")
}

// await waits up to a minute until a JavaScript expression is true.
func (l *lab) await(expression string) {
	l.t.Helper()
	l.awaitFor(expression, time.Minute)
}

// awaitLong waits for a cell that computes.
func (l *lab) awaitLong(expression string) {
	l.t.Helper()
	l.awaitFor(expression, 5*time.Minute)
}

func (l *lab) awaitFor(expression string, most time.Duration) {
	l.t.Helper()
	for limit := time.Now().Add(most); !pagetest.Ask[bool](l.Browser, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			l.Keep("failed")
			l.t.Fatalf("%s does not become true; the outputs are %.3000s", expression, pagetest.Ask[string](l.Browser, `[...document.querySelectorAll(".jp-OutputArea")].map(a => a.innerText + a.innerHTML.slice(0, 300)).join("\n----\n")`))
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

const imports = `import (
	"fmt"
	"gophe/figures/draw"
	"gophe/notebooks/cell"
	"math"
)

// wave is a picture that takes no time to compute.
func wave(at cell.Position) *draw.Figure {
	frequency := at.Number("frequency")
	return draw.New("x", at.Text("title")).Curve("sine", func(x float64) float64 { return math.Sin(frequency*x) }, 0, 6).
		Figure(fmt.Sprint("frequency ", frequency))
}`

const widget = `%%
cell.Figure(cell.Play(wave, cell.Player("frequency", 1, 40, 2), cell.Text("title", "a wave"), cell.Choice("kind", "x", "y")))`

// A slider in JupyterLab moves the picture, a text reaches it, and the cell ends by Stop. The log says how long a move takes.
func TestLab(t *testing.T) {
	l := openLab(t, imports, widget, "%%\nfmt.Println(\"another cell\")")
	l.start(0)
	l.await(ended(0))
	l.start(1)
	l.await(`document.querySelector(".gophe-play svg") !== null`)
	l.Keep("first")
	const slider = `document.querySelector(".gophe-play input[type=range]")`
	for frequency := 3; frequency <= 32; frequency++ {
		l.Do(chromedp.Evaluate(fmt.Sprintf(`{const s = %s; s.value = %d; s.dispatchEvent(new Event("input"))}`, slider, frequency), nil))
		l.await(fmt.Sprintf(`document.querySelector(".gophe-play").dataset.shown == "%d"`, frequency-2))
	}
	filetest.WantWords(t, pagetest.Ask[string](l.Browser, `document.querySelector(".gophe-play svg").textContent`), "frequency 32")
	l.Do(chromedp.Evaluate(fmt.Sprintf(`{const s = %s; for (let i = 0; i < 200; i++) { s.value = 1 + i %% 40; s.dispatchEvent(new Event("input")) } }`, slider), nil))
	l.await(`document.querySelector(".gophe-play svg").textContent.includes("frequency 40")`) // the last of a fast move wins
	report(t, pagetest.Ask[string](l.Browser, `document.querySelector(".gophe-play").dataset.latency`))
	l.Do(chromedp.Evaluate(`{const s = document.querySelector(".gophe-play input[type=text]"); s.value = "<b>bold</b>"; s.dispatchEvent(new Event("input"))}`, nil))
	l.await(`document.querySelector(".gophe-play svg").textContent.includes("<b>bold</b>")`)
	l.Keep("moved")
	l.Do(chromedp.Click(".gophe-play [data-stop]"))
	l.await(ended(1))
	filetest.WantWords(t, pagetest.Ask[string](l.Browser, output(1)), "frequency = 40")
	l.Keep("stopped")
}

// A widget gives way to another cell that waits, so that "run all cells" goes through.
func TestLabGivesWay(t *testing.T) {
	l := openLab(t, imports, widget, "%%\nfmt.Println(\"another cell\")")
	l.start(0)
	l.await(ended(0))
	l.start(1)
	l.await(`document.querySelector(".gophe-play svg") !== null`)
	l.start(2)
	l.await(ended(2))
	filetest.WantWords(t, pagetest.Ask[string](l.Browser, output(2)), "another cell")
}

// report logs the latencies of moves in milliseconds.
func report(t *testing.T, text string) {
	t.Helper()
	var took []int
	for _, field := range strings.Fields(text) {
		took = append(took, filetest.Must(strconv.Atoi(field))(t))
	}
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatal("no move was measured")
	}
	t.Logf("from a move to the new picture, %d moves: median %d ms, worst %d ms", len(took), took[len(took)/2], took[len(took)-1])
}
