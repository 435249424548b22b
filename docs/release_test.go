package docs

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// testdata/release has an archive for each release: files as a user may hold them, half way. The JSON beside it has that release's answers
// when it went on with them. `go test ./docs -run TestFiles -update` makes both for a new release, and changes no other. For specs,
// results and saved learners, the files of 12ee896d have the versions of 0.2.0 too.
const releases = "testdata/release"

const half, whole = 20, 30 // rows

// allKept has the files that every later 0.x goes on with, by their folder.
var allKept = []struct {
	folder string
	begin  func(h *holder)     // makes the files
	end    func(h *holder) any // goes on with them, and returns the answers
}{{"stream", learnFiles, endFiles}, {"serve", beginServer, endServer}, {"cluster", learnStore, endStore}}

// release returns the version of the checkout.
func release(t *testing.T) string {
	return strings.Trim(sourceOf(t, "phe/stream").constants["Release"], `"`)
}

// The pages tell the version that `phe --version` tells, and its files are kept.
func TestRelease(t *testing.T) {
	for path, words := range map[string]string{"files.md": "This is release %s.", "library.md": "gophe@v%s ", "../README.md": "this is %s,",
		"../SECURITY.md": "The newest is %s.", "../CHANGELOG.md": "\n## %s\n", releases + "/" + release(t) + ".json": `"stream":`} {
		filetest.WantWords(t, read(t, path), strings.ReplaceAll(words, "%s", release(t)))
	}
}

// testReleases goes on with the files of each release.
func testReleases(t *testing.T, phe string) {
	if _, err := os.Stat(filepath.Join(releases, release(t)+".json")); *update && err != nil {
		makeRelease(t, phe)
	}
	for _, archive := range filetest.Some(t, filetest.Must(filepath.Glob(releases+"/*.tar.zst"))(t), "releases") {
		name := strings.TrimSuffix(archive, ".tar.zst")
		want := parsed(t, read(t, name+".json")).(map[string]any)
		for _, k := range allKept {
			t.Run(filepath.Base(name)+" "+k.folder, func(t *testing.T) {
				t.Parallel()
				answers := k.end(&holder{T: t, phe: phe, folder: unpack(t, archive), rows: whole})
				near(t, 1e-12, k.folder, parsed(t, string(filetest.Must(json.Marshal(answers))(t))), want[k.folder])
			})
		}
	}
}

// makeRelease makes the files and the answers of the checkout's release. It needs tar and zstd.
func makeRelease(t *testing.T, phe string) {
	table, folder, answers := &holder{T: t, folder: unpack(t, older)}, t.TempDir(), map[string]any{}
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "all.csv"), []byte(table.lines(1, 1+whole)), 0o644))
	for _, k := range allKept {
		filetest.Check(t, os.Mkdir(filepath.Join(folder, k.folder), 0o755))
		t.Run("begin "+k.folder, func(t *testing.T) { k.begin(&holder{T: t, phe: phe, folder: folder, rows: half}) })
	}
	name := filepath.Join(releases, release(t))
	pack := exec.Command("bash", "-o", "pipefail", "-c", "tar -C $0 --exclude=*.old --exclude=*.lock --sort=name --mtime=2026-11-29 "+
		"--owner=0 --group=0 --numeric-owner -c . | zstd -19 --long=24 > $1", folder, name+".tar.zst")
	filetest.Check(t, pack.Run())
	for _, k := range allKept {
		t.Run("end "+k.folder, func(t *testing.T) {
			answers[k.folder] = k.end(&holder{T: t, phe: phe, folder: unpack(t, name+".tar.zst"), rows: whole})
		})
	}
	filetest.Check(t, os.WriteFile(name+".json", filetest.Must(json.Marshal(answers))(t), 0o644))
}

// serve starts a server, and returns its address and what kills it.
func (h *holder) serve(folder string, args ...string) (address string, kill func() error) {
	h.Helper()
	said, kill := h.start(folder, "serving ", append([]string{"serve", "--address", "127.0.0.1:0", "--page=false"}, args...)...)
	filetest.WantNone(h, said, "warning") // such as of a key that is replaced by a guess
	return regexp.MustCompile(`http://[\d.:]+`).FindString(said), kill
}

// ask sends a request to a server, and returns the answer without the age of the model.
func (h *holder) ask(method, url, body string) (answer map[string]any) {
	h.Helper()
	request := filetest.Must(http.NewRequest(method, url, strings.NewReader(body)))(h)
	key := fmt.Sprint(crc32.ChecksumIEEE([]byte(body))) // the same request again is a retry
	request.Header = http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {key}}
	response := filetest.Must(http.DefaultClient.Do(request))(h)
	defer response.Body.Close()
	b := filetest.Must(io.ReadAll(response.Body))(h)
	filetest.Want(h, response.StatusCode, http.StatusOK, "the status of %s: %s", url, b)
	answer = parsed(h, string(b)).(map[string]any)
	delete(answer, "model")
	return answer
}

