package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"signet/internal/model"
)

// testSink keeps files as the blob store would, and remembers what became of
// them.
type testSink struct {
	mu        sync.Mutex
	kept      map[int]string
	discarded []int
	failed    []error
	fault     error
}

func (s *testSink) keep(_ context.Context, f File) (int, error) {
	content, err := io.ReadAll(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = s.fault
	}
	if err != nil {
		s.failed = append(s.failed, err)
		return 0, fmt.Errorf("keep %s: %w", f.Name, err)
	}
	if s.kept == nil {
		s.kept = map[int]string{}
	}
	id := len(s.kept) + 1
	s.kept[id] = fmt.Sprintf("%s|%s|%s", f.Name, f.ContentType, content)
	return id, nil
}

func (s *testSink) discard(ctx context.Context, kept int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil {
		s.discarded = append(s.discarded, kept)
	}
}

func (s *testSink) field() FileField[int] { return FileField[int]{Keep: s.keep, Discard: s.discard} }

const boundary = "B0undary"

const multipartContent = "multipart/form-data; boundary=" + boundary

// parts writes a multipart body; each part is its headers and its content,
// with a blank line between them.
func parts(list ...string) string {
	var b strings.Builder
	for _, part := range list {
		head, content, _ := strings.Cut(part, "\n\n")
		b.WriteString("--" + boundary + "\r\n" + strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + content + "\r\n")
	}
	return b.String() + "--" + boundary + "--\r\n"
}

func textPart(name, value string) string {
	return `Content-Disposition: form-data; name="` + name + `"` + "\n\n" + value
}

func filePart(name, file, contentType, content string) string {
	return `Content-Disposition: form-data; name="` + name + `"; filename="` + file + "\"\nContent-Type: " + contentType +
		"\n\n" + content
}

// upload starts a server whose endpoint takes an attachment and, as file or text, an
// avatar.
func upload(t *testing.T) (*harness, *testSink) {
	sink := new(testSink)
	avatar := sink.field()
	avatar.OrText, avatar.Limit = true, 10
	return start(t, &Reader[int]{
		Limits: Limits{BodyBytes: 1000, FileBytes: 2000},
		Files:  map[string]FileField[int]{"attachment": sink.field(), "avatar": avatar},
	}, func(b *Body[int], _ *Fields) any {
		id, _ := b.File("attachment")
		picture, _ := b.File("avatar")
		return []any{b.RequiredText("recipient"), id, b.Text("avatar"), picture, b.List("list")}
	}), sink
}

func (h *harness) postParts(list ...string) answered {
	h.t.Helper()
	return h.post(multipartContent, strings.NewReader(parts(list...)))
}

func TestAFileIsStreamedIntoItsSink(t *testing.T) {
	h, sink := upload(t)
	png := strings.Repeat("\x00\xff--"+boundary[:4]+"\r\n", 100)
	for what, list := range map[string][]string{
		"before the texts": {filePart("attachment", "a.png", "image/png", png), textPart("recipient", "bob")},
		"after the texts":  {textPart("recipient", "bob"), filePart("attachment", "a.png", "image/png", png)},
		"between them": {textPart("list", "a"), filePart("attachment", "a.png", "image/png", png),
			textPart("recipient", "bob")},
	} {
		got := h.wantReply(h.postParts(list...)).([]any)
		id := int(got[1].(float64))
		if want := "a.png|image/png|" + png; got[0] != "bob" || sink.kept[id] != want {
			t.Errorf("%s: got %v and %q", what, got, sink.kept[id])
		}
	}
	if len(sink.discarded) != 0 {
		t.Errorf("files %v of requests that went well were discarded", sink.discarded)
	}
}

