package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var phe string // the command that the harness measures, built by TestMain

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "streams-test-*")
	if err == nil {
		phe = filepath.Join(folder, "phe")
		var output []byte
		if output, err = exec.Command("go", "build", "-o", phe, "../cmd/phe").CombinedOutput(); err != nil {
			err = fmt.Errorf("go build: %w\n%s", err, output)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}
