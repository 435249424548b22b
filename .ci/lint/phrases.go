package main

import (
	"regexp"
	"strings"
)

// hard matches phrases whose plain form names the noun, says a number, or begins with the subject.
var hard = regexp.MustCompile(`(?i)\b(?:` + strings.Join([]string{
	`what\s+(?:it|is|a|an|the|they|each|there)`, // say instead: its kind, the data's needs
	`(?:that|those)\s+of`,                       // name the noun again: the rows of the table
	`(?:that|those)\s+which`,
	`the\s+ones?\s+(?:of|that|which|whose)`,
	`(?:of|in|for|from|to|by|with)\s+what`, // say instead: of its content
	`of\s+(?:which|who|whom)`,
	`which\s+of`,
	`how\s+(?:many|much)`,
	`so\s+many`,
	`but\s+for`,
	`nothing\s+(?:else|but)`,
	`likewise`,
	`beside`,
	`needs?\s+be`,
}, "|") + `)\b`)

// fronted matches a sentence that begins with "Of": "Of these files, the last is kept".
var fronted = regexp.MustCompile(`(?:^\s*|[.:;]\s+|\n\s*\n\s*)(Of)\s`)

// plain matches the words after a hard phrase that make it plain: "of course", a function named Of, a question.
var plain = regexp.MustCompile(`(?i)^(?:\s+course\b|\s+returns\b|(?:[^.;\n]|\n[^\n])*\?)`)

// relative matches a phrase that is plain after an amount: "three files, of which one is empty", "each of which".
var relative = regexp.MustCompile(`(?i)^of\s+(?:which|whom)$`)

// counted matches such an amount.
var counted = regexp.MustCompile(`(?i)(?:,|\(|\b(?:all|any|both|each|half|most|none|some))\s+$`)

// phrase is one place in a text.
type phrase struct {
	line  int
	shown string // the phrase with the words around it
}

// phrases finds the hard phrases. A question such as "What is an item?" holds none.
func (t text) phrases() []phrase {
	var found []phrase
	take := func(begin, end int) {
		if plain.MatchString(t.words[end:]) || relative.MatchString(t.words[begin:end]) && counted.MatchString(t.words[:begin]) {
			return
		}
		around := t.words[max(0, begin-40):min(len(t.words), end+40)]
		found = append(found, phrase{
			line:  t.line + strings.Count(t.words[:begin], "\n"),
			shown: strings.ToValidUTF8(strings.Join(strings.Fields(around), " "), ""),
		})
	}
	for _, at := range hard.FindAllStringIndex(t.words, -1) {
		take(at[0], at[1])
	}
	for _, at := range fronted.FindAllStringSubmatchIndex(t.words, -1) {
		take(at[2], at[3])
	}
	return found
}

// word matches a word, not a number or a sign.
var word = regexp.MustCompile(`\pL[\pL'’-]*`)

// count returns the number of words.
func (t text) count() int { return len(word.FindAllStringIndex(t.words, -1)) }