func TestAPartNamedAsAFileIsOne(t *testing.T) {
	h, sink := upload(t)
	for _, c := range []struct{ part, want string }{
		{textPart("attachment", "plain"), "attachment|application/octet-stream|plain"},
		{"Content-Disposition: form-data; name=attachment\nContent-Type: text/plain; charset=utf-8\n\nx",
			"attachment|text/plain; charset=utf-8|x"},
		{filePart("attachment", "", "image/png", "x"), "attachment|image/png|x"},
		{filePart("attachment", `../../etc/pass\\wd`, "image/png", "x"), "wd|image/png|x"},
		{filePart("attachment", "a.png", "not a type", ""), "a.png|application/octet-stream|"},
		{"Content-Disposition: form-data; name=attachment; filename*=UTF-8''%e2%82%ac%20rates.txt\n\nx",
			"€ rates.txt|application/octet-stream|x"},
		{"content-disposition: form-data; name=attachment; filename=a\ncontent-transfer-encoding: quoted-printable\n\n=41=42",
			"a|application/octet-stream|AB"},
	} {
		got := h.wantReply(h.postParts(c.part, textPart("recipient", "bob"))).([]any)
		if id := int(got[1].(float64)); sink.kept[id] != c.want {
			t.Errorf("%q: got %q, want %q", c.part, sink.kept[id], c.want)
		}
	}
	// A form whose user chose no file sends a part without name and content.
	got := h.wantReply(h.postParts(filePart("attachment", "", "application/octet-stream", ""),
		textPart("recipient", "bob"))).([]any)
	if got[1] != 0.0 {
		t.Errorf("no file: got %v", got)
	}
}

func TestAFieldThatIsAFileOrAText(t *testing.T) {
	h, sink := upload(t)
	got := h.wantReply(h.postParts(textPart("recipient", "bob"), textPart("avatar", "https://example.com/a.png"))).([]any)
	if got[2] != "https://example.com/a.png" || got[3] != 0.0 {
		t.Errorf("as a text: got %v", got)
	}
	got = h.wantReply(h.postParts(textPart("recipient", "bob"), filePart("avatar", "a.png", "image/png",
		"1234567890"))).([]any)
	if got[2] != "" || sink.kept[int(got[3].(float64))] != "a.png|image/png|1234567890" {
		t.Errorf("as a file: got %v", got)
	}
	got = h.wantReply(h.post(typeJSON,
		strings.NewReader(`{"recipient":"bob","avatar":"https://example.com/a.png"}`))).([]any)
	if got[2] != "https://example.com/a.png" {
		t.Errorf("in JSON: got %v", got)
	}
	h.wantError(h.postParts(textPart("avatar", "x"), filePart("avatar", "a", "image/png", "x")), 400, CodeFieldRepeated,
		"avatar")
	h.wantError(h.postParts(filePart("avatar", "a", "image/png", "x"), textPart("avatar", "x")), 400, CodeFieldRepeated,
		"avatar")
	h.wantError(h.postParts(filePart("avatar", "a", "image/png", "12345678901")), 413, CodeFileTooLarge, "avatar")
}

