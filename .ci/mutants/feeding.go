package main

// feeding breaks the feed that takes a learner along an input. No test can notice a missing sync: a kill loses no bytes that the
// system has taken.
var feeding = []mutant{
	{
		file: "phe/feed/output.go", breaks: "the output is not cut to the last checkpoint",
		old: "o.file.Truncate(o.length)", new: "o.file.Sync()", tests: "./phe/feed -run TestOutputChanged|TestFirstCheckpoint",
	},
	{
		file: "phe/feed/output.go", breaks: "an output that was replaced is cut",
		old: "_, same, err := o.written.extend", new: "_, _, err = o.written.extend(o.file, 0)\n\tsame := true\n\t_, _, _ = o.written.extend", tests: "./phe/feed -run TestOutputChanged",
	},
	{
		file: "phe/feed/output.go", breaks: "a sync after a failed write succeeds",
		old: "if o.failed == nil {\n\t\to.failed = o.trySync()", new: "{\n\t\to.failed = o.trySync()", tests: "./phe/feed -run TestFailedOutput",
	},
	{
		file: "phe/feed/output.go", breaks: "forecasts are written over the input",
		old: "if sameFile(path, other) {", new: "if path == other {", tests: "./phe/feed -run TestOutputPlace",
	},
	{
		file: "phe/feed/feed.go", breaks: "the position is saved before the output is synced",
		old: "written, err := f.output.sync()", new: "written, err := f.output.written, error(nil)", tests: "./phe/feed -run TestStop$",
	},
	{
		file: "phe/feed/feed.go", breaks: "the end of a pipe after Ctrl-C is the end of the input",
		old: "case r.err == io.EOF && ctx.Err() == nil:", new: "case r.err == io.EOF:", tests: "./phe/feed -run TestStop$",
	},
	{
		file: "phe/feed/feed.go", breaks: "a skipped record is read again after a restart",
		old: "f.State.Bad++\n\tf.pass(r)", new: "f.State.Bad++", tests: "./phe/feed -run TestLeftOut",
	},
	{
		file: "phe/feed/feed.go", breaks: "an input that has grown counts as learned to its end",
		old: "f.State.Position, f.State.Ended = r.after, false", new: "f.State.Position = r.after", tests: "./phe/feed -run TestInputs",
	},
	{
		file: "phe/feed/resume.go", breaks: "the checksum of a pipe is not compared",
		old: "if check != f.State.Check {", new: "if check == 0 {", tests: "./phe/feed -run TestPipeChanged",
	},
	{
		file: "phe/feed/resume.go", breaks: "late labels of an input that was left are mixed with the next input",
		old: "Delay: 1}", new: "Delay: 0}", tests: "./phe/feed -run TestInputs",
	},
	{
		file: "phe/feed/resume.go", breaks: "the forecasts are cut before the new input is in a checkpoint",
		old: "if err := f.Save(); err != nil {", new: "if err := f.output.cut(); err != nil {\n\t\treturn err\n\t}\n\tif err := f.Save(); err != nil {", tests: "./phe/feed -run TestFirstCheckpoint",
	},
	{
		file: "phe/feed/reading.go", breaks: "nothing is saved while a pipe pauses",
		old: "err := f.look()", new: "var err error", tests: "./phe/feed -run TestPipeWaits",
	},
	{
		file: "phe/feed/beginning.go", breaks: "a line that is gone before the position is not noticed",
		old: "last := min(bytes-first, mostLast)", new: "last := min(0, bytes)", tests: "./phe/feed -run TestChange$",
	},
	{
		file: "phe/feed/input.go", breaks: "an input that changes while it is read is learned on",
		old: "if err == nil && !same {", new: "if err == nil && !same && bytes < 0 {", tests: "./phe/feed -run TestChangeUnderWay",
	},
	{
		file: "phe/feed/choose.go", breaks: "an input that was renamed keeps its old name",
		old: "s.Input.Name = path\n", new: "_ = path\n", tests: "./phe/feed -run TestChangeUnderWay|TestChoose",
	},
	{
		file: "phe/feed/state.go", breaks: "a smaller delay leaves records without their labels",
		old: "case waiting > delay && f.State.Position.Record > 0:", new: "case waiting < 0:", tests: "./phe/feed -run TestOptions",
	},
}
