package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/cluster"
)

// beliefName is the belief's name on the servers.
const beliefName = "proof"

// serve is a server in a process of its own.
func serve(ctx context.Context, args []string) error {
	s := cluster.Server{Sync: cluster.SyncLater}
	var routes string
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	flags.StringVar(&s.Name, "name", "", "`name` of the server")
	flags.StringVar(&s.Folder, "folder", "", "`folder` for the logs")
	flags.StringVar(&s.Address, "address", "", "host and port for clients")
	flags.StringVar(&s.ClusterAddress, "cluster", "", "host and port for the other servers")
	flags.StringVar(&routes, "routes", "", "the other servers, separated by commas")
	sync := flags.Bool("sync", false, "sync the disk before each answer")
	_ = flags.Parse(args) // it exits after an error
	if *sync {
		s.Sync = cluster.SyncAlways
	}
	if routes != "" {
		s.Routes = strings.Split(routes, ",")
	}
	running, err := s.Start()
	if err != nil {
		return err
	}
	<-ctx.Done()
	running.Close()
	return nil
}

// member is the common part of a learner and a keeper.
type member struct {
	spec   Spec
	source *source
	log    *cluster.Log

	follower *cluster.Follower
}

// join connects to the servers of the arguments: the spec as JSON and the URLs.
func join(ctx context.Context, args []string) (*member, error) {
	if len(args) != 2 {
		return nil, errors.New("give a spec and the servers' URLs")
	}
	m := &member{}
	if err := json.Unmarshal([]byte(args[0]), &m.spec); err != nil {
		return nil, errors.Wrap(err, "the spec")
	}
	var err error
	if m.source, err = newSource(m.spec); err != nil {
		return nil, err
	}
	if m.log, err = connect(ctx, m.spec, args[1]); err != nil {
		return nil, err
	}
	m.follower, err = m.log.Follow(ctx, m.source.open)
	return m, err
}

// connect opens the run's belief.
func connect(ctx context.Context, spec Spec, urls string) (*cluster.Log, error) {
	return cluster.Connect(ctx, cluster.Options{Name: beliefName, URLs: urls, Replicas: spec.Nodes, AckWait: spec.ackWait(),
		Log: func(line string) { fmt.Fprintln(os.Stderr, time.Now().Format("15:04:05.000"), os.Getpid(), line) }})
}

// learn is a learner in a process of its own.
func learn(ctx context.Context, args []string) error {
	m, err := join(ctx, args)
	if err != nil {
		return err
	}
	return cluster.NewLearner(m.follower, m.spec.Learners).Run(ctx)
}

// keep is a keeper in a process of its own.
func keep(ctx context.Context, args []string) error {
	m, err := join(ctx, args)
	if err != nil {
		return err
	}
	return cluster.NewKeeper(m.follower, time.Duration(m.spec.CheckpointMS)*time.Millisecond).Run(ctx)
}
