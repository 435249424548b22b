package streaming

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker/brokertest"
)

// server starts a NATS server and returns its URL.
func server(t *testing.T) string {
	t.Helper()
	url, _ := brokertest.Start(t, filetest.Folder(t))
	return url
}

// The folder of a run with several learners is refused, with a remedy.
func TestFolderOfSeveralLearners(t *testing.T) {
	folder := t.TempDir()
	path, model := write(t, folder, "visits.csv", visits(30)), filepath.Join(folder, "m.phe")
	old := model + ".cluster"
	filetest.Check(t, os.Mkdir(old, 0o700))
	args := []string{"stream", path, "--target", "bought", "--id", "visit", "--model", model, "--force"}
	fails(t, args, "move that folder away and learn the rows again")
	filetest.Check(t, os.Rename(old, old+".old"))
	mustPhe(t, args...)
}

// A command that asks a question gives up when nobody answers, and says so while it waits.
func TestDeadServer(t *testing.T) {
	if !filetest.Long() {
		t.Skip("it waits 10 s; GOPHE_TEST=long runs it")
	}
	l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	dead := "nats://" + l.Addr().String() + "/s"
	filetest.Check(t, l.Close())
	model := filepath.Join(t.TempDir(), "m.phe")
	for _, question := range [][]string{{"feed", "--status", dead}, {"stream", dead, "--target", "y", "--model", model}} {
		t.Run(question[0], func(t *testing.T) {
			t.Parallel()
			_, said, err := phe(t, question...)
			filetest.WantError(t, err, "did not answer for 10s")
			filetest.WantWords(t, said, "waits for the servers")
		})
	}
}

// Commands that phe cluster had say what to do now.
func TestReplaced(t *testing.T) {
	for name, instead := range replaced {
		fails(t, []string{"cluster", name, "visits.csv", "--name", "visits", "--nats", "nats://localhost"},
			"cluster "+name+" is gone: "+instead)
	}
}
