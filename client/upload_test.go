package client

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// gotParts is what a server read of a multipart request.
type gotParts struct {
	length int64
	fields map[string][]string
	types  map[string]string
	file   string // name
	sum    [32]byte
	size   int64
}

func readParts(t *testing.T, r *http.Request) gotParts {
	t.Helper()
	got := gotParts{length: r.ContentLength, fields: map[string][]string{}, types: map[string]string{}}
	parts, err := r.MultipartReader()
	if err != nil {
		t.Error(err)
		return got
	}
	for {
		p, err := parts.NextPart()
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			return got
		}
		got.types[p.FormName()] = p.Header.Get("Content-Type")
		if p.FileName() == "" {
			text, _ := io.ReadAll(p)
			got.fields[p.FormName()] = append(got.fields[p.FormName()], string(text))
			continue
		}
		h := sha256.New()
		got.file = p.FileName()
		if got.size, err = io.Copy(h, p); err != nil {
			t.Error(err)
		}
		got.sum = [32]byte(h.Sum(nil))
	}
}

var sentOK = answer(http.StatusNoContent, "TT-X-Message-Id: m1", "TT-X-Msg-Ttl: 5")

func TestSend_with_attachment(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	path := filepath.Join(t.TempDir(), "scan.png")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, tt := range []struct {
		name   string
		upload Upload
		known  bool // the request has a length
		ctype  string
	}{
		{"a file", Upload{Name: `sc"an.png`, Content: file}, true, "image/png"},
		{"memory", Upload{Name: "a.unknown-ext", Content: bytes.NewReader(content)}, true, "application/octet-stream"},
		{"a reader of known size",
			Upload{Name: "a", ContentType: "text/x", Content: iotest.OneByteReader(bytes.NewReader(content)),
				Size: int64(len(content))}, true, "text/x"},
		{"a reader of unknown size", Upload{Content: iotest.HalfReader(bytes.NewReader(content))}, false,
			"application/octet-stream"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got gotParts
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = readParts(t, r)
				sentOK(w, r)
			})
			_, err := c.Send(t.Context(),
				Outgoing{Recipient: "bob", Body: "a & b", TTL: Forever, DOR: new(true), Attachment: &tt.upload,
					Data: []DataItem{{"m", "n", "p"}, {"m", "n", "q"}}})
			if err != nil {
				t.Fatal(err)
			}
			if got.size != int64(len(content)) || got.sum != sha256.Sum256(content) || got.types["attachment"] != tt.ctype {
				t.Errorf("file: got %d bytes of %q, want %d of %q, and the same", got.size, got.types["attachment"], len(content),
					tt.ctype)
			}
			want := tt.upload.Name
			if want == "" {
				want = "attachment"
			}
			if got.file != want {
				t.Errorf("name: got %q, want %q", got.file, want)
			}
			if (got.length > 0) != tt.known {
				t.Errorf("length of the request: got %d, known is %v", got.length, tt.known)
			}
			for name, want := range map[string]string{"recipient": "bob", "body": "a & b", "ttl": "-1", "dor": "true",
				"data": `[{"mimetype":"m","namespace":"n","payload":"p"},{"mimetype":"m","namespace":"n","payload":"q"}]`} {
				if text := strings.Join(got.fields[name], "|"); text != want {
					t.Errorf("%s: got %q, want %q", name, text, want)
				}
			}
		})
	}
}

func TestSend_with_attachment_is_repeated_from_where_the_file_began(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		content := strings.NewReader("skipped-content")
		if _, err := content.Seek(8, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		var got []gotParts
		c := servePipe(t, func(w http.ResponseWriter, r *http.Request) {
			if len(got) == 0 {
				got = append(got, gotParts{})
				cut(w, r)
			}
			got = append(got, readParts(t, r))
			if len(got) == 2 {
				answer(503)(w, r)
				return
			}
			sentOK(w, r)
		})
		if _, err := c.Send(t.Context(),
			Outgoing{Recipient: "bob", Attachment: &Upload{Name: "a", Content: content}}); err != nil {
			t.Fatal(err)
		}
		if len(got) != 3 || got[2].sum != sha256.Sum256([]byte("content")) || got[1].sum != got[2].sum {
			t.Errorf("got %d attempts, the last of %d bytes", len(got), got[len(got)-1].size)
		}
	})
}

