package handover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// Successor is the program that takes the place of the running server, as that one sees it. One
// goroutine uses it.
type Successor struct {
	wire    *wire
	Version string
	Process int
}

// Request is who asks for an upgrade, and waits for how it ends.
type Request struct{ wire *wire }

// Next waits for who comes: a program that takes the server's place, or one that asks for an
// upgrade. Whoever says neither is sent away. It ends with the Door, with net.ErrClosed.
func (d *Door) Next() (*Successor, *Request, error) {
	for {
		w, err := d.accept()
		if err != nil {
			return nil, nil, err
		}
		_ = w.setPatience(firstWord)
		m, files, err := w.receive()
		closeAll(files)
		_ = w.setPatience(0)
		switch {
		case err == nil && m.Kind == kindTake:
			return &Successor{wire: w, Version: m.Version, Process: m.Process}, nil, nil
		case err == nil && m.Kind == kindUpgrade:
			return nil, &Request{w}, nil
		}
		_ = w.close()
	}
}

// firstWord is how long who comes may take to say what they want.
const firstWord = 5 * time.Second

// Offer passes the sockets on, and waits until the program is prepared. An error of its own is a
// *RefusedError.
func (s *Successor) Offer(ctx context.Context, version string, sockets []Socket) error {
	defer s.wire.bind(ctx)()
	m := message{Kind: kindSockets, Version: version, Process: os.Getpid()}
	var along []conveyed
	for _, socket := range sockets {
		c, err := descriptor(socket.Listener)
		if err != nil {
			return err
		}
		m.Sockets, along = append(m.Sockets, place{socket.Name, socket.Address, socket.Managed}), append(along, c)
	}
	if err := s.wire.send(m, along...); err != nil {
		return err
	}
	_, _, err := s.wire.wanted(kindPrepared)
	return err
}

// Release says that the data is closed, and waits until the program has it. stopped is since when
// nobody accepts connections. After an error the program has let go of the data, or has ended.
func (s *Successor) Release(ctx context.Context, stopped time.Time) error {
	defer s.wire.bind(ctx)()
	err := s.wire.send(message{Kind: kindReleased, Stopped: stopped})
	if err == nil {
		_, _, err = s.wire.wanted(kindServing)
	}
	if refused := new(RefusedError); errors.As(err, &refused) {
		_, _, _ = s.wire.receive() // its end, by which it has let go
	}
	return err
}

// Hand passes connections on that wait for a request, and ends the conversation. The connections
// stay the caller's to close.
func (s *Successor) Hand(conns []net.Conn) error {
	for len(conns) > 0 {
		some := conns[:min(len(conns), mostFiles)]
		conns = conns[len(some):]
		along := make([]conveyed, len(some))
		for i := range some {
			var err error
			if along[i], err = descriptor(some[i]); err != nil {
				return err
			}
		}
		if err := s.wire.send(message{Kind: kindConnections}, along...); err != nil {
			return fmt.Errorf("pass connections on: %w", err)
		}
	}
	return errors.Join(s.wire.send(message{Kind: kindDone}), s.wire.close())
}

// Refuse says why the program cannot take the server's place.
func (s *Successor) Refuse(why error) { _ = s.wire.refuse(why) } // it sees the end in any case

// Answer says how the upgrade ended that was asked for.
func (r *Request) Answer(version string, process int, err error) {
	if err != nil {
		_ = r.wire.refuse(err) // who asked may have left
		return
	}
	_ = errors.Join(r.wire.send(message{Kind: kindDone, Version: version, Process: process}), r.wire.close())
}
