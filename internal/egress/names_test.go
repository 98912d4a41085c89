package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// names is a name server on this machine, and how often it was asked for each name.
type names struct {
	conn net.PacketConn

	mu    sync.Mutex // guards asked
	asked map[string]int
	of    func(name string, asked int) []netip.Addr
}

// newNames starts a name server. of says what the addresses of a name are when it is asked for them for the
// asked-th time, of either kind.
func newNames(t *testing.T, of func(name string, asked int) []netip.Addr) *names {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &names{conn: conn, asked: map[string]int{}, of: of}
	var running sync.WaitGroup
	running.Go(n.serve)
	t.Cleanup(func() { conn.Close(); running.Wait() })
	return n
}

// resolver asks this server, and no other.
func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", n.conn.LocalAddr().String())
	}}
}

func (n *names) serve() {
	packet := make([]byte, 1500)
	for {
		size, from, err := n.conn.ReadFrom(packet)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		var m dnsmessage.Message
		if err != nil || m.Unpack(packet[:size]) != nil || len(m.Questions) != 1 {
			continue
		}
		answer, err := n.answer(&m).Pack()
		if err == nil {
			_, _ = n.conn.WriteTo(answer, from) // whoever asked has left, or asks again
		}
	}
}

func (n *names) answer(m *dnsmessage.Message) *dnsmessage.Message {
	q := m.Questions[0]
	n.mu.Lock()
	if q.Type == dnsmessage.TypeA { // both kinds are asked for, at a time
		n.asked[q.Name.String()]++
	}
	asked := max(n.asked[q.Name.String()], 1)
	n.mu.Unlock()
	out := &dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, Authoritative: true},
		Questions: m.Questions}
	for _, address := range n.of(q.Name.String(), asked) {
		head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && address.Is4():
			out.Answers = append(out.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: address.As4()}})
		case q.Type == dnsmessage.TypeAAAA && address.Is6():
			out.Answers = append(out.Answers,
				dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: address.As16()}})
		}
	}
	return out
}
