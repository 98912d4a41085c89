package transport

import (
	"context"
	"net"
	"sync"
)

const (
	// headBytes is how much net/http gathers before it writes: the head of an answer and
	// as much of the body as there is room for. The rest of the body is a write of its own.
	headBytes = 4 << 10
	// joinFrom is from how many bytes of a body on there may be such a rest.
	joinFrom = headBytes - 1<<10
)

// joint is the beginning of an answer that waits for the rest, so that both are one write.
type joint struct {
	head    [headBytes]byte
	held    int // bytes of head that wait
	parts   [2][]byte
	buffers net.Buffers
}

var joints = sync.Pool{New: func() any { return new(joint) }}

// join has the next write wait for the one after it. part follows, by the same goroutine.
func (c *connection) join() { c.joint = joints.Get().(*joint) }

// part ends what join began, and writes what waits in vain.
func (c *connection) part() error {
	j := c.joint
	c.joint = nil
	defer joints.Put(j)
	if j.held == 0 {
		return nil
	}
	held := j.held
	j.held = 0
	_, err := c.Write(j.head[:held])
	if err != nil {
		_ = c.Close() // the server takes this for written, and would go on behind it
	}
	return err
}

// keep has what is written wait, if it may and there is room for it.
func (j *joint) keep(p []byte) bool {
	if j.held > 0 || len(p) > headBytes {
		return false
	}
	j.held = copy(j.head[:], p)
	return true
}

// writeJoined writes what waits, and this after it. It returns how much of this was written.
func (c *connection) writeJoined(j *joint, p []byte) (int, error) {
	written := -j.held
	j.parts = [2][]byte{j.head[:j.held], p}
	j.buffers, j.held = j.parts[:], 0
	defer func() { j.parts, j.buffers = [2][]byte{}, nil }()
	for {
		if err := c.writing.begin(); err != nil {
			return max(written, 0), err
		}
		n, err := j.buffers.WriteTo(c.Conn) // and what it wrote is no more among them
		written += int(n)
		if !c.writing.end(err) {
			return max(written, 0), err
		}
	}
}

// connectionKey is the key of a connection in the contexts of its calls.
type connectionKey struct{}

// withConnection adds a connection to the context of its calls, unless what is written to it
// is encrypted first: then it is not what net/http writes.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if counted, ok := c.(*countedConn); ok {
		c = counted.Conn
	}
	if own, ok := c.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, own)
	}
	return ctx
}

// connectionOf returns the connection of a call, or nil.
func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}
