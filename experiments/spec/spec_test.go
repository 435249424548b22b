package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

func ExampleLoad() {
	spec, err := Load("adult-online")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Title, spec.Quick().Name, spec.WithSeeds(2).Seeds)
	// Output: Adult, online learning of education (Table 1; Fig. 3 left) adult-online-quick [0 1]
}

func TestEmbeddedSpecs(t *testing.T) {
	names := Names()
	for _, want := range []string{"retail-demo", "adult-online", "adult-rows", "adult-schemes"} {
		filetest.True(t, slices.Contains(names, want), "no spec %q among %q", want, names)
	}
	for _, name := range names {
		spec := filetest.Must(Load(name))(t)
		filetest.Want(t, spec.Name, name, "name of specs/%s.json, whose result would be taken for another's,", name)
		filetest.True(t, spec.Title != "", "%s has no title for `phe list`", name)
		loads := slices.Contains(datasets(), spec.Dataset) || spec.Dataset == protocol.TwoItems
		filetest.True(t, loads, "%s: dataset %q cannot be loaded", name, spec.Dataset)
		quick := spec.Quick()
		filetest.Check(t, quick.Validate())
		filetest.True(t, quick.Name != name && quick.Fingerprint() != spec.Fingerprint(), "%s: the quick look is mistakable", name)
	}
}

// A quick look is no larger than the whole. Groups are few, and each is needed. TestEmbeddedSpecs looks at every spec's.
func TestQuick(t *testing.T) {
	for _, c := range []struct {
		of         string
		most, want int
	}{{"adult-online", 0, 30}, {"adult-online", 5, 5}, {"retail-online", 1000, 30}, {"adult-group", 0, 0}, {"retail-group", 0, 0}} {
		s := filetest.Must(Load(c.of))(t)
		s.Protocol.InitialEpochs, s.Protocol.MaxChunks = 100, c.most
		want := s.Protocol
		want.InitialEpochs, want.MaxChunks = 10, c.want
		filetest.Want(t, s.Quick().Protocol, want, "%s with %d steps at most: protocol", c.of, c.most)
	}
}

// valid is a whole spec; tests change one place of it.
const valid = `{
  "name": "mine",
  "title": "a test",
  "dataset": "adult",
  "protocol": {
    "name": "online",
    "initial_fraction": 0.3,
    "initial_epochs": 2,
    "chunk_rows": 100
  },
  "seeds": [0, 1],
  "model": {
    "encoder": {
      "rows": "hash",
      "estimate": "posterior",
      "embedding_dim": 20,
      "num_buckets": 7,
      "num_hashes": 3,
      "num_weights": 11,
      "assembly": "weighted-sum",
      "hash": "authors",
      "initial_log_std_dev": -10
    },
    "scheme": "local",
    "train_samples": 10,
    "test_samples": 100,
    "loss": "log-average",
    "kl_weight": 1,
    "learning_rate": 0.01,
    "batch_size": 128,
    "scope": "incremental-column"
  },
  "methods": [
    {"name": "PHE", "rows": "hash", "estimate": "posterior", "update_epochs": 15},
    {"name": "EE", "rows": "vocabulary", "estimate": "point", "update_epochs": 15, "scheme": "moments"}
  ]
}
`

// brokenSpec is a whole spec in which old is replaced by new: the error names the place and holds all of want.
type brokenSpec struct {
	name, whole, old, new, at string
	want                      []string
}

// Each row changes one place of a whole spec. at is where the error must point, line:column counted by hand. The other strings are parts of
// its message, the last of them the remedy.
func TestParseSpecErrors(t *testing.T) {
	for _, c := range slices.Concat(malformedSpecs, badFields, badSources, badModels, badProtocols, badFilters, badRecommenders) {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.whole, c.old) {
				t.Fatalf("the spec has no %s", c.old)
			}
			_, err := Parse("mine.json", []byte(strings.Replace(c.whole, c.old, c.new, 1)))
			filetest.WantError(t, err, append(c.want, "mine.json:"+c.at+": ")...)
		})
	}
}

