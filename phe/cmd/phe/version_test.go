package main

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	text := call(t, "", "--version").
		prints(t, "phe ", strings.Replace(runtime.Version(), "go", "Go ", 1), runtime.GOOS+"/"+runtime.GOARCH).stdout
	if !regexp.MustCompile(`^.*, GoMLX v\d+\.\d+\.\d+, .*\n$`).MatchString(text) {
		t.Errorf("want one line with GoMLX's version: %q", text)
	}
}

func TestVersionNamesTheCommit(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.5", Main: debug.Module{Version: "v1.2.3"}, Deps: []*debug.Module{{Path: gomlx, Version: "v0.28.2"}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}}
	if got, want := describe(info), "phe v1.2.3 (commit 0123456789ab, with changes), Go 1.26.5, GoMLX v0.28.2, "; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s…", got, want)
	}
	info.Main.Version, info.Settings = "(devel)", nil
	if got, want := describe(info), "phe (built without its commit), Go 1.26.5, "; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s…", got, want)
	}
	info.Main.Version, info.Deps[0].Replace = "v1.2.3", &debug.Module{Version: "v0.29.0"}
	if got, want := describe(info), "phe v1.2.3, Go 1.26.5, GoMLX v0.29.0, "; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s…", got, want)
	}
}