func TestFaultsOfMultipartBodies(t *testing.T) {
	many := func(n int) []string {
		list := []string{textPart("recipient", "bob")}
		for range n - 1 {
			list = append(list, textPart("x", ""))
		}
		return list
	}
	whole := parts(textPart("recipient", "bob"))
	for _, c := range []struct {
		what, body  string
		status      int
		code, field string
	}{
		{"a hundred parts", parts(many(100)...), 200, "", ""},
		{"a hundred and one", parts(many(101)...), 400, CodeBodyInvalid, ""},
		{"file in a text field", parts(filePart("recipient", "r.txt", "text/plain", "bob")), 200, "", ""},
		{"binary file in a text field", parts(filePart("recipient", "r.bin", "image/png", "\xff\xfe")), 400, CodeTextInvalid,
			"recipient"},
		{"binary file in an unknown field", parts(textPart("recipient", "bob"),
			filePart("unknown", "r.bin", "image/png", "\xff\xfe")), 200, "", ""},
		{"large file in an unknown field", parts(filePart("unknown", "r.bin", "image/png", strings.Repeat("x", 2000)),
			textPart("recipient", "bob")), 200, "", ""},
		{"large file in a text field", parts(filePart("recipient", "r.bin", "image/png", strings.Repeat("x", 2000))), 413,
			CodeBodyTooLarge, "recipient"},
		{"large text in an unknown field", parts(textPart("unknown", strings.Repeat("x", 2000))), 413, CodeBodyTooLarge,
			"unknown"},
		{"text that is not UTF-8", parts(textPart("recipient", "bob"), textPart("unknown", "\xff")), 400, CodeTextInvalid,
			"unknown"},
		{"text with a type of its own",
			parts("Content-Disposition: form-data; name=recipient\nContent-Type: application/json; charset=utf-8\n\nbob"),
			200, "", ""},
		{"repeated text", parts(textPart("recipient", "a"), textPart("recipient", "b")), 400, CodeFieldRepeated, "recipient"},
		{"repeated file", parts(textPart("recipient", "a"), filePart("attachment", "a", "a/b", "1"),
			filePart("attachment", "b", "a/b", "2")), 400, CodeFieldRepeated, "attachment"},
		{"no name", parts("Content-Disposition: form-data\n\nx"), 400, CodeBodyInvalid, ""},
		{"no disposition", parts("Content-Type: text/plain\n\nx"), 400, CodeBodyInvalid, ""},
		{"another disposition", parts("Content-Disposition: attachment; name=x\n\nx"), 400, CodeBodyInvalid, ""},
		{"malformed disposition", parts("Content-Disposition: form-data; name=a; name=b\n\nx"), 400, CodeBodyInvalid, ""},
		{"name that is not UTF-8", parts("Content-Disposition: form-data; name=\"\xff\"\n\nx"), 400, CodeTextInvalid, ""},
		{"malformed header", parts("Content-Disposition: form-data; name=a\nnonsense\n\nx"), 400, CodeBodyInvalid, ""},
		{"base64", parts("Content-Disposition: form-data; name=a\nContent-Transfer-Encoding: base64\n\neA=="), 400,
			CodeBodyInvalid, "a"},
		{"long head", parts("Content-Disposition: form-data; name=a\nX: " + strings.Repeat("x", 1<<15) + "\n\nx"), 400,
			CodeBodyInvalid, ""},
		{"long name", parts("Content-Disposition: form-data; name=" + strings.Repeat("x", 1001) + "\n\n"), 413,
			CodeBodyTooLarge, ""},
		{"texts past the limit", parts(textPart("a", strings.Repeat("x", 600)), textPart("b", strings.Repeat("x", 400))), 413,
			CodeBodyTooLarge, "b"},
		{"text past the limit", parts(textPart("a", strings.Repeat("x", 1000))), 413, CodeBodyTooLarge, "a"},
		{"texts at the limit", parts(textPart("recipient", "b"), textPart("a", strings.Repeat("x", 989))), 200, "", ""},
		{"file past the limit", parts(filePart("attachment", "a", "a/b", strings.Repeat("x", 2001))), 413, CodeFileTooLarge,
			"attachment"},
		{"file at the limit", parts(textPart("recipient", "bob"), filePart("attachment", "a", "a/b",
			strings.Repeat("x", 2000))), 200, "", ""},
		{"cut in the head", whole[:20], 400, CodeBodyInvalid, ""},
		{"cut in a text", whole[:strings.Index(whole, "bob")+1], 400, CodeBodyIncomplete, "recipient"},
		{"cut before the end", strings.TrimSuffix(whole, "--\r\n"), 400, CodeBodyIncomplete, ""},
		{"cut in a file", "--" + boundary + "\r\nContent-Disposition: form-data; name=attachment; filename=a\r\n\r\nxyz", 400,
			CodeBodyIncomplete, "attachment"},
		{"another boundary", strings.ReplaceAll(whole, boundary, "another"), 400, CodeBodyIncomplete, ""},
		{"no part", "--" + boundary + "--\r\n", 400, "recipient_required", "recipient"},
		{"no final line end", strings.TrimSuffix(whole, "\r\n"), 200, "", ""},
		{"something before and after", "before\r\n" + whole + "after", 200, "", ""},
	} {
		for how, body := range map[string]io.Reader{"by length": strings.NewReader(c.body), "in chunks": chunked(c.body)} {
			t.Run(c.what+" "+how, func(t *testing.T) {
				h, sink := upload(t)
				got := h.post(multipartContent, body)
				if c.status == 200 {
					if reply := h.wantReply(got).([]any); reply[0] != "bob" && reply[0] != "b" {
						t.Errorf("got %v", reply)
					}
					return
				}
				if c.code == CodeBodyIncomplete {
					c.field = "" // where a body ends early, no field is at fault
				}
				h.wantError(got, c.status, c.code, c.field)
				if len(sink.discarded) != len(sink.kept) {
					t.Errorf("of %d files kept, %d were discarded", len(sink.kept), len(sink.discarded))
				}
			})
		}
	}
}

