package main

// resuming breaks snapshots, files and growing tables: what must be as it was before. Left out because nothing changes: a copy
// less of a snapshot that is restored (GoMLX copies it too).
var resuming = []mutant{
	{
		file: "phe/learn/snapshot.go", breaks: "Adam's moments are not restored",
		old: "l.parameters, l.moments, l.counts = parameters, moments, s.Counts", new: "l.parameters, l.moments, l.counts = parameters, moments[:0], s.Counts", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "counts are not restored",
		old: "l.parameters, l.moments, l.counts = parameters, moments, s.Counts", new: "l.parameters, l.moments = parameters, moments", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "a restored learner forgets the snapshot's vocabulary",
		old: "_, err = hasher.Items(s.Vocabulary)", new: "_, err = hasher.Items(nil)", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "a restored learner keeps its own vocabulary",
		old: "slices.Equal(l.hasher.Vocabulary(), s.Vocabulary)", new: "slices.Equal(s.Vocabulary, s.Vocabulary)", tests: "./phe/learn -run TestRestoreBringsVocabulary",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "a pinned batch keeps the rows of another vocabulary",
		old: "p, err = l.repinned(hasher)", new: "_, err = l.repinned(hasher)", tests: "./phe/learn -run TestRestoreBringsVocabulary",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "a restored learner's tables have not grown",
		old: "for range s.Counts.Doublings {", new: "for range 0 * s.Counts.Doublings {", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "a snapshot of other sizes is restored",
		old: "len(flat[i]) != want {", new: "len(flat[i]) < want-1 {", tests: "./phe/tabular -run TestLearnerErrors",
	},
	{
		file: "phe/learn/graph.go", breaks: "a part's order in files: log σ before the mean",
		old: "\t\tnames = append(names, table+\" mean\")\n\t\tif m.Encoder.Estimate == phe.Posterior {\n\t\t\tnames = append(names, table+\" log σ\")\n\t\t}\n",
		new: "\t\tif m.Encoder.Estimate == phe.Posterior {\n\t\t\tnames = append(names, table+\" log σ\")\n\t\t}\n\t\tnames = append(names, table+\" mean\")\n", tests: "./phe/learn -run TestFileNames",
	},
	{
		file: "phe/learn/graph.go", breaks: "a part's order in files: W before E",
		old: "tables = append(tables, \"W\")", new: "tables = []string{\"W\", \"E\"}", tests: "./phe/learn -run TestFileNames",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "the moments' names in files are exchanged",
		old: `[]string{"first", "second"}`, new: `[]string{"second", "first"}`, tests: "./phe/learn -run TestFileNames",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a file holds another list under a moment's name",
		old: "names[i%len(names)], flat))", new: "names[i%len(names)], s.Moments[0*len(flat)]))", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a file's numbers are half read",
		old: "flat[i] = float32(v) }", new: "flat[i/2] = float32(v) }", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a file's counts are not read",
		old: "s = Snapshot{Counts: saved.Counts}", new: "s = Snapshot{Counts: Counts{Doublings: saved.Counts.Doublings}}", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a file's vocabulary is dropped",
		old: "s.Vocabulary = append(s.Vocabulary, string(item))", new: "_ = item", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "no vocabulary is written",
		old: "vocabulary = append(vocabulary, []byte(item))", new: "_ = item", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a file of the initial phase is one after it",
		old: "len(s.Moments) > 0, vocabulary}", new: "false, vocabulary}", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "MostUpdated is ignored",
		old: "case saved.MostUpdated != l.most:", new: "case false:", tests: "./phe/learn -run TestFileOfAnother",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "seeds are ignored",
		old: "case !slices.Equal(saved.Seeds, l.seeds):", new: "case false:", tests: "./phe/learn -run TestFileOfAnother",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "the configuration is ignored",
		old: "case saved.Config != withoutIncremental(l.Config):", new: "case false:", tests: "./phe/learn -run TestFileOfAnother",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "no learner with an incremental column reads its own file",
		old: "\tc.Incremental = 0\n", new: "", tests: "./phe/learn -run TestFileOfAnother",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "the incremental column is ignored",
		old: "saved.Incremental != l.Incremental || ", new: "", tests: "./phe/learn -run TestFileOfAnother",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "the network is ignored",
		old: "!reflect.DeepEqual(saved.Network, network)", new: "!reflect.DeepEqual(network, network)", tests: "./phe/learn -run TestFileOfAnother",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a damaged count of doublings takes all memory",
		old: "const mostDoublings = 24", new: "const mostDoublings = 25", tests: "./phe/learn -run TestFileOfTooManyDoublings",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "files of another kind are read",
		old: "if h.Kind != kind {", new: "if false {", tests: "./phe/learn -run TestFileOfAnother",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a learner that has diverged is saved",
		old: "at >= 0 {", new: "at > len(flat) {", tests: "./phe/learn -run TestDivergedIsNotSaved",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "what the buffer holds beyond a file counts as read",
		old: "counted.n - int64(buffered.Buffered())", new: "counted.n - 0*int64(buffered.Buffered())", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/grow.go", breaks: "tables under the authors' hash grow",
		old: "if l.Encoder.Rows == phe.Hashed && l.Encoder.Hash == hash.Authors {", new: "if false {", tests: "./phe/learn -run TestAuthorsTablesCannotGrow",
	},
	{
		file: "phe/learn/grow.go", breaks: "a vocabulary's fresh rows are copies",
		old: "if l.Encoder.Rows == phe.Vocabulary {", new: "if false {", tests: "./phe/learn -run TestGrownVocabulary",
	},
	{
		file: "phe/learn/grow.go", breaks: "hashed tables grow by fresh rows",
		old: "if l.Encoder.Rows == phe.Vocabulary {", new: "if true {", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "phe/learn/grow.go", breaks: "every run grows by copies of the first run's rows",
		old: "own := flat[r*perRun : (r+1)*perRun]", new: "own := flat[0*r*perRun : (0*r+1)*perRun]", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "phe/learn/grow.go", breaks: "Adam's memory is not doubled",
		old: "moments, err := l.doubledMoments()", new: "moments, err := l.moments, error(nil)", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "phe/learn/grow.go", breaks: "both moments are the first",
		old: "half := l.moments[from : from+n]", new: "half := l.moments[0*from : 0*from+n]", tests: "./phe/ncf -run TestGrowInInitialPhase",
	},
	{
		file: "phe/learn/grow.go", breaks: "Adam remembers something of fresh rows",
		old: "func(_, _, n int) []float32 { return make([]float32, n) }", new: "l.firstRows", tests: "./phe/learn -run TestGrownVocabulary",
	},
	{
		file: "phe/learn/grow.go", breaks: "fresh rows are certain",
		old: "rows[i] = float32(l.Encoder.InitialLogStdDev)", new: "rows[i] = -9", tests: "./phe/learn -run TestGrownVocabulary",
	},
	{
		file: "phe/learn/grow.go", breaks: "fresh means are drawn wider than the first ones",
		old: "cmp.Or(l.Encoder.InitialMeanStdDev, 1)", new: "cmp.Or(0*l.Encoder.InitialMeanStdDev, 1)", tests: "./phe/learn -run TestGrownVocabulary",
	},
	{
		file: "phe/learn/grow.go", breaks: "runs grow by the same draws",
		old: "phe.NoiseKey(l.seeds[run], ", new: "phe.NoiseKey(l.seeds[0*run], ", tests: "./phe/learn -run TestGrownVocabulary",
	},
	{
		file: "phe/learn/grow.go", breaks: "tables grow by the same draws each time",
		old: "\"grown rows\")), l.counts.Doublings))", new: "\"grown rows\")), 0))", tests: "./phe/learn -run TestGrownVocabulary",
	},
	{
		file: "phe/learn/grow.go", breaks: "growing is not counted",
		old: "\tl.counts.Doublings++\n", new: "", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "phe/learn/grow.go", breaks: "the initial phase goes on with the rows of smaller tables",
		old: "\tl.forgetFitted()\n", new: "", tests: "./phe/learn -run TestFitGoesOnAfterGrowing",
	},
	{
		file: "phe/learn/grow.go", breaks: "parts of a batch keep the slots of smaller tables",
		old: "\tl.known.batch = nil\n", new: "", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "phe/learn/grow.go", breaks: "a pinned batch keeps the slots of smaller tables",
		old: "\tl.setPinned(p)\n", new: "\tif false {\n\t\tl.setPinned(p)\n\t}\n", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "phe/encoder.go", breaks: "weights are not doubled",
		old: "2*c.NumBuckets, 2*c.NumWeights, 2*c.Capacity", new: "2*c.NumBuckets, c.NumWeights, 2*c.Capacity", tests: "./phe/learn -run TestGrow$",
	},
	{
		file: "experiments/learner/growth.go", breaks: "tables grow at a step later than its items come",
		old: "s.steps <= step; s.steps++", new: "s.steps < step; s.steps++", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/learner/growth.go", breaks: "an item counts each time that it comes",
		old: "\t\t\ts.items[item] = true\n", new: "", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/learner/growth.go", breaks: "the initial rows' items do not count",
		old: "\t\ts.add(all, columns, p.Initial)\n", new: "", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/learner/growth.go", breaks: "a stream that begins anew counts on",
		old: "if s.items == nil || step < s.steps-1 {", new: "if s.items == nil {", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/learner/growth.go", breaks: "tables grow once a step at most",
		old: "float64(n) > d.method.GrowBeyond*float64(d.TableRows()); {\n\t\tif err := d.Grow(); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil",
		new: "float64(n) > d.method.GrowBeyond*float64(d.TableRows()); {\n\t\treturn d.Grow()\n\t}\n\treturn nil", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/learner/growth.go", breaks: "tables grow when they are full already",
		old: "float64(n) > d.method.GrowBeyond*float64(d.TableRows())", new: "float64(n) >= d.method.GrowBeyond*float64(d.TableRows())", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/learner/growth.go", breaks: "a method's size counts the weights of before",
		old: "e.NumBuckets, e.NumWeights = 2*e.NumBuckets, 2*e.NumWeights", new: "e.NumBuckets = 2 * e.NumBuckets", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/run/family.go", breaks: "a grown method is as large as the items of its first step make it",
		old: "p, len(p.Steps)-1)", new: "p, 0)", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/run/family.go", breaks: "a method whose tables do not grow is counted as if they did",
		old: "if m.GrowBeyond == 0 {\n\t\t\tcontinue", new: "if m.GrowBeyond != 0 {\n\t\t\tcontinue", tests: "./experiments/run -run TestGrowing",
	},
	{
		file: "experiments/learner/learner.go", breaks: "no tables grow",
		old: "if m.GrowBeyond > 0 {", new: "if false {", tests: "./experiments/run -run TestGrowing",
	},
}
