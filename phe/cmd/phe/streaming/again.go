package streaming

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode"

	"gophe/phe/live/driver"
	"gophe/phe/records"
)

// audit identifies a model, to compare it with another: equal learners have equal checksums.
type audit struct {
	Rows int64  `json:"rows"`
	Sum  string `json:"checksum"`             // of the beliefs
	Line string `json:"learned_by,omitempty"` // a command that learns the same rows into another file; empty if none does
}

// auditOf returns the audit of a learner with a checksum. If it has learned the stream of an address, the line has this address.
func auditOf(state driver.State, sum uint32, address string) audit {
	a := audit{state.Rows, fmt.Sprintf("%08x", sum), ""}
	input := cmp.Or(string(state.Several), quoted(string(state.Input.Name)))
	atEnd := state.Ends > 0 || state.Settings.Labels != "" // late labels were learned at the end, where no --rows stops
	twice := len(state.Earlier) > 0 || state.NamedLater
	if state.Input.Name == "" || state.Served != nil || twice || state.Labels.End > 0 || state.Ends > 1 || atEnd && !state.Ended {
		return a
	}
	switch {
	case state.Input.Name == "standard input":
		input = "-"
	case path.Base(input) == path.Base(address):
		input = address
	}
	a.Line = "phe stream " + input
	for name, values := range state.Settings.All() {
		if len(values) > 1 && name != "multi" && name != "same" {
			values = []string{records.CSVLine(values)}
		}
		for _, value := range values {
			a.Line += " --" + name + " " + quoted(value)
		}
	}
	if !atEnd {
		a.Line += fmt.Sprintf(" --rows %d", state.Records())
	}
	a.Line += " --model again.phe"
	return a
}

// quoted returns a word, in quotes if a shell needs them.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:,=+@%", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
