package backend

// Internals for the tests of this package.
const (
	PluginVariable = pluginVariable
	Pinned         = pinned
)

var (
	CacheFolder = cacheFolder
	FindCUDA    = findCUDA
	Toolkit     = cuda.toolkit
	SetFlags    = cuda.setFlags
	Compiled    = cuda.compiled
	Whole       = whole
)

// LibraryFiles returns where NVIDIA's libraries were found, by name; those that were not are empty.
func LibraryFiles(c cuda) map[string]string {
	files := map[string]string{}
	for _, l := range c.libraries() {
		files[l.file] = c.find(l)
	}
	return files
}
