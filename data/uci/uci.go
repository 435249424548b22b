// Package uci declares the UCI files of this folder, and reads and checks their rows. Packages labelled and sales call Declaration.Load.
package uci

import (
	_ "embed"

	"gophe/data/files"
)

//go:embed sources.json
var sourcesJSON string

// Sources returns the declaration of each UCI file in the checkout. It panics if the embedded sources.json is malformed, which
// is a defect of the build.
func Sources() []files.Source { return files.Decode("sources.json", sourcesJSON) }
