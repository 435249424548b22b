package cell_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/page/pagetest"
)

// Every widget of the committed notebooks moves in JupyterLab: its picture changes with its first control. The log has the
// latencies. This takes as long as all notebooks together, so that it runs only in the long form. GOPHE_PAGE_PICTURES keeps
// screenshots of each widget before and after the move; GOPHE_NOTEBOOK=NAME takes one notebook.
func TestWidgets(t *testing.T) {
	if !filetest.Long() {
		t.Skip("it runs every cell of every notebook; GOPHE_TEST=long does so")
	}
	root := filetest.Must(filepath.Abs("../.."))(t)
	paths := filetest.Must(filepath.Glob(filepath.Join(root, "notebooks", os.Getenv("GOPHE_NOTEBOOK")+"*.ipynb")))(t)
	filetest.True(t, len(paths) > 0, "no notebooks")
	// The first cell finds the repository in the folder above the notebook's, and JupyterLab writes into the notebooks.
	folder := filepath.Join(root, "out")
	var latencies strings.Builder
	for _, path := range paths {
		cells := copyWithoutOutputs(t, path, folder)
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ipynb"), func(t *testing.T) {
			l := openNotebook(t, folder, filepath.Base(path), cells)
			for cell := range cells {
				l.play(cell, strings.TrimSuffix(filepath.Base(path), ".ipynb"), &latencies)
			}
		})
	}
	if latencies.Len() > 0 { // a notebook may have no widget
		report(t, latencies.String())
	}
}

// copyWithoutOutputs writes a notebook without outputs into a folder, all cells open, and returns the number of code cells.
func copyWithoutOutputs(t *testing.T, path, folder string) (cells int) {
	t.Helper()
	content := filetest.Must(os.ReadFile(path))(t)
	var notebook map[string]any
	filetest.Check(t, json.Unmarshal(content, &notebook))
	for _, c := range notebook["cells"].([]any) {
		if cell := c.(map[string]any); cell["cell_type"] == "code" {
			cell["outputs"], cell["execution_count"], cell["metadata"] = []any{}, nil, map[string]any{}
			cells++
		}
	}
	content = filetest.Must(json.Marshal(notebook))(t)
	filetest.Check(t, os.MkdirAll(folder, 0o755))
	filetest.Check(t, os.WriteFile(filepath.Join(folder, filepath.Base(path)), content, 0o644))
	return cells
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
func (l *lab) play(cell int, name string, latencies *strings.Builder) {
	l.t.Helper()
	l.start(cell)
	l.awaitLong(ended(cell) + ` || document.querySelector(".gophe-play svg") !== null`)
	if pagetest.Ask[bool](l.Browser, ended(cell)) {
		filetest.WantNone(l.t, pagetest.Ask[string](l.Browser, output(cell)), "Error:", "exit status")
		if pagetest.Ask[bool](l.Browser, fmt.Sprintf(`document.querySelectorAll(".jp-CodeCell")[%d].querySelector(".cm-content").innerText.includes("cell.Play(")`, cell)) {
			l.t.Errorf("cell %d has ended without a widget", cell)
		}
		return
	}
	l.Do(chromedp.Evaluate(`document.querySelector(".gophe-play").scrollIntoView({block: "center"})`, nil))
	picture := func() string {
		return pagetest.Ask[string](l.Browser, `document.querySelector(".gophe-play .picture")?.innerHTML ?? ""`)
	}
	first := picture()
	l.Keep(fmt.Sprintf("%s-%d-before", name, cell))
	for n := 1; n <= 5; n++ {
		control := pagetest.Ask[string](l.Browser, move)
		l.await(fmt.Sprintf(`document.querySelector(".gophe-play").dataset.shown == "%d"`, n))
		filetest.True(l.t, n > 1 || picture() != first, "cell %d: the picture does not change with %s", cell, control)
	}
	l.Keep(fmt.Sprintf("%s-%d-after", name, cell))
	fmt.Fprintln(latencies, pagetest.Ask[string](l.Browser, `document.querySelector(".gophe-play").dataset.latency`))
	l.Do(chromedp.Evaluate(`document.querySelector(".gophe-play [data-stop]").click()`, nil))
	l.await(ended(cell))
}