// malformedSpecs are no JSON, or not of a spec's shape.
var malformedSpecs = []brokenSpec{
	{"unknown field", valid, `"title"`, `"tittle"`, "3:3", []string{`unknown field "tittle"`, "specs/adult-online.json"}},
	{"unknown field of the encoder", valid, `"num_buckets"`, `"buckets"`, "17:7", []string{`unknown field "buckets"`,
		"specs/adult-online.json"}},
	{"known field in the wrong place", valid, `"update_epochs": 15}`, `"update_epochs": 15, "learning_rate": 1}`, "34:83",
		[]string{`unknown field "learning_rate"`, "specs/adult-online.json"}},
	{"a field twice", valid, `"mine",`, `"mine", "name": "yours",`, "2:19", []string{"name is there twice", "leave one out"}},
	{"a method's field twice", valid, `"estimate": "point"`, `"rows": "hash", "estimate": "point"`, "35:42",
		[]string{"rows is there twice"}},
	{"a field in capitals", valid, `"dataset"`, `"DataSet"`, "4:3", []string{`unknown field "DataSet"`, `did you mean "dataset"?`}},
	{"a value's text as field", valid, `"chunk_rows"`, `"online"`, "9:5", []string{`unknown field "online"`}},
	{"comma missing", valid, `"mine",`, `"mine"`, "3:3", []string{"not valid JSON", `'"'`}},
	{"comma too many", valid, "\"scope\": \"incremental-column\"\n", "\"scope\": \"incremental-column\",\n", "31:34",
		[]string{"not valid JSON", "','"}},
	{"line break in a string", valid, `"mine"`, "\"mi\nne\"", "2:14", []string{"not valid JSON"}},
	{"a comment", valid, `"name": "mine"`, `// "name": "mine"`, "2:3", []string{"not valid JSON", "'/'"}},
	{"text for a number", valid, `"chunk_rows": 100`, `"chunk_rows": "100"`, "9:19", []string{"protocol.chunk_rows", "string",
		"a whole number"}},
	{"fraction for a whole number", valid, `"initial_epochs": 2`, `"initial_epochs": 1.5`, "8:23", []string{"initial_epochs", "1.5",
		"a whole number"}},
	{"number for text", valid, `"dataset": "adult"`, `"dataset": 7`, "4:14", []string{"dataset", "number", "a string"}},
	{"text in a list of numbers", valid, `[0, 1]`, "[0,\n   \"x\"]", "12:4", []string{"seeds", "string", "a whole number"}},
	{"number for a list", valid, `[0, 1]`, "5", "11:12", []string{"seeds", "number", "a list"}},
	{"number beyond all", valid, `"kl_weight": 1`, `"kl_weight": 1e999`, "28:18", []string{"kl_weight", "1e999"}},
	{"a schema of another shape", valid, `"protocol"`, `"source": {"file": "a.csv", "schema": {"columns": 7}}, "protocol"`, "5:53",
		[]string{"source.schema.columns is a JSON number where a list belongs"}},
	{"a field that a schema lacks", valid, `"protocol"`, `"source": {"file": "a.csv", "schema": {"colums": []}}, "protocol"`, "5:41",
		[]string{`source.schema: unknown field "colums"`}},
	{"half a row", valid, `"chunk_rows": 100`, `"chunk_rows": 0.5`, "9:19",
		[]string{"protocol.chunk_rows is a JSON number 0.5 where a whole number belongs"}},
	{"trailing content", valid, "]\n}\n", "]\n}\n{}", "38:1", []string{"not valid JSON", "after top-level value",
		"one file holds one spec"}},
	{"trailing brace", valid, "]\n}\n", "]\n}\n  }", "38:3", []string{"not valid JSON", "after top-level value",
		"one file holds one spec"}},
	{"empty", valid, valid, "", "1:1", []string{"the file is empty; copy a spec"}},
	{"blank", valid, valid, " \n\n", "1:1", []string{"the file is empty; copy a spec"}},
	{"cut off", valid, valid, valid[:strings.Index(valid, `"seeds"`)-3], "10:5", []string{"the file ends early"}},
	{"cut off in a string", valid, valid, valid[:14], "2:13", []string{"the file ends early"}},
	{"a list", valid, valid, "\n[1]", "2:1", []string{"the spec is a JSON array where an object belongs"}},
	{"nothing said", valid, valid, "{}", "1:1", []string{"name is"}},
	{"null", valid, valid, "null", "1:1", []string{"name is"}},
	{"byte-order mark", valid, valid, "\xef\xbb\xbf" + valid, "1:1", []string{"byte-order mark; save it as UTF-8 without one"}},
	{"not text", valid, valid, "\xff\xfe{\x00", "1:1", []string{"not valid JSON"}},
}

