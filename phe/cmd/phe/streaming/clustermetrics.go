package streaming

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/cluster"
	"gophe/phe/live/serve"
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
	serve.WriteMetric(w, "log_position", "gauge", "Contributions folded.", "", float64(m.Position))
	serve.WriteMetric(w, "log_behind", "gauge", "Contributions of the log that are not folded yet.", "", float64(m.Behind))
	serve.WriteMetric(w, "log_age_seconds", "gauge", "Time since the last fold.", "", m.Age.Seconds())
	serve.WriteMetric(w, "log_lag_p99_seconds", "gauge", "99th percentile of the time from a contribution's publication to its fold.",
		"", m.LagP99.Seconds())
	serve.WriteMetric(w, "log_rows", "gauge", "Rows in the belief.", "", float64(m.Rows))
	serve.WriteMetric(w, "log_contributions", "gauge", "Contributions folded, by verdict.",
		`{verdict="counted"}`, m.Counted, `{verdict="repeated"}`, m.Repeated, `{verdict="refused"}`, m.Refused)
}
