package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"signet/internal/api/guard"
)

// uploading is an upload of which the server has the beginning.
type uploading struct {
	sending
	body *io.PipeWriter
}

const uploadBoundary = "boundary"

// upload begins to send a file, to somebody.
func (p *person) upload(recipient string) *uploading {
	p.t.Helper()
	reader, writer := io.Pipe()
	u := &uploading{body: writer}
	u.sending = p.start("POST", "/v2/message", func(r *http.Request) {
		r.Body, r.ContentLength = reader, -1
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+uploadBoundary)
	})
	_, err := fmt.Fprintf(writer, "--%[1]s\r\nContent-Disposition: form-data; name=recipient\r\n\r\n%[2]s\r\n--%[1]s\r\n"+
		"Content-Disposition: form-data; name=attachment; filename=a.bin\r\n\r\n%[3]s", uploadBoundary, recipient,
		bytes.Repeat([]byte("x"), 64<<10))
	if err != nil {
		p.t.Fatal(err)
	}
	return u
}

// finish sends the end.
func (u *uploading) finish() *answer {
	u.t.Helper()
	if _, err := fmt.Fprintf(u.body, "\r\n--%s--\r\n", uploadBoundary); err != nil {
		u.t.Fatal(err)
	}
	_ = u.body.Close()
	return u.answer()
}

// A key has eight uploads under way; what is no upload goes on, and so do others.
func TestUploadsUnderWayAreLimited(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	var under []*uploading
	for range guard.MostUploads {
		under = append(under, c.alice.upload(c.bob.token))
	}
	attach := func(p *person) *answer {
		return p.do("POST", "/v2/message", parts(map[string]string{"recipient": c.carl.token},
			file{"attachment", "a.txt", "text/plain", []byte("x")}))
	}
	until(t, "all uploads are under way", func() bool {
		return c.alice.s.mustGauge("signet_http_uploads") == guard.MostUploads
	})
	attach(c.alice).wantError(503, "uploads_busy").wantHeader("Retry-After", "1")
	c.alice.do("POST", "/v2/user/me/settings", parts(nil, file{"avatar", "a.png", "", picture})).
		wantError(503, "uploads_busy")
	c.alice.mustSend(c.bob.token, "no file")
	attach(c.bob).want(204)
	for _, u := range under {
		u.finish().want(204)
	}
	attach(c.alice).want(204)
}