func TestMultipartContentTypes(t *testing.T) {
	h, _ := upload(t)
	body := parts(textPart("recipient", "x"))
	for contentType, status := range map[string]int{
		"multipart/form-data; boundary=" + boundary:                       200,
		`Multipart/Form-Data; charset=utf-8; boundary="` + boundary + `"`: 200,
		"multipart/form-data":                                              400,
		"multipart/form-data; boundary=":                                   400,
		"multipart/form-data; boundary=" + strings.Repeat("x", 71):         400,
		"multipart/form-data; boundary=" + boundary + "; boundary=another": 400,
		"multipart/mixed; boundary=" + boundary:                            415,
	} {
		got := h.post(contentType, strings.NewReader(body))
		if got.Status != status {
			t.Errorf("%s: got %+v, want %d", contentType, got, status)
		}
	}
}

func TestAFileIsDiscardedWhenTheBodyIsRefused(t *testing.T) {
	file := filePart("attachment", "a.png", "image/png", "x")
	for what, list := range map[string][]string{
		"fault in a later part": {file, "Content-Disposition: form-data\n\nx"},
		"repeated file":         {file, file},
	} {
		h, sink := upload(t)
		if got := h.postParts(list...); got.Status != 400 {
			t.Errorf("%s: got %+v", what, got)
		}
		if len(sink.kept) != 1 || len(sink.discarded) != 1 {
			t.Errorf("%s: kept %v, discarded %v", what, sink.kept, sink.discarded)
		}
	}
}

func TestASinkSeesWhyItsReaderFailed(t *testing.T) {
	h, sink := upload(t)
	h.wantError(h.postParts(filePart("attachment", "a", "a/b", strings.Repeat("x", 2001))), 413, CodeFileTooLarge,
		"attachment")
	if told, ok := errors.AsType[*model.Error](errors.Join(sink.failed...)); len(sink.failed) != 1 || !ok ||
		told.Kind != model.TooLarge {
		t.Errorf("the sink saw %v", sink.failed)
	}
}

func TestASinkThatFails(t *testing.T) {
	h, sink := upload(t)
	sink.fault = model.Invalidf("avatar_invalid", "avatar", "No picture.")
	list := []string{filePart("attachment", "a", "a/b", "x"), textPart("recipient", "bob")}
	h.wantError(h.postParts(list...), 400, "avatar_invalid", "avatar")
	sink.fault = errors.New("bad sector") // which is not the client's doing
	if got := h.postParts(list...); got.Status != 500 || !strings.HasPrefix(got.Code, "store the file: ") {
		t.Errorf("got %+v", got)
	}
}

func TestAFileWithTooLittleReadIsReadToItsEnd(t *testing.T) {
	lazy := FileField[int]{Keep: func(context.Context, File) (int, error) { return 7, nil }}
	h := start(t, &Reader[int]{
		Limits: Limits{BodyBytes: 1000, FileBytes: 100_000}, Files: map[string]FileField[int]{"f": lazy},
	}, func(b *Body[int], _ *Fields) any {
		f, _ := b.File("f")
		return []any{f, b.Text("t")}
	})
	got := h.wantReply(h.postParts(filePart("f", "a", "a/b", strings.Repeat("x", 100_000)), textPart("t", "after")))
	if !reflect.DeepEqual(got, []any{7.0, "after"}) {
		t.Errorf("got %v", got)
	}
	h.wantError(h.postParts(filePart("f", "a", "a/b", strings.Repeat("x", 100_001))), 413, CodeFileTooLarge, "f")
	// By its length alone, before a byte of it is read.
	huge := h.dial("Content-Type: "+multipartContent+"\r\nContent-Length: 100000000\r\n\r\n", false)
	if !strings.HasPrefix(huge, "HTTP/1.1 413 ") || !strings.Contains(huge, `"Field":"f"`) {
		t.Errorf("got %s", huge)
	}
}

func TestAFileFieldIsNoText(t *testing.T) {
	h, _ := upload(t)
	h.wantError(h.post(typeJSON, strings.NewReader(`{"recipient":"bob","attachment":"text"}`)), 400, CodeFieldInvalid,
		"attachment")
	h.wantReply(h.post(typeJSON, strings.NewReader(`{"recipient":"bob","attachment":null}`)))
	got := h.post(typeForm, strings.NewReader("recipient=bob&attachment=x"))
	h.wantError(got, 400, CodeFieldInvalid, "attachment")
}

