// Package disktest simulates a disk for tests. Its Disk passes each change on to a real folder, and knows which bytes and names have
// been synced. When the power fails it rewrites the folder to a state that a real failure could leave.
package disktest

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// errStopped is the error of all changes after the process has died.
var errStopped = errors.New("the process died")

// Disk simulates a disk. Its methods may be called concurrently.
type Disk struct {
	// Before is called before each change with its kind and the name of its file. The kinds are create (also opening a file that exists, to
	// change it), write, truncate, sync, mkdir, link, rename, remove, and "sync a folder". An error makes the change fail, but a part of a
	// write may be done. With errStopped the process dies: the change may be done, and all later changes fail.
	Before func(kind, name string) error
	// Random makes all choices.
	Random *rand.Rand
	// NoLinks makes it a file system without hard links.
	NoLinks bool

	mu      sync.Mutex
	stopped bool
	folders map[string]*folder
}

var _ disk.FS = (*Disk)(nil)

// New returns a disk whose choices depend on a seed.
func New(seed uint64) *Disk {
	return &Disk{Random: rand.New(rand.NewPCG(seed, 1)), folders: map[string]*folder{}}
}

// node is a file, whatever its names. A folder has no bytes.
type node struct {
	isFolder bool

	begin   []byte   // after the last power failure
	changes []change // since then, oldest first
}

// change is a write of bytes at a place, or a truncation to that place.
type change struct {
	at     int64
	data   []byte
	synced bool
	doomed bool // a sync of it has failed: later syncs succeed without it
}

// unsynced returns the number of changes that may be lost.
func (n *node) unsynced() (count int) {
	for _, c := range n.changes {
		if !c.synced {
			count++
		}
	}
	return count
}

// resize returns content with the length that it has after the change.
func (c change) resize(content []byte) []byte {
	size := int(c.at) + len(c.data)
	if c.data == nil && size < len(content) {
		return content[:size]
	}
	return append(content, make([]byte, max(0, size-len(content)))...)
}

// folder holds the names in a folder: at the last sync, and after each change since.
type folder []map[string]*node

// now returns the names as programs see them.
func (f folder) now() map[string]*node { return f[len(f)-1] }

// change changes the names. The disk may lose the change until the next sync.
func (f *folder) change(do func(map[string]*node)) {
	*f = append(*f, maps.Clone(f.now()))
	do(f.now())
}

// set gives a file a name that is synced.
func (f folder) set(base string, n *node) {
	for _, names := range f {
		names[base] = n
	}
}

// at returns the folder of a path.
func (d *Disk) at(path string) *folder {
	path = filepath.Clean(path)
	if d.folders[path] == nil {
		d.folders[path] = &folder{{}}
	}
	return d.folders[path]
}

// do does a change unless Before says otherwise. If the process dies, half of the changes are done.
func (d *Disk) do(kind, name string, change func() error) error {
	if d.stopped {
		return errStopped
	}
	var err error
	if d.Before != nil {
		err = d.Before(kind, name)
	}
	d.stopped = err == errStopped
	if err == nil || d.stopped && d.Random.IntN(2) == 0 {
		if done := change(); err == nil {
			err = done
		}
	}
	return err
}

// names does a change of one folder's names. The real change must succeed first.
func (d *Disk) names(kind, name string, real func() error, change func(map[string]*node)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.at(filepath.Dir(name))
	return d.do(kind, name, func() error {
		err := real()
		if err == nil {
			f.change(change)
		}
		return err
	})
}

// Mkdir makes a folder.
func (d *Disk) Mkdir(name string, perm fs.FileMode) error {
	if _, err := os.Stat(name); err == nil {
		return fs.ErrExist // no change
	}
	return d.names("mkdir", name, func() error { return os.Mkdir(name, perm) },
		func(n map[string]*node) { n[filepath.Base(name)] = &node{isFolder: true} })
}

// Link gives a file a second name in its folder.
func (d *Disk) Link(from, to string) error {
	if d.NoLinks {
		return syscall.ENOTSUP
	}
	return d.names("link", to, func() error { return os.Link(from, to) },
		func(n map[string]*node) { n[filepath.Base(to)] = n[filepath.Base(from)] })
}

