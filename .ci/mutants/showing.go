package main

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
