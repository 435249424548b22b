// Command mutants breaks the program in many small ways, one at a time, and runs tests that should notice.
//
//	go run ./.ci/mutants [-only WORD] [-parallel N]
//
// A mutant that no test notices has survived: a test is missing. The command then exits with status 1. It also does if a
// mutant does not compile, or if its text no longer occurs exactly once. To add a mutant, add an entry to mutants.json.
// The working tree is never changed: the flag -overlay shows the compiler a changed copy of one file.
package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pkg/errors"
)

// mutant is one change that tests must notice.
type mutant struct {
	File     string // from the repository's root
	Breaks   string // the consequence of the change, in words
	Old, New string // Old occurs in the file exactly once
	Tests    string // packages, and perhaps -run with the tests that should notice
	Needs    string // an environment variable that the tests need; without it the mutant is left out
}

//go:embed mutants.json
var list []byte

// all returns the mutants of every promise.
func all() (mutants []mutant, err error) {
	var promises []struct {
		Promise string
		Mutants []mutant
	}
	if err := json.Unmarshal(list, &promises); err != nil {
		return nil, errors.Wrap(err, "reading mutants.json")
	}
	for _, p := range promises {
		mutants = append(mutants, p.Mutants...)
	}
	return mutants, nil
}

func main() {
	only := flag.String("only", "", "take the mutants whose file or description contains this `word`")
	parallel := flag.Int("parallel", 2, "number of mutants tested at a time")
	flag.Parse()
	mutants, err := all()
	if err == nil {
		err = run(slices.DeleteFunc(mutants, func(m mutant) bool {
			return !strings.Contains(m.File+" "+m.Breaks, *only) || m.Needs != "" && os.Getenv(m.Needs) == ""
		}), *parallel)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run tests the mutants and prints a line for each.
func run(mutants []mutant, parallel int) error {
	start := time.Now()
	if len(mutants) == 0 {
		return errors.New("no mutant matches")
	}
	if err := testUnchanged(mutants); err != nil {
		return err
	}
	var group sync.WaitGroup
	var printing sync.Mutex
	places, failed := make(chan struct{}, parallel), 0
	for _, m := range mutants {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			began := time.Now()
			outcome, caught := m.test()
			printing.Lock()
			defer printing.Unlock()
			if !caught {
				failed++
			}
			fmt.Printf("%5.1f s  %s: %s: %s\n", time.Since(began).Seconds(), m.File, m.Breaks, outcome)
		})
	}
	group.Wait()
	fmt.Printf("%d of %d mutants caught in %.0f s\n", len(mutants)-failed, len(mutants), time.Since(start).Seconds())
	if failed > 0 {
		return errors.Errorf("%d mutants were not caught; write the missing tests or mend mutants.json", failed)
	}
	return nil
}

// testUnchanged makes sure that the mutants' tests exist and pass as long as nothing is broken.
func testUnchanged(mutants []mutant) error {
	var lines []string
	for _, m := range mutants {
		if !slices.Contains(lines, m.Tests) {
			lines = append(lines, m.Tests)
		}
	}
	for _, line := range lines {
		output, err := goTest(line)
		if err != nil {
			return errors.Errorf("`go test %s` fails on the unchanged program:\n%s", line, output)
		}
		if strings.Contains(output, "no tests to run") {
			return errors.Errorf("`go test %s` has a package without such tests", line)
		}
	}
	return nil
}

// test says what became of the mutant, and whether a test caught it.
func (m mutant) test() (outcome string, caught bool) {
	folder, err := os.MkdirTemp("", "mutant-*")
	if err != nil {
		return err.Error(), false
	}
	defer os.RemoveAll(folder)
	overlay, err := m.overlay(folder)
	if err != nil {
		return err.Error(), false
	}
	output, err := goTest(m.Tests, "-overlay="+overlay)
	switch {
	case err == nil:
		return "SURVIVED " + m.Tests, false
	case strings.Contains(output, "[build failed]") || strings.Contains(output, "[setup failed]"):
		return "DOES NOT COMPILE\n" + output, false
	}
	return "caught by " + firstFailure(output), true
}

// apply changes the text of the mutant's file.
func (m mutant) apply(content string) (string, error) {
	if n := strings.Count(content, m.Old); n != 1 {
		return "", errors.Errorf("%s holds %q %d times, not once; mend the entry", m.File, m.Old, n)
	}
	return strings.Replace(content, m.Old, m.New, 1), nil
}

// overlay writes the changed file into a folder, and the JSON that puts it in the place of the original.
func (m mutant) overlay(folder string) (path string, err error) {
	content, err := os.ReadFile(m.File)
	if err != nil {
		return "", errors.WithStack(err)
	}
	changed, err := m.apply(string(content))
	if err != nil {
		return "", err
	}
	replacement := filepath.Join(folder, filepath.Base(m.File))
	path = filepath.Join(folder, "overlay.json")
	original, err := filepath.Abs(m.File)
	places, _ := json.Marshal(map[string]map[string]string{"Replace": {original: replacement}}) // never fails
	return path, cmp.Or(err, os.WriteFile(replacement, []byte(changed), 0o644), os.WriteFile(path, places, 0o644))
}

// goTest runs tests up to the first failure. A mutant may loop for ever: the time limit counts as a failure. The flags hold for programs
// that tests build, too.
func goTest(arguments string, flags ...string) (output string, err error) {
	words := append([]string{"test", "-failfast", "-vet=off", "-count=1", "-timeout=120s"}, strings.Fields(arguments)...)
	command := exec.Command("go", words...)
	command.Env = append(os.Environ(), "GOFLAGS="+strings.Join(append(flags, os.Getenv("GOFLAGS")), " "))
	content, err := command.CombinedOutput()
	return string(content), err
}

// firstFailure names the test that failed first.
func firstFailure(output string) string {
	for _, line := range strings.Split(output, "\n") {
		if _, name, found := strings.Cut(line, "--- FAIL: "); found {
			return strings.Fields(name)[0]
		}
	}
	for _, sign := range []string{"test timed out", "panic:", "fatal error:"} {
		if strings.Contains(output, sign) {
			return sign
		}
	}
	return "an exit"
}
