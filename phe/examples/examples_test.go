// Package examples tests programs that use phe.New under GoMLX. They are a module of their own, so that their needs enter no other go.mod.
// The night runs them: some minutes, on XLA.
package examples

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// run runs a command on XLA and returns its output.
func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	plugin, err := backend.Plugin(backend.XLACPU)
	filetest.Check(t, err)
	command := exec.Command(name, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=1", "GOMLX_BACKEND=xla:cpu", "GOMLX_NO_AUTO_INSTALL=1",
		"PJRT_PLUGIN_LIBRARY_PATH="+filepath.Dir(plugin))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// numbers returns the numbers of a pattern's groups in an output.
func numbers(t *testing.T, pattern, output string) (found []float64) {
	t.Helper()
	groups := regexp.MustCompile(pattern).FindStringSubmatch(output)
	if groups == nil {
		t.Fatalf("no %s in\n%s", pattern, output)
	}
	for _, g := range groups[1:] {
		found = append(found, filetest.Must(strconv.ParseFloat(g, 64))(t))
	}
	return found
}

// adultFiles writes UCI's two files from ours. The demo compares their checksums, and downloads nothing.
func adultFiles(t *testing.T) (folder string) {
	folder = t.TempDir()
	packed := filetest.Must(gzip.NewReader(bytes.NewReader(filetest.Must(os.ReadFile("../../data/uci/adult.csv.gz"))(t))))(t)
	var plain bytes.Buffer
	filetest.Must(plain.ReadFrom(packed))(t)
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(plain.String(), ",", ", ")), "\n")[1:]
	data, test := lines[:32561], lines[32561:]
	for name, content := range map[string]string{
		"adult.data": strings.Join(data, "\n") + "\n\n",
		"adult.test": "|1x3 Cross validator\n" + strings.Join(test, ".\n") + ".\n\n",
	} {
		filetest.Check(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	return folder
}

// GoMLX's own demo on Adult reaches its accuracy, 87 %, with phe.New in place of eight embeddings. The patch changes at most 15 lines each
// way. Without the items' columns the demo stays below 85 %.
func TestAdult(t *testing.T) {
	patch := filetest.Must(filepath.Abs("adult/adult.patch"))(t)
	for _, sign := range []string{"+", "-"} {
		changed := regexp.MustCompile(`(?m)^[`+sign+`][^+-]`).FindAllString(string(filetest.Must(os.ReadFile(patch))(t)), -1)
		if len(changed) == 0 || len(changed) > 15 {
			t.Errorf("the patch has %d lines with %s", len(changed), sign)
		}
	}
	demo, work := strings.TrimSpace(run(t, ".", "go", "list", "-f", "{{.Dir}}", "github.com/gomlx/gomlx/examples/adult/demo")), t.TempDir()
	replaced := map[string]string{} // the folder adult of this module gets the demo's files, for the compiler only
	for _, name := range []string{"main.go", "model.go", "save_onnx_disabled.go"} {
		replaced[filetest.Must(filepath.Abs("adult/"+name))(t)] = filepath.Join(work, name)
		filetest.Check(t, os.WriteFile(filepath.Join(work, name), filetest.Must(os.ReadFile(filepath.Join(demo, name)))(t), 0o644))
	}
	run(t, work, "git", "apply", patch)
	overlay, program := filepath.Join(work, "overlay.json"), filepath.Join(work, "demo")
	filetest.Check(t, os.WriteFile(overlay, filetest.Must(json.Marshal(map[string]any{"Replace": replaced}))(t), 0o644))
	run(t, ".", "go", "build", "-overlay", overlay, "-o", program, "./adult")
	out := run(t, work, program, "-data", adultFiles(t), "-set=train_steps=3000;plots=false")
	if accuracy := numbers(t, `Results on test:[^%]*?([\d.]+)%`, out)[0]; accuracy < 86 {
		t.Errorf("accuracy %g %%", accuracy)
	}
}

// In a shop's first 20,000 lines, those with late items are forecast better than by their base rate, whose log-loss is 0.56.
func TestLate(t *testing.T) {
	packed := filetest.Must(zstd.NewReader(bytes.NewReader(filetest.Must(os.ReadFile("../../data/uci/retail.csv.zst"))(t))))(t)
	defer packed.Close()
	head := make([]byte, 1_700_000)
	filetest.Must(io.ReadFull(packed, head))(t)
	file := filepath.Join(t.TempDir(), "retail.csv")
	filetest.Check(t, os.WriteFile(file, head[:bytes.LastIndexByte(head, '\n')+1], 0o644))
	out := run(t, ".", "go", "run", "./late", file, "xla:cpu")
	nats := numbers(t, `(?s)items true: log-loss ([\d.]+).*items false: log-loss ([\d.]+)`, out)
	if late, others := nats[0], nats[1]; late > 0.52 || others > 0.22 {
		t.Errorf("log-loss %g of late items and %g of others", late, others)
	}
	code := string(filetest.Must(os.ReadFile("late/main.go"))(t))
	if lines := strings.Count(code, "\n"); lines > 80 {
		t.Errorf("the program has %d lines", lines)
	}
}
