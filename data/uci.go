package data

import _ "embed"

//go:embed sources.json
var sourcesJSON string

// Sources returns the declaration of each UCI file in the checkout. It panics if the embedded sources.json is malformed, which
// is a defect of the build.
func Sources() []Source { return decodeSources("sources.json", sourcesJSON) }