// knows returns a server's forecasts and the score of its model.
func (h *holder) knows(address string) map[string]any {
	answer := h.ask("POST", address+"/v1/predict", `{"records": [{"user": "u000", "product": "p02", "price": 2.5}, {"product": "new"}]}`)
	report := h.ask("GET", address+"/v1/report", "")["report"].(map[string]any)
	answer["score"] = report["models"].([]any)[0].(map[string]any)["all"]
	return answer
}

// learnFiles learns rows into a model of numbers, where some wait for their labels, and into one of counts.
func learnFiles(h *holder) {
	h.grow("stream/visits.csv", whole)
	begin := []string{"stream", "visits.csv", "--rows", fmt.Sprint(h.rows), "--memory", "1K", "--drop", "tags,user", "--target"}
	number := "log1p(price) --model number.phe --id when --delay 5 --predictions late.csv"
	h.do("stream", "", append(begin, strings.Fields(number)...)...)
	h.do("stream", "", append(begin, "amount", "--model", "count.phe", "--as", "count")...)
}

func endFiles(h *holder) any {
	var answers []any
	for range 2 {
		for _, model := range []string{"number.phe", "count.phe"} {
			address, _ := h.serve("stream", model, "--read-only")
			answers = append(answers, h.knows(address))
		}
		learnFiles(h)
	}
	return append(answers, h.file("stream/late.csv"), h.do("stream", "", "predict", "count.phe", "visits.csv"))
}

const (
	toLearn = `{"records": [{"user": "ann", "product": "tea", "price": 3, "bought": "yes"}, ` +
		`{"product": "ink", "price": 9, "bought": "no"}]}`
	toAsk   = `{"records": [{"user": "ann", "product": "ink", "price": 3}, {"user": "bob", "price": 5}], "ids": ["a", "b"]}`
	toLabel = `{"labels": [{"id": "a", "target": "yes"}]}`
)

// beginServer leaves a request in the model, and others that only the journal has.
func beginServer(h *holder) {
	schema := h.do("", "", "stream", "all.csv", "--target", "bought", "--drop", "tags,when,amount", "--show-schema")
	filetest.Check(h, os.WriteFile(filepath.Join(h.folder, "serve/schema.json"), []byte(schema), 0o644))
	h.Run("until it stops", func(t *testing.T) {
		first := &holder{T: t, phe: h.phe, folder: h.folder}
		address, _ := first.serve("serve", "new.phe", "--schema", "schema.json", "--memory", "1K")
		first.ask("POST", address+"/v1/learn", toLearn)
	})
	address, kill := h.serve("serve", "new.phe", "--checkpoint", "1h")
	h.ask("POST", address+"/v1/predict", toAsk)
	h.ask("POST", address+"/v1/label", toLabel)
	filetest.Check(h, kill())
}

// endServer replays the journal. The requests come again and get their answers, and one record still waits. A new model takes the schema.
func endServer(h *holder) any {
	address, _ := h.serve("serve", "new.phe")
	empty, _ := h.serve("serve", "empty.phe", "--schema", "schema.json")
	return []any{h.knows(address), h.ask("POST", address+"/v1/learn", toLearn), h.ask("POST", address+"/v1/predict", toAsk),
		h.ask("POST", address+"/v1/label", toLabel), h.knows(address),
		h.ask("POST", address+"/v1/label", strings.Replace(toLabel, `"a"`, `"b"`, 1)), h.knows(address),
		h.ask("POST", empty+"/v1/learn", toLearn), h.knows(empty)}
}

// learnStore feeds rows to a stream, and learns them into a store.
func learnStore(h *holder) {
	if h.nats == "" {
		h.nats = h.servers()
	}
	h.grow("cluster/visits.csv", h.rows)
	h.do("cluster", "", "feed", "visits.csv", h.nats, "--target", "bought", "--drop", "tags,when,price,amount")
	h.do("cluster", "", "stream", h.nats, "--store", h.nats, "--memory", "1K", "--delay", "5")
}

func endStore(h *holder) any {
	h.nats = h.servers()
	before, _ := h.serve("cluster", "--store", h.nats)
	answers := []any{h.knows(before)}
	learnStore(h)
	h.do("cluster", "", "stream", h.nats, "--model", "again.phe", "--memory", "1K", "--delay", "5") // all messages
	after, _ := h.serve("cluster", "--store", h.nats)
	again, _ := h.serve("cluster", "again.phe", "--read-only")
	return append(answers, h.knows(after), h.knows(again))
}
