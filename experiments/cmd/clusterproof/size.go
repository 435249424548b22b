package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/cluster"
	"gophe/phe/cluster/clustertest"
)

// SizeSpec describes a measurement of deltas of one size.
type SizeSpec struct {
	Numbers int    `json:"numbers"` // of the belief
	Touched int    `json:"touched"` // of a delta
	Chunks  uint64 `json:"chunks"`
	Sync    bool   `json:"sync"`
}

// SizeOutcome holds the costs of one size. Times are in milliseconds.
type SizeOutcome struct {
	Bytes      int     `json:"bytes"`      // of a contribution
	Chunk      float64 `json:"chunk"`      // learn, publish, fold and acknowledge: mean
	LagMedian  float64 `json:"lag_median"` // from the server's timestamp to the fold
	LagP99     float64 `json:"lag_p99"`
	Checkpoint float64 `json:"checkpoint"` // to store one
}

// size measures deltas of several sizes, dense and sparse, on a server in this process.
func size(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("size", flag.ExitOnError)
	to := flags.String("to", "", "`file` to which results are added")
	_ = flags.Parse(args) // it exits after an error
	for _, sync := range []bool{false, true} {
		for _, spec := range []SizeSpec{{346, 346, 1000, sync}, {65_536, 65_536, 200, sync}, {65_536, 2_000, 500, sync},
			{460_414, 460_414, 40, sync}, {460_414, 2_000, 500, sync}, {460_414, 60_000, 100, sync}} {
			o, err := measure(ctx, spec)
			if err != nil {
				return err
			}
			fmt.Printf("%+v %+v\n", spec, o)
			if err := add(*to, map[string]any{"size": spec, "outcome": o}); err != nil {
				return err
			}
		}
	}
	return nil
}

func measure(ctx context.Context, spec SizeSpec) (o SizeOutcome, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	folder, err := os.MkdirTemp("", "clusterproof-")
	if err != nil {
		return o, errors.WithStack(err)
	}
	defer os.RemoveAll(folder)
	server := cluster.Server{Name: "one", Folder: folder, Sync: cluster.SyncLater}
	if spec.Sync {
		server.Sync = cluster.SyncAlways
	}
	running, err := server.Start()
	if err != nil {
		return o, err
	}
	defer running.Close()
	log, err := cluster.ConnectInProcess(ctx, running, cluster.Options{Name: "size"})
	if err != nil {
		return o, err
	}
	defer log.Close()
	vector := &clustertest.Vector{Values: make([]float64, spec.Numbers), Touched: spec.Touched}
	if err := log.Create(ctx, &belief.State{Bound: belief.Bound{Share: math.MaxFloat64}, Belief: vector}); err != nil {
		return o, err
	}
	if err := log.Feed(ctx, oneRow(spec.Chunks)); err != nil {
		return o, err
	}
	learned, err := vector.Learn(clustertest.Small.Chunk(1, 1, 1))
	if err != nil {
		return o, err
	}
	body, err := belief.Contribution{Delta: learned.Delta}.MarshalBinary()
	if err != nil {
		return o, err
	}
	o.Bytes = len(body)
	return o, o.learn(ctx, log, spec)
}

// learn learns all chunks and stores a checkpoint.
func (o *SizeOutcome) learn(ctx context.Context, log *cluster.Log, spec SizeSpec) error {
	f, err := log.Follow(ctx, clustertest.OpenVector)
	if err != nil {
		return err
	}
	learnCtx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- cluster.NewLearner(f, 1).Run(learnCtx) }()
	if err := f.Wait(ctx, func(s *belief.State) bool { return s.Version == spec.Chunks }); err != nil {
		stop()
		return err
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	o.Chunk = ms(time.Since(began)) / float64(spec.Chunks)
	stop()
	if err := <-ended; err != nil {
		return err
	}
	m := f.Metrics()
	o.LagMedian, o.LagP99 = ms(m.LagMedian), ms(m.LagP99)
	began = time.Now()
	err = cluster.NewKeeper(f, time.Second).Save(ctx)
	o.Checkpoint = ms(time.Since(began))
	return err
}

// oneRow returns chunks of one row each.
func oneRow(chunks uint64) func(uint64) ([]byte, error) {
	return func(number uint64) ([]byte, error) {
		if number > chunks {
			return nil, io.EOF
		}
		return clustertest.Small.Chunk(number, chunks, 1), nil
	}
}
