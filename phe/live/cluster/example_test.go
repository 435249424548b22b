package cluster_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
	"gophe/phe/live/cluster"
)

// A server, a feeder and a learner share a belief in one process. On several machines, each role connects to the URLs of the servers.
func Example() {
	if err := share(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 chunks of 120 rows are learned once each
}

// share feeds 120 rows in chunks of 50, and learns them.
func share(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	url, stop, err := cluster.Server{Folder: folder, Address: "127.0.0.1:0"}.Start()
	if err != nil {
		return err
	}
	defer stop()
	log, err := cluster.Connect(ctx, cluster.Options{Name: "example", URLs: url})
	if err != nil {
		return err
	}
	defer log.Close()

	// The feeder creates the belief and appends the rows.
	if err := log.Create(ctx, &fold.State{Belief: clustertest.New()}); err != nil {
		return err
	}
	err = log.Feed(ctx, func(number uint64) ([]byte, error) {
		if chunk := clustertest.Chunk(number, 120, 50); len(chunk) > 0 {
			return chunk, nil
		}
		return nil, io.EOF
	})
	if err != nil {
		return err
	}

	// The learner learns the chunks from its follower's belief.
	follower, err := log.Follow(ctx, clustertest.Open)
	if err != nil {
		return err
	}
	learning, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- follower.Learn(learning) }()
	for follower.Metrics().Rows < 120 && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}
	end()
	if err := <-ended; err != nil {
		return err
	}

	// Verify proves that the belief has each row once.
	v, err := log.Verify(ctx, clustertest.Open, clustertest.Count)
	if err != nil {
		return err
	}
	fmt.Printf("%d chunks of %d rows are learned once each\n", v.Counted, v.Rows)
	return nil
}
