package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"time"
)

// sayNoMore ends what the client sends, and nothing else.
func sayNoMore(c net.Conn) { _ = c.(*net.TCPConn).CloseWrite() }

// hostileRequests makes the attacks, with the credentials of somebody who has
// some, where those lead further.
func hostileRequests(p person) []attack {
	basic := base64.StdEncoding.EncodeToString([]byte(p.key + ":" + p.secret))
	authorization := "Host: x\r\nAuthorization: Basic " + basic + "\r\n"
	get := func(target string) string {
		return "GET " + target + " HTTP/1.1\r\n" + authorization + "Connection: close\r\n\r\n"
	}
	post := func(headers, body string) string {
		return "POST /v2/message HTTP/1.1\r\n" + authorization + "Connection: close\r\n" + headers + "\r\n" + body
	}
	sized := func(contentType, body string) string {
		return post(fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n", contentType, len(body)), body)
	}
	json := func(body string) string { return sized("application/json", body) }
	parts := func(body string) string { return sized("multipart/form-data; boundary=x", body) }
	noise := make([]byte, 8<<10)
	random := rand.NewChaCha8([32]byte{7})
	_, _ = random.Read(noise)
	message := `{"recipient":"mallory","body":"x"}`
	chunked := func(body string) string {
		return post("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n", body)
	}

	all := []attack{
		{name: "noise", text: string(noise), then: sayNoMore},
		{name: "noise without end of line", text: strings.Repeat("\x80\xff", 4<<10), then: sayNoMore},
		{name: "TLS", text: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + string(noise[:509]), then: sayNoMore},
		{name: "HTTP/2 without asking", text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + string(noise[:64]), then: sayNoMore},
		{name: "a version that is not", text: "GET / HTTP/9.9\r\nHost: x\r\n\r\n"},
		{name: "nothing", then: sayNoMore},
		{name: "half a head", text: "POST /v2/message HTTP/1.1\r\nHost: x\r\nAuthoriz", then: sayNoMore},
		{name: "a huge header", text: "GET /v2/events HTTP/1.1\r\n" + authorization + "X-A: " + strings.Repeat("a", 1<<20) +
			"\r\n\r\n", want: "431"},
		{name: "many headers", text: "GET /v2/events HTTP/1.1\r\n" + authorization + strings.Repeat("X-A: b\r\n", 20_000) +
			"\r\n", want: "431"},
		{name: "a huge target", text: get("/v2/" + strings.Repeat("a", 1<<20)), want: "431"},
		{name: "no host", text: "GET /v2/events HTTP/1.1\r\n\r\n", want: "400"},
		{name: "two hosts", text: "GET /v2/events HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", want: "400"},
		{name: "a header with a line break", text: "GET /v2/events HTTP/1.1\r\nHost: x\r\nX-A: a\nb\r\n\r\n"},
		{name: "an unknown method", text: "BREW /v2/message HTTP/1.1\r\n" + authorization + "Connection: close\r\n\r\n",
			want: "405"},
		{name: "CONNECT", text: "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"},
		{name: "OPTIONS *", text: "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"},
		{name: "another server's URL", text: get("http://example.com/v2/events?limit=1"), want: "200"},
		{name: "a broken escape", text: get("/v2/user/%zz"), want: "400"},
		{name: "NUL in the path", text: get("/v2/user/a%00b")},
		{name: "no UTF-8 in the path", text: get("/v2/user/%ff%fe"), want: "404"},
		{name: "a way up", text: get("/v2/message/../../../../etc/passwd"), want: "404"},
		{name: "an encoded way up", text: get("/v2/message/..%2f..%2f..%2fetc%2fpasswd"), want: "404"},
		{name: "slashes", text: get(strings.Repeat("/", 10_000)), want: "404"},
		{name: "a huge number", text: get("/v2/events?limit=99999999999999999999"), want: "400"},
		{name: "a negative wait", text: get("/v2/events?wait=-1"), want: "400"},
		{name: "a strange place in the queue", text: get("/v2/events?after=%00%ff"), want: "400"},
		{name: "many query fields", text: get("/v2/events?" + strings.Repeat("a=b&", 10_000))},
		{name: "attachment minus one", text: get("/v2/message/" + p.token + "/attachment/-1"), want: "404"},

		{name: "credentials that are none", text: "GET /v2/events HTTP/1.1\r\nHost: x\r\nConnection: " +
			"close\r\nAuthorization: Basic %%%\r\n\r\n"},
		{name: "huge credentials",
			text: "GET /v2/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic " +
				strings.Repeat("QUFB", 10_000) + "\r\n\r\n"},
		{name: "credentials with NUL", text: "GET /v2/events?auth_basic=AAA6AAA= HTTP/1.1\r\nHost: x\r\nConnection: " +
			"close\r\n\r\n"},
		{name: "a Request-ID that is none",
			text: post("Content-Type: application/json\r\nRequest-ID: "+strings.Repeat("é", 200)+"\r\nContent-Length: 34\r\n",
				message), want: "400"},
		{name: "strange ranges",
			text: "GET /v2/message/" + p.token + "/attachment/1 HTTP/1.1\r\n" + authorization +
				"Connection: close\r\nRange: bytes=" + strings.Repeat("0-1,", 5000) + "\r\n\r\n", want: "404"},
		{name: "a strange wish of encoding",
			text: "GET /v2/events HTTP/1.1\r\n" + authorization + "Connection: close\r\nAccept-Encoding: gzip;q=NaN, " +
				"*;q=-1,,,\r\n\r\n", want: "200"},
		{name: "an unknown expectation", text: post("Expect: everything\r\nContent-Length: 0\r\n", ""), want: "417"},

		{name: "no content type", text: post("Content-Length: 34\r\n", message), want: "415"},
		{name: "another content type", text: sized("application/xml", "<a/>"), want: "415"},
		{name: "a coded body", text: post("Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: "+
			"34\r\n", message), want: "415"},
		{name: "ten thousand keys", text: json(manyKeys(10_000, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) })),
			want: "400"},
		{name: "ten thousand times one key", text: json(manyKeys(10_000, func(int) string { return `"body":"x"` })),
			want: "400"},
		{name: "a deep body", text: json(`{"a":` + strings.Repeat("[", 100_000)), want: "400"},
		{name: "a deep body with an end", text: json(`{"a":` + strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 41)),
			want: "400"},
		{name: "a second value", text: json(message + message), want: "400"},
		{name: "no object", text: json(`["recipient"]`), want: "400"},
		{name: "no JSON", text: json("recipient=mallory"), want: "400"},
		{name: "no UTF-8", text: json("{\"recipient\":\"\xff\xfe\"}"), want: "400"},
		{name: "half a pair", text: json(`{"recipient":"\ud800","body":"x"}`)},
		{name: "NUL in a text", text: json(`{"recipient":"a\u0000b","body":"x"}`)},
		{name: "a huge exponent", text: json(`{"recipient":"mallory","body":"x","ttl":1e999999999}`), want: "400"},
		{name: "a long number", text: json(`{"recipient":"mallory","body":"x","ttl":` + strings.Repeat("9", 100_000) + `}`),
			want: "400"},
		{name: "types all wrong", text: json(`{"recipient":{},"body":[],"ttl":{},"dor":[],"priority":"x","data":1}`),
			want: "400"},
		{name: "a body that is too large", text: json(`{"body":"` + strings.Repeat("x", 1<<20) + `"}`), want: "413"},
		{name: "a form of ten thousand fields",
			text: sized("application/x-www-form-urlencoded", strings.Repeat("a=b&", 10_000)), want: "400"},
		{name: "a broken form", text: sized("application/x-www-form-urlencoded", "recipient=%zz&body=%"), want: "400"},
		{name: "parts without a boundary", text: sized("multipart/form-data", "--x\r\n\r\n--x--"), want: "400"},
		{name: "ten thousand parts", text: parts(strings.Repeat("--x\r\nContent-Disposition: form-data; "+
			"name=\"a\"\r\n\r\nb\r\n", 10_000) + "--x--\r\n")},
		{name: "a part without a name", text: parts("--x\r\n\r\nb\r\n--x--\r\n"), want: "400"},
		{name: "a part with a huge head",
			text: parts("--x\r\nContent-Disposition: form-data; name=\"" + strings.Repeat("a", 100_000) +
				"\"\r\n\r\nb\r\n--x--\r\n"), want: "400"},
		{name: "a part that does not end", text: parts("--x\r\nContent-Disposition: form-data; name=\"attachment\"; " +
			"filename=\"../../etc/passwd\"\r\n\r\n" + string(noise)), want: "400"},
		{name: "parts of noise", text: parts("--x\r\n" + string(noise)), want: "400"},

		{name: "a length that is none", text: post("Content-Length: -1\r\n", message), want: "400"},
		{name: "two lengths", text: post("Content-Length: 34\r\nContent-Length: 35\r\n", message), want: "400"},
		{name: "more announced than sent", text: post("Content-Type: application/json\r\nContent-Length: 5000\r\n", message),
			want: "400", then: sayNoMore},
		{name: "a petabyte announced", text: post("Content-Type: multipart/form-data; boundary=x\r\nContent-Length: "+
			"1125899906842624\r\n", "--x"), want: "413"},
		{name: "less announced than sent",
			text: "POST /v2/message HTTP/1.1\r\n" + authorization + "Content-Type: application/json\r\nContent-Length: " +
				"34\r\n\r\n" + message + "garbage\r\n\r\n", want: "204 400"},
		{name: "a length and chunks",
			text: "POST /v2/message HTTP/1.1\r\n" + authorization + "Content-Type: application/json\r\nContent-Length: " +
				"5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"},
		{name: "another transfer encoding", text: post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
		{name: "chunks of garbage", text: chunked("zzz\r\n" + string(noise)), want: "400"},
		{name: "a chunk of 16 EiB", text: chunked("ffffffffffffffff\r\nabc"), want: "400", then: sayNoMore},
		{name: "a chunk that lies", text: chunked("5\r\nabcdefghijklmnop\r\n0\r\n\r\n"), want: "400"},
		{name: "chunks without an end", text: chunked("22\r\n" + message), want: "400", then: sayNoMore},
		{name: "a long chunk extension",
			text: chunked("22;" + strings.Repeat("a", 100_000) + "\r\n" + message + "\r\n0\r\n\r\n"), want: "400"},
		{name: "a byte a chunk", text: chunked(strings.Repeat("1\r\na\r\n", 20_000) + "0\r\n\r\n"), want: "400"},
		{name: "a huge trailer",
			text: chunked("22\r\n" + message + "\r\n0\r\nX: " + strings.Repeat("a", 1<<20) + "\r\n\r\n")},

		{name: "twenty at once", text: strings.Repeat("GET /v2/events?limit=1 HTTP/1.1\r\n"+authorization+"\r\n", 20),
			want: strings.TrimSpace(strings.Repeat("200 ", 20))},
		{name: "HTTP/1.0", text: "GET /v2/events?limit=1 HTTP/1.0\r\n" + authorization + "\r\n", want: "200"},
		{name: "HTTP/1.0 that stays",
			text: "POST /v2/message HTTP/1.0\r\n" + authorization + "Connection: keep-alive\r\nContent-Type: " +
				"application/json\r\nContent-Length: 34\r\n\r\n" + message +
				"GET /v2/events?limit=1 HTTP/1.0\r\n" + authorization + "\r\n", want: "204 200"},
		{name: "HTTP/0.9", text: "GET /v2/events\r\n", want: "400"},
	}
	return append(all, hostileConversations(authorization, post)...)
}

