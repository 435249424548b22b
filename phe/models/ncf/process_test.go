package ncf_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/models/ncf"
)

// folderVariable tells a child, which is the test program started again, where its parent left the learners.
const folderVariable = "GOPHE_TEST_FOLDER"

// A learner that one process saves in the middle of its initial phase continues in another process with the same bits: the initial
// phase, updates by users and items that the first process never saw, predictions, and the last file. The test starts its own program
// again to be the other process.
func TestTwoProcesses(t *testing.T) {
	folder := os.Getenv(folderVariable)
	child := folder != ""
	if !child {
		folder = t.TempDir()
	}
	begun := func(name string) string { return filepath.Join(folder, name) }
	ends := map[string][]byte{}
	for _, c := range []struct {
		name   string
		method method
		input  ncf.LabelInput
		always bool // also where each case takes seconds to compile
	}{{"hash", methods[0], ncf.MultiHot, true}, {"vocabulary", methods[2], ncf.Embedded, false}} {
		if nettest.Brief(t) && !c.always {
			continue
		}
		config := c.method.config()
		config.LabelInput = c.input
		l := newLearner(t, config, toyData(), 0, 7)
		l.All = encode(t, config, ratingsOf(config, toyData())[:80])
		if child {
			filetest.Must(l.ReadFrom(bytes.NewReader(filetest.Must(os.ReadFile(begun(c.name)))(t))))(t)
		} else {
			check(t, l.Fit(rowsOf(0, 71), 1))
			check(t, os.WriteFile(begun(c.name), file(t, l), 0o600))
		}
		check(t, l.Fit(rowsOf(0, 71), 1))
		l.Settle()
		check(t, l.Update(rowsOf(71, 80), 2))
		fresh := encode(t, config, []ncf.Rating{{User: "new", Item: "3", Value: 0.9}, {User: "1", Item: "new", Labels: config.Labels[2:4], Value: 0.1}})
		check(t, l.Learner.Update(fresh, 2))
		end := filetest.Must(binary.Append(file(t, l), binary.LittleEndian, filetest.Must(l.Learner.Predict(fresh))(t).Values))(t)
		if child {
			check(t, os.WriteFile(begun(c.name+" end"), end, 0o600))
		}
		ends[c.name] = end
	}
	if child {
		return
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), folderVariable+"="+folder)
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
	for name, want := range ends {
		if got := filetest.Must(os.ReadFile(begun(name + " end")))(t); !bytes.Equal(got, want) {
			t.Errorf("%s: the other process ends at other bits than this one", name)
		}
	}
}

// file returns what a learner saves.
func file(t *testing.T, l nettest.Led) []byte {
	t.Helper()
	var b bytes.Buffer
	filetest.Must(l.WriteTo(&b))(t)
	return b.Bytes()
}