// badFields have a value that is not allowed outside of the model and the methods.
var badFields = []brokenSpec{
	{"no name", valid, `"mine"`, `""`, "2:3", []string{"name is", "use lower-case"}},
	{"name that leaves the folder", valid, `"mine"`, `"../mine"`, "2:3", []string{`name is "../mine"`, "use lower-case"}},
	{"no dataset", valid, `"dataset": "adult"`, `"dataset": ""`, "4:3", []string{`dataset is ""`, "choose one of adult, bank"}},
	{"dataset", valid, `"dataset": "adult"`, `"dataset": "movielens"`, "4:3",
		[]string{`dataset is "movielens"`, "choose one of adult, bank", "retail"}},
	{"protocol", valid, `"online"`, `"offline"`, "5:3", []string{`"offline"`,
		"choose one of adaptation, by-group, daily, group, growing, in-order, online, order, products, recommend, swapped, two-items"}},
	{"no methods", valid, valid[strings.Index(valid, ",\n  \"methods\""):], "}", "1:1", []string{"methods is empty"}},
	{"no seeds", valid, `[0, 1]`, `[]`, "11:3", []string{"seeds is empty", "[0]"}},
	{"seed twice", valid, `[0, 1]`, `[0, 1, 0]`, "11:3", []string{"seeds lists 0 twice"}},
}

// badSources have a file of the user's that is none, or is not said.
var badSources = []brokenSpec{
	{"known data", valid, `"adult",`, `"adult", "source": {"file": "a.csv", "target": "b"},`, "4:3", []string{"which the program knows"}},
	{"capitals", valid, `"adult",`, `"My visits", "source": {"file": "a.csv", "target": "b"},`, "4:3", []string{"lower-case"}},
	{"unknown field of a source", valid, `"adult",`, `"visits", "source": {"file": "a.csv", "taget": "b"},`, "4:52",
		[]string{`unknown field "taget"`}},
	{"no target", valid, `"adult",`, `"visits", "source": {"file": "a.csv", "target": ""},`, "4:24", []string{"source.target is missing"}},
	{"bad rows", valid, `"adult",`, `"visits", "source": {"file": "a.csv", "target": "b", "bad": "ignore"},`, "4:67",
		[]string{`source.bad is "ignore"`}},
	{"no table", valid, `"adult",
  "protocol": {
    "name": "online",
    "initial_fraction": 0.3,
    "initial_epochs": 2,
    "chunk_rows": 100`, `"visits", "source": {"file": "a.csv", "target": "b"},
  "protocol": {"name": "two-items", "chunk_rows": 20, "max_chunks": 5`, "4:24", []string{"source is a table"}},
}

