package ncf_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gophe/phe/filetest"
	"gophe/phe/ncf"
	"gophe/phe/phetest"
)

// folderVariable tells a child, which is this test program started again, where its parent left the learners.
const folderVariable = "GOPHE_TEST_NCF_FOLDER"

// A learner that one process saves in the middle of its initial phase continues in another process with the same bits: the initial
// phase, updates by users and items that the first process never saw, predictions, and the last file.
func TestTwoProcesses(t *testing.T) {
	folder := os.Getenv(folderVariable)
	child := folder != ""
	if !child {
		folder = t.TempDir()
	}
	var names []string
	for _, c := range []struct {
		name   string
		method method
		input  ncf.LabelInput
		always bool // also where each case takes seconds to compile
	}{{"PHE", methods[0], ncf.MultiHot, true}, {"P-EE, embedded labels", methods[2], ncf.Embedded, false}} {
		if phetest.Brief(t) && !c.always {
			continue
		}
		names = append(names, c.name)
		config := c.method.config()
		config.LabelInput = c.input
		l := newLearner(t, config, toyData(), 0, 7)
		l.All = encode(t, config, ratingsOf(config, toyData())[:80])
		begun := filepath.Join(folder, c.name+" begun")
		if child {
			phetest.Load(t, l.Learner, begun)
			goOn(t, l, config, filepath.Join(folder, c.name+" by the child"))
			continue
		}
		check(t, l.Fit(rowsOf(0, 71), 1))
		phetest.Save(t, l.Learner, begun)
		goOn(t, l, config, filepath.Join(folder, c.name+" by the parent"))
	}
	if child {
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcesses$")
	command.Env = append(os.Environ(), folderVariable+"="+folder)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("the child: %v\n%s", err, out)
	}
	for _, name := range names {
		for _, file := range []string{"learner", "predictions"} {
			want := filetest.Must(os.ReadFile(filepath.Join(folder, name+" by the parent."+file)))(t)
			got := filetest.Must(os.ReadFile(filepath.Join(folder, name+" by the child."+file)))(t)
			if len(want) == 0 || !bytes.Equal(got, want) {
				t.Errorf("%s: the %s of another process differs from this one's", name, file)
			}
		}
	}
}

// goOn ends the initial phase, and learns and predicts ratings that the learner has not seen. It leaves the learner and the
// predictions in files.
func goOn(t *testing.T, l phetest.Led, c ncf.Config, name string) {
	t.Helper()
	check(t, l.Fit(rowsOf(0, 71), 1))
	l.Settle()
	check(t, l.Update(rowsOf(71, 80), 2))
	fresh := encode(t, c, []ncf.Rating{{User: "new", Item: "3", Value: 0.9}, {User: "1", Item: "new", Labels: c.Labels[2:4], Value: 0.1}})
	check(t, l.Learner.Update(fresh, 2))
	p := filetest.Must(l.Learner.Predict(fresh))(t)
	phetest.Save(t, l.Learner, name+".learner")
	file := filetest.Must(os.Create(name + ".predictions"))(t)
	check(t, binary.Write(file, binary.LittleEndian, p.Values))
	check(t, file.Close())
}