func TestAFileIsNotHeldInMemory(t *testing.T) {
	const size = 64 << 20
	var most uint64
	sink := FileField[int]{Keep: func(_ context.Context, r File) (int, error) {
		buffer := make([]byte, 32<<10)
		for read := 0; ; {
			n, err := r.Read(buffer)
			if read += n; err == io.EOF {
				return read, nil
			} else if err != nil {
				return 0, err
			}
			if read%(16<<20) < n {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}}
	h := start(t, &Reader[int]{Limits: Limits{FileBytes: size}, Files: map[string]FileField[int]{"f": sink}}, takeFile)
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	head := "--" + boundary + "\r\nContent-Disposition: form-data; name=f; filename=large\r\n\r\n"
	body := io.MultiReader(strings.NewReader(head), io.LimitReader(endless{}, size),
		strings.NewReader("\r\n--"+boundary+"--\r\n"))
	if got := h.wantReply(h.post(multipartContent, body)); got != float64(size) {
		t.Errorf("got %v bytes", got)
	}
	if most > before.HeapAlloc+8<<20 {
		t.Errorf("memory grew from %d to %d", before.HeapAlloc, most)
	}
}

// takeFile takes what was kept of the file f.
func takeFile(b *Body[int], _ *Fields) any {
	f, _ := b.File("f")
	return f
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestFileNames(t *testing.T) {
	for sent, want := range map[string]string{
		"a.png": "a.png", "": "attachment", ".": "attachment", "..": "attachment", "/": "attachment", "a/": "attachment",
		`C:\docs\a b.txt`: "a b.txt",
		"../../x":         "x", "a\x00\r\nb\x7f": "ab",
		"fdp.\u202eexe": "fdp.exe", "\xff\xfe.txt": ".txt", "  x  ": "x", "é😀": "é😀",
		strings.Repeat("é", 200): strings.Repeat("é", 127), strings.Repeat("x", 300): strings.Repeat("x", 255),
		strings.Repeat("é", 200) + ".docx": strings.Repeat("é", 125) + ".docx", "x." + strings.Repeat("y", 300): "x." +
			strings.Repeat("y", 253),
		"a %22b%22%0D%0Ac 100%.txt": `a "b"c 100%.txt`,
	} {
		if got := fileName(sent); got != want {
			t.Errorf("%q: got %q, want %q", sent, got, want)
		}
	}
	for sent, want := range map[string]string{
		"image/png": "image/png", "text/plain; charset=utf-8": "text/plain; charset=utf-8",
		"": "application/octet-stream", "x": "application/octet-stream",
		"text/plain; charset=é": "application/octet-stream", "a/" +
			strings.Repeat("x", 300): "application/octet-stream", "a/b\tc": "application/octet-stream",
	} {
		if got := mediaType(sent); got != want {
			t.Errorf("%q: got %q, want %q", sent, got, want)
		}
	}
}

// A long body is asked for in pieces of the read-ahead, not of what the package that
// parses it has room for.
func TestALongBodyIsReadInLargePieces(t *testing.T) {
	const size = 1 << 20
	reads := 0
	discards := FileField[int]{Keep: func(_ context.Context, r File) (int, error) {
		n, err := io.Copy(io.Discard, r)
		return int(n), err
	}}
	reader := Reader[int]{Limits: Limits{FileBytes: size, Parts: 1}, Files: map[string]FileField[int]{"f": discards}}
	body := parts(filePart("f", "large", "a/b", strings.Repeat("x", size)))
	r := httptest.NewRequest("POST", "/v2/x", readerFunc(func(p []byte) (n int, err error) {
		if reads++; body == "" {
			return 0, io.EOF
		}
		n = copy(p, body)
		body = body[n:]
		return n, nil
	}))
	r.Header.Set("Content-Type", multipartContent)
	var b Body[int]
	if err := reader.Read(t.Context(), nil, r, &b); err != nil {
		t.Fatal(err)
	}
	if n, _ := b.File("f"); n != size || reads > size/readAhead+3 {
		t.Errorf("%d bytes after %d reads, want %d after %d at the most", n, reads, size, size/readAhead+3)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
