package nettest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn/learntest"
)

// Process is a learner that one process leaves in a file, and that another process continues.
type Process struct {
	New    func() learntest.Led              // a learner that has seen no data, the same in both processes
	Before func(l learntest.Led)             // what the first process does before it leaves the learner
	After  func(l learntest.Led) [][]float32 // what both processes do then; it returns forecasts
}

// folderVariable tells a child, which is the test program started again, where its parent left the learners.
const folderVariable = "GOPHE_TEST_FOLDER"

// TwoProcesses checks that a learner that one process leaves in a file continues in another process with the same bits: its forecasts
// and its last file. It starts the test program again to run the calling test only.
func TwoProcesses(t *testing.T, learners ...Process) {
	t.Helper()
	folder := os.Getenv(folderVariable)
	child := folder != ""
	if !child {
		folder = t.TempDir()
	}
	ends := make([][]byte, len(learners))
	for i, p := range learners {
		l, begun := p.New(), filepath.Join(folder, fmt.Sprint(i))
		if child {
			filetest.Must(l.ReadFrom(bytes.NewReader(filetest.Must(os.ReadFile(begun))(t))))(t)
		} else {
			p.Before(l)
			var file bytes.Buffer
			filetest.Must(l.WriteTo(&file))(t)
			filetest.Check(t, os.WriteFile(begun, file.Bytes(), 0o600))
		}
		var end bytes.Buffer
		for _, forecasts := range p.After(l) {
			filetest.Check(t, binary.Write(&end, binary.LittleEndian, forecasts))
		}
		filetest.Must(l.WriteTo(&end))(t)
		ends[i] = end.Bytes()
		if child {
			filetest.Check(t, os.WriteFile(begun+" end", end.Bytes(), 0o600))
		}
	}
	if child {
		return
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), folderVariable+"="+folder)
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
	for i, want := range ends {
		if got := filetest.Must(os.ReadFile(filepath.Join(folder, fmt.Sprint(i, " end"))))(t); !bytes.Equal(got, want) {
			t.Errorf("learner %d: the other process ends at other bits than this one", i)
		}
	}
}
