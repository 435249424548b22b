package machine

import (
	"os/exec"
	"strings"
	"testing"
)

// In a checkout the commit is git's, with a mark if tracked files were changed.
func TestCommit(t *testing.T) {
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Skip("this is no checkout of git")
	}
	want := strings.TrimSpace(string(head))
	if got := Commit(); got != want && got != want+"+changes" {
		t.Errorf("commit %q, want %q", got, want)
	}
}