// badModels have a value that is not allowed in the model or in a method.
var badModels = []brokenSpec{
	{"B = 0", valid, `"num_buckets": 7`, `"num_buckets": 0`, "17:7", []string{"num_buckets (B) is 0", "at least 2"}},
	{"B = 1", valid, `"num_buckets": 7`, `"num_buckets": 1`, "17:7", []string{"num_buckets (B) is 1", "at least 2"}},
	{"K = 0", valid, `"num_hashes": 3`, `"num_hashes": 0`, "18:7", []string{"num_hashes (K) is 0", "1…64"}},
	{"K = 65", valid, `"num_hashes": 3`, `"num_hashes": 65`, "18:7", []string{"num_hashes (K) is 65", "1…64"}},
	{"K < 0", valid, `"num_hashes": 3`, `"num_hashes": -3`, "18:7", []string{"num_hashes (K) is -3", "1…64"}},
	{"P = 0", valid, `"num_weights": 11`, `"num_weights": 0`, "19:7", []string{"num_weights (P) is 0", "at least 1"}},
	{"d = 0", valid, `"embedding_dim": 20`, `"embedding_dim": 0`, "16:7", []string{"embedding_dim is 0", "1…4096"}},
	{"assembly", valid, `"weighted-sum"`, `"mean"`, "19:7", []string{"num_weights", "weighted-sum"}},
	{"hash", valid, `"hash": "authors"`, `"hash": "md5"`, "21:7", []string{`"md5"`, "allowed are"}},
	{"scheme of the model", valid, `"scheme": "local"`, `"scheme": "global"`, "24:5", []string{`scheme is "global"`, `choose "rows"`}},
	{"scheme of a method", valid, `"scheme": "moments"`, `"scheme": "global"`, "35:84", []string{`scheme is "global"`, `choose "rows"`}},
	{"rows of a method", valid, `"rows": "vocabulary"`, `"rows": "table"`, "35:20", []string{`rows is "table"`, `choose "hash"`}},
	{"estimate of a method", valid, `"estimate": "point"`, `"estimate": "dot"`, "35:42", []string{`estimate is "dot"`,
		`choose "posterior"`}},
	{"epochs of a method", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 0`, "35:63",
		[]string{`update_epochs of "EE" is 0`, "at least 1"}},
	{"method without epochs", valid, `"point", "update_epochs": 15`, `"point"`, "35:5", []string{`update_epochs of "EE" is 0`,
		"at least 1"}},
	{"method without name", valid, `"name": "EE", `, ``, "35:5", []string{"name of method 2 is empty", "give it one"}},
	{"method twice", valid, `"EE"`, `"PHE"`, "33:3", []string{"methods lists PHE twice"}},
	{"arrival outside its protocol", valid, `"update_epochs": 15}`, `"update_epochs": 15, "arrival": "reversed"}`, "34:83",
		[]string{"arrival", `protocol "order"`, "leave it out"}},
	{"replay until convergence", valid, `"update_epochs": 15}`, `"update_epochs": 15, "replay": true, "model": {"convergence": 1}}`,
		"34:83",
		[]string{"replay", "whatever the ELBO does", `"convergence": 0`}},
	{"replay after convergence", valid, `"update_epochs": 15}`, `"update_epochs": 15, "replay": true, "model": {"initial_convergence": 1}}`,
		"34:83", []string{"replay", "whatever the ELBO does", `"initial_convergence": 0`}},
	{"replay with a scope", valid, `"update_epochs": 15}`, `"update_epochs": 15, "replay": true, "scope": "all-columns"}`, "34:83",
		[]string{"replay", "leave out scope"}},
	{"a column taken away twice", valid, `"update_epochs": 15}`, `"update_epochs": 15, "without": ["age", "sex", "age"]}`, "34:83",
		[]string{"without lists age twice"}},
	{"refits of a network", valid, `"update_epochs": 15}`, `"update_epochs": 15, "refit_every": 2}`, "34:83",
		[]string{`refit_every of "PHE" is 2`, `rule "refitted-logistic"`, "leave it out"}},
	{"unknown rule", valid, `"update_epochs": 15}`, `"update_epochs": 15, "rule": "vw"}`, "34:83",
		[]string{`rule of "PHE" is "vw"`, "choose one of", "one-pass"}},
	{"unknown assembly", valid, `"weighted-sum"`, `"avg"`, "20:7", []string{`assembly is "avg"`, "choose", "weighted-sum"}},
	{"two bytes of a network", valid, `"update_epochs": 15}`, `"update_epochs": 15, "belief_bits": 16}`, "34:83",
		[]string{`belief_bits of "PHE" is 16`, `rules "one-pass" and "stream"`, "leave it out"}},
	{"arithmetic of the future", valid, `"seeds"`, `"numerics": 99, "seeds"`, "11:3", []string{"numerics is 99", "versions 1 to"}},
	{"samples", valid, `"train_samples": 10`, `"train_samples": 0`, "25:5", []string{"train_samples is 0", "at least 1"}},
	{"learning rate", valid, `0.01`, `-1`, "29:5", []string{"learning_rate is -1", "above 0"}},
	{"batch size", valid, `"batch_size": 128`, `"batch_size": 0`, "30:5", []string{"batch_size is 0", "at least 1"}},
	{"scope", valid, `"incremental-column"`, `"none"`, "31:5", []string{`scope is "none"`, "choose"}},
	{"arrival", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "arrival": "later"`, "35:84",
		[]string{`arrival is "later"`, `"shuffled"`, "leave it out"}},
	{"replay as text", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "replay": "yes"`, "35:94",
		[]string{"replay", "string"}},
	{"learning rate of a method", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "update_learning_rate": -1`,
		"35:84", []string{"update_learning_rate is -1"}},
	{"scope of a method", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "scope": "head"`, "35:84",
		[]string{`scope is "head"`}},
	{"B of a method", valid, `"posterior", "update_epochs": 15`, `"posterior", "update_epochs": 15, "num_buckets": 1`, "34:83",
		[]string{"num_buckets (B) is 1"}},
}

// badProtocols have an error of the protocol: it points to the field, or to the protocol where the field is missing.
var badProtocols = []brokenSpec{
	{"field missing", valid, "\n    \"initial_fraction\": 0.3,", "", "5:3", []string{"initial_fraction is missing or 0", `"online"`}},
	{"field 0", valid, "0.3", "0", "7:5", []string{"initial_fraction is missing or 0", `"online"`}},
	{"field of another protocol", valid, `"chunk_rows": 100`, `"chunk_rows": 100, "groups": 5`, "9:24",
		[]string{"groups does not belong", "leave it out"}},
	{"cut of another protocol", valid, `"chunk_rows": 100`, `"cut": "stratified", "chunk_rows": 100`, "9:5",
		[]string{"cut does not belong", "leave it out"}},
	{"cut of another protocol, wrong too", valid, `"chunk_rows": 100`, `"cut": "half", "chunk_rows": 100`, "9:5",
		[]string{`"half"`, `"stratified"`}},
	{"online spec as group", valid, `"name": "online"`, `"name": "group"`, "7:5", []string{"initial_fraction does not belong",
		`"group"`}},
}

func TestLoadSpecErrors(t *testing.T) {
	filetest.WantError(t, filetest.Failure(Load("no-such")), `"no-such"`, "adult-draws", "`phe list`", ".json")
	path := filepath.Join(t.TempDir(), "absent.json")
	filetest.WantError(t, filetest.Failure(Load(path)), path, "phe list")
	filetest.Check(t, os.WriteFile(path, []byte(strings.Replace(valid, "7", "0", 1)), 0o644))
	filetest.WantError(t, filetest.Failure(Load(path)), path+":17:7: ", "num_buckets (B) is 0")
	own := strings.Replace(valid, `"adult",`, `"visits", "source": {"file": "a.csv", "schema_file": "no.json"},`, 1)
	filetest.Check(t, os.WriteFile(path, []byte(own), 0o644))
	filetest.WantError(t, filetest.Failure(Load(path)), path+":4:52: ", "source.schema_file cannot be read")
	filetest.Check(t, os.WriteFile(path, []byte(strings.Replace(valid, "a test", strings.Repeat("x", 2<<20), 1)), 0o644))
	filetest.WantError(t, filetest.Failure(Load(path)), path, "more than 1048576 bytes")
}

// parsed reads a whole spec in which old is replaced by new.
func parsed(t *testing.T, whole, old, new string) Spec {
	t.Helper()
	if !strings.Contains(whole, old) {
		t.Fatalf("the spec has no %s", old)
	}
	return filetest.Must(Parse("mine.json", []byte(strings.Replace(whole, old, new, 1))))(t)
}

// ofFirst is the hash of a spec's first method.
func ofFirst(s Spec) string { return s.Resolve(s.Methods[0]).Fingerprint() }

// apart fails a test for each change of a whole spec that leaves the hash as it is, or gives it that of another change. It
// returns the changes by their hashes.
func apart(t *testing.T, whole string, hash func(Spec) string, changes [][2]string) map[string]string {
	t.Helper()
	seen := map[string]string{hash(parsed(t, whole, "", "")): "the spec itself"}
	for _, change := range changes {
		got := hash(parsed(t, whole, change[0], change[1]))
		filetest.Want(t, seen[got], "", "%s hashes as another change", change[1])
		seen[got] = change[1]
	}
	return seen
}

// The hash of a resolved method tells whether a method's numbers can be kept: it changes with all that they depend on, and with nothing
// else. A spec's hash is made of the names and hashes of its methods.
func TestMethodHash(t *testing.T) {
	const lone = `{"name": "PHE", "rows": "hash", "estimate": "posterior", "update_epochs": 15}`
	whole := parsed(t, valid, "", "")
	of := func(content string) string { return ofFirst(parsed(t, content, "", "")) }
	edit := func(oldNew ...string) string { return strings.NewReplacer(oldNew...).Replace(valid) }
	for name, c := range map[string]struct {
		content  string
		sameSpec bool
	}{
		"the spec's name":         {edit(`"mine"`, `"yours"`), true},
		"its title":               {edit("a test", "another"), true},
		"the seeds":               {edit("[0, 1]", "[7]"), true},
		"the method's name":       {edit(`"PHE"`, `"PHE 1"`), false},
		"another method":          {edit(`"scheme": "moments"`, `"scheme": "local"`), false},
		"one method more":         {edit(lone, lone+`, {"name": "Ada", "rows": "hash", "estimate": "point", "update_epochs": 1}`), false},
		"layout":                  {strings.ReplaceAll(valid, "\n", "\n "), true},
		"a default not spelt out": {edit("\n    \"kl_weight\": 1,", ""), true},
		"the model's own values":  {edit(lone, strings.Replace(lone, "}", `, "embedding_dim": 20, "num_buckets": 7}`, 1)), true},
	} {
		filetest.True(t, c.content != valid && of(c.content) == of(valid), "%s: the method would be computed anew", name)
		same := parsed(t, c.content, "", "").Fingerprint() == whole.Fingerprint()
		filetest.Want(t, same, c.sameSpec, "%s: the spec has the same hash", name)
	}
	filetest.True(t, len(whole.Seeds) == 2 && whole.Title != "", "hashing changed the spec itself: %+v", whole)
	turned := whole
	turned.Methods = []Method{whole.Methods[1], whole.Methods[0]}
	filetest.True(t, turned.Fingerprint() != whole.Fingerprint(), "the order of methods does not count, but results list them in it")
	apart(t, valid, Spec.Fingerprint, [][2]string{{`0.3`, `0.31`}, {`128`, `127`}, {`"EE"`, `"EEE"`}, {`"point"`, `"posterior"`},
		{`"moments"`, `"local"`}, {`"point", "update_epochs": 15`, `"point", "update_epochs": 5`},
		{`"hash": "authors"`, `"hash": "authors", "hash_seed": 1`}})
	changes := [][2]string{
		{`"adult"`, `"bank"`}, {`"seeds"`, `"features": ["education"], "seeds"`},
		{`0.3`, `0.31`}, {`"initial_epochs": 2`, `"initial_epochs": 3`}, {`"chunk_rows": 100`, `"chunk_rows": 101`},
		{`"chunk_rows": 100`, `"chunk_rows": 100, "max_chunks": 3`}, {`"name": "online"`, `"name": "order"`},
		{`"num_buckets": 7`, `"num_buckets": 11`}, {`"num_hashes": 3`, `"num_hashes": 2`}, {`"num_weights": 11`, `"num_weights": 13`},
		{`"embedding_dim": 20`, `"embedding_dim": 19`}, {`"hash": "authors"`, `"hash": "carter-wegman"`},
		{`"hash": "authors"`, `"hash": "authors", "hash_seed": 1`}, {`-10`, `-9`}, {`"local"`, `"rows"`}, {`0.01`, `0.02`}, {`128`, `127`},
		{`"train_samples": 10`, `"train_samples": 11`}, {`"test_samples": 100`, `"test_samples": 101`}, {`"log-average"`, `"expected"`},
		{`"kl_weight": 1`, `"kl_weight": 2`}, {`"kl_weight": 1`, `"kl_weight": 1, "likelihood_floor": 1e-8`},
		{`"incremental-column"`, `"all-columns"`}, {`0.01`, `0.01, "update_learning_rate": 0.1`},
	}
	for _, field := range []string{`"replay": true`, `"scheme": "moments"`, `"scope": "all-parameters"`, `"update_learning_rate": 0.5`,
		`"embedding_dim": 3`, `"num_buckets": 3`, `"num_hashes": 1`, `"num_weights": 3`} {
		changes = append(changes, [2]string{lone, strings.Replace(lone, "}", ", "+field+"}", 1)})
	}
	changes = append(changes, [2]string{lone, strings.Replace(lone, "posterior", "point", 1)},
		[2]string{lone, strings.Replace(lone, "15", "14", 1)})
	model := of(edit(`"log-average"`, `"expected"`, `"num_buckets": 7`, `"num_buckets": 23`))
	for _, own := range []string{`"loss": "expected", "num_buckets": 23`, `"model": {"loss": "expected", "encoder": {"num_buckets": 23}}`,
		`"num_buckets": 23, "model": {"loss": "expected", "encoder": {"num_buckets": 5}}`} { // the method's own field comes first
		filetest.Want(t, of(edit(lone, strings.Replace(lone, "}", ", "+own+"}", 1))), model, "hash with %s, and by the model,", own)
	}
	ordered := strings.Replace(valid, `"name": "online"`, `"name": "order"`, 1)
	for _, arrival := range []protocol.Arrival{protocol.Reversed, protocol.ByItem} { // of protocol order only
		content := strings.Replace(ordered, lone, strings.Replace(lone, "}", fmt.Sprintf(`, "arrival": %q}`, arrival), 1), 1)
		filetest.True(t, content != ordered && of(content) != of(ordered), "arrival %s hashes as none", arrival)
	}
	changes = append(changes, [2]string{lone, `{"name": "PHE", "rows": "vocabulary", "estimate": "posterior", "update_epochs": 15}`})
	apart(t, valid, ofFirst, changes)
}

// A filter or a recommender of null is none: a classifier's defaults stay.
func TestNull(t *testing.T) {
	terse := strings.Replace(valid, "\n    \"learning_rate\": 0.01,", "", 1) // a filter's is 0.005, and so is a recommender's
	for _, field := range []string{"filter", "recommender"} {
		got := parsed(t, terse, `"seeds"`, `"`+field+`": null, "seeds"`)
		filetest.Want(t, got.Fingerprint(), parsed(t, valid, "", "").Fingerprint(), "%s: hash", field)
	}
}

func FuzzParseSpec(f *testing.F) {
	f.Add([]byte(valid))
	for _, s := range []string{"", "null", "[]", `{"methods":[{}]}`, `{"methods":{"a":[1]}}`, `{"model":[[{"x":1}]]}`,
		`{"Name":"a","NAME":1}`, `{"\ud800":1}`, `{"filter":{"hidden":0}}`, validRetail, validRatings, valid[:200], valid + "]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		spec, err := Parse("fuzz.json", content)
		if err == nil {
			filetest.Check(t, spec.Validate())
			spec.Fingerprint()
			return
		}
		var line, column int
		if _, scanErr := fmt.Sscanf(err.Error(), "fuzz.json:%d:%d: ", &line, &column); scanErr != nil || line < 1 || column < 1 {
			t.Errorf("no line and column: %v", err)
		}
	})
}

// A spec that was written is the same when it is read. A file of one's own is still found from another folder.
func TestWrite(t *testing.T) {
	s := filetest.Must(Load("adult-online"))(t)
	s.Name, s.Model.KLWeight = "mine", 0
	path := filepath.Join(t.TempDir(), "a", "mine.json")
	filetest.Check(t, s.Write(path))
	filetest.Want(t, filetest.Must(Load(path))(t), s, "the spec that was read")

	folder := t.TempDir()
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "rows.csv"), []byte("item,y\na,yes\n"), 0o644))
	s.Dataset, s.Source = "mine", &ownfile.Source{File: "rows.csv", Target: "y"}
	filetest.Check(t, s.Source.Locate(folder))
	filetest.Check(t, s.Write(path))
	again := filetest.Must(Load(path))(t)
	filetest.Must(again.Source.Checksum())(t)
	filetest.Want(t, again.Fingerprint(), s.Fingerprint(), "identity of the spec that was read")

	// Results of an own file whose spellings were items are not resumed. A schema says how its columns are read.
	m := s.Methods[0]
	old := s.Resolve(m)
	old.Reading = 0
	filetest.True(t, s.Resolve(m).Fingerprint() != old.Fingerprint(), "the reading of %+v is no part of its identity", old.Source)
	s.Source.Target, s.Source.Schema = "", &schema.Schema{}
	filetest.Want(t, s.Resolve(m).Reading, 0, "a schema says how columns are read, so that results keep their identity: reading")

	s.Seeds, s.Source = nil, again.Source
	filetest.WantError(t, s.Write(path), "seeds is empty")
}

// A whole number that is too large is refused by its name and place, before anything is made of it.
func TestSizesAreBounded(t *testing.T) {
	const spec = `{"name": "a", "title": "t", "dataset": "adult", "seeds": [0],
 "protocol": {"name": "online", "initial_fraction": 0.3, "initial_epochs": 1, "chunk_rows": 100, "max_chunks": 3},
 "model": {"train_samples": 2, "batch_size": 256, "encoder": {"num_buckets": 7, "embedding_dim": 20}},
 "methods": [{"name": "PHE", "rows": "hash", "estimate": "posterior", "update_epochs": 1}]}`
	parse := func(text string) error {
		_, err := Parse("a.json", []byte(text))
		return err
	}
	filetest.Check(t, parse(spec))
	for _, name := range []string{"update_epochs", "initial_epochs", "chunk_rows", "max_chunks", "train_samples", "batch_size",
		"num_buckets"} {
		at := strings.Index(spec, `"`+name+`": `) + len(name) + 4
		end := at + strings.IndexAny(spec[at:], ",}")
		for _, value := range []string{"4611686018427387904", "9223372036854775807", "4294967296"} {
			filetest.WantError(t, parse(spec[:at]+value+spec[end:]), "a.json:", name+" is "+value, name+" is limited to ")
		}
	}
	method := strings.Replace(spec, `"rows"`, `"model": {"test_samples": 4611686018427387904}, "rows"`, 1)
	filetest.WantError(t, parse(method), "test_samples is limited to 10000")
	large := strings.Replace(strings.Replace(spec, `"num_buckets": 7`, `"num_buckets": 200000000`, 1), `"seeds": [0]`,
		`"seeds": [0, 1, 2]`, 1)
	filetest.WantError(t, parse(large), "parameters are limited to 1073741824")
	filetest.WantError(t, parse(strings.Replace(spec, `"batch_size": 256`, `"batch_size": 200000000`, 1)), "a step is limited to")
	seeds := strings.Trim(strings.ReplaceAll(fmt.Sprint(make([]int, MaxRuns+1)), " ", ","), "[]")
	filetest.WantError(t, parse(strings.Replace(spec, `[0]`, "["+seeds+"]", 1)), "seeds is limited to 1000")
}

// Settings that differ are listed by their paths, methods by their names.
func TestDifferences(t *testing.T) {
	before := filetest.Must(Load("adult-online"))(t)
	filetest.Want(t, Differences(before, before), nil, "a spec's differences from itself")
	after := before
	after.Name, after.Title, after.StreamOf = "mine", "a question", "adult-online"
	after.Seeds, after.Protocol.MaxChunks = []int64{0, 1}, 6
	after.Model.KLWeight, after.Model.Encoder.NumBuckets = 0, 9
	after.Methods = []Method{before.Methods[3], before.Methods[0], {Name: "PHE 2", Rows: phe.Hashed, Estimate: phe.Posterior,
		UpdateEpochs: 1}}
	after.Methods[1].UpdateEpochs = 2
	want := []Difference{
		{"methods.EE", there, ""},
		{"methods.FastAda", there, ""},
		{"methods.MediumAda", there, ""},
		{"methods.P-EE", there, ""},
		{"methods.PHE 2", "", there},
		{"methods.PHE.update_epochs", "15", "2"},
		{"model.encoder.num_buckets", "7", "9"},
		{"model.kl_weight", "1", "0"},
		{"protocol.max_chunks", "", "6"},
		{"seeds", "[0,1,2,3,4]", "[0,1]"},
	}
	filetest.Want(t, Differences(before, after), want, "differences")
}
