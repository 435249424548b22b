//go:build unix

package streaming

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/files"
	"gophe/experiments/table"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/stream"
)

var (
	update = flag.Bool("update", false, "write what TestClusterProof measures, and the tables of docs/cluster.md")
	seed   = flag.Uint64("seed", 1, "seed of the kills and pauses of TestClusterProof and TestClusterFeeders")
)

const (
	proofFile = "testdata/clusterproof.json"
	proofPage = "../../../../docs/cluster.md"
	proofName = "proof"
	// Rows of a chunk of the linear model. The model of phe stream has chunks of the usual size.
	linearChunk = 100
)

// scene is a run with servers, learners and a keeper as processes.
type scene struct {
	Title       string        `json:"title"`
	Adult       bool          `json:"adult"` // the model of phe stream learns Adult's rows; else a linear model whose posterior is known
	Rows        uint64        `json:"rows"`
	Learners    int           `json:"learners"`               // one works, and the others stand by
	Servers     int           `json:"servers"`                // 1 or 3
	Synced      bool          `json:"synced,omitempty"`       // the server syncs its disk before each answer
	Kills       int           `json:"kills,omitempty"`        // of learners and the keeper
	ServerKills int           `json:"server_kills,omitempty"` // of the server that orders the contributions
	Pauses      int           `json:"pauses,omitempty"`       // of learners and the keeper, for longer than AckWait
	Forget      bool          `json:"forget,omitempty"`       // the servers forget all acknowledgements half way
	AckWait     time.Duration `json:"ack_wait"`
	Cost        time.Duration `json:"cost,omitempty"` // time that a row of the linear model takes elsewhere
}

// scenes returns the scenes of the proof, of both models.
func scenes() (all []scene) {
	for _, model := range []scene{{Title: "Adult", Adult: true, Rows: 4 * 48_842}, {Title: "Linear", Rows: 400_000, Cost: 15 * time.Microsecond}} {
		for _, variation := range []struct {
			title  string
			change func(*scene)
		}{
			{": learners and keeper killed", func(s *scene) { s.Kills = 20 }},
			{": the server killed twice", func(s *scene) { s.Kills, s.ServerKills = 20, 2 }},
			{": the leader of three servers killed twice", func(s *scene) { s.Kills, s.ServerKills, s.Servers = 20, 2, 3 }},
			{": all acknowledgements forgotten half way", func(s *scene) { s.Kills, s.Forget = 20, true }},
			{": learners and keeper paused", func(s *scene) { s.Pauses, s.AckWait = 10, 100*time.Millisecond }},
			{"", func(s *scene) { s.Learners, s.Cost = 1, 0 }},
			{", disk synced", func(s *scene) { s.Learners, s.Cost, s.Synced = 1, 0, true }},
		} {
			s := model
			s.Title, s.Learners, s.Servers, s.AckWait = s.Title+variation.title, 3, 1, 2*time.Second
			variation.change(&s)
			all = append(all, s)
		}
	}
	return all
}

// quiet tells whether nothing disturbs the scene.
func (s scene) quiet() bool { return s.Kills+s.Pauses == 0 }

// open opens the scene's belief.
func (s scene) open(b []byte) (fold.Shared, error) {
	if s.Adult {
		return shared.Open(b)
	}
	l, err := clustertest.Open(b)
	if err == nil {
		l.(*clustertest.Linear).Cost = s.Cost
	}
	return l, err
}

// measured is what became of a scene. The belief was right, or the test would have failed.
type measured struct {
	Scene       scene   `json:"scene"`
	Counted     uint64  `json:"counted"`
	Repeated    uint64  `json:"repeated"`
	Refused     uint64  `json:"refused"`
	Standstill  float64 `json:"longest_standstill_seconds"`
	RowsASecond float64 `json:"rows_a_second"`
	LagMS       float64 `json:"follower_lag_p99_ms"`
	Bytes       uint64  `json:"bytes_a_contribution"`
	Difference  float64 `json:"difference,omitempty"` // greatest relative difference from the exact posterior
}

// measurements are the committed results.
type measurements struct {
	Commit  string     `json:"commit"`
	Machine string     `json:"machine"`
	At      time.Time  `json:"at"`
	Scenes  []measured `json:"scenes"`
}

