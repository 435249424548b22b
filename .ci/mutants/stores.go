package main

// stores break the files that a kill, a power failure, a full disk or damage must not spoil: forecasts, checkpoints, the journal of a
// server. A missing sync shows on the simulated disk of phe/disk/disktest.
var stores = []mutant{
	{
		file: "phe/output/output.go", breaks: "an input under another name is overwritten",
		old: "return os.SameFile(first, second)\n\t}\n\tif", new: "return filepath.Clean(a) == filepath.Clean(b) && first != second\n\t}\n\tif", tests: "./phe/output -run TestOthers",
	},
	{
		file: "phe/feed/output.go", breaks: "forecasts that somebody changed are begun anew",
		old: "if !ours && s.last.bytes == info.Size() {", new: "if !ours && s.last.bytes > 0 {", tests: "./experiments/cmd/phe/streaming -run TestForecastsFile",
	},
	{
		file: "experiments/cmd/phe/streaming/source.go", breaks: "Ctrl-C drops the rows of a pipe that wait for the schema",
		old: "s.given = func() { context.AfterFunc(ctx, cancel) }", new: "context.AfterFunc(ctx, cancel)", tests: "./experiments/cmd/phe -run TestPipeStoppedEarly",
	},
	{
		file: "phe/feed/output.go", breaks: "the output is not cut to the last checkpoint",
		old: "o.file.Truncate(o.length)", new: "o.file.Sync()", tests: "./phe/feed -run TestOutputChanged|TestFirstCheckpoint",
	},
	{
		file: "phe/feed/output.go", breaks: "an output that was replaced is cut",
		old: "_, same, err := o.written.extend", new: "_, _, err = o.written.extend(o.file, 0)\n\tsame := true\n\t_, _, _ = o.written.extend", tests: "./phe/feed -run TestOutputChanged",
	},
	{
		file: "phe/feed/feed.go", breaks: "the position is saved before the output is synced",
		old: "written, err := f.output.sync()", new: "written, err := f.output.written, error(nil)", tests: "./phe/feed -run TestStop$",
	},
	{
		file: "phe/feed/feed.go", breaks: "a skipped record is read again after a restart",
		old: "f.State.Bad++\n\tf.pass(r)", new: "f.State.Bad++", tests: "./phe/feed -run TestLeftOut",
	},
	{
		file: "phe/feed/resume.go", breaks: "the checksum of a pipe is not compared",
		old: "if check != f.State.Check && (f.isPipe()", new: "if check == 0 && (f.isPipe()", tests: "./phe/feed -run TestPipeChanged",
	},
	{
		file: "phe/feed/fingerprint.go", breaks: "an edit in the part that was learned is not noticed",
		old: "case sum != f.before(block+1):", new: "case sum != sum:", tests: "./phe/feed -run TestFingerprint",
	},
	{
		file: "phe/feed/fingerprint.go", breaks: "the end of the part that was learned is compared by chance only",
		old: ", n-1, int(max(0, f.Bytes-leastBlock)/f.Block))", new: ", 0)", tests: "./phe/feed -run TestFingerprint",
	},
	{
		file: "phe/feed/feed.go", breaks: "the fingerprint stays behind the records",
		old: "f.State.Fingerprint = r.bytes", new: "_ = r.bytes", tests: "./experiments/cmd/phe/streaming -run TestEditUnderWay",
	},
	{
		file: "phe/feed/feed.go", breaks: "a half line ends the input",
		old: "f.State.Ended = false\n\t\treturn f.save()", new: "f.State.Ended = true\n\t\treturn f.save()", tests: "./experiments/cmd/phe/streaming -run TestHalfLineThenAnother",
	},
	{
		file: "data/records/text.go", breaks: "a half line is learned",
		old: "t.half = t.growing &&", new: "t.half = false &&", tests: "./data/records -run TestGrowing",
	},
	{
		file: "phe/checkpoint/rotate.go", breaks: "a damaged generation pushes out the whole one",
		old: "if !s.whole {", new: "if false {", tests: "./phe/checkpoint -run TestSaveAfterDamage",
	},
	{
		file: "phe/checkpoint/rotate.go", breaks: "the newest generation is moved away before the new one comes",
		old: "s.disk.Link(s.path, spareName(s.path))", new: "s.disk.Rename(s.path, spareName(s.path))", tests: "./phe/checkpoint -run TestDisk$",
	},
	{
		file: "phe/checkpoint/parse.go", breaks: "the checksum is not compared",
		old: "if !bytes.Equal(sum.Sum(nil), stored[:]) {", new: "if len(stored) == 0 && !bytes.Equal(sum.Sum(nil), nil) {", tests: "./phe/checkpoint -run TestDamage",
	},
	{
		file: "phe/checkpoint/load.go", breaks: "a newer program's state is thrown away",
		old: "if isRefusal(err) {", new: "if isRefusal(err) && path == kind {", tests: "./phe/checkpoint -run TestLaterFormat",
	},
	{
		file: "phe/checkpoint/save.go", breaks: "an error of the disk that the caller ignores is lost",
		old: "if err := buffered.Flush(); err != nil {", new: "if err := buffered.Flush(); err != nil && counted.n < 0 {", tests: "./phe/checkpoint -run TestDiskFull",
	},
	{
		file: "phe/disk/lock.go", breaks: "a lock on a removed file counts",
		old: "return err == nil && os.SameFile(now, locked)", new: "return err == nil && (now != nil || locked != nil)", tests: "./phe/disk -run TestLock",
	},
	{
		file: "phe/journal/format.go", breaks: "the checksum of a record is not compared",
		old: "if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(foot) ||", new: "if len(payload) > MostRecord ||", tests: "./phe/journal -run TestDamage",
	},
	{
		file: "phe/journal/read.go", breaks: "records that are gone in the middle are not missed",
		old: "first, w.options.Newest) && isLast:", new: "first, w.options.Newest) && (isLast || i >= 0):", tests: "./phe/journal -run TestDamagedSegments",
	},
	{
		file: "phe/journal/journal.go", breaks: "a record is acknowledged before it is safe",
		old: "err = j.file.Sync()", new: "_ = j.file.Sync()", tests: "./phe/journal -run TestDiskFull",
	},
	{
		file: "phe/journal/files.go", breaks: "records that a killed process did not sync are used",
		old: "onDisk(f.Sync(), \"syncing the journal\")", new: "error(nil)", tests: "./phe/journal -run TestDisk$",
	},
	{
		file: "phe/journal/files.go", breaks: "a segment is used whose name may be lost",
		old: "err == nil {\n\t\terr = j.disk.SyncFolder(j.folder)", new: "err == nil {\n\t\terr = nil", tests: "./phe/journal -run TestDisk$",
	},
	{
		file: "phe/journal/files.go", breaks: "a new segment's name is not synced",
		old: "if err := j.disk.SyncFolder(j.folder); err != nil {", new: "if err := error(nil); err != nil {", tests: "./phe/journal -run TestDisk$",
	},
	{
		file: "phe/journal/journal.go", breaks: "the journal's folder may be lost",
		old: "if err := o.Disk.SyncFolder(filepath.Dir(folder)); err != nil {", new: "if filepath.Dir(folder) == \"\" {\n\t\tvar err error", tests: "./phe/journal -run TestDisk$",
	},
	{
		file: "phe/journal/journal.go", breaks: "a segment without a record is followed by another",
		old: "&& j.size > int64(lineBytes) {", new: "&& j.size > 0 {", tests: "./phe/journal -run TestFirst",
	},
	{
		file: "phe/journal/files.go", breaks: "too many segments stay",
		old: "for len(j.segments) > 1 &&", new: "for len(j.segments) > 2 &&", tests: "./phe/journal -run TestReopenTrimmed",
	},
	{
		file: "phe/journal/files.go", breaks: "the newest segment is trimmed",
		old: "for len(j.segments) > 1 &&", new: "for len(j.segments) > 0 &&", tests: "./phe/journal -run TestReopenTrimmed",
	},
	{
		file: "phe/journal/files.go", breaks: "a journal goes on after a rotation that failed",
		old: "j.err = err // a file", new: "_ = err // a file", tests: "./phe/journal -run TestRotationFails",
	},
	{
		file: "phe/journal/read.go", breaks: "segments may overlap",
		old: "case begun && first <= w.last:", new: "case begun && first < w.after:", tests: "./phe/journal -run TestOverlap",
	},
	{
		file: "phe/journal/format.go", breaks: "a hole in records that were safe is taken for a write that was cut short",
		old: "content[at+bytes-1] == recordEnd {", new: "content[at+bytes-1] == laterEnd && number == 0 {", tests: "./phe/journal -run TestHole",
	},
	{
		file: "phe/checkpoint/save.go", breaks: "the checkpoint's bytes are not synced",
		old: "onDisk(f.Sync(), ", new: "onDisk(nil, ", tests: "./phe/checkpoint -run TestDisk$",
	},
	{
		file: "phe/checkpoint/save.go", breaks: "the checkpoint's name is not synced",
		old: "if err := s.disk.SyncFolder(filepath.Dir(s.path)); err != nil {", new: "if err := error(nil); filepath.Dir(s.path) == \"\" {", tests: "./phe/checkpoint -run TestDisk$",
	},
	{
		file: "phe/feed/output.go", breaks: "the forecasts are not synced",
		old: "if err := o.file.Sync(); err != nil {", new: "if err := error(nil); err != nil {", tests: "./phe/feed -run TestDisk$",
	},
	{
		file: "phe/feed/output.go", breaks: "the name of the forecasts is not synced",
		old: "err = d.SyncFolder(filepath.Dir(path))", new: "_ = filepath.Dir(path)", tests: "./phe/feed -run TestDisk$",
	},
	{
		file: "phe/serve/server.go", breaks: "a retry counts twice",
		old: "first := s.keys.find(op.Key); first != nil {", new: "first := s.keys.find(op.Key); first != nil && first.operation.Sum != op.Sum {", tests: "./phe/serve -run TestRetry",
	},
	{
		file: "phe/serve/server.go", breaks: "a retry counts twice while the first request is under way",
		old: "s.keys.begin(w)", new: "_ = s.keys.begin", tests: "./phe/serve -run TestLate|TestModelOfServer",
	},
	{
		file: "phe/serve/server.go", breaks: "a replay decides again which requests are retries",
		old: "!op.First && s.keys.find", new: "s.keys.find", tests: "./phe/serve -run TestOtherOptions",
	},
	{
		file: "phe/serve/server.go", breaks: "retries in the journals of older programs count twice",
		old: "!op.First && s.keys.find", new: "op.Sum < op.Sum && s.keys.find", tests: "./phe/serve -run TestOldJournal",
	},
	{
		file: "phe/serve/keys.go", breaks: "an answer that makes room takes the newer answer of its key with it",
		old: "k.byKey[string(oldest.Key)] == oldest {", new: "oldest.Key != \"\" {", tests: "./phe/serve -run TestOtherOptions",
	},
	{
		file: "phe/serve/operation.go", breaks: "keys that are not UTF-8 become one",
		old: "text.String(key), base64", new: "text.String([]rune(key)), base64", tests: "./phe/serve -run TestBinaryKeys",
	},
	{
		file: "phe/serve/operation.go", breaks: "5xx answers are kept for keys",
		old: "op.Key != \"\" && a.Status < http.StatusInternalServerError {", new: "op.Key != \"\" && a.Status < 600 {", tests: "./phe/serve -run TestOldJournal",
	},
	{
		file: "phe/serve/operation.go", breaks: "the age is the age of the last row, not of the newest",
		old: "max(at, s.learnedAt.Load())", new: "at", tests: "./phe/serve -run TestOldJournal",
	},
	{
		file: "phe/text/broken.go", breaks: "items that are not UTF-8 become one",
		old: "if !utf8.Valid(b) {", new: "if b == nil {", tests: "./phe/serve -run TestBytes",
	},
	{
		file: "phe/serve/keep.go", breaks: "a restart forgets the keys",
		old: "c.served.Keys = append(c.served.Keys, *a)", new: "_ = a", tests: "./phe/serve -run TestRetry",
	},
	{
		file: "phe/serve/keep.go", breaks: "the journal lacks what the older generation needs",
		old: "older := s.older", new: "older := s.kept", tests: "./phe/serve -run TestOlderGeneration",
	},
	{
		file: "phe/serve/server.go", breaks: "the journal is not replayed",
		old: "err = s.replay()", new: "err = error(nil)", tests: "./phe/serve -run TestKill|TestOlderGeneration",
	},
	{
		file: "phe/journal/read.go", breaks: "a missing newest file is not noticed",
		old: "firsts[len(firsts)-1] < newest:", new: "firsts[len(firsts)-1] < newest && folder == extension:", tests: "./phe/serve -run TestJournalLost",
	},
	{
		file: "phe/serve/keep.go", breaks: "a checkpoint names the newest file but one",
		old: "c.served.Newest = s.journal.Stats().Newest", new: "c.served.Newest = s.newest", tests: "./phe/serve -run TestJournalLost",
	},
	{
		file: "phe/serve/peek.go", breaks: "a reader beside a server gives the journal's rows",
		old: "case held && s.applied > applied:", new: "case held && s.applied < applied:", tests: "./phe/serve -run TestPeek",
	},
	{
		file: "phe/serve/seats.go", breaks: "a request that the server works on loses its connection",
		old: "if s.working.Load() == 0 &&", new: "if s.working.CompareAndSwap(s.working.Load(), 0) &&", tests: "./phe/serve -run TestConnections",
	},
	{
		file: "phe/serve/handle.go", breaks: "a stranger's mistake shows the model",
		old: "if rt != nil && rt.open {", new: "if rt != nil && rt.open && a.Again {", tests: "./phe/serve -run TestClients",
	},
	{
		file: "phe/serve/handle.go", breaks: "any token will do",
		old: "subtle.ConstantTimeCompare(given[:], want[:]) != 1 || !found", new: "subtle.ConstantTimeCompare(given[:], want[:]) > 1 || !found", tests: "./phe/serve -run TestClients",
	},
}

