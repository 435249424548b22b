package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"gophe/phe/stream"
)

// gomlx is the module that decides most numbers next to this program.
const gomlx = "github.com/gomlx/gomlx"

// version returns the line that a bug report should quote: the program's version and commit, and the versions of Go and GoMLX.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fmt.Sprintf("phe %s, built without module information, %s", stream.Release, runtime.Version())
	}
	return describe(info)
}

// describe returns the version that is written into a program.
func describe(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	words := []string{"phe " + stream.Release}
	if commit := settings["vcs.revision"]; commit != "" {
		words[0] += fmt.Sprintf(" (commit %.12s", commit)
		if settings["vcs.modified"] == "true" {
			words[0] += ", with changes"
		}
		words[0] += ")"
	} else if info.Main.Version == "(devel)" {
		words[0] += " (built without its commit)"
	}
	words = append(words, strings.Replace(info.GoVersion, "go", "Go ", 1))
	for _, m := range info.Deps {
		if m.Path == gomlx {
			if m.Replace != nil {
				m = m.Replace
			}
			words = append(words, "GoMLX "+m.Version)
		}
	}
	return strings.Join(append(words, runtime.GOOS+"/"+runtime.GOARCH), ", ")
}
