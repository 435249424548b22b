package text_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/text"
)

func ExampleString() {
	for _, s := range []text.String{"café", "caf\xe9"} {
		b, _ := json.Marshal(s)
		fmt.Println(string(b))
	}
	// Output:
	// "café"
	// {"base64":"Y2Fm6Q=="}
}

// FuzzStrings checks that every list comes back byte for byte, and that a list of UTF-8 is plain JSON.
func FuzzStrings(f *testing.F) {
	f.Add("caf\xe9", "caf\xe8", `{"base64":""}`)
	f.Add("a<b", "\u2028", `"base64"`)
	for s := range slices.Values([]string{"\xe9", text.Escape("\xe9"), text.Escape(text.Escape("\xe9")), "base64:Y2Fm", "base64:?"}) {
		f.Add(s, "", "")
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		list := text.Strings{a, b, c, ""}
		for n := range len(list) + 1 {
			encoded := filetest.Must(json.Marshal(list[:n]))(t)
			var back text.Strings
			filetest.Check(t, json.Unmarshal(encoded, &back))
			filetest.Want(t, back, list[:n], "a list that comes back")
		}
		var one text.String
		filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(text.String(a)))(t), &one))
		filetest.Want(t, string(one), a, "a text that comes back")
		filetest.Want(t, text.Unescape(text.Escape(a)), a, "a text that was escaped")
		filetest.True(t, utf8.ValidString(text.Escape(a)), "%q was escaped as %q", a, text.Escape(a))
	})
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{256 << 10: "256K", 3 << 20: "3M", 1 << 30: "1G", 1000: "1000"} {
		filetest.Want(t, text.Size(n), want, "%d bytes", n)
	}
}