// Rename renames a file in its folder.
func (d *Disk) Rename(from, to string) error {
	return d.names("rename", to, func() error { return os.Rename(from, to) }, func(n map[string]*node) {
		n[filepath.Base(to)] = n[filepath.Base(from)]
		delete(n, filepath.Base(from))
	})
}

// Remove removes a file.
func (d *Disk) Remove(name string) error {
	if _, err := os.Lstat(name); err != nil {
		return err // no change
	}
	return d.names("remove", name, func() error { return os.Remove(name) }, func(n map[string]*node) { delete(n, filepath.Base(name)) })
}

// SyncFolder makes all names in a folder safe.
func (d *Disk) SyncFolder(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.at(name)
	return d.do("sync a folder", name, func() error {
		*f = folder{f.now()}
		return nil
	})
}

// OpenFile opens a file. A file that the disk has not seen is taken for synced.
func (d *Disk) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, base := d.at(filepath.Dir(name)), filepath.Base(name)
	before, err := os.ReadFile(name)
	if isNew := errors.Is(err, fs.ErrNotExist); !isNew && f.now()[base] == nil {
		f.set(base, &node{begin: before})
	}
	var file *os.File
	err = d.do("create", name, func() (err error) {
		if file, err = os.OpenFile(name, flag, perm); err == nil && f.now()[base] == nil {
			n := &node{}
			f.change(func(names map[string]*node) { names[base] = n })
		}
		return err
	})
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, err
	}
	return &open{file, d, f.now()[base], flag&os.O_APPEND != 0}, nil
}

// open is an open file.
type open struct {
	*os.File
	disk    *Disk
	node    *node
	appends bool
}

// put writes bytes at a place. A write that fails may be done in part.
func (f *open) put(b []byte, at int64, do func([]byte) (int, error)) (n int, err error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	part := func(b []byte) (err error) {
		if n, err = do(b); n == 0 {
			return err // without bytes it would be a truncation
		}
		f.node.changes = append(f.node.changes, change{at: at, data: bytes.Clone(b[:n])})
		return err
	}
	wasStopped := f.disk.stopped
	err = f.disk.do("write", f.Name(), func() error { return part(b) })
	if err != nil && !wasStopped && n == 0 {
		_ = part(b[:f.disk.Random.IntN(max(1, len(b)))])
	}
	return n, err
}

func (f *open) Write(b []byte) (int, error) {
	whence := io.SeekCurrent
	if f.appends {
		whence = io.SeekEnd
	}
	at, err := f.File.Seek(0, whence)
	if err != nil {
		return 0, err
	}
	return f.put(b, at, f.File.Write)
}

func (f *open) WriteAt(b []byte, at int64) (int, error) {
	return f.put(b, at, func(b []byte) (int, error) { return f.File.WriteAt(b, at) })
}

func (f *open) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.disk.do("truncate", f.Name(), func() error {
		f.node.changes = append(f.node.changes, change{at: size})
		return f.File.Truncate(size)
	})
}

func (f *open) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.do("sync", f.Name(), func() error {
		for i := range f.node.changes {
			f.node.changes[i].synced = !f.node.changes[i].doomed
		}
		return nil
	})
	for i := range f.node.changes {
		f.node.changes[i].doomed = !f.node.changes[i].synced // unless it was synced before
	}
	return err
}

// restart starts the process again, on a machine that stayed on. What was written and not synced can be read.
func (d *Disk) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped, d.Before = false, nil
	for _, f := range d.folders {
		for _, n := range f.now() {
			for i := range n.changes {
				n.changes[i].doomed = false // the new process may write it again
			}
		}
	}
}

// PowerFails rewrites the files to a state that a power failure may leave. Of the changes of a folder's names that were not synced,
// the first ones survive. Of the bytes that were not synced, any sectors survive.
func (d *Disk) PowerFails() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(d.folders)) {
		f := d.folders[path]
		if f == nil { // its own name was lost
			continue
		}
		names := (*f)[d.Random.IntN(len(*f))]
		if err := d.rewrite(path, f.now(), names); err != nil {
			return err
		}
		*f = folder{names}
	}
	return nil
}