// TestClusterProof kills learners, keepers and servers with kill -9, and compares the belief with the rows.
func TestClusterProof(t *testing.T) {
	if !filetest.Long() {
		t.Skip("minutes of two processors; GOPHE_TEST=long runs it, and -update writes what it measures")
	}
	commit := filetest.Must(exec.Command("git", "rev-parse", "--short", "HEAD").Output())(t)
	all := measurements{Commit: strings.TrimSpace(string(commit)), At: time.Now().UTC(),
		Machine: fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())}
	for _, s := range scenes() {
		t.Run(s.Title, func(t *testing.T) { all.Scenes = append(all.Scenes, prove(t, s)) })
	}
	if !*update || t.Failed() {
		return
	}
	b := filetest.Must(json.MarshalIndent(all, "", "  "))(t)
	write(t, ".", proofFile, string(b)+"\n")
}

// The page shows the committed measurements. They are of all scenes, as they are now.
func TestClusterPage(t *testing.T) {
	var all measurements
	filetest.Check(t, json.Unmarshal([]byte(content(t, proofFile)), &all))
	proof := table.New(1, "run", "counted, repeated, refused", "longest standstill, s", "difference")
	speed := table.New(1, "model", "rows/s", "follower's lag, 99 %, ms", "size of a contribution")
	for i, s := range scenes() {
		if i >= len(all.Scenes) || all.Scenes[i].Scene != s {
			t.Fatalf("the measurements lack %+v; measure again: GOPHE_TEST=long go test -run TestCluster ./phe/cmd/phe/streaming -update", s)
		}
		m, difference := all.Scenes[i], "–"
		if s.quiet() {
			speed.Add(s.Title, stream.Grouped(int64(m.RowsASecond)), fmt.Sprintf("%.1f", m.LagMS), fmt.Sprintf("%.1f kB", float64(m.Bytes)/1000))
			continue
		}
		if !s.Adult {
			difference = fmt.Sprintf("%.0g", m.Difference)
		}
		proof.Add(s.Title, fmt.Sprintf("%d, %d, %d", m.Counted, m.Repeated, m.Refused), fmt.Sprintf("%.1f", m.Standstill), difference)
	}
	page := content(t, proofPage)
	want, blocks, err := table.Blocks(page, "cluster ", func(call string) (string, error) {
		return map[string]*table.Table{"cluster proof": proof, "cluster speed": speed}[call].String(), nil
	})
	if err != nil || blocks != 2 {
		t.Fatalf("%d blocks, %v", blocks, err)
	}
	if *update {
		write(t, ".", proofPage, want)
	} else if want != page {
		t.Error("the tables of docs/cluster.md are not the committed measurements; run the test with -update")
	}
}

// proof is a scene under way.
type proof struct {
	scene
	t        *testing.T
	log      *cluster.Log
	follower *cluster.Follower
	servers  []*process
	members  []*process // the keeper and the learners
	result   measured
	chance   *rand.Rand
}

// prove plays a scene and judges the belief.
func prove(t *testing.T, s scene) measured {
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	p := &proof{scene: s, t: t, result: measured{Scene: s}, chance: rand.New(rand.NewPCG(*seed, 0))}
	urls := p.startServers()
	var err error
	if p.log, err = s.connect(ctx, urls); err != nil {
		t.Fatal(err)
	}
	defer p.log.Close()
	p.feed(ctx, urls)
	if p.follower, err = p.log.Follow(ctx, s.open); err != nil {
		t.Fatal(err)
	}
	for i := range 1 + p.Learners {
		p.members = append(p.members, spawn(t, []string{"keep", "learn"}[min(i, 1)], s.Title, urls))
	}
	disturbance, end := context.WithCancel(ctx)
	disturbed := make(chan struct{})
	go func() {
		defer close(disturbed)
		p.disturb(disturbance)
	}()
	err = p.wait(ctx)
	end()
	<-disturbed
	filetest.Check(t, err)
	p.judge(ctx)
	return p.result
}

