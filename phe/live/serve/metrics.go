package serve

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
	"gophe/phe/usage"
)

// bounds are the upper ends of the buckets of times, in seconds.
var bounds = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, math.Inf(1)}

// metrics counts the requests of each path for Prometheus.
type metrics struct {
	mu    sync.Mutex
	paths map[string]*requests
}

// requests are the requests of a path, by the statuses of their answers and by the times that they took.
type requests struct {
	statuses map[int]int64
	buckets  [len(bounds)]int64 // up to each bound; the last has all
	sum      float64            // of seconds
}

// observe counts a request.
func (m *metrics) observe(path string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.paths[path]
	if r == nil {
		r = &requests{statuses: map[int]int64{}}
		m.paths[path] = r
	}
	r.statuses[status]++
	r.sum += took.Seconds()
	for i, bound := range bounds {
		if took.Seconds() <= bound {
			r.buckets[i]++
		}
	}
}

// showMetrics writes everything in the text format of Prometheus.
func (s *Server) showMetrics(*http.Request, []byte) (answer, *problem) {
	var b bytes.Buffer
	put := func(name, kind, help string, value float64) { writeMetric(&b, "gophe_"+name, kind, help, "", value) }
	describeProcess(&b)
	s.metrics.write(&b)
	put("under_way", "gauge", "Requests under way.", float64(len(s.slots)))
	put("ready", "gauge", "1 if the server takes requests that learn, or has caught up with what it follows.", indicator[s.unready() == ""])
	if s.early == nil {
		s.modelMetrics(&b, put)
	}
	if s.own != nil {
		s.own.metrics(put)
	} else if s.followed != nil && s.followed.Position().Checkpoint > 0 {
		at := s.followed.Position()
		put("checkpoint_generation", "gauge", "Number of the checkpoint that was loaded.", float64(at.Checkpoint))
		put("log_age_seconds", "gauge", "Time since that checkpoint was loaded.", at.Age.Seconds())
	}
	const kind = "text/plain; version=0.0.4; charset=utf-8"
	return answer{Status: http.StatusOK, Body: b.Bytes(), header: http.Header{"Content-Type": {kind}}}, nil
}

// writeMetric writes a metric in the text format of Prometheus. lines holds two values for each line: what follows the name, such as
// labels, and a number.
func writeMetric(w io.Writer, name, kind, help string, lines ...any) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	for i := 0; i < len(lines); i += 2 {
		fmt.Fprintf(w, "%s%s %v\n", name, lines[i], lines[i+1])
	}
}

// metric takes a metric of one number.
type metric func(name, kind, help string, value float64)

// growth is the growth of the model's counters since the server's start.
type growth struct {
	mu          sync.Mutex         // guards the maps
	seen, grown map[string]float64 // by counter: the last number, and the growth
}

// of returns the growth of a counter. Another model may take the model's place with a smaller number, and a counter must not fall.
func (g *growth) of(name string, now float64) float64 {
	g.grown[name] += max(0, now-g.seen[name])
	g.seen[name] = now
	return g.grown[name]
}

// modelMetrics describes the learner.
func (s *Server) modelMetrics(w io.Writer, put metric) {
	s.growth.mu.Lock() // so that numbers are seen in their order
	defer s.growth.mu.Unlock()
	var now score.Report
	var odd []score.Fields
	m := s.readLearner(func(l *stream.Learner) { now, odd = l.Report(), l.Fields(true) })
	age := cmp.Or(m.Age, new(float64))
	put("model_rows", "gauge", "Rows that the model has learned.", float64(now.Rows))
	put("rows_learned_total", "counter", "Rows that the model has learned since the server's start.",
		s.growth.of("rows", float64(now.Rows)))
	put("model_age_seconds", "gauge", "Time since the newest of these rows came, or since a checkpoint was loaded.", *age)
	put("alarms_total", "counter", "Alarms that were told: the forecasts did not hold, or the fields of a column say nothing.",
		s.growth.of("alarms", float64(now.Alarms)))
	put("changes_total", "counter", "Times that the forecasts did not hold.", s.growth.of("changes", float64(now.Changes)))
	put("load", "gauge", "Share of the counters of seen items in use; near 1, new items look known.", now.Load)
	counts := map[string][]any{}
	for _, f := range odd {
		column := labels.Replace(strings.ToValidUTF8(string(f.Column), "\ufffd"))
		label := fmt.Sprintf(`{column="%s",of="%s"}`, column, f.Of)
		counts[f.What] = append(counts[f.What], label, s.growth.of(f.What+label, float64(f.Rows)))
	}
	writeMetric(w, "gophe_unread_total", "counter", "Fields that are not what their column holds.", counts["unread"]...)
	writeMetric(w, "gophe_new_total", "counter", "Fields with items that were never learned.", counts["new"]...)
	var scores []any
	for _, of := range now.Models {
		m := of.All.Means()
		score := map[schema.TargetKind]float64{schema.Classes: m.LogLoss, schema.Amount: m.RMSE, schema.Count: m.MAE}[now.Target.Kind]
		scores = append(scores, fmt.Sprintf("{model=%q}", of.Model), score)
	}
	if now.Models[0].All.Rows > 0 { // else the scores are no numbers
		writeMetric(w, "gophe_score", "gauge", "Score of all rows: log-loss of classes, RMSE of numbers, MAE of counts.", scores...)
	}
}

