package postgres

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"

	"signet/internal/store/postgrestest"
)

// proxy stands between an engine and the server, and cuts connections.
type proxy struct {
	t      testing.TB
	listen net.Listener
	server string

	mu    sync.Mutex // guards all below
	plan  func(sent []byte) cut
	cuts  int
	conns map[net.Conn]bool
	group sync.WaitGroup
}

// cut is what a proxy does when it sees what a client sends.
type cut int

const (
	pass          cut = iota
	beforeServer      // the server does not get it
	afterServer       // the server gets it, and nobody waits for its answer
	withoutAnswer     // the server has answered, and the client does not get it
)

// newProxy stands before the server of an address, and returns its own.
func newProxy(t testing.TB, url string) (*proxy, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, listen: l, server: postgrestest.Host(t, url), conns: map[net.Conn]bool{}}
	p.group.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.cutAll()
		p.group.Wait()
	})
	return p, postgrestest.Through(t, url, l.Addr().String())
}

// cutWhen has the proxy ask plan about everything that clients send.
func (p *proxy) cutWhen(plan func(sent []byte) cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan, p.cuts = plan, 0
}

func (p *proxy) counted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// cutAll ends all connections.
func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) accept() {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		p.group.Go(func() { p.pump(client, server) })
	}
}

// pump passes what client and server send until the plan says otherwise.
func (p *proxy) pump(client, server net.Conn) {
	var answers sync.WaitGroup
	muted := make(chan struct{}) // the next answer is for nobody
	answered := make(chan struct{})
	answers.Go(func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			select {
			case <-muted:
				// A long answer comes in parts; the server is ready when all is said.
				if err != nil || n > 6 && bytes.HasSuffix(buffer[:n-1], []byte("Z\x00\x00\x00\x05")) {
					close(answered)
					return
				}
				continue
			default:
			}
			if n > 0 {
				client.Write(buffer[:n])
			}
			if err != nil {
				client.Close()
				return
			}
		}
	})
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if n > 0 {
			done := p.passOn(buffer[:n], server, muted, answered)
			if done {
				break
			}
		}
		if err != nil {
			break
		}
	}
	client.Close()
	server.Close()
	answers.Wait()
	p.mu.Lock()
	delete(p.conns, client)
	delete(p.conns, server)
	p.mu.Unlock()
}

// passOn carries out the plan for what a client sent; it is true when the
// connection is over.
func (p *proxy) passOn(sent []byte, server io.Writer, muted, answered chan struct{}) bool {
	p.mu.Lock()
	what := pass
	if p.plan != nil {
		what = p.plan(sent)
	}
	if what != pass {
		p.cuts++
	}
	p.mu.Unlock()
	switch what {
	case beforeServer:
		return true
	case withoutAnswer:
		close(muted)
	}
	if _, err := server.Write(sent); err != nil {
		return true
	}
	if what == withoutAnswer {
		<-answered
	}
	return what != pass
}

// every returns a plan that acts on each nth time that a text is sent.
func every(n int, text string, what cut) func([]byte) cut {
	seen := 0
	return func(sent []byte) cut {
		if !bytes.Contains(sent, []byte(text)) {
			return pass
		}
		if seen++; seen%n != 0 {
			return pass
		}
		return what
	}
}
