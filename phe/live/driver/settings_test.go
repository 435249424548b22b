package driver

import (
	"encoding/json"
	"fmt"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/text"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// settings are settings of every kind, with names that are not UTF-8.
var settings = Settings{Columns: schema.Hints{Target: "y\xe9", As: schema.Classes, Classes: []string{"b", "a\xe9"},
	Kinds: map[string]schema.Kind{"u\xe9": schema.Dropped, "t": schema.Dropped, "n": schema.ID}, Multi: map[string]string{"g\xe9": "\xa6"},
	Same: map[string]string{"to": "-from"}, Weights: map[string]float64{"a\xe9": 2.5}}, Schema: "s\xe9.json", Where: "u\xe9>1", Delay: 5,
	Labels: "l\xe9.csv", WaitingMemory: 1 << 24, Bad: Skip, Memory: 1 << 20, Interactions: onepass.FM, Forget: 1e-3, Seed: -7, IDs: NoIDs}

// Settings come back from JSON, their words are what flags take, and a default has none.
func TestSettings(t *testing.T) {
	t.Parallel()
	var again Settings
	filetest.Check(t, text.Decode(filetest.Must(json.Marshal(settings))(t), &again))
	filetest.Want(t, again, settings, "the settings of JSON")
	words := ""
	for name, values := range settings.All() {
		words += fmt.Sprintf("%s %q ", name, values)
	}
	filetest.Want(t, words, `target ["y\xe9"] as ["classes"] classes ["b" "a\xe9"] drop ["t" "u\xe9"] keep [] `+
		`category [] number [] time [] `+
		`id ["n"] weight [] multi ["g\xe9=\xa6"] same ["to=-from"] class-weight ["a\xe9=2.5"] schema ["s\xe9.json"] where ["u\xe9>1"] `+
		`delay ["5"] labels ["l\xe9.csv"] waiting-memory ["16M"] bad ["skip"] memory ["1M"] `+
		`interactions ["fm"] forget ["0.001"] seed ["-7"] `+
		`ids ["0"] `, "words")
	for name, values := range (Settings{Interactions: onepass.Auto, IDs: DefaultIDs}).All() {
		filetest.Want(t, len(values), 0, "words of the default %s", name)
	}
	filetest.True(t, text.Decode([]byte(`{"delays":5}`), &again) != nil, "an unknown setting is taken")
}

// A model's settings stay. What is not said does not matter, unless its name is given.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now   Settings
		given []string
		words string // of the error; empty if it fits
	}{
		{settings, nil, ""},
		{Settings{}, nil, ""},
		{Settings{Delay: 5, IDs: NoIDs, Columns: schema.Hints{Classes: []string{"b", "a\xe9"}}}, []string{"delay"}, ""},
		{Settings{}, []string{"bad"}, ""}, // it may change
		{Settings{Delay: 6}, nil, "delay is 6 now, and it was 5 when the model was begun"},
		{Settings{}, []string{"delay"}, "delay is the default now, and it was 5"},
		{Settings{IDs: 7}, nil, "ids is 7 now, and it was 0"},
		{Settings{Columns: schema.Hints{Classes: []string{"a\xe9", "b"}}}, nil, "classes is a\xe9,b now"},
		{Settings{Columns: schema.Hints{Kinds: map[string]schema.Kind{"t": schema.Dropped}}}, nil, "drop is t now, and it was t,u\xe9"},
		{Settings{Columns: schema.Hints{Kinds: map[string]schema.Kind{"x": schema.Kept}}}, nil, "keep is x now, and it was the default"},
	} {
		err := settings.Fits(c.now, c.given...)
		if c.words == "" {
			filetest.Check(t, err)
			continue
		}
		filetest.WantError(t, err, c.words, "remedy: other settings")
	}
}