// shared breaks the rule that a chunk counts once on every machine of a cluster, whoever dies.
var shared = []mutant{
	{
		file: "phe/belief/state.go", breaks: "a chunk may count twice",
		old: "if s.Ledger.Has(c.Chunk) {", new: "if s.Ledger.Has(0) && c.Chunk == 0 {", tests: "./phe/belief ./phe/stream/shared",
	},
	{
		file: "phe/belief/ledger.go", breaks: "the ledger forgets chunks above its low mark",
		old: "return chunk <= l.Low || l.Above[chunk]", new: "return chunk <= l.Low", tests: "./phe/belief",
	},
	{
		file: "phe/belief/image.go", breaks: "a patch is applied before it is checked",
		old: "if err := p.walk(parts, func(int, int, float64, float64) {}); err != nil {\n\t\treturn err\n\t}\n\treturn", new: "return", tests: "./phe/belief ./phe/stream/shared",
	},
	{
		file: "phe/belief/part.go", breaks: "the checksum is not looked at",
		old: "string(got) != string(want[:])", new: "len(got) != len(want)", tests: "./phe/belief",
	},
	{
		file: "phe/stream/shared/patch.go", breaks: "a chunk learned in vain stays in the learner",
		old: "b.image.Reset(b.parts)", new: "_ = b.image", tests: "./phe/stream/shared",
	},
	{
		file: "phe/belief/state.go", breaks: "a damaged checkpoint is read",
		old: "binary.LittleEndian.Uint32(b[len(b)-4:]) != crc32.Checksum(b[:len(b)-4], castagnoli)", new: "len(b) == 0", tests: "./phe/belief -run TestCheckpointDamage",
	},
	{
		file: "phe/cluster/checkpoint.go", breaks: "the newest checkpoint gives way to an older one",
		old: "there.Object != \"\" && there.Position >= p.Position {", new: "there.Object != \"\" && revision == 0 {", tests: "./phe/cluster -run TestKeeperForwardOnly",
	},
	{
		file: "phe/cluster/follower.go", breaks: "a log that lost its end and grew again is followed",
		old: "if err == nil && checksum(m.Data) != message {", new: "if err == nil && checksum(m.Data) != message && at == 0 {", tests: "./phe/cluster -run TestLogGrewAgain",
	},
	{
		file: "phe/cluster/feed.go", breaks: "two feeders mix their rows",
		old: "if err != nil || bytes.Equal(m.Data, body) {", new: "if err != nil || !bytes.Equal(m.Data, nil) {", tests: "./phe/cluster -run TestFeederSleepsBeforeItSends",
	},
	{
		file: "phe/belief/image.go", breaks: "a length of a patch may be any number",
		old: "n <= 0 || v > math.MaxInt32", new: "n <= 0 || v == math.MaxInt32", tests: "./phe/belief -run TestPatch",
	},
	{
		file: "phe/belief/image.go", breaks: "a patch may end in the middle of an element",
		old: "len(b) < n*each", new: "len(b) < n*size", tests: "./phe/belief -run TestPatch",
	},
	{
		file: "phe/belief/image.go", breaks: "bytes may follow a patch",
		old: "if len(b) > 0 {\n\t\treturn errPatch", new: "if len(b) > 1 {\n\t\treturn errPatch", tests: "./phe/belief -run TestPatch",
	},
	{
		file: "phe/cluster/checkpoint.go", breaks: "the pointer moves back if another keeper was first",
		old: "if there.Position >= p.Position { // another keeper was first", new: "if there.Position == p.Position {", tests: "./phe/cluster -run TestAnotherKeeperWasFirst",
	},
	{
		file: "phe/cluster/checkpoint.go", breaks: "a checkpoint of another position is taken",
		old: "if s.Position != p.Position {", new: "if s.Position < p.Position {", tests: "./phe/cluster -run TestPointerToAnotherPosition",
	},
	{
		file: "phe/cluster/feed.go", breaks: "a feeder does not notice that the log of rows has lost its end",
		old: "case last < f.last:", new: "case last < f.last && body == nil:", tests: "./phe/cluster -run TestRowsLoseTheirEnd",
	},
	{
		file: "phe/cluster/feed.go", breaks: "a feeder does not look whether it owns the log",
		old: "if err == nil && there != f.owner {", new: "if err == nil && there == \"\" {", tests: "./phe/cluster -run TestFeederOvertaken",
	},
	{
		file: "phe/cluster/feed.go", breaks: "a chunk follows rows that its feeder does not know",
		old: "jetstream.WithExpectLastSequence(f.last))", new: "jetstream.WithExpectStream(f.log.o.rowsStream()))", tests: "./phe/cluster -run TestFeederSleepsBeforeItSends",
	},
	{
		file: "phe/cluster/follower.go", breaks: "a follower waits for a damaged message for ever",
		old: "if m != nil || behind {", new: "if m != nil || behind && number == 0 {", tests: "./phe/cluster -run TestDamagedMessage/newest",
	},
	{
		file: "phe/cluster/verify.go", breaks: "a reader begins again and again before a damaged message",
		old: "return from, l.missing(ctx, info.Config.Name, from)", new: "return from, nil", tests: "./phe/cluster -run TestDamagedMessage/folded",
	},
	{
		file: "phe/cluster/damage.go", breaks: "a server starts with a damaged consumer, and never answers for its log",
		old: "!= string(want) {", new: "== string(want[:0]) {", tests: "./phe/cluster -run TestWildNumber",
	},
}

