//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package handover

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// file is a descriptor that came along with a message.
type file = *os.File

// conveyed is what has a descriptor that can go along.
type conveyed = syscall.Conn

func closeAll(files []file) {
	for _, f := range files {
		_ = f.Close()
	}
}

// wire is one end of a conversation. One goroutine uses it.
type wire struct{ conn *net.UnixConn }

func (w *wire) close() error { return w.conn.Close() }

// bind makes the conversation end with ctx, until free is called.
func (w *wire) bind(ctx context.Context) (free func()) {
	stop := context.AfterFunc(ctx, func() { _ = w.conn.SetDeadline(time.Unix(1, 0)) })
	return func() {
		if stop() {
			return
		}
		_ = w.conn.SetDeadline(time.Time{}) // what is still to be said is short
	}
}

// setPatience bounds how long what follows may take; 0: for ever.
func (w *wire) setPatience(d time.Duration) error {
	if d == 0 {
		return w.conn.SetDeadline(time.Time{})
	}
	return w.conn.SetDeadline(time.Now().Add(d))
}

// send writes a message, and the descriptors of these along with it.
func (w *wire) send(m message, along ...conveyed) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > mostBytes || len(along) > mostFiles {
		return fmt.Errorf("a message of %d bytes with %d descriptors is too large", len(text), len(along))
	}
	text = append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
	return withDescriptors(along, nil, func(descriptors []int) error {
		var rights []byte
		if len(descriptors) > 0 {
			rights = syscall.UnixRights(descriptors...)
		}
		n, _, err := w.conn.WriteMsgUnix(text, rights, nil)
		if err == nil && n < len(text) {
			_, err = w.conn.Write(text[n:])
		}
		return err
	})
}

// withDescriptors calls fn with the descriptors of all, none of which is closed meanwhile.
// os.File.Fd would do, if it did not make what it names wait in the system's calls.
func withDescriptors(of []conveyed, so []int, fn func([]int) error) error {
	if len(of) == 0 {
		return fn(so)
	}
	raw, err := of[0].SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = raw.Control(func(fd uintptr) { inner = withDescriptors(of[1:], append(so, int(fd)), fn) })
	return errors.Join(err, inner)
}

// receive reads a message, and the descriptors that came along with it.
func (w *wire) receive() (m message, files []file, err error) {
	defer func() {
		if err != nil {
			closeAll(files)
			files = nil
		}
	}()
	head := make([]byte, 4)
	rights := make([]byte, syscall.CmsgSpace(4*mostFiles))
	for read := 0; read < len(head); {
		n, more, _, _, err := w.conn.ReadMsgUnix(head[read:], rights)
		if err == nil && n == 0 && more == 0 {
			err = io.EOF
		}
		if err != nil {
			return m, files, err
		}
		read += n
		came, err := filesOf(rights[:more])
		files = append(files, came...)
		if err != nil {
			return m, files, err
		}
	}
	length := binary.BigEndian.Uint32(head)
	if length > mostBytes {
		return m, files, fmt.Errorf("a message of %d bytes is too large", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(w.conn, text); err != nil {
		return m, files, err
	}
	return m, files, json.Unmarshal(text, &m)
}

// filesOf returns the descriptors in ancillary data.
func filesOf(rights []byte) (files []file, err error) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	for i := range messages {
		descriptors, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return files, err
		}
		for _, fd := range descriptors {
			syscall.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "handed over"))
		}
	}
	return files, nil
}

// longestPath is what fits into the address of a Unix socket everywhere.
const longestPath = 103

// reach calls fn with a path of the socket in a directory that fits into an address.
func reach(dir string, fn func(path string) error) error {
	path := filepath.Join(dir, SocketName)
	if len(path) <= longestPath {
		return fn(path)
	}
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%s has more than %d bytes: %w", path, longestPath, errors.ErrUnsupported)
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return fn(fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), SocketName))
}

// Door is where a running server listens for who takes its place.
type Door struct {
	listener *net.UnixListener
	path     string
}

// Open makes the socket in a data directory, which must be this process's own. One that a crash left is
// replaced. Its owner alone reaches it.
func Open(dir string) (*Door, error) {
	d := &Door{path: filepath.Join(dir, SocketName)}
	if err := os.Remove(d.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("replace %s: %w", d.path, err)
	}
	err := reach(dir, func(path string) (err error) {
		d.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", d.path, err)
	}
	d.listener.SetUnlinkOnClose(false) // the path of the address may be another one
	if err := os.Chmod(d.path, 0o600); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close removes the socket; it may be called twice. Conversations go on.
func (d *Door) Close() error {
	if err := d.listener.Close(); errors.Is(err, net.ErrClosed) {
		return nil
	} else if err != nil {
		return err
	}
	if err := os.Remove(d.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// accept returns the next conversation.
func (d *Door) accept() (*wire, error) {
	conn, err := d.listener.AcceptUnix()
	if err != nil {
		return nil, err
	}
	return &wire{conn}, nil
}

// dial begins a conversation with the server of a data directory.
func dial(ctx context.Context, dir string) (*wire, error) {
	var conn net.Conn
	err := reach(dir, func(path string) (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, "unix", path)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNobody
	}
	if err != nil {
		return nil, fmt.Errorf("call the running server: %w", err)
	}
	return &wire{conn.(*net.UnixConn)}, nil
}

// listenerOf makes a listener of a descriptor.
func listenerOf(f file) (net.Listener, error) { return net.FileListener(f) }

// connOf makes a connection of a descriptor.
func connOf(f file) (net.Conn, error) { return net.FileConn(f) }

// descriptor is what send takes of a socket or a connection.
func descriptor(of any) (conveyed, error) {
	if c, ok := of.(conveyed); ok {
		return c, nil
	}
	return nil, fmt.Errorf("a %T has no descriptor", of)
}
