package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/cluster"
)

// Result is a run's outcome with its spec.
type Result struct {
	Spec    Spec    `json:"spec"`
	Outcome Outcome `json:"outcome"`
	Machine Machine `json:"machine"`
}

// Machine says where a run ran.
type Machine struct {
	Cores int       `json:"cores"`
	OS    string    `json:"os"`
	Go    string    `json:"go"`
	At    time.Time `json:"at"`
}

// Outcome holds the measurements of a run.
type Outcome struct {
	Counted  uint64 `json:"counted"`
	Repeated uint64 `json:"repeated"`
	Stale    uint64 `json:"stale"`
	Refused  uint64 `json:"refused"`

	RowsEqual        bool     `json:"rows_equal"`
	FingerprintEqual bool     `json:"fingerprint_equal"`
	SameBytes        bool     `json:"checkpoint_and_tail_equal_replay"`
	Checkpoint       uint64   `json:"checkpoint"`           // contributions that the last checkpoint had folded
	Difference       *float64 `json:"difference,omitempty"` // greatest relative difference from the exact posterior

	FeedSeconds float64 `json:"feed_seconds"`
	Seconds     float64 `json:"seconds"` // from the first counted chunk to the last one
	RowsASecond float64 `json:"rows_a_second"`
	Standstill  float64 `json:"longest_standstill_seconds"`
	LagP99MS    float64 `json:"follower_lag_p99_ms"`
	AtWork      float64 `json:"mean_chunks_in_hand"`
	AtOnce      int     `json:"chunks_at_once_in_the_end"`

	Kills       int    `json:"kills"`
	ServerKills int    `json:"server_kills"`
	Pauses      int    `json:"pauses"`
	Exits       int    `json:"exits"` // ends of processes that nobody killed
	Error       string `json:"error,omitempty"`
}

