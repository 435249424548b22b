package main

// serving breaks the server of a model and the journal behind it.
var serving = []mutant{
	{
		file: "phe/journal/format.go", breaks: "the checksum of a record is not compared",
		old: "if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(foot) ||", new: "if len(payload) > MostRecord ||", tests: "./phe/journal -run TestDamage",
	},
	{
		file: "phe/journal/format.go", breaks: "damage at the end counts as a record that was cut short",
		old: "\treturn errDamaged\n}", new: "\treturn errTorn\n}", tests: "./phe/journal -run TestDamage",
	},
	{
		file: "phe/journal/files.go", breaks: "a record that was cut short is removed without a word",
		old: "j.warning = fmt.Sprintf", new: "_ = fmt.Sprintf", tests: "./phe/journal -run TestTornEnd",
	},
	{
		file: "phe/journal/files.go", breaks: "records that are gone in the middle are not missed",
		old: "case errors.Is(err, errTorn) && isLast:", new: "case errors.Is(err, errTorn) && (isLast || i >= 0):", tests: "./phe/journal -run TestDamagedSegments",
	},
	{
		file: "phe/journal/files.go", breaks: "trimming takes records that are needed",
		old: "j.segments[1].first <= through+1 {", new: "j.segments[1].first <= through+5 {", tests: "./phe/journal -run TestReopen",
	},
	{
		file: "phe/journal/journal.go", breaks: "a write that failed counts as safe",
		old: "\t\tj.err = err\n\t} else {", new: "\t\tj.err, j.synced = err, upTo\n\t} else {", tests: "./phe/journal -run TestDiskFull",
	},
	{
		file: "phe/journal/journal.go", breaks: "a record is acknowledged before it is safe",
		old: "err = j.sync(j.file)", new: "_ = j.sync(j.file)", tests: "./phe/journal -run TestDiskFull",
	},
	{
		file: "phe/journal/journal.go", breaks: "every appender syncs alone",
		old: "records, upTo := j.buffer, j.last", new: "records, upTo := j.buffer, j.synced+1", tests: "./phe/journal -run TestTogether",
	},
	{
		file: "phe/serve/operation.go", breaks: "a retry counts twice",
		old: "kept := s.keys.find(op.Key); kept != nil {", new: "kept := s.keys.find(op.Key); kept != nil && number == 0 {", tests: "./phe/serve -run TestRetry",
	},
	{
		file: "phe/serve/operation.go", breaks: "another request under a used key gets an answer that is not its own",
		old: "if kept.Sum != op.Sum {", new: "if kept.Sum == \"\" {", tests: "./phe/serve -run TestRetry",
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
		file: "phe/serve/keep.go", breaks: "an older copy of the model replaces a newer one",
		old: "s.ended.Go(func() {\n\t\tdefer s.saving.Unlock()", new: "s.saving.Unlock()\n\ts.ended.Go(func() {\n\t\ttime.Sleep(time.Duration(c.served.Applied%2) * 20 * time.Millisecond)", tests: "./phe/serve -run TestCheckpoints|TestKill",
	},
	{
		file: "phe/serve/server.go", breaks: "the older generation does not know the journal",
		old: "for range 2 {", new: "for range 1 {", tests: "./phe/serve -run TestModelOfStream",
	},
	{
		file: "phe/serve/server.go", breaks: "the journal is not replayed",
		old: "err = s.replay()", new: "err = nil", tests: "./phe/serve -run TestKill|TestOlderGeneration",
	},
	{
		file: "phe/serve/server.go", breaks: "a full disk does not show",
		old: "if s.ready.Swap(false) {", new: "if s.ready.Load() {", tests: "./phe/serve -run TestDiskFull",
	},
	{
		file: "phe/serve/handle.go", breaks: "any token will do",
		old: "subtle.ConstantTimeCompare(given[:], want[:]) != 1 || !found", new: "subtle.ConstantTimeCompare(given[:], want[:]) > 1 || !found", tests: "./phe/serve -run TestClients",
	},
	{
		file: "phe/serve/handle.go", breaks: "a page from elsewhere can use the server",
		old: "if !s.options.AnyHost && !IsLocal(r.Host) {", new: "if !s.options.AnyHost && r.Host == \"\" {", tests: "./phe/serve -run TestClients",
	},
	{
		file: "phe/serve/handle.go", breaks: "a body that is refused is waited for",
		old: "if p != nil && unread[p.Status] {", new: "if p != nil && unread[0] {", tests: "./phe/serve -run TestLarge",
	},
	{
		file: "phe/serve/request.go", breaks: "a body without a length may have any size",
		old: "http.MaxBytesReader(w, r.Body, s.options.MaxBody)", new: "r.Body", tests: "./phe/serve -run TestRefused|TestLarge",
	},
	{
		file: "phe/serve/request.go", breaks: "a mistyped column passes silently",
		old: "if len(unknown) > 0 {", new: "if len(unknown) > len(named) {", tests: "./phe/serve -run TestRefused",
	},
	{
		file: "phe/serve/handlers.go", breaks: "a server that is busy takes more",
		old: "default:\n\t\treturn busy()", new: "default:\n\t\treturn nil", tests: "./phe/serve -run TestBusy",
	},
	{
		file: "phe/serve/run.go", breaks: "requests under way are cut off by a stop",
		old: "if err := h.Shutdown(ctx); err != nil {", new: "if err := h.Close(); err != nil || ctx == nil {", tests: "./phe/serve -run TestStopUnderWay",
	},
}

// showing breaks the live page of a stream.
var showing = []mutant{
	{
		file: "phe/page/history.go", breaks: "the history of a long run grows",
		old: "if len(h.points) == mostPoints {", new: "if len(h.points) < 0 {", tests: "./phe/page -run TestHistory",
	},
	{
		file: "phe/page/history.go", breaks: "a long run's history loses its beginning",
		old: "h.points[i] = h.points[2*i]", new: "h.points[i] = h.points[mostPoints/2+i]", tests: "./phe/page -run TestHistory",
	},
	{
		file: "phe/page/events.go", breaks: "a viewer keeps points that the history has dropped",
		old: "		from = 0\n", new: "		from = len(h.points)\n", tests: "./phe/page -run TestThinned",
	},
	{
		file: "phe/page/events.go", breaks: "a viewer does not see the stream's end",
		old: "waiting, over = false, true", new: "return", tests: "./phe/page -run TestClosed",
	},
	{
		file: "phe/page/page.go", breaks: "the page takes its moments without a pause, however long they take",
		old: "return max(wait, share*p.cost())", new: "return wait", tests: "./phe/page -run TestPause",
	},
	{
		file: "phe/page/now.go", breaks: "a number that is not finite ends every viewer's stream",
		old: "if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {", new: "if math.IsNaN(float64(n)) {", tests: "./phe/page -run TestNotFinite",
	},
	{
		file: "phe/page/files.go", breaks: "a browser may load what other servers send",
		old: `w.Header().Set("Content-Security-Policy", policy)`, new: "_ = policy", tests: "./phe/page -run TestFiles",
	},
}