// hostileConversations are attacks that take their time.
func hostileConversations(authorization string, post func(headers, body string) string) []attack {
	pauseAndGo := func(c net.Conn) {
		time.Sleep(rand.N(200 * time.Millisecond)) // that is the attack
		c.Close()
	}
	stream := "GET /v2/events?features=heartbeat_1,self-copies HTTP/1.1\r\n" + authorization +
		"Accept: text/event-stream\r\n\r\n"
	socket := "GET /v2/events HTTP/1.1\r\n" + authorization + "Connection: Upgrade\r\nUpgrade: " +
		"websocket\r\nSec-WebSocket-Version: 13\r\n"
	key := "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	trickle := func(c net.Conn) {
		for range 20 {
			if _, err := c.Write([]byte("a")); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		c.Close()
	}
	upload := post("Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000\r\n",
		"--x\r\nContent-Disposition: form-data; name=\"attachment\"; filename=\"a\"\r\n\r\n")
	return []attack{
		{name: "a slow head", text: "GET /v2/events HTTP/1.1\r\nX: ", then: trickle},
		{name: "a slow body", text: post("Content-Type: application/json\r\nContent-Length: 200000\r\n", `{"body":"`),
			then: trickle},
		{name: "a slow file", text: upload, then: trickle},
		{name: "a file that ends in the middle", text: upload + strings.Repeat("a", 1<<20), then: pauseAndGo},
		{name: "a file that nobody waits for", text: upload, then: func(c net.Conn) {
			_ = c.(*net.TCPConn).SetLinger(0) // the connection is reset
			pauseAndGo(c)
		}},
		{name: "a stream that nobody reads", text: stream, then: pauseAndGo},
		{name: "two streams on one connection", text: stream + stream, then: pauseAndGo},
		{name: "a WebSocket without a key", text: socket + "\r\n", want: "400"},
		{name: "a WebSocket of another version", text: strings.Replace(socket, "Version: 13", "Version: 99", 1) + key,
			want: "400"},
		{name: "a WebSocket that speaks noise", text: socket + key + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", want: "101"},
		{name: "a frame without a mask", text: socket + key + "\x81\x05hello", want: "101"},
		{name: "a frame of 8 EiB", text: socket + key + "\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00abc",
			want: "101"},
		{name: "a frame that says nothing", text: socket + key + "\x81\x85\x00\x00\x00\x00hello", want: "101"},
		{name: "HTTP/2 by upgrade",
			text: "GET /v2/events?limit=1 HTTP/1.1\r\n" + authorization +
				"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", want: "200"},
	}
}

// manyKeys writes a JSON object of n members.
func manyKeys(n int, member func(i int) string) string {
	var b bytes.Buffer
	for i := range n {
		b.WriteString(",")
		b.WriteString(member(i))
	}
	return "{" + b.String()[1:] + "}"
}