// results break the resuming of a stopped run, and the rules that keep a finished result.
var results = []mutant{
	{
		file: "phe/learn/snapshot.go", breaks: "Adam's moments are not restored",
		old: "l.parameters, l.moments, l.counts = parameters, moments, s.Counts", new: "l.parameters, l.moments, l.counts = parameters, moments[:0], s.Counts", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a file's vocabulary is dropped",
		old: "s.Vocabulary = append(s.Vocabulary, string(item))", new: "_ = item", tests: "./phe/learn -run TestFileIsWhole",
	},
	{
		file: "phe/learn/checkpoint.go", breaks: "a learner that has diverged is saved",
		old: "at >= 0 {", new: "at > len(flat) {", tests: "./phe/learn -run TestDivergedIsNotSaved",
	},
	{
		file: "experiments/run/trial.go", breaks: "a stopped stream goes on from its first parameters",
		old: "if state.Learner, err = a.learner.State(); err != nil {", new: "if _, err = a.learner.State(); err != nil {", tests: "./experiments/run -run TestInterruptAndResume$",
	},
	{
		file: "experiments/run/existing.go", breaks: "a finished result of another spec is taken for this one's",
		old: "case f.Manifest.SpecHash != spec.Fingerprint():", new: "case false:", tests: "./experiments/run -run TestKeepRefuses",
	},
	{
		file: "experiments/run/run.go", breaks: "an unfinished result takes the place of a finished one",
		old: "if r.guards && r.file.Status != result.Complete {", new: "if false {", tests: "./experiments/run -run TestReplaceKeeps",
	},
	{
		file: "experiments/run/lock.go", breaks: "two processes compute one result",
		old: "case l == nil:", new: "case l == nil && err != nil:", tests: "./experiments/run -run TestLock",
	},
	{
		file: "experiments/run/checkpoint.go", breaks: "a damaged checkpoint is read",
		old: "if len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {", new: "if len(rest) < sha256.Size {", tests: "./experiments/run -run TestCheckpointIntegrity",
	},
	{
		file: "experiments/result/file.go", breaks: "series of another run are read",
		old: "if checksum(content) != f.Series.SHA256 {", new: "if err != nil {", tests: "./experiments/result",
	},
	{
		file: "experiments/result/file.go", breaks: "the series of a new result are lost in a crash",
		old: "if fresh, err := os.ReadFile(freshPath(f.path)); err == nil", new: "if fresh, err := os.ReadFile(freshPath(f.path)); err != nil", tests: "./experiments/result",
	},
}
