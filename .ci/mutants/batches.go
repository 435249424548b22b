package main

// batches breaks the batches that a call takes to the device: their parts, the rows of their items, and the beliefs put back.
// A common item that comes twice in a part is left out: both have one row, so nothing changes.
var batches = []mutant{
	{
		file: "phe/learn/batch.go", breaks: "a part of a part is a part of the whole by its own numbers",
		old: "part[i] = b.part[r]", new: "part[i] = r", tests: "./phe/learn -run TestTake",
	},
	{
		file: "phe/learn/batch.go", breaks: "a record that a part has not is its whole's first",
		old: "part[i] = -1 // out of range, as r is", new: "part[i] = 0", tests: "./phe/learn -run TestTake",
	},
	{
		file: "phe/learn/batch.go", breaks: "an item's column may be missing",
		old: "len(b.Columns) != len(b.Items) ||", new: "len(b.Columns) > len(b.Items) ||", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "fewer than no items are common",
		old: "b.Common < 0 || ", new: "", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "more items are common than there are",
		old: " || b.Common > len(b.Items):", new: ":", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "an index may end within an event",
		old: "case len(b.Index) != events*columns || ", new: "case ", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "records may have no event",
		old: "b.Length == 0 && events != b.Records || ", new: "", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "a sequence may be shorter than it should",
		old: " || len(b.Events) != b.Records*b.Length:", new: ":", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "some targets may be missing",
		old: "case len(b.Targets) != 0 && len(b.Targets) != events:", new: "case len(b.Targets) > events:", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "an index may be negative",
		old: "if at < 0 || int(at) >= len(b.Items) {", new: "if int(at) >= len(b.Items) {", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "an index may point behind the items",
		old: "if at < 0 || int(at) >= len(b.Items) {", new: "if at < 0 || int(at) > len(b.Items) {", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "an item may stand in a column that there is not",
		old: "if c < 0 || int(c) >= columns {", new: "if c < 0 || int(c) > columns {", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "an item may stand before the first column",
		old: "if c < 0 || int(c) >= columns {", new: "if int(c) >= columns {", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "a sequence may hold a negative event",
		old: "if e < 0 || int(e) >= events {", new: "if int(e) >= events {", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "a common item must stand in a column",
		old: "b.Columns[:len(b.Items)-b.Common]", new: "b.Columns", tests: "./phe/learn -run TestCommonItems",
	},
	{
		file: "phe/learn/batch.go", breaks: "a sequence may hold an event that there is not",
		old: "if e < 0 || int(e) >= events {", new: "if int(e) > events {", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "an input may be missing",
		old: "if !ok || x.len() != events*spec.size() || ", new: "if ok && x.len() != events*spec.size() || ", tests: "./phe/learn -run TestInputs",
	},
	{
		file: "phe/learn/batch.go", breaks: "an input may be too short",
		old: "x.len() != events*spec.size() || ", new: "", tests: "./phe/learn -run TestInputs",
	},
	{
		file: "phe/learn/batch.go", breaks: "an input may be of another type",
		old: " || x.dtype() != spec.DType && x.len() > 0 {", new: " {", tests: "./phe/learn -run TestInputs",
	},
	{
		file: "phe/learn/batch.go", breaks: "inputs need not be numbers",
		old: "if i := slices.IndexFunc(x.Floats, notFinite); i >= 0 {", new: "if i := slices.IndexFunc(x.Floats, notFinite); i > len(x.Floats) {", tests: "./phe/learn -run TestInputs",
	},
	{
		file: "phe/learn/batch.go", breaks: "targets need not be numbers",
		old: "if i := slices.IndexFunc(b.Targets, notFinite); i >= 0 {", new: "if i := slices.IndexFunc(b.Targets, notFinite); i > len(b.Targets) {", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/batch.go", breaks: "numbers may be infinite",
		old: "math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)", new: "math.IsNaN(float64(x))", tests: "./phe/learn -run TestDivergedIsNotSaved",
	},
	{
		file: "phe/learn/batch.go", breaks: "a part has no common items",
		old: "items = append(items, first+int32(i))", new: "_ = i", tests: "./phe/learn -run TestCommonItems",
	},
	{
		file: "phe/learn/batch.go", breaks: "all common items of a part are the first",
		old: "items = append(items, first+int32(i))", new: "items = append(items, first+0*int32(i))", tests: "./phe/learn -run TestCommonItems",
	},
	{
		file: "phe/learn/batch.go", breaks: "a part keeps the numbers that items have in its whole",
		old: "own.Index = positions(own.Index, items)", new: "_ = positions(own.Index, items)", tests: "./phe/learn -run TestUpdateLearnsItsRows",
	},
	{
		file: "phe/learn/batch.go", breaks: "a part keeps the numbers that events have in its whole",
		old: "own.Events = positions(all, events)", new: "own.Events = all", tests: "./phe/learn -run TestSequences",
	},
	{
		file: "phe/learn/batch.go", breaks: "a part has the targets of the first events",
		old: "own.Targets = taken(b.Targets, events, 1)", new: "own.Targets = b.Targets[:len(events)]", tests: "./phe/learn -run TestSequences",
	},
	{
		file: "phe/learn/batch.go", breaks: "a part has the inputs of the first events",
		old: "b.Inputs[spec.Name].take(events, spec.size())", new: "b.Inputs[spec.Name].take(numbers(len(events)), spec.size())", tests: "./phe/learn -run TestInputs",
	},
	{
		file: "phe/learn/batch.go", breaks: "a sequence's items are those of the event with its number",
		old: "events = b.Events[int(r)*b.Length:][:b.Length]\n\t\t\t}\n\t\t\tfor _, e", new: "_ = 0\n\t\t\t}\n\t\t\tfor _, e", tests: "./phe/learn -run TestItemsOf",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "the first run gets the rows that every run learned",
		old: "copy(table[(r*perRun+int(row))*width:][:width]", new: "copy(table[(0*r*perRun+int(row))*width:][:width]", tests: "./phe/learn -run TestUpdateLearnsItsRows",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "every run learns from the first run's rows",
		old: "table[(r*perRun+row)*width:]", new: "table[(0*r*perRun+row)*width:]", tests: "./phe/ncf -run TestExcerptEqualsWhole/Ada,_two_runs$",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "an excerpt takes the rows of E from W too",
		old: "return x.w, tableRoom(", new: "return x.e, tableRoom(", tests: "./phe/ncf -run TestExcerptEqualsWhole/PHE$",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "weight rows of an excerpt are numbered as buckets",
		old: "Weights: positions(slots.Weights, x.w)", new: "Weights: positions(slots.Weights, x.e)", tests: "./phe/ncf -run TestExcerptEqualsWhole/PHE$",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "a part of a batch has the slots of the first items",
		old: "Buckets: taken(slots.Buckets, items, k)", new: "Buckets: slots.Buckets[:len(items)*k]", tests: "./phe/ncf -run TestExcerptEqualsWhole/PHE$",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "common items are looked for before the room that they stand behind",
		old: "index[i] = at + shift", new: "index[i] = at", tests: "./phe/learn -run TestCommonItems",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "common items stand before the room that is left",
		old: "copy(out[len(out)-(len(values)-first*width):], values[first*width:])", new: "copy(out[first*width:], values[first*width:])", tests: "./phe/learn -run TestCommonItems",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "a record that the batch has not is taken",
		old: "if r < 0 || int(r) >= n {", new: "if r < 0 && int(r) >= n {", tests: "./phe/ncf -run TestLearnerErrors",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "updates of no records are taken",
		old: "if len(records) == 0 {", new: "if false {", tests: "./phe/ncf -run TestLearnerErrors",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "items that were learned get no rows",
		old: "\tif _, err := l.hasher.Items(x.met); err != nil { // as planned\n\t\treturn err\n\t}\n\tbackend.Release(l.parameters[from", new: "\tbackend.Release(l.parameters[from", tests: "./phe/learn -run TestLearningGivesRows",
	},
	{
		file: "phe/learn/fit.go", breaks: "items of the initial phase get no rows",
		old: "\tif _, err := l.hasher.Items(x.met); err != nil { // as planned\n\t\treturn err\n\t}\n", new: "", tests: "./phe/learn -run TestLearningGivesRows",
	},
	{
		file: "phe/learn/pin.go", breaks: "a prediction gives its items rows",
		old: "l.hasher.Peek(own.Items)", new: "l.hasher.Items(own.Items)", tests: "./phe/learn -run TestPredictingGivesNoRow",
	},
	{
		file: "phe/learn/pin.go", breaks: "new items share a row while they are learned",
		old: "l.hasher.Plan(own.Items)", new: "l.hasher.Peek(own.Items)", tests: "./phe/learn -run TestLearningGivesRows",
	},
	{
		file: "phe/learn/pin.go", breaks: "a part of a batch is pinned",
		old: "if b.whole != nil {\n\t\treturn pinned{}", new: "if false {\n\t\treturn pinned{}", tests: "./phe/learn -run TestBatchErrors",
	},
	{
		file: "phe/learn/pin.go", breaks: "an initial phase of other records goes on with the data of the last",
		old: "slices.Equal(f.batch.part, b.part)", new: "len(slices.Clone(f.batch.part)) == len(b.part)", tests: "./phe/learn -run TestFitGoesOn",
	},
	{
		file: "phe/learn/pin.go", breaks: "the initial phase of a pinned batch has batches of one record",
		old: "records: records, size: l.BatchSize, lent: true", new: "records: records, size: 1, lent: true", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/pin.go", breaks: "a batch stays pinned",
		old: "if l.pinned.batch == b {", new: "if false {", tests: "./phe/learn -run TestUnpin",
	},
	{
		file: "phe/learn/pin.go", breaks: "unpinning a batch unpins the one that took its place",
		old: "if l.pinned.batch == b {", new: "if true {", tests: "./phe/learn -run TestUnpin",
	},
	{
		file: "phe/learn/network.go", breaks: "no gradient reaches the incremental column",
		old: "Equal(p.columns, Const(p.columns.Graph(), int32(p.config.Incremental)))", new: "NotEqual(p.columns, Const(p.columns.Graph(), int32(p.config.Incremental)))", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/network.go", breaks: "a linear head trains all columns",
		old: "var trained *Node\n\t\tif p.masked {", new: "var trained *Node\n\t\tif false {", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/network.go", breaks: "embeddings of all columns learn",
		old: "\tif p.masked {\n\t\tembeddings =", new: "\tif false {\n\t\tembeddings =", tests: "./phe/tabular -run TestContract/PHE/three_classes,_rows",
	},
	{
		file: "phe/learn/network.go", breaks: "every run reads the first run's items",
		old: "MulScalar(run, p.items)", new: "MulScalar(run, 0)", tests: "./phe/learn -run TestUpdateLearnsItsRows|TestCommonItems",
	},
	{
		file: "phe/learn/network.go", breaks: "what is drawn again has the noise of before",
		old: "p.Noise = p.Noise.At(Const(p.Index.Graph(), step))", new: "_ = step", tests: "./phe/ncf -run TestAgainstPlainGo/PHE,_rows",
	},
	{
		file: "phe/learn/network.go", breaks: "the base does not count where embeddings are drawn",
		old: "linear := Add(Einsum(\"srncd,rcdo->srno\", byRun, head), InsertAxes(base, 0))", new: "linear := Add(Einsum(\"srncd,rcdo->srno\", byRun, head), InsertAxes(MulScalar(base, 0), 0))", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "rooms beyond the largest batch double",
		old: "room *= 4", new: "room *= 2", tests: "./phe/learn -run TestRoomFor",
	},
	{
		file: "phe/vocabulary.go", breaks: "an item takes a new row each time",
		old: "row, ok := v.rows[item]\n\t\tif !ok {\n\t\t\trow, ok = fresh[item]", new: "row, ok := v.rows[item]\n\t\tif ok = false; !ok {\n\t\t\trow, ok = fresh[item]", tests: "./phe -run TestVocabulary",
	},
	{
		file: "phe/vocabulary.go", breaks: "an item that comes twice in a call gets two rows",
		old: "row, ok = fresh[item]", new: "row, ok = fresh[\"\"]", tests: "./phe -run TestVocabulary",
	},
	{
		file: "phe/vocabulary.go", breaks: "new items of a call share a row",
		old: "int32(len(v.rows) + len(fresh))", new: "int32(len(v.rows) + 0*len(fresh))", tests: "./phe -run TestVocabulary",
	},
	{
		file: "phe/vocabulary.go", breaks: "a full vocabulary gives rows that there are not",
		old: "if int(row) == v.capacity {\n\t\t\t\treturn nil, nil, v.full(item)", new: "if int(row) > v.capacity {\n\t\t\t\treturn nil, nil, v.full(item)", tests: "./phe -run TestVocabulary",
	},
	{
		file: "phe/vocabulary.go", breaks: "under a full vocabulary, a new item is predicted by a row that there is not",
		old: "int(row) == v.capacity {\n\t\t\t\treturn nil, v.full(item)", new: "int(row) > v.capacity {\n\t\t\t\treturn nil, v.full(item)", tests: "./phe/learn -run TestPredictingUnderAFullVocabulary",
	},
	{
		file: "phe/vocabulary.go", breaks: "a new item is looked at by the last row that is taken",
		old: "if row = int32(len(v.rows)); int(row)", new: "if row = int32(len(v.rows) - 1); int(row)", tests: "./phe -run TestPlanAndPeek",
	},
	{
		file: "phe/encoder.go", breaks: "planning gives rows",
		old: "return e.vocabularyRows(items, false)", new: "return e.vocabularyRows(items, true)", tests: "./phe -run TestPlanAndPeek",
	},
	{
		file: "phe/encoder.go", breaks: "a grown vocabulary forgets its items",
		old: "_, err = grown.Items(e.Vocabulary())", new: "_ = e.Vocabulary()", tests: "./phe/learn -run TestGrow$",
	},
}