func TestSend_with_attachment_that_cannot_be_read_again_is_not_repeated(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		readParts(t, r)
		answer(503)(w, r)
	})
	c := serve(t, s.ServeHTTP)
	upload := &Upload{Name: "a", Content: io.MultiReader(strings.NewReader("once"))}
	if _, err := c.Send(t.Context(), Outgoing{Recipient: "bob", Attachment: upload}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	s.wantCalls(1)
}

func TestSend_with_attachment_reports_what_went_wrong(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, tt := range []struct {
		name   string
		upload Upload
		step   http.HandlerFunc
		want   error
	}{
		{"the file cannot be read", Upload{Content: iotest.ErrReader(broken)}, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			sentOK(w, r)
		}, broken},
		{"no content", Upload{Name: "a"}, sentOK, ErrArgument},
		{"refused before it was sent", Upload{Content: io.LimitReader(zeros{}, 64<<20), Size: 64 << 20},
			answer(http.StatusRequestEntityTooLarge), ErrTooLarge},
		{"shorter than told", Upload{Content: strings.NewReader("abc"), Size: 9},
			func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				sentOK(w, r)
			}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, tt.step, WithRetry(NoRetry()))
			_, err := c.Send(t.Context(), Outgoing{Recipient: "bob", Attachment: &tt.upload})
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestTransfers_keep_memory_flat(t *testing.T) {
	const size = 64 << 20
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Length", "67108864")
			_, _ = io.Copy(w, io.LimitReader(zeros{}, size))
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		sentOK(w, r)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	upload := &Upload{Name: "big", Content: io.LimitReader(zeros{}, size), Size: size}
	if _, err := c.Send(t.Context(), Outgoing{Recipient: "bob", Attachment: upload}); err != nil {
		t.Fatal(err)
	}
	d, err := c.OpenAttachment(t.Context(), "m1")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n, err := io.Copy(io.Discard, d)
	if err != nil || n != size {
		t.Fatalf("downloaded %d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > size/8 { // the server's share included
		t.Errorf("%d bytes both ways allocated %d", size, grown)
	}
}

func TestUpload_waits_for_a_running_read_of_the_file(t *testing.T) {
	// A given-up attempt may still be inside the file's Read; rewinding then would mix two attempts.
	p := &payload{file: strings.NewReader("abc"), seeker: strings.NewReader("abc")}
	in, out := make(chan struct{}), make(chan struct{})
	p.sending = &sending{dog: &watchdog{}, r: readerFunc(func([]byte) (int, error) {
		close(in)
		<-out
		return 1, nil
	})}
	result := make(chan error)
	go func() {
		_, err := p.sending.Read(make([]byte, 1))
		result <- err
	}()
	<-in
	detached := make(chan struct{})
	go func() {
		defer close(detached)
		p.detach()
	}()
	select {
	case <-detached:
		t.Error("detach did not wait")
	default:
	}
	close(out)
	<-detached
	if err := <-result; err != nil && !errors.Is(err, errEnded) {
		t.Errorf("got %v", err)
	}
	if _, err := p.sending.Read(make([]byte, 1)); !errors.Is(err, errEnded) {
		t.Errorf("a later read: got %v, want errEnded", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestUpdateGroup_with_avatar(t *testing.T) {
	var got gotParts
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = readParts(t, r)
		success(w, groupJSON)
	})
	g := NewGroup{Name: "G", Members: []string{"u1", "u2"}, IsPublic: true, Metadata: Metadata{"a": "1"},
		Avatar: &Upload{Name: "a.png", Content: strings.NewReader("png")}}
	if _, err := c.CreateGroup(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if got.file != "a.png" || strings.Join(got.fields["members"], ",") != "u1,u2" ||
		got.fields["is_public"][0] != "true" ||
		got.fields["metadata"][0] != `{"a":"1"}` || got.types["metadata"] != "application/json" {
		t.Errorf("got %+v", got)
	}
	g.AvatarURL = "http://x"
	if _, err := c.CreateGroup(t.Context(), g); !errors.Is(err, ErrArgument) {
		t.Errorf("a file and a URL: got %v", err)
	}
}
