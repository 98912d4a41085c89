package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// frames reads a whole stream and writes each message as one line.
func frames(r io.Reader) (string, error) {
	var out strings.Builder
	s := newSSEReader(r)
	for {
		f, err := s.next()
		if err != nil {
			return out.String(), err
		}
		fmt.Fprintf(&out, "[%s|%s|%v|%s|%d]", f.event, f.id, f.hasID, f.data, f.retry.Milliseconds())
	}
}

func TestSSE(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "id: 1\ndata: a\n\n", "[|1|true|a|0]"},
		{"no blank after the colon", "id:1\ndata:a\n\n", "[|1|true|a|0]"},
		{"only one blank goes", "data:  a \n\n", "[||false| a |0]"},
		{"CRLF", "id: 1\r\ndata: a\r\n\r\ndata: b\r\n\r\n", "[|1|true|a|0][||false|b|0]"},
		{"CR", "data: a\r\rdata: b\r\r", "[||false|a|0][||false|b|0]"},
		{"mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", "[||false|a|0][||false|b|0][||false|c|0]"},
		{"several lines", "data: a\ndata\ndata: b\n\n", "[||false|a\n\nb|0]"},
		{"comments", ": hello\n\n:\n\ndata: a\n: in between\ndata: b\n\n", "[||false|a\nb|0]"},
		{"a byte order mark", "\xef\xbb\xbfdata: a\n\n", "[||false|a|0]"},
		{"an event without data", "event: x\nid: 1\n\ndata: a\n\n", "[||false|a|0]"},
		{"empty data", "data\n\n", "[||false||0]"},
		{"a type", "event: x\ndata: a\n\n", "[x||false|a|0]"},
		{"an id with NUL", "id: a\x00b\ndata: a\n\n", "[||false|a|0]"},
		{"an empty id", "id\ndata: a\n\n", "[||true|a|0]"},
		{"retry", "retry: 1500\ndata: a\n\nretry: soon\ndata: b\n\n", "[||false|a|1500][||false|b|1500]"},
		{"unknown fields", "foo: bar\nfoo\ndata: a\n\n", "[||false|a|0]"},
		{"an unfinished message", "data: a\n\ndata: b\n", "[||false|a|0]"},
		{"an unfinished line", "data: a\n\ndata: b", "[||false|a|0]"},
		{"a colon in the data", "data: a:b: c\n\n", "[||false|a:b: c|0]"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)),
			} {
				if got, err := frames(r); got != tt.want || err != io.EOF {
					t.Errorf("%s: got %q, %v, want %q", how, got, err, tt.want)
				}
			}
		})
	}
}

func TestSSE_message_comes_without_waiting_for_the_next(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r\n"} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, "data: a"+end) }() // and then nothing
		f, err := newSSEReader(r).next()
		if err != nil || string(f.data) != "a" {
			t.Errorf("ended with %q: got %q, %v", end, f.data, err)
		}
		_ = r.Close()
	}
}

func TestSSE_limits(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	if got, err := frames(strings.NewReader("data: " + long + "\n\n")); err != io.EOF || !strings.Contains(got, long) {
		t.Errorf("a line of 1 MiB: got %d bytes, %v", len(got), err)
	}
	for name, in := range map[string]string{
		"one line":      "data: " + strings.Repeat("x", maxFrame+1),
		"an ended line": "data: " + strings.Repeat("x", maxFrame+1) + "\n\n",
		"many lines":    strings.Repeat("data: "+long+"\n", 5),
	} {
		if _, err := frames(strings.NewReader(in)); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s past the limit: got %v, want an ErrProtocol", name, err)
		}
	}
}

// FuzzSSE checks that no input breaks the reader, and that it reads the same
// whether the bytes come at once or one by one, and with whatever line ends.
func FuzzSSE(f *testing.F) {
	for _, seed := range []string{
		"id: e1\ndata: {\"event_id\":\"e1\",\"event\":{\"tigertext:iq:message\":{}}}\n\n",
		": hello\n\nretry: 100\r\ndata: a\rdata: b\n\r\n", "\xef\xbb\xbfdata\n\nid\x00: 1\n\n", "\r\n\r\r\n\n",
		"data: a\n\ndata: b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := frames(bytes.NewReader(in))
		if err != io.EOF {
			t.Fatalf("got %v", err)
		}
		slow, err := frames(iotest.OneByteReader(bytes.NewReader(in)))
		if slow != whole || err != io.EOF {
			t.Errorf("byte by byte: got %q, %v, want %q", slow, err, whole)
		}
		if bytes.IndexByte(in, '\r') < 0 {
			crlf, _ := frames(bytes.NewReader(bytes.ReplaceAll(in, []byte("\n"), []byte("\r\n"))))
			if crlf != whole {
				t.Errorf("with CRLF: got %q, want %q", crlf, whole)
			}
		}
	})
}
