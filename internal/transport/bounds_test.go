package transport

import (
	"bufio"
	"net"
	"net/http"
	"testing"
)

// A request whose end can be read in two ways is refused, or ends where its chunks do:
// else a proxy that reads it the other way takes what follows for somebody's request.
func TestRequestsHaveOneEnd(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: x\r\n"
	const chunks = "3\r\nabc\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		request string
		status  int
		read    string // bytes of the body
	}{
		"chunks and a shorter length": {"Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n" + chunks, 200, "3"},
		"chunks and a longer length":  {"Content-Length: 90\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 200, "3"},
		"two lengths":                 {"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400, ""},
		"a length with a sign":        {"Content-Length: +3\r\n\r\nabc", 400, ""},
		"an unknown coding":           {"Transfer-Encoding: xchunked\r\n\r\n" + chunks, 501, ""},
		"a coding after chunks":       {"Transfer-Encoding: chunked, identity\r\n\r\n" + chunks, 501, ""},
		"two codings":                 {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501, ""},
		"a blank before the colon":    {"Content-Length : 3\r\n\r\nabc", 400, ""},
		"a line that is folded":       {"X: y\r\n Content-Length: 3\r\n\r\nabc", 200, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, countBody, func(t *testing.T, conn net.Conn) {
				go func() { _, _ = conn.Write([]byte(head + c.request)) }() // a refusal does not read all of it
				r := bufio.NewReader(conn)
				got, err := http.ReadResponse(r, nil)
				if err != nil || got.StatusCode != c.status {
					t.Fatalf("got %v, %v, want %d", got, err, c.status)
				}
				if body := make([]byte, 8); c.read != "" {
					if n, _ := got.Body.Read(body); string(body[:n]) != c.read {
						t.Errorf("a body of %s bytes was read, want %s", body[:n], c.read)
					}
				}
			})
		})
	}
}
