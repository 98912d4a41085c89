package app

import (
	"errors"
	"fmt"
	"net"

	"signet/internal/handover"
)

// socketSettings are the settings that name a socket's address.
func (l *life) socketSettings() map[string]*string {
	return map[string]*string{"listen": &l.cfg.Listen, "redirect_listen": &l.cfg.Redirect,
		"metrics.listen": &l.cfg.Metrics.Listen}
}

// adopt gives the settings the addresses of the sockets that systemd has opened.
func (l *life) adopt() (sockets []handover.Socket, err error) {
	defer func() {
		if err != nil {
			for _, s := range l.Sockets {
				err = errors.Join(err, s.Listener.Close())
			}
		}
	}()
	settings := l.socketSettings()
	for _, s := range l.Sockets {
		name := s.Name
		if settings[name] == nil && len(l.Sockets) == 1 {
			name = "listen" // of one that is alone the name does not matter
		}
		setting := settings[name]
		_, ok := s.Listener.(*net.TCPListener)
		switch {
		case !ok:
			return nil, fmt.Errorf("the socket %q of systemd, %s, is not one of TCP", s.Name, s.Listener.Addr())
		case setting == nil:
			return nil, fmt.Errorf("systemd has a socket %q: want FileDescriptorName=listen, redirect_listen or "+
				"metrics.listen, each for one socket", s.Name)
		}
		delete(settings, name)
		*setting, l.managed[name] = s.Listener.Addr().String(), true
		sockets = append(sockets, handover.Socket{Name: name, Address: *setting, Listener: s.Listener})
	}
	return sockets, nil
}

// inherit does the same with those of systemd that come from the server before.
func (l *life) inherit(sockets []handover.Socket) {
	settings := l.socketSettings()
	for _, s := range sockets {
		if setting := settings[s.Name]; s.Managed && setting != nil {
			*setting, l.managed[s.Name] = s.Address, true
		}
	}
}

// mark notes which sockets are systemd's.
func (l *life) mark(sockets []handover.Socket) []handover.Socket {
	for i := range sockets {
		sockets[i].Managed = l.managed[sockets[i].Name]
	}
	return sockets
}
