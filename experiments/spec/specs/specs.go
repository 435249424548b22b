// Package specs holds the experiments that come with the program, one JSON file each.
package specs

import "embed"

// Files are the specs, by the names NAME.json.
//
//go:embed *.json
var Files embed.FS
