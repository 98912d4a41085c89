package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const fileText = "The quick brown fox jumps over the lazy dog."

// fileServer serves fileText, and breaks the connection after every cutAfter
// bytes of it.
func fileServer(t *testing.T, cutAfter int, seen *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r.Header.Get("Range")+"|"+r.Header.Get("If-Range"))
		from := 0
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Disposition", `attachment; filename="fox.txt"`)
		if s := r.Header.Get("Range"); s != "" {
			if _, err := fmt.Sscanf(s, "bytes=%d-", &from); err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(fileText)-1, len(fileText)))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", fmt.Sprint(len(fileText)))
		}
		_, _ = io.WriteString(w, fileText[from:min(from+cutAfter, len(fileText))])
		_ = http.NewResponseController(w).Flush()
		if from+cutAfter < len(fileText) {
			cut(w, r)
		}
	}
}

func TestDownload_goes_on_where_the_connection_broke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		c := servePipe(t, fileServer(t, 10, &seen))
		d, err := c.OpenAttachment(t.Context(), "m1")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		text, err := io.ReadAll(d)
		if err != nil || string(text) != fileText {
			t.Errorf("got %q, %v", text, err)
		}
		if d.Name != "fox.txt" || d.ContentType != "text/plain" || d.Size != int64(len(fileText)) || d.ETag != `"v1"` {
			t.Errorf("got %+v", d)
		}
		if want := `||bytes=10-|"v1"|bytes=20-|"v1"|bytes=30-|"v1"|bytes=40-|"v1"`; strings.Join(seen, "|") != want {
			t.Errorf("ranges: got %s, want %s", strings.Join(seen, "|"), want)
		}
	})
}

func TestDownload_of_a_server_without_ranges_skips_what_was_read(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := servePipe(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(fileText)))
			if n++; n == 1 {
				_, _ = io.WriteString(w, fileText[:17])
				_ = http.NewResponseController(w).Flush()
				cut(w, r)
			}
			_, _ = io.WriteString(w, fileText)
		})
		d, err := c.OpenAttachment(t.Context(), "m1")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if text, err := io.ReadAll(d); err != nil || string(text) != fileText {
			t.Errorf("got %q, %v", text, err)
		}
	})
}

func TestDownload_ends_where_it_cannot_go_on(t *testing.T) {
	other := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v2"`)
		_, _ = io.WriteString(w, "another file")
	}
	for _, tt := range []struct {
		name string
		then http.HandlerFunc
		want error
	}{
		{"the content has changed", other, ErrChanged},
		{"the message is gone", answer(404), ErrNotFound},
		{"the server stays away", answer(503), ErrUnavailable},
		{"another range", answer(206, `ETag: "v1"`, "Content-Range: bytes 12-43/44"), ErrProtocol},
		{"no range", answer(206, `ETag: "v1"`, "Content-Range: pages 1-2"), ErrProtocol},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen []string
				s := newScript(t, fileServer(t, 10, &seen), tt.then)
				c := servePipe(t, s.ServeHTTP)
				d, err := c.OpenAttachment(t.Context(), "m1")
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				text, err := io.ReadAll(d)
				if string(text) != fileText[:10] || !errors.Is(err, tt.want) {
					t.Errorf("got %q, %v, want %v", text, err, tt.want)
				}
				if _, again := d.Read(make([]byte, 1)); again != err {
					t.Errorf("a later read: got %v, want the same error", again)
				}
			})
		})
	}
}

func TestDownload_notices_silence_but_not_a_slow_reader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		s := newScript(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(fileText)))
			w.Header().Set("ETag", `"v1"`)
			_, _ = io.WriteString(w, fileText[:10])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, fileServer(t, 100, &seen))
		c := servePipe(t, s.ServeHTTP, WithTimeout(10*time.Second))
		d, err := c.OpenAttachment(t.Context(), "m1")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		buf := make([]byte, 10)
		if _, err := io.ReadFull(d, buf); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		s.wantCalls(1)
		start := time.Now()
		rest, err := io.ReadAll(d)
		if err != nil || string(buf)+string(rest) != fileText {
			t.Errorf("got %q, %v", rest, err)
		}
		if took := time.Since(start); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("took %v, want the timeout and a short wait", took)
		}
		s.wantCalls(2)
	})
}

func TestResumeAttachment_begins_in_the_middle(t *testing.T) {
	var seen []string
	c := serve(t, fileServer(t, 100, &seen))
	d, err := c.ResumeAttachment(t.Context(), "m1", 40, `"v1"`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(d)
	if err != nil || string(text) != fileText[40:] || d.Size != int64(len(fileText)) {
		t.Errorf("got %q of %d, %v", text, d.Size, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Read(make([]byte, 1)); !errors.Is(err, ErrArgument) {
		t.Errorf("after Close: got %v", err)
	}
	if _, err := c.ResumeAttachment(t.Context(), "m1", 1, `"v0"`); !errors.Is(err, ErrChanged) {
		t.Errorf("with another ETag: got %v", err)
	}
	if _, err := c.ResumeAttachment(t.Context(), "m1", -1, ""); !errors.Is(err, ErrArgument) {
		t.Errorf("with a negative offset: got %v", err)
	}
}

func TestOpenBrandLogo(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = io.WriteString(w, r.URL.Path)
	})
	d, err := c.OpenBrandLogo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(d)
	err = errors.Join(err, d.Close())
	if err != nil || string(content) != "/v2/brand/logo" || d.ContentType != "image/png" {
		t.Errorf("got %q as %q, %v", content, d.ContentType, err)
	}
}

func TestOpenAvatar_asks_this_server_only(t *testing.T) {
	var path string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { path = r.URL.Path })
	for _, tt := range []struct{ in, want string }{
		{"a1", "/v2/avatar/a1"},
		{"https://elsewhere.example/v2/avatar/a1", "/v2/avatar/a1"},
		{"/v2/avatar/a1", "/v2/avatar/a1"},
		{"https://elsewhere.example/a1.png", ""},
		{"", ""},
	} {
		path = ""
		d, err := c.OpenAvatar(t.Context(), tt.in)
		if err == nil {
			_ = d.Close()
		}
		if path != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q: got %q, %v, want %q", tt.in, path, err, tt.want)
		}
	}
}
