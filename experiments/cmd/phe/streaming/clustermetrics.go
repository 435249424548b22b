package streaming

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/cluster"
)

// serveMetrics answers requests for the metrics of a follower until the context ends. Without an address it only waits.
func serveMetrics(ctx context.Context, address string, f *cluster.Follower) error {
	if address == "" {
		<-ctx.Done()
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return errors.Wrap(err, "cannot listen for requests of metrics; choose another --metrics")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		writeMetrics(w, f.Metrics())
	})
	server := http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return errors.Wrap(err, "serving metrics")
	}
	return nil
}

// writeMetrics writes metrics in Prometheus's text format, by the names of phe serve --follow.
func writeMetrics(w io.Writer, m cluster.FollowerMetrics) {
	for _, x := range []struct {
		name, kind, help string
		value            float64
	}{
		{"gophe_log_position", "gauge", "Contributions folded.", float64(m.Position)},
		{"gophe_log_behind", "gauge", "Contributions of the log that are not folded yet.", float64(m.Behind)},
		{"gophe_log_age_seconds", "gauge", "Time since the last fold.", m.Age.Seconds()},
		{"gophe_log_lag_p99_seconds", "gauge", "99th percentile of the time from a contribution's publication to its fold.", m.LagP99.Seconds()},
		{"gophe_log_rows", "gauge", "Rows in the belief.", float64(m.Rows)},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %g\n", x.name, x.help, x.name, x.kind, x.name, x.value)
	}
	fmt.Fprint(w, "# HELP gophe_log_contributions Contributions folded, by verdict.\n# TYPE gophe_log_contributions gauge\n")
	for _, x := range []struct {
		verdict string
		n       uint64
	}{{"counted", m.Counted}, {"repeated", m.Repeated}, {"refused", m.Refused}} {
		fmt.Fprintf(w, "gophe_log_contributions{verdict=%q} %d\n", x.verdict, x.n)
	}
}
