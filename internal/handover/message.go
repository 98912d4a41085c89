package handover

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// SocketName is where, within a data directory, its server listens for who takes its place.
const SocketName = "handover.sock"

// ErrNobody says that no server runs on a data directory.
var ErrNobody = errors.New("no server runs on this data directory")

// ErrEnded says that the other side has ended without a word.
var ErrEnded = errors.New("the other program has ended")

// RefusedError is why the other side does not go on.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// The kinds of messages.
const (
	kindTake        = "take"
	kindUpgrade     = "upgrade"
	kindSockets     = "sockets"
	kindPrepared    = "prepared"
	kindReleased    = "released"
	kindServing     = "serving"
	kindConnections = "connections"
	kindDone        = "done"
	kindRefused     = "refused"
)

// message is one of them. Of the fields each kind has its own.
type message struct {
	Kind    string    `json:"kind"`
	Version string    `json:"version,omitempty"`
	Process int       `json:"process,omitempty"`
	Sockets []place   `json:"sockets,omitempty"` // one for each descriptor
	Stopped time.Time `json:"stopped,omitzero"`
	Reason  string    `json:"reason,omitempty"`
}

// place is what a socket is for.
type place struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Managed bool   `json:"managed,omitempty"`
}

// Socket is a listening one, with what it is for.
type Socket struct {
	Name     string // the setting that it serves
	Address  string // what that setting says, which may be port 0 or a name
	Managed  bool   // the service manager has opened it, for whatever address the settings name
	Listener net.Listener
}

const (
	mostBytes = 64 << 10 // of a message
	mostFiles = 64       // that go along with one; Linux takes 253
)

// wanted reads the next message, which has to be of this kind.
func (w *wire) wanted(kind string) (message, []file, error) {
	m, files, err := w.receive()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET):
		err = fmt.Errorf("%w (%w)", ErrEnded, err)
	case err != nil:
	case m.Kind == kind:
		return m, files, nil
	case m.Kind == kindRefused:
		err = &RefusedError{m.Reason}
	default:
		err = fmt.Errorf("the other program says %q, where %q comes", m.Kind, kind)
	}
	closeAll(files)
	return message{}, nil, err
}

// refuse says why it does not go on, and ends the conversation.
func (w *wire) refuse(why error) error {
	return errors.Join(w.send(message{Kind: kindRefused, Reason: why.Error()}), w.close())
}