// labels escapes the values of labels.
var labels = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// describeProcess writes the program's version, and five numbers that dashboards know by their names. Systems without /proc lack these.
func describeProcess(w io.Writer) {
	label := fmt.Sprintf("{version=%q,goversion=%q}", stream.Release, runtime.Version())
	writeMetric(w, "gophe_build_info", "gauge", "The program's version is in the labels.", label, 1)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	put := func(name, kind, help string, value float64) { writeMetric(w, "process_"+name, kind, help, "", value) }
	put("cpu_seconds_total", "counter", "Processor time of user and system.", usage.ProcessorTime().Seconds())
	put("resident_memory_bytes", "gauge", "Resident memory.", usage.Resident())
	put("virtual_memory_bytes", "gauge", "Virtual memory.", usage.Virtual())
	put("open_fds", "gauge", "Open files and connections.", float64(len(files)-1)) // without the folder itself
	put("start_time_seconds", "gauge", "Start of the process in seconds since 1970.", float64(began.UnixMilli())/1000)
}

var began = time.Now()

// metrics describes a model that learns.
func (d *durable) metrics(put metric) {
	waiting, dropped := d.learner.Waiting()
	journal := d.journal.Stats()
	kept := d.lastKept() // the start saves a checkpoint if there is none
	put("waiting", "gauge", "Records that wait for their labels.", float64(waiting))
	put("dropped_total", "counter", "Records that were dropped before their labels came.", float64(dropped))
	put("repeated_total", "counter", "Rows that came again, and were not learned again.", float64(d.repeated.Load()))
	put("corrected_total", "counter", "Rows that came again with another label, which was not learned.", float64(d.corrected.Load()))
	put("queue", "gauge", "Requests that wait to be learned.", float64(len(d.queue)))
	put("journal_bytes", "gauge", "Size of the journal.", float64(journal.Bytes))
	put("journal_records_total", "counter", "Number of the newest record of the journal.", float64(journal.Last))
	put("journal_syncs_total", "counter", "Syncs of the journal since the start; requests share them.", float64(journal.Syncs))
	put("checkpoint_age_seconds", "gauge", "Time since the newest checkpoint was saved.", time.Since(kept.at).Seconds())
	put("checkpoint_record", "gauge", "Number of the journal's record that the newest checkpoint ends with.", float64(kept.Applied))
	put("checkpoint_failed", "gauge", "1 if the last checkpoint could not be saved.", indicator[kept.failed != nil])
}

// write writes the counts of requests and their times.
func (m *metrics) write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var counts, seconds []any
	for _, path := range slices.Sorted(maps.Keys(m.paths)) {
		r := m.paths[path]
		for _, status := range slices.Sorted(maps.Keys(r.statuses)) {
			counts = append(counts, fmt.Sprintf("{path=%q,status=\"%d\"}", path, status), r.statuses[status])
		}
		for i, bound := range bounds {
			seconds = append(seconds, fmt.Sprintf("_bucket{path=%q,le=\"%g\"}", path, bound), r.buckets[i])
		}
		label := fmt.Sprintf("{path=%q}", path)
		seconds = append(seconds, "_sum"+label, r.sum, "_count"+label, r.buckets[len(bounds)-1])
	}
	writeMetric(w, "gophe_requests_total", "counter", "Requests by path and status.", counts...)
	writeMetric(w, "gophe_request_seconds", "histogram", "Time from a request's header to its answer.", seconds...)
}

// indicator is the number of a metric that says yes or no.
var indicator = map[bool]float64{true: 1}