// drive runs specs and writes their results.
func drive(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("drive", flag.ExitOnError)
	to := flags.String("to", "", "`file` to which results are added")
	times := flags.Int("times", 1, "`number` of runs of each spec")
	verbose := flags.Bool("v", false, "print what the processes say")
	_ = flags.Parse(args) // it exits after an error
	chosen, err := specs(flags.Args())
	if err != nil {
		return err
	}
	failed := 0
	for _, spec := range chosen {
		for range *times {
			o := run(ctx, spec, *verbose)
			if ctx.Err() != nil {
				return errors.WithStack(ctx.Err())
			}
			if o.Error != "" {
				failed++
			}
			line, err := json.Marshal(o)
			if err != nil {
				return errors.WithStack(err)
			}
			fmt.Println(spec.Name, string(line))
			machine := Machine{runtime.NumCPU(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version(), time.Now().UTC()}
			if err := add(*to, Result{spec, o, machine}); err != nil {
				return err
			}
		}
	}
	if failed > 0 {
		return errors.Errorf("%d runs failed", failed)
	}
	return nil
}

// add adds a result to a JSON file of results.
func add(path string, r any) error {
	if path == "" {
		return nil
	}
	var all []any
	switch b, err := os.ReadFile(path); {
	case err == nil:
		if err := json.Unmarshal(b, &all); err != nil {
			return errors.Wrap(err, path)
		}
	case !errors.Is(err, os.ErrNotExist):
		return errors.WithStack(err)
	}
	b, err := json.MarshalIndent(append(all, r), "", "  ")
	if err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(os.WriteFile(path, append(b, '\n'), 0o644))
}

// proof is a run under way.
type proof struct {
	spec     Spec
	source   *source
	log      *cluster.Log
	follower *cluster.Follower
	urls     string
	servers  []*process
	members  []*process // learners and the keeper
	stderr   io.Writer
	outcome  Outcome
}

// run runs a spec.
func run(ctx context.Context, spec Spec, verbose bool) Outcome {
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	p := &proof{spec: spec, stderr: io.Discard}
	if verbose {
		p.stderr = os.Stderr
	}
	folder, err := os.MkdirTemp("", "clusterproof-")
	if err == nil {
		err = p.run(ctx, folder)
	}
	for _, child := range append(p.members, p.servers...) {
		child.end()
	}
	_ = os.RemoveAll(folder) // the servers have ended, so nobody writes; a rest only takes space
	if err != nil {
		p.outcome.Error = err.Error()
	}
	return p.outcome
}

func (p *proof) run(ctx context.Context, folder string) (err error) {
	if p.source, err = newSource(p.spec); err != nil {
		return err
	}
	if err := p.startServers(folder); err != nil {
		return err
	}
	if err := p.feed(ctx); err != nil {
		return err
	}
	if p.follower, err = p.log.Follow(ctx, p.source.open); err != nil {
		return err
	}
	if err := p.startMembers(); err != nil {
		return err
	}
	watched := p.watch(ctx)
	disturbance, end := context.WithCancel(ctx)
	disturbed := make(chan struct{})
	go func() {
		defer close(disturbed)
		p.disturb(disturbance)
	}()
	err = p.follower.WaitAll(ctx)
	end()
	<-disturbed
	watched()
	if err != nil {
		return err
	}
	return p.judge(ctx)
}

// startServers starts one server, or a cluster.
func (p *proof) startServers(folder string) error {
	clients, routes, err := addresses(p.spec.Nodes)
	if err != nil {
		return err
	}
	var urls []string
	for i := range clients {
		args := []string{"serve", "-name", serverName(i), "-folder", filepath.Join(folder, serverName(i)), "-address", clients[i],
			fmt.Sprintf("-sync=%v", p.spec.Sync)}
		if p.spec.Nodes > 1 {
			args = append(args, "-cluster", routes[i], "-routes", strings.Join(routes, ","))
		}
		p.servers = append(p.servers, spawn(p.stderr, args...))
		urls = append(urls, "nats://"+clients[i])
	}
	p.urls = strings.Join(urls, ",")
	return nil
}

func serverName(i int) string { return fmt.Sprintf("n%d", i) }

// addresses returns free addresses for clients and for routes.
func addresses(nodes int) (clients, routes []string, err error) {
	for range nodes {
		for _, list := range []*[]string{&clients, &routes} {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, nil, errors.WithStack(err)
			}
			defer l.Close() // after all are chosen, so that they differ
			*list = append(*list, l.Addr().String())
		}
	}
	return clients, routes, nil
}

// feed creates the belief and feeds all rows.
func (p *proof) feed(ctx context.Context) (err error) {
	if p.log, err = connect(ctx, p.spec, p.urls); err != nil {
		return err
	}
	if err := p.log.Create(ctx, p.source.state(p.spec)); err != nil {
		return err
	}
	began := time.Now()
	err = p.log.Feed(ctx, p.source.chunk)
	p.outcome.FeedSeconds = time.Since(began).Seconds()
	return err
}

// startMembers starts the keeper and the learners.
func (p *proof) startMembers() error {
	spec, err := json.Marshal(p.spec)
	if err != nil {
		return errors.WithStack(err)
	}
	p.members = append(p.members, spawn(p.stderr, "keep", string(spec), p.urls))
	for range p.spec.Learners {
		p.members = append(p.members, spawn(p.stderr, "learn", string(spec), p.urls))
	}
	return nil
}

// watch measures the follower until the result is called.
func (p *proof) watch(ctx context.Context) func() {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	var first, last time.Time
	var rows, firstRows uint64
	go func() {
		defer close(ended)
		for position := uint64(0); ; {
			err := p.follower.Wait(ctx, func(s *belief.State) bool {
				moved := s.Position > position
				position, rows = s.Position, s.Rows
				return moved
			})
			if err != nil {
				return
			}
			now := time.Now()
			if first.IsZero() {
				first, last, firstRows = now, now, rows
			}
			p.outcome.Standstill = max(p.outcome.Standstill, now.Sub(last).Seconds())
			last = now
		}
	}()
	sampled := p.sample(ctx)
	return func() {
		stop()
		<-ended
		<-sampled
		p.outcome.Seconds = last.Sub(first).Seconds()
		p.outcome.RowsASecond = float64(rows-firstRows) / p.outcome.Seconds
		p.outcome.LagP99MS = p.follower.Metrics().LagP99.Seconds() * 1000
	}
}

