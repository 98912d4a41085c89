package handover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// Predecessor is the running server, as the program sees it that takes its place. One goroutine uses
// it.
type Predecessor struct {
	wire    *wire
	Version string
	Process int
	Sockets []Socket
}

// Ask asks the running server of a data directory for its sockets. Where there is none it answers
// ErrNobody. The caller closes what it gets: the sockets it does not use, and the Predecessor.
func Ask(ctx context.Context, dir, version string) (*Predecessor, error) {
	w, err := dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer w.bind(ctx)()
	p := &Predecessor{wire: w}
	if err := w.send(message{Kind: kindTake, Version: version, Process: os.Getpid()}); err != nil {
		return nil, errors.Join(err, w.close())
	}
	m, files, err := w.wanted(kindSockets)
	if err == nil && len(files) != len(m.Sockets) {
		err = fmt.Errorf("%d sockets were announced, and %d came", len(m.Sockets), len(files))
	}
	p.Version, p.Process = m.Version, m.Process
	defer closeAll(files)
	for i := 0; i < len(files) && err == nil; i++ {
		var l net.Listener
		if l, err = listenerOf(files[i]); err == nil {
			p.Sockets = append(p.Sockets, Socket{Name: m.Sockets[i].Name, Address: m.Sockets[i].Address,
				Managed: m.Sockets[i].Managed, Listener: l})
		}
	}
	if err != nil {
		for _, s := range p.Sockets {
			err = errors.Join(err, s.Listener.Close())
		}
		return nil, errors.Join(fmt.Errorf("take the sockets over: %w", err), w.close())
	}
	return p, nil
}

// Prepared says that nothing is known to be in the way, and waits until the running server has let
// go of its data. It returns since when nobody accepts connections.
func (p *Predecessor) Prepared(ctx context.Context) (stopped time.Time, err error) {
	defer p.wire.bind(ctx)()
	if err := p.wire.send(message{Kind: kindPrepared}); err != nil {
		return stopped, err
	}
	m, files, err := p.wire.wanted(kindReleased)
	closeAll(files)
	return m.Stopped, err
}

// Serving says that the data is open, and gives take the connections on which clients wait, until
// there are no more. It ends the conversation.
func (p *Predecessor) Serving(take func(net.Conn)) (err error) {
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.wire.send(message{Kind: kindServing}); err != nil {
		return err
	}
	for {
		m, files, err := p.wire.receive()
		for _, f := range files {
			c, fault := connOf(f)
			if fault == nil {
				take(c)
			}
			err = errors.Join(err, fault)
		}
		closeAll(files)
		if err != nil || m.Kind == kindDone {
			return err
		}
	}
}

// Refuse says why the running server has to go on.
func (p *Predecessor) Refuse(why error) { _ = p.wire.refuse(why) } // which it sees in any case

// Close ends the conversation; it may be called twice.
func (p *Predecessor) Close() error {
	if err := p.wire.close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Upgrade asks the running server of a data directory to start the program anew, and waits until that
// serves. Where no server runs it answers ErrNobody. It returns the new server's version and process.
func Upgrade(ctx context.Context, dir string) (version string, process int, err error) {
	w, err := dial(ctx, dir)
	if err != nil {
		return "", 0, err
	}
	defer w.bind(ctx)()
	err = w.send(message{Kind: kindUpgrade})
	var m message
	if err == nil {
		m, _, err = w.wanted(kindDone)
	}
	return m.Version, m.Process, errors.Join(err, w.close())
}
