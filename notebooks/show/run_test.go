package show

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// One experiment runs on each backend that opens. The others have a row that says so.
func TestOnEachBackend(t *testing.T) {
	root := filetest.Must(filepath.Abs("../.."))(t)
	t.Setenv(files.PathVariable, filepath.Join(root, "data", "uci"))
	t.Setenv("GONB_DIR", filepath.Join(t.TempDir(), "notebooks"))
	t.Setenv("GOPHE_CACHE", t.TempDir()) // no plugin
	t.Setenv("GOPHE_CUDA_PLUGIN", "")
	s := filetest.Must(spec.Load("mushroom-by-group"))(t)
	s.Protocol.InitialEpochs, s.Protocol.MaxChunks, s.Methods, s.Seeds = 1, 2, s.Methods[:1], s.Seeds[:2]
	rows := OnEachBackend(s).Records()[1:]
	if len(rows) != 3 || rows[0][0] != backend.Go || strings.Contains(rows[0][3], "not") || rows[1][3] != "not on this machine" || rows[2][3] != rows[1][3] {
		t.Errorf("the rows are %q", rows)
	}
	if found, _ := os.ReadDir(Results()); len(found) == 0 {
		t.Error("nothing was left in", Results())
	}
}