// sample takes the mean number of chunks that learners have in hand.
func (p *proof) sample(ctx context.Context) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		sum, n := 0.0, 0
		for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
			o, err := p.log.Outlet(ctx)
			if err != nil || p.follower.Metrics().Rows == 0 {
				continue
			}
			p.outcome.AtOnce = o.AtOnce
			sum, n = sum+float64(o.InHand), n+1
			p.outcome.AtWork = sum / float64(n)
		}
	}()
	return ended
}

// done returns the share of the rows that are learned.
func (p *proof) done() float64 {
	return float64(p.follower.Metrics().Rows) / float64(p.spec.Rows)
}

// disturb kills, pauses and forgets as the spec says.
func (p *proof) disturb(ctx context.Context) {
	next := time.Now().Add(300 * time.Millisecond)
	forget := p.spec.Forget
	for ; ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(next) && p.outcome.Kills+p.outcome.Pauses < p.spec.Kills+p.spec.Pauses {
			p.disturbMember(p.members[rand.IntN(len(p.members))])
			next = time.Now().Add(time.Duration(20+rand.IntN(200)) * time.Millisecond)
		}
		if p.outcome.ServerKills < p.spec.ServerKills && p.done() > 0.3*float64(p.outcome.ServerKills+1) {
			p.killServer(ctx)
		}
		if forget && p.done() > 0.5 {
			forget = false
			if err := p.log.ForgetDeliveries(ctx); err != nil {
				p.outcome.Error = err.Error()
			}
		}
	}
}

func (p *proof) disturbMember(member *process) {
	if p.outcome.Kills < p.spec.Kills {
		if member.signal(syscall.SIGKILL) {
			p.outcome.Kills++
		}
		return
	}
	if member.signal(syscall.SIGSTOP) {
		p.outcome.Pauses++
	}
	time.AfterFunc(3*p.spec.ackWait(), func() { member.signal(syscall.SIGCONT) })
}

// killServer kills the server that orders the contributions.
func (p *proof) killServer(ctx context.Context) {
	status, err := p.log.Status(ctx)
	if err != nil {
		return
	}
	for i, server := range p.servers {
		leads := len(p.servers) == 1 || serverName(i) == status.Leader
		if leads && server.signal(syscall.SIGKILL) {
			p.outcome.ServerKills++
		}
	}
}

// judge compares the belief with the rows, and the checkpoint with the log.
func (p *proof) judge(ctx context.Context) error {
	o := &p.outcome
	for _, child := range append(p.members, p.servers...) {
		child.mu.Lock()
		o.Exits += child.ends - child.kills
		if child.err != nil {
			o.Error = child.err.Error()
		}
		child.mu.Unlock()
	}
	v, err := p.log.Verify(ctx, p.source.open, p.source.count)
	if err != nil {
		return err
	}
	o.Counted, o.Repeated, o.Stale, o.Refused, o.Checkpoint = v.Counted, v.Repeated, v.Stale, v.Refused, v.Checkpoint
	o.RowsEqual = v.Rows == v.RowsFed && v.Rows == p.spec.Rows
	o.FingerprintEqual, o.SameBytes = v.Fingerprint == v.FingerprintFed, v.SameBytes
	if p.source.difference != nil {
		s, err := p.log.Replay(ctx, p.source.open)
		if err != nil {
			return err
		}
		d, err := p.source.difference(s.Belief)
		if err != nil {
			return err
		}
		o.Difference = &d
	}
	if err := v.Err(); err != nil {
		return err
	}
	if !o.RowsEqual {
		return errors.Errorf("%d rows are in the belief, and the spec has %d", v.Rows, p.spec.Rows)
	}
	return nil
}
