package backend

import (
	"testing"
	"time"
)

// What tests of its own look at.
const PluginVariable = pluginVariable

var CacheFolder = cacheFolder

// SetPythonPatience shortens what Python may take, for the test.
func SetPythonPatience(t *testing.T, patience time.Duration) {
	t.Helper()
	before := pythonPatience
	pythonPatience = patience
	t.Cleanup(func() { pythonPatience = before })
}

// LibraryFiles returns where NVIDIA's libraries were found, by name; those that were not are empty.
func (c CUDA) LibraryFiles() map[string]string {
	files := map[string]string{}
	for _, l := range c.libraries() {
		files[l.file] = c.find(l)
	}
	return files
}
