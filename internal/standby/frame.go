package standby

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"sync"
	"time"
)

// kind says what a frame is.
type kind byte

const (
	kindHello    kind = 'h' // JSON: what the standby has, or what the first is
	kindRefused  kind = 'r' // JSON: why the first does not go on
	kindDigests  kind = 'd' // the number of the first page, and a digest of each
	kindDigested kind = 'e' // the digests end
	kindPages    kind = 'p' // the number and the bytes of each page
	kindRing     kind = 'k' // the key ring, in the form of its file
	kindCommit   kind = 'c' // JSON: what the pages since the last commit make
	kindCurrent  kind = 'u' // JSON: nothing is written that was not sent
	kindAck      kind = 'a' // JSON: of a commit or of current
	kindBusy     kind = 'b' // one is at work, and will go on
	kindRingAt   kind = 'l' // JSON, in a bucket: the key ring beside it has changed
)

const (
	frameHead = 5

	// mostFrame is the most bytes of a frame: a key ring may have many keys.
	mostFrame = 256 << 20

	// patience is how long the other may take to read a frame, or to say that it is at work, before
	// it counts as gone.
	patience = 15 * time.Second

	// busyEvery is how often one says that it is at work.
	busyEvery = time.Second
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errFrame says that bytes were changed on their way, or come from another program.
var errFrame = errors.New("what came is no frame of this protocol, or was changed on its way")

// link is a connection of frames. One goroutine receives; several may send.
type link struct {
	conn     net.Conn
	in       *bufio.Reader
	patience time.Duration // within which the other has to read a frame, and to send one that it has begun

	mu  sync.Mutex // guards out
	out *bufio.Writer
}

func newLink(conn net.Conn, in *bufio.Reader) *link {
	return &link{conn: conn, in: in, patience: patience, out: bufio.NewWriterSize(conn, 64<<10)}
}

// writeFrame writes a frame.
func writeFrame(w io.Writer, k kind, parts ...[]byte) error {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	head := binary.BigEndian.AppendUint32([]byte{byte(k)}, uint32(n))
	sum := crc32.Checksum(head, castagnoli)
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, part := range parts {
		sum = crc32.Update(sum, castagnoli, part)
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	_, err := w.Write(binary.BigEndian.AppendUint32(nil, sum))
	return err
}

// readFrame reads a frame; begun is called once it has begun.
func readFrame(r io.Reader, begun func() error) (k kind, payload []byte, err error) {
	head := make([]byte, frameHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > mostFrame {
		return 0, nil, errFrame
	}
	if err := begun(); err != nil {
		return 0, nil, err
	}
	payload = make([]byte, n+4)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, err
	}
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, payload[:n])
	if binary.BigEndian.Uint32(payload[n:]) != sum {
		return 0, nil, errFrame
	}
	return kind(head[0]), payload[:n], nil
}

// send writes a frame, which goes out with the next flush at the latest.
func (l *link) send(k kind, parts ...[]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(l.patience)); err != nil {
		return err
	}
	return writeFrame(l.out, k, parts...)
}

// flush has all that was sent go out.
func (l *link) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(l.patience)); err != nil {
		return err
	}
	return l.out.Flush()
}

// sayBusy tells the other end again and again that this one is at work, until stop has been called.
func (l *link) sayBusy() (stop func()) {
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		tick := time.NewTicker(busyEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if errors.Join(l.send(kindBusy), l.flush()) != nil {
					return // the next receive finds it too
				}
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		telling.Wait()
	}
}

// tell sends what is written as JSON, at once.
func (l *link) tell(k kind, what any) error {
	text, err := json.Marshal(what)
	if err == nil {
		err = l.send(k, text)
	}
	if err == nil {
		err = l.flush()
	}
	return err
}

// receive returns the next frame, if it begins within the time.
func (l *link) receive(within time.Duration) (k kind, payload []byte, err error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return 0, nil, err
	}
	return readFrame(l.in, func() error { return l.conn.SetReadDeadline(time.Now().Add(max(within, l.patience))) })
}

// await waits until the other end has a commit. One that says nothing for a while is given up.
func (l *link) await(ctx context.Context, sequence uint64) error {
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		got, payload, err := l.receive(l.patience)
		if err != nil {
			return err
		}
		if got == kindBusy {
			continue
		}
		var a ack
		if err := decode(got, kindAck, payload, &a); err != nil {
			return err
		}
		if a.Sequence != sequence {
			return fmt.Errorf("%w: commit %d is acknowledged, and %d was sent", errFrame, a.Sequence, sequence)
		}
		return nil
	}
}

// refresh is of a deposit: the other end of a connection has a whole copy.
func (l *link) refresh(time.Time) []uint32 { return nil }

// refusal is what the first says before it ends the connection.
type refusal struct {
	Problem string `json:"problem"`
}

// refusedError says that the other does not go on.
type refusedError struct{ problem string }

func (r *refusedError) Error() string { return r.problem }

// want reads a frame of a kind as JSON.
func (l *link) want(k kind, into any, within time.Duration) error {
	got, payload, err := l.receive(within)
	if err != nil {
		return err
	}
	return decode(got, k, payload, into)
}

// decode reads what a frame of a kind says, or why the other does not go on.
func decode(got, want kind, payload []byte, into any) error {
	if got == kindRefused {
		var r refusal
		if err := json.Unmarshal(payload, &r); err != nil {
			return errFrame
		}
		return &refusedError{r.Problem}
	}
	if got != want {
		return fmt.Errorf("%w: a frame %q came where %q was to come", errFrame, byte(got), byte(want))
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return nil
}
