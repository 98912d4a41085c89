package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"strconv"
)

// answer is the head of an answer, as far as a run has use for it.
type answer struct {
	status  int
	length  int64 // of the body; -1: it is in chunks, or ends with the connection
	chunked bool
	last    bool   // the server closes the connection behind it
	lines   []byte // the header, as it came
}

// maxHead bounds the head of an answer.
const maxHead = 64 << 10

var errNoHTTP = errors.New("the answer is no HTTP/1.1")

// read reads a head (RFC 9112). Interim answers are left out.
func (a *answer) read(r *bufio.Reader) error {
	for a.status = 0; a.status < 200; {
		line, err := readLine(r)
		if err != nil {
			return err
		}
		// HTTP/1.1 204 and a text that nobody reads
		if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' {
			return errNoHTTP
		}
		status, err := strconv.Atoi(string(line[9:12]))
		if err != nil || status < 100 {
			return errNoHTTP
		}
		*a = answer{status: status, length: -1, last: line[7] == '0', lines: a.lines[:0]}
		if err := a.readLines(r); err != nil {
			return err
		}
	}
	if a.status == 204 || a.status == 304 {
		a.length, a.chunked = 0, false
	}
	a.last = a.last || a.length < 0 && !a.chunked
	return nil
}

func (a *answer) readLines(r *bufio.Reader) error {
	for {
		line, err := readLine(r)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			return nil
		}
		if len(a.lines)+len(line) > maxHead {
			return errors.New("the head of the answer is too long")
		}
		a.lines = append(append(a.lines, line...), '\n')
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found {
			return errNoHTTP
		}
		switch value = bytes.TrimSpace(value); {
		case is(name, "content-length"):
			if a.length, err = strconv.ParseInt(string(value), 10, 64); err != nil || a.length < 0 {
				return errNoHTTP
			}
		case is(name, "transfer-encoding"):
			a.chunked = is(value, "chunked")
		case is(name, "connection"):
			a.last = a.last || is(value, "close")
		}
	}
}

// is compares a name without its case.
func is(got []byte, want string) bool {
	return len(got) == len(want) && bytes.EqualFold(got, []byte(want))
}

// header returns the value of a header, or "".
func (a *answer) header(name string) string {
	for line := range bytes.Lines(a.lines) {
		if found, value, _ := bytes.Cut(line, []byte(":")); is(found, name) {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// body returns what reads the answer's body.
func (a *answer) body(r *bufio.Reader) io.Reader {
	switch {
	case a.chunked:
		return io.MultiReader(httputil.NewChunkedReader(r), &trailer{r})
	case a.length >= 0:
		return io.LimitReader(r, a.length)
	}
	return r
}

// trailer reads what follows the last chunk, of which nothing is wanted.
type trailer struct{ r *bufio.Reader }

// Read returns no bytes.
func (t *trailer) Read([]byte) (int, error) {
	for {
		if line, err := readLine(t.r); err != nil {
			return 0, io.ErrUnexpectedEOF
		} else if len(line) == 0 {
			return 0, io.EOF
		}
	}
}

// readLine reads a line, which is valid until the next read, without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// explanation is what a refusal says of itself.
func explanation(text []byte) string {
	var refusal struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(text, &refusal) != nil || refusal.Error.Code == "" {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", refusal.Error.Code, refusal.Error.Message)
}
