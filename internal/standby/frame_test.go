package standby

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// written is a connection that was read from bytes.
type written struct {
	net.Conn
	bytes.Buffer
}

func (w *written) Write(p []byte) (int, error)      { return w.Buffer.Write(p) }
func (w *written) Read(p []byte) (int, error)       { return w.Buffer.Read(p) }
func (w *written) SetReadDeadline(time.Time) error  { return nil }
func (w *written) SetWriteDeadline(time.Time) error { return nil }

func mustFrame(t testing.TB, k kind, parts ...[]byte) []byte {
	t.Helper()
	w := new(written)
	l := newLink(w, nil)
	if err := errors.Join(l.send(k, parts...), l.flush()); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func receiveFrom(text []byte) (kind, []byte, error) {
	w := new(written)
	w.Buffer.Write(text)
	return newLink(w, bufio.NewReader(w)).receive(time.Second)
}

func TestFrameThatWasChangedIsNone(t *testing.T) {
	frame := mustFrame(t, kindPages, []byte("one"), []byte("two"))
	k, payload, err := receiveFrom(frame)
	if err != nil || k != kindPages || string(payload) != "onetwo" {
		t.Fatalf("got %q %q, error %v", k, payload, err)
	}
	for i := range frame {
		changed := bytes.Clone(frame)
		changed[i] ^= 1
		if _, _, err := receiveFrom(changed); err == nil {
			t.Errorf("byte %d was changed, and nobody noticed", i)
		}
		if _, _, err := receiveFrom(frame[:i]); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at byte %d: error %v", i, err)
		}
	}
}

func FuzzReceive(f *testing.F) {
	f.Add(mustFrame(f, kindHello, []byte(`{"protocol":1,"id":"x"}`)))
	f.Add(mustFrame(f, kindDigests, make([]byte, 20)))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, payload, err := receiveFrom(text)
		if err != nil {
			return
		}
		if !bytes.Equal(mustFrame(t, k, payload), text[:len(payload)+frameHead+4]) {
			t.Error("a frame that was taken is another one")
		}
	})
}

func TestReadKeyRepeatsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("  " + testKey + "\n")
	if got, err := ReadKey("file:"+path, nil); err != nil || got != testKey {
		t.Errorf("%q, error %v", got, err)
	}
	if got, err := ReadKey("env:KEY", func(string) string { return testKey }); err != nil || got != testKey {
		t.Errorf("%q, error %v", got, err)
	}
	for _, text := range []string{"", "hunter2", strings.Repeat("hunter2 ", 9), strings.Repeat("hunter2\x01", 9)} {
		write(text)
		if _, err := ReadKey("file:"+path, nil); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if _, err := ReadKey("hunter2hunter2", nil); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}

// What did not arrive is told again, with what came after it.
func TestNotesOfFilesThatDidNotArriveAreKept(t *testing.T) {
	var n fileNotes
	n.begin()
	if took := n.take(); !took.lost || n.any() {
		t.Errorf("at first %+v", took)
	}
	a, b := [16]byte{1}, [16]byte{2}
	n.note(a, true)
	n.note(b, true)
	took := n.take()
	n.note(b, false)
	n.putBack(took)
	again := n.take()
	if len(again.added) != 1 || again.added[0] != a || len(again.removed) != 1 || again.removed[0] != b || again.lost {
		t.Errorf("again %+v", again)
	}
	for i := range mostNoted + 1 {
		n.note([16]byte{byte(i), byte(i >> 8), byte(i >> 16)}, true)
	}
	if took := n.take(); !took.lost || len(took.added) > 0 {
		t.Errorf("%d files are named, lost %v", len(took.added), took.lost)
	}
}
