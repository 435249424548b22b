package study

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gophe/data/files"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// programVariable makes this test program be phe with the commands of the study: doctor trains in processes of their own.
const programVariable = "GOPHE_TEST_STUDY"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) == "" {
		os.Exit(m.Run())
	}
	root := &cobra.Command{Use: "phe", SilenceUsage: true}
	root.AddGroup(&cobra.Group{ID: Group})
	if root.AddCommand(Commands()...); root.Execute() != nil {
		os.Exit(1)
	}
}

// A training both ways says times and whether the bits are equal; without a training it says why.
func TestDoctorBothWays(t *testing.T) {
	t.Setenv(files.PathVariable, filetest.Must(filepath.Abs("../../../../data/uci"))(t))
	t.Setenv(programVariable, "1")
	if filetest.Long() { // it reads the table four times
		f := bothWays(backend.Go, "2", "1")
		filetest.True(t, f.Found && strings.HasSuffix(f.Detail, "; equal bits"), "on the processor: %+v", f)
		filetest.Want(t, strings.Count(f.Detail, "ms a step"), 4, "times")
	}
	f := bothWays("xla:abacus", "2", "1")
	filetest.Want(t, f.Found, false, "a backend that is none is found")
	filetest.WantWords(t, f.Detail, "on: the training ends with exit status 1")
}
