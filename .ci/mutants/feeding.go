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

// keeping breaks the checkpoint of a long run, and the alarm that watches its losses.
var keeping = []mutant{
	{
		file: "phe/checkpoint/rotate.go", breaks: "a damaged generation pushes out the whole one",
		old: "if !s.whole {", new: "if false {", tests: "./phe/checkpoint -run TestSaveAfterDamage",
	},
	{
		file: "phe/checkpoint/rotate.go", breaks: "a save without hard links is not undone",
		old: "_ = s.rename(olderName(s.path), s.path)", new: "_ = s.rename", tests: "./phe/checkpoint -run TestStepFails",
	},
	{
		file: "phe/checkpoint/rotate.go", breaks: "the newest generation is moved away before the new one comes",
		old: "s.link(s.path, spareName(s.path))", new: "s.rename(s.path, spareName(s.path))", tests: "./phe/checkpoint -run TestKillBetweenSteps",
	},
	{
		file: "phe/checkpoint/parse.go", breaks: "the checksum is not compared",
		old: "if !bytes.Equal(sum.Sum(nil), stored[:]) {", new: "if len(stored) == 0 && !bytes.Equal(sum.Sum(nil), nil) {", tests: "./phe/checkpoint -run TestDamage",
	},
	{
		file: "phe/checkpoint/parse.go", breaks: "bytes after the checksum are not noticed",
		old: "sha256.Size != h.Payload ||", new: "sha256.Size < h.Payload ||", tests: "./phe/checkpoint -run TestDamage",
	},
	{
		file: "phe/checkpoint/load.go", breaks: "a newer program's state is thrown away",
		old: "if isRefusal(err) {", new: "if isRefusal(err) && path == kind {", tests: "./phe/checkpoint -run TestLaterFormat",
	},
	{
		file: "phe/checkpoint/load.go", breaks: "damage is silent",
		old: "older.Warning = fmt", new: "_ = fmt", tests: "./phe/checkpoint -run TestDamage|Example",
	},
	{
		file: "phe/checkpoint/save.go", breaks: "a failed save keeps filling the disk",
		old: "defer os.Remove(savingName(s.path))", new: "defer os.Remove(\"\")", tests: "./phe/checkpoint -run TestDiskFull|TestWriteFails",
	},
	{
		file: "phe/checkpoint/save.go", breaks: "an error of the disk that the caller ignores is lost",
		old: "if err := buffered.Flush(); err != nil {", new: "if err := buffered.Flush(); err != nil && counted.n < 0 {", tests: "./phe/checkpoint -run TestDiskFull",
	},
	{
		file: "phe/checkpoint/save.go", breaks: "a step that failed is not looked at again",
		old: "s.examined = false //", new: "s.examined = true //", tests: "./phe/checkpoint -run TestNewestMissing|TestStepFails",
	},
	{
		file: "phe/checkpoint/lock.go", breaks: "a lock on a removed file counts",
		old: "return err == nil && os.SameFile(now, locked)", new: "return err == nil && (now != nil || locked != nil)", tests: "./phe/checkpoint -run TestLock",
	},
	{
		file: "phe/checkpoint/store.go", breaks: "what a killed save left stays",
		old: "if err := removeFile(left); err != nil {", new: "if err := checkPlace(left); err != nil {", tests: "./phe/checkpoint -run TestFresh|TestKill",
	},
	{
		file: "phe/drift/alarm.go", breaks: "one loss sets off the alarm",
		old: "deviation = bound(deviation, mostDeviations*sd)", new: "deviation = bound(deviation, 1e9*sd)", tests: "./phe/drift -run TestGarbage|TestConstant",
	},
	{
		file: "phe/drift/alarm.go", breaks: "heavy tails hide a doubling",
		old: "loss = bound(loss, mostOfMean*a.Size)", new: "loss = bound(loss, 1e9*a.Size)", tests: "./phe/drift -run TestBars",
	},
	{
		file: "phe/drift/alarm.go", breaks: "small rises set off the alarm",
		old: "max(allowance, a.Options.Rise*math.Abs(a.Mean)/sd)", new: "allowance", tests: "./phe/drift -run TestConstant|TestOptions",
	},
	{
		file: "phe/drift/alarm.go", breaks: "losses that have fallen are not the new reference",
		old: "a.Better = max(0, a.Better-z-allowance)", new: "a.Better = 0", tests: "./phe/drift -run TestLevels|TestLearning",
	},
	{
		file: "phe/drift/alarm.go", breaks: "the first error after none is an infinite deviation",
		old: "sd := math.Sqrt((1 - weight) * (a.Variance + weight*deviation*deviation))", new: "sd := math.Sqrt(a.Variance)", tests: "./phe/drift -run TestConstant",
	},
	{
		file: "phe/drift/alarm.go", breaks: "the level before an alarm stays the reference",
		old: "*a = Alarm{Options: a.Options, Alarms: a.Alarms, Ignored: a.Ignored}", new: "a.Worse, a.Better = 0, 0", tests: "./phe/drift -run TestLevels",
	},
	{
		file: "phe/drift/alarm.go", breaks: "the sum of the unfinished batch is not kept",
		old: "`json:\"sizes\"`", new: "`json:\"-\"`", tests: "./phe/drift -run TestResume",
	},
}