// wait waits until the follower has folded all chunks.
func (p *proof) wait(ctx context.Context) error {
	for {
		s, err := p.log.Status(ctx)
		var folded uint64
		if p.follower.Read(func(s *fold.State) { folded = s.Ledger.Len() }); err != nil || s.Ended && folded >= s.Chunks {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// feed creates the belief and feeds all rows. Adult's are there again and again.
func (p *proof) feed(ctx context.Context, urls string) {
	t := p.t
	if p.Adult {
		var b bytes.Buffer
		if _, err := data.Export(&b, "adult", files.Options{}); err != nil {
			t.Fatal(err)
		}
		header, rows, _ := strings.Cut(b.String(), "\n")
		path := write(t, t.TempDir(), "adult.csv", header+"\n"+strings.Repeat(rows, int(p.Rows)/strings.Count(rows, "\n")))
		mustPhe(t, "cluster", "feed", path, "--target", "income", "--name", proofName, "--nats", urls, "--replicas", fmt.Sprint(p.Servers))
		return
	}
	filetest.Check(t, p.log.Create(ctx, &fold.State{Belief: clustertest.New()}))
	err := p.log.Feed(ctx, func(number uint64) ([]byte, error) {
		if b := clustertest.Chunk(number, p.Rows, linearChunk); len(b) > 0 {
			return b, nil
		}
		return nil, io.EOF
	})
	filetest.Check(t, err)
}

// connect opens the scene's belief on the servers.
func (s scene) connect(ctx context.Context, urls string) (*cluster.Log, error) {
	return cluster.Connect(ctx, cluster.Options{Name: proofName, URLs: urls, Replicas: s.Servers, AckWait: s.AckWait})
}

// startServers starts one server, or a cluster, and returns the URLs.
func (p *proof) startServers() string {
	folder, sync := p.t.TempDir(), "later"
	if p.Synced {
		sync = "always"
	}
	var urls, routes []string
	for range p.Servers {
		urls, routes = append(urls, freeAddress(p.t)), append(routes, freeAddress(p.t))
	}
	for i := range p.Servers {
		args := []string{"cluster", "server", "--folder", filepath.Join(folder, serverName(i)), "--address", urls[i], "--sync", sync}
		if p.Servers > 1 {
			config := fmt.Sprintf("server_name: %s\ncluster { name: phe, listen: %q, routes: [nats-route://%s] }\n", serverName(i), routes[i],
				strings.Join(routes, ", nats-route://"))
			args = append(args, "--config", write(p.t, folder, serverName(i)+".conf", config))
		}
		p.servers = append(p.servers, spawn(p.t, args...))
	}
	return "nats://" + strings.Join(urls, ",nats://")
}

func serverName(i int) string { return fmt.Sprintf("n%d", i) }

// disturb kills, pauses and forgets as the scene says, and measures the follower meanwhile.
func (p *proof) disturb(ctx context.Context) {
	next := time.Now().Add(300 * time.Millisecond)
	disturbed, servers, forget := 0, 0, p.Forget
	var position uint64
	for last := time.Now(); ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		m := p.follower.Metrics()
		if m.Position > position {
			if position > 0 {
				p.result.Standstill = max(p.result.Standstill, time.Since(last).Seconds())
			}
			position, last = m.Position, time.Now()
		}
		if time.Now().After(next) && disturbed < p.Kills+p.Pauses && p.disturbMember(disturbed < p.Kills) {
			disturbed++
			next = time.Now().Add(time.Duration(20+p.chance.IntN(200)) * time.Millisecond)
		}
		done := float64(m.Rows) / float64(p.Rows)
		if servers < p.ServerKills && done > 0.3*float64(servers+1) && p.killServer(ctx) {
			servers++
		}
		if forget && done > 0.5 {
			forget = false
			if err := p.log.ForgetDeliveries(ctx); err != nil {
				p.t.Error(err)
			}
		}
	}
	if disturbed < p.Kills+p.Pauses || servers < p.ServerKills || forget {
		p.t.Errorf("the rows ended after %d kills or pauses and %d kills of servers; give the scene more rows", disturbed, servers)
	}
}

// disturbMember kills a learner or the keeper, or stops it for a while.
func (p *proof) disturbMember(kill bool) bool {
	member := p.members[p.chance.IntN(len(p.members))]
	if kill {
		return member.signal(syscall.SIGKILL)
	}
	time.AfterFunc(3*p.AckWait, func() { member.signal(syscall.SIGCONT) })
	return member.signal(syscall.SIGSTOP)
}

// killServer kills the server that orders the contributions.
func (p *proof) killServer(ctx context.Context) bool {
	status, err := p.log.Status(ctx)
	if err != nil {
		return false // no server leads now
	}
	for i, server := range p.servers {
		if len(p.servers) == 1 || serverName(i) == status.Leader {
			return server.signal(syscall.SIGKILL)
		}
	}
	return false
}

// judge compares the belief with the rows, and the checkpoint with the log.
func (p *proof) judge(ctx context.Context) {
	t := p.t
	count := clustertest.Count
	if p.Adult {
		count = func(chunk []byte) (uint64, uint64, error) {
			c, fingerprint, err := shared.ParseChunk(chunk)
			return uint64(len(c.Records)), fingerprint, err
		}
	}
	v := filetest.Must(p.log.Verify(ctx, p.open, count))(t)
	if v.Rows != p.Rows || v.Counted != v.Chunks || v.Checkpoint == 0 && !p.quiet() {
		t.Errorf("%d rows of %d chunks are in the belief, by %d contributions, and the checkpoint is after contribution %d; want %d rows, and a checkpoint",
			v.Rows, v.Chunks, v.Counted, v.Checkpoint, p.Rows)
	}
	m := p.follower.Metrics()
	p.result.RowsASecond, p.result.LagMS = m.RowsASec, m.LagP99.Seconds()*1000
	p.result.Counted, p.result.Repeated, p.result.Refused = v.Counted, v.Repeated, v.Refused
	status := filetest.Must(p.log.Status(ctx))(t)
	p.result.Bytes = status.LogBytes / status.Contributions
	if !p.Adult {
		s := filetest.Must(p.log.Replay(ctx, p.open))(t)
		if p.result.Difference = s.Belief.(*clustertest.Linear).From(p.Rows); p.result.Difference > 1e-12 {
			t.Errorf("the posterior is %+v off", p.result.Difference)
		}
	}
}

// TestClusterFeeders runs two feeders as processes. The first one is stopped and wakes beside its successor, or both are killed, and the
// server is stopped too. The feeders cut their rows by other pauses of their inputs. In the end the log has the rows of the input.
func TestClusterFeeders(t *testing.T) {
	if !filetest.Long() {
		t.Skip("minutes of two processors; GOPHE_TEST=long runs it")
	}
	p := &proof{scene: scene{Servers: 1}, t: t}
	url := p.startServers()
	chance := rand.New(rand.NewPCG(*seed, 1))
	folder := t.TempDir()
	path, beginning := write(t, folder, "visits.csv", visits(600)), write(t, folder, "beginning.csv", visits(50))
	for run := range 40 { // a pipe alone would describe its columns first, and be read to its end
		mustPhe(t, "cluster", "feed", beginning, "--target", "bought", "--id", "visit", "--name", fmt.Sprint("run-", run), "--nats", url)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for t.Context().Err() == nil {
			rest := time.Duration(100+chance.IntN(400)) * time.Millisecond
			time.Sleep(8 * rest)
			p.servers[0].signal(syscall.SIGSTOP)
			time.Sleep(rest)
			p.servers[0].signal(syscall.SIGCONT)
		}
	}()
	t.Cleanup(func() { <-stopped })
	overtaken := make(chan bool, 40)
	t.Run("runs", func(t *testing.T) {
		for run := range 40 {
			t.Run(fmt.Sprint(run), func(t *testing.T) {
				t.Parallel()
				overtaken <- feedTwice(t, rand.New(rand.NewPCG(*seed, uint64(2+run))), path, "--nats", url, "--name", fmt.Sprint("run-", run))
			})
		}
	})
	close(overtaken)
	n := 0
	for was := range overtaken {
		if was {
			n++
		}
	}
	t.Logf("%d of 40 first feeders were overtaken; the others were killed, or came to the log last", n)
}

// feedTwice feeds a file by two feeders. It returns whether the first one was overtaken. If it is stopped before it has taken the log, it
// overtakes its successor later.
func feedTwice(t *testing.T, chance *rand.Rand, path string, nats ...string) (overtaken bool) {
	first := startFeeder(t, chance.Uint64(), path, nats)
	time.Sleep(time.Duration(500+chance.IntN(3000)) * time.Millisecond)
	filetest.Check(t, first.Process.Signal(syscall.SIGSTOP))
	successor := startFeeder(t, chance.Uint64(), path, nats)
	time.Sleep(time.Duration(1000+chance.IntN(3000)) * time.Millisecond)
	killed := chance.IntN(5) == 0
	if killed {
		filetest.Check(t, first.Process.Kill())
		filetest.Check(t, successor.Process.Kill())
	} else {
		filetest.Check(t, first.Process.Signal(syscall.SIGCONT))
	}
	done := 0
	for _, f := range []*feederProcess{first, successor} {
		if err := f.Wait(); err == nil {
			done++
		} else if !killed && !regexp.MustCompile("another feeder feeds this belief now|start this feeder again").MatchString(f.said.String()) {
			t.Errorf("a feeder ends with %v:\n%s", err, f.said.String())
		}
	}
	if done > 1 {
		t.Error("both feeders say that they have fed all rows")
	}
	if done == 0 {
		mustPhe(t, append([]string{"cluster", "feed", path, "--target", "bought", "--id", "visit"}, nats...)...)
	}
	if out, _, err := phe(t, append([]string{"cluster", "verify", path}, nats...)...); err != nil ||
		!strings.Contains(out, "the log has the same 600 rows as ") {
		t.Errorf("verify: %v\n%s", err, out)
	}
	return strings.Contains(first.said.String(), "another feeder feeds this belief now")
}

// feederProcess is a feeder that reads a pipe.
type feederProcess struct {
	*exec.Cmd
	said bytes.Buffer
}

// startFeeder starts a feeder whose pipe gets some rows of a file at a time.
func startFeeder(t *testing.T, seed uint64, path string, nats []string) *feederProcess {
	t.Helper()
	line, err := json.Marshal(append([]string{"cluster", "feed", "-", "--target", "bought", "--id", "visit"}, nats...))
	filetest.Check(t, err)
	f := &feederProcess{Cmd: exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestClusterProcess$")}
	f.Env, f.Stderr, f.Stdout = append(os.Environ(), "GOMAXPROCS=1", processVariable+"="+string(line)), &f.said, &f.said
	in := filetest.Must(f.StdinPipe())(t)
	filetest.Check(t, f.Start())
	go func() {
		chance := rand.New(rand.NewPCG(seed, 0))
		defer in.Close()
		for rows := strings.SplitAfter(content(t, path), "\n"); len(rows) > 0; {
			n := min(1+chance.IntN(150), len(rows))
			if _, err := io.WriteString(in, strings.Join(rows[:n], "")); err != nil {
				return // the feeder has ended
			}
			rows = rows[n:]
			time.Sleep(time.Duration(800+chance.IntN(800)) * time.Millisecond) // a feeder waits a second for a chunk to fill
		}
	}()
	return f
}

// process is a child that starts again whenever it ends, until the test is over.
type process struct {
	mu      sync.Mutex
	running *os.Process
	killed  bool // and the next child has not started
}

// processVariable holds the command line of a child of TestClusterProof.
const processVariable = "GOPHE_TEST_CLUSTER_PROCESS"

// spawn starts this program again as a process of its own, by a command line of phe, or as a learner or a keeper of a scene.
func spawn(t *testing.T, args ...string) *process {
	t.Helper()
	line := filetest.Must(json.Marshal(args))(t)
	p, ctx, ended := &process{}, t.Context(), make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			if err := p.run(ctx, string(line)); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			time.Sleep(20 * time.Millisecond) // a supervisor needs some time too
		}
	}()
	t.Cleanup(func() { <-ended }) // the context has ended, which kills the child
	return p
}

// run runs a child until it ends. An end without a kill is an error.
func (p *process) run(ctx context.Context, line string) error {
	var said bytes.Buffer
	c := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestClusterProcess$")
	c.Env, c.Stderr = append(os.Environ(), "GOMAXPROCS=1", processVariable+"="+line), &said
	if _, err := c.StdinPipe(); err != nil { // it closes when this process ends, however it ends
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	p.running, p.killed = c.Process, false
	p.mu.Unlock()
	err := c.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed || ctx.Err() != nil {
		return nil
	}
	return errors.Errorf("it ended by itself: %v\n%s", err, said.String())
}

// signal sends a signal to the child. It returns false if the child was killed and is about to end.
func (p *process) signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil || p.killed || p.running.Signal(s) != nil {
		return false
	}
	p.killed = s == syscall.SIGKILL
	return true
}

// TestClusterProcess is a child of TestClusterProof.
func TestClusterProcess(t *testing.T) {
	line := os.Getenv(processVariable)
	if line == "" {
		t.Skip("a child of TestClusterProof")
	}
	var args []string
	filetest.Check(t, json.Unmarshal([]byte(line), &args))
	if len(args) > 1 && args[1] == "feed" {
		_, said := mustPhe(t, args...)
		fmt.Fprint(os.Stderr, said)
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // the parent has ended
	}()
	if args[0] == "cluster" {
		mustPhe(t, args...)
		return
	}
	for _, s := range scenes() {
		if s.Title == args[1] {
			if err := s.work(t.Context(), args[0], args[2]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}

// work is a learner or a keeper, until it is killed.
func (s scene) work(ctx context.Context, role, urls string) error {
	log, err := s.connect(ctx, urls)
	if err != nil {
		return err
	}
	f, err := log.Follow(ctx, s.open)
	if err != nil {
		return err
	}
	if role == "keep" {
		every := 200 * time.Millisecond
		if s.quiet() {
			every = 10 * time.Second
		}
		return f.Keep(ctx, every)
	}
	return f.Learn(ctx)
}
