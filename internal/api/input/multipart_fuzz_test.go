package input

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"signet/internal/model"
)

// FuzzReadMultipart looks for panics, for answers other than a refusal of the
// body, and for files that are neither handed over nor discarded; what is
// accepted reads the same when it is written again, and byte by byte.
func FuzzReadMultipart(f *testing.F) {
	for _, seed := range []string{
		"", parts(), parts(textPart("recipient", "bob"), textPart("body", "é"),
			filePart("attachment", "a.png", "image/png", "\x00\xff")),
		parts(textPart("a", "1"), textPart("a",
			"2")), parts("Content-Disposition: form-data; name=a\nContent-Transfer-Encoding: quoted-printable\n\n=41=\r\n"),
		parts(filePart("avatar", "", "image/png", "")), "--" + boundary + "\n\n\n--" + boundary + "--", "--" + boundary +
			"\r\nContent-Disposition: form-data; name=\"x",
		parts(filePart("attachment", "x", "a/b", strings.Repeat("y", 200))),
		parts(textPart("_charset_", "latin1"), textPart("a", "\xfc"), textPart("_charset_", "koi8-r")),
		parts("Content-Disposition: form-data; name=a\nContent-Type: text/plain; charset=windows-1252\n\n\x80"),
		parts("Content-Disposition: form-data; name=attachment; filename*=iso-8859-1''%fc; filename=\"\xfc\"\n\nx"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c, sink, err := readAny(t, strings.NewReader(body))
		slow, slowSink, slowErr := readAny(t, iotest.OneByteReader(strings.NewReader(body)))
		if (err == nil) != (slowErr == nil) || err == nil && (!reflect.DeepEqual(c.list, slow.list) ||
			!reflect.DeepEqual(sink.kept, slowSink.kept)) {
			t.Fatalf("got %v %v %v, byte by byte %v %v %v", c.list, sink.kept, err, slow.list, slowSink.kept, slowErr)
		}
		if err != nil {
			if told, ok := errors.AsType[*model.Error](err); !ok || told.Kind != model.Invalid && told.Kind != model.TooLarge &&
				told.Kind != model.UnsupportedType {
				t.Fatalf("got %v", err)
			}
		}
		if len(c.files) > len(sink.kept) {
			t.Fatalf("%d files of %d", len(c.files), len(sink.kept))
		}
		c.Discard(t.Context())
		if len(sink.discarded) != len(sink.kept) || len(c.files) != 0 {
			t.Fatalf("kept %v, discarded %v", sink.kept, sink.discarded)
		}
		exercise(&c.Fields)
		if err != nil || c.Has(charsetField) {
			return
		}
		wantReadAgain(t, c)
	})
}

// readAny reads a body with little room.
func readAny(t *testing.T, body io.Reader) (*Body[int], *testSink, error) {
	t.Helper()
	sink := new(testSink)
	avatar := sink.field()
	avatar.OrText = true
	reader := Reader[int]{
		Limits: Limits{BodyBytes: 500, FileBytes: 100, Parts: 100},
		Files:  map[string]FileField[int]{"attachment": sink.field(), "avatar": avatar},
	}
	r := httptest.NewRequest("POST", "/x", body)
	r.ContentLength = -1
	r.Header.Set("Content-Type", multipartContent)
	b := new(Body[int])
	return b, sink, reader.Read(t.Context(), nil, r, b)
}

// wantReadAgain writes what was read, and reads it again.
func wantReadAgain(t *testing.T, c *Body[int]) {
	t.Helper()
	var again bytes.Buffer
	w := multipart.NewWriter(&again)
	if err := w.SetBoundary(boundary); err != nil {
		t.Fatal(err)
	}
	for _, given := range c.list {
		if given.flaw != nil || strings.Contains(given.text+strings.Join(given.more, ""),
			boundary) || strings.ContainsAny(given.name, "\r\n\"\\") {
			return
		}
		for _, value := range append([]string{given.text}, given.more...) {
			_ = w.WriteField(given.name, value)
		}
	}
	_ = w.Close()
	second, _, err := readAny(t, &again)
	if err != nil {
		if told, _ := errors.AsType[*model.Error](err); told != nil && told.Kind == model.TooLarge || len(c.list) > 0 &&
			c.Has("attachment") {
			return
		}
		t.Fatalf("written again: %v", err)
	}
	for _, given := range c.list {
		if repeated := second.get(given.name); repeated == nil || repeated.text != given.text ||
			!reflect.DeepEqual(repeated.more, given.more) {
			t.Fatalf("%q: got %+v the second time, %+v the first", given.name, repeated, given)
		}
	}
}
