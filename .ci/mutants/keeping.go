package main

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