// rewrite gives a folder the names and bytes of the disk.
func (d *Disk) rewrite(path string, before, names map[string]*node) error {
	for base, n := range before {
		if name := filepath.Join(path, base); !n.isFolder || names[base] == nil {
			delete(d.folders, name)
			if err := os.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	written := map[*node]string{}
	for _, base := range slices.Sorted(maps.Keys(names)) {
		n, name := names[base], filepath.Join(path, base)
		var err error
		switch other := written[n]; {
		case n.isFolder: // it stays
		case other != "":
			err = os.Link(other, name)
		default:
			n.begin, n.changes, written[n] = d.survivors(n), nil, name
			err = os.WriteFile(name, n.begin, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// survivors returns the bytes of a file after a power failure. The disk may have the file's length and not its bytes.
func (d *Disk) survivors(n *node) []byte {
	const sector = 512
	content := bytes.Clone(n.begin)
	sized := d.Random.IntN(2*n.unsynced() + 1) // changes whose length survives
	share := d.Random.IntN(5)                  // quarters of the sectors that survive
	for _, c := range n.changes {
		if c.synced {
			content = c.resize(content)
			copy(content[c.at:], c.data)
			continue
		}
		if sized--; sized >= 0 {
			content = c.resize(content)
		}
		for at, end := c.at, int64(0); at < c.at+int64(len(c.data)); at = end {
			end = min((at/sector+1)*sector, c.at+int64(len(c.data)))
			part := c.data[at-c.at : end-c.at]
			if d.Random.IntN(16) == 0 {
				part = part[:d.Random.IntN(1+len(part)/2)] // the sector is torn
			}
			if d.Random.IntN(4) < share && at < int64(len(content)) {
				copy(content[at:], part)
			}
		}
	}
	return content
}

// Flip flips a bit of one of these files, if one has bytes, and returns the file's name.
func (d *Disk) Flip(names ...string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil || len(content) == 0 {
			continue
		}
		content[d.Random.IntN(len(content))] ^= 1 << d.Random.IntN(8)
		d.at(filepath.Dir(name)).set(filepath.Base(name), &node{begin: content})
		return name, os.WriteFile(name, content, 0o666)
	}
	return "", nil
}

// Crashes tries histories from seeds until the power has failed a number of times. A history has eight lives of a process, on a disk
// that may fail once, be full or let the process die. After a life the power may fail. Function begin begins a history, and live
// lives one life and checks what is there. It gets the error that the disk may say, if any. The last life has none.
func Crashes(t *testing.T, number int, begin func(r *rand.Rand, d *Disk) (live func(fault error, last bool) error)) {
	t.Helper()
	const lives = 8
	seed, crashes := uint64(0), 0
	for ; crashes < number && !t.Failed(); seed++ {
		r, d := rand.New(rand.NewPCG(seed, 2)), New(seed)
		live := begin(r, d)
		for life := range lives {
			faults := []error{nil, errStopped, errStopped, errStopped, syscall.EIO, syscall.ENOSPC}
			fault, change := faults[r.IntN(len(faults))], 1+r.IntN(30)
			if life == lives-1 {
				fault = nil
			}
			d.Before = func(kind, _ string) error {
				change--
				takesRoom := slices.Contains([]string{"create", "write", "link", "mkdir"}, kind)
				if change == 0 && fault != syscall.ENOSPC || change <= 0 && fault == syscall.ENOSPC && takesRoom {
					return fault
				}
				return nil
			}
			if err := live(fault, life == lives-1); err != nil {
				t.Errorf("seed %d, life %d, %v: %v", seed, life, fault, err)
				break
			}
			if r.IntN(3) > 0 {
				crashes++
				if err := d.PowerFails(); err != nil {
					t.Fatal(err)
				}
			}
			d.restart()
		}
	}
	t.Logf("the power failed %d times, in %d histories", crashes, seed)
}
