package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"signet/internal/api/input"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/service"
)

// attachmentField streams an attachment into the blob store.
func (a *API) attachmentField() map[string]fileField {
	return map[string]fileField{"attachment": {Keep: a.upload, Discard: a.service.Discard}}
}

// avatarField takes a picture of up to 2 MiB, or a URL.
func (a *API) avatarField() map[string]fileField {
	return map[string]fileField{"avatar": {
		Keep: a.uploadPicture, Discard: a.service.Discard, Limit: model.AvatarBytes, OrText: true,
	}}
}

// refuseAttachment asks whether a message with a file is refused for its sender or its
// recipient, by the fields that came before the file.
func (a *API) refuseAttachment(ctx context.Context, c *call) error {
	request, err := c.requestID()
	if err != nil {
		return nil // which the endpoint tells
	}
	f := &c.body.Fields
	return a.service.RefusesUpload(ctx, c.actor, service.SendCommand{
		Recipient: f.Text("recipient"), SenderOrganization: organizationField(f, "sender_organization"),
		RecipientOrganization: organizationField(f, "recipient_organization"), RequestID: request,
	})
}

func (a *API) upload(ctx context.Context, f input.File) (*content.Upload, error) {
	return a.service.Upload(ctx, f.Name, f.ContentType, f.Repeatable, f)
}

// uploadPicture takes a picture whose bytes say that it is one, whatever its part
// claims: it is served again, and must never be anything else.
func (a *API) uploadPicture(ctx context.Context, f input.File) (*content.Upload, error) {
	buffered := bufio.NewReader(f)
	head, err := buffered.Peek(12)
	if err != nil && err != io.EOF {
		return nil, err
	}
	contentType := model.AvatarType(head)
	if contentType == "" {
		return nil, model.Invalidf("avatar_invalid", "avatar", "An avatar is a PNG, JPEG, GIF or WebP picture.")
	}
	return a.service.UploadAvatar(ctx, f.Name, contentType, buffered)
}

// avatar returns the avatar of a call: a file, or a URL, or neither.
func (c *call) avatar() (*content.Upload, *string) {
	if upload, ok := c.body.File("avatar"); ok {
		return upload, nil
	}
	link := c.body.OptionalText("avatar")
	if link != nil && !c.showsAvatar(*link) {
		c.body.Fields.Refuse(model.Invalidf("avatar_invalid", "avatar",
			"An avatar on this server's own host is one that it stores: /v2/avatar/ and its identifier."))
	}
	return nil, link
}

// showsAvatar reports whether a page may show what is at a URL: on this server's own host that is an
// avatar alone (contract, call 4). Any other path would be asked for by whoever looks at it.
func (c *call) showsAvatar(link string) bool {
	u, err := url.Parse(link)
	if err != nil {
		return true // the use case refuses it
	}
	own, _ := url.Parse(c.Base)
	if !strings.EqualFold(u.Host, c.request.Host) && (own == nil || !strings.EqualFold(u.Host, own.Host)) {
		return true
	}
	id, isAvatar := strings.CutPrefix(u.EscapedPath(), "/v2/avatar/")
	_, valid := model.ParseBlobID(id)
	return isAvatar && valid && u.RawQuery == "" && u.Fragment == ""
}

// getAttachment: GET /message/:message/attachment/:number (call 14).
func (a *API) getAttachment(ctx context.Context, c *call) (answer, error) {
	id, err := c.messageID()
	if err != nil {
		return answer{}, err
	}
	if c.path("number") != "1" {
		return answer{}, model.Missing()
	}
	attachment, content, err := a.service.Attachment(ctx, c.actor, id)
	if err != nil {
		return answer{}, err
	}
	defer content.Close()
	return written(), a.serveFile(c, content, attachment.Blob, attachment.ContentType,
		disposition("attachment", attachment.Name))
}

// getAvatar: GET /avatar/:id (contract, section 2).
func (a *API) getAvatar(ctx context.Context, c *call) (answer, error) {
	id, ok := model.ParseBlobID(c.path("id"))
	if !ok {
		return answer{}, model.Missing()
	}
	contentType, content, err := a.service.Avatar(ctx, c.actor, id)
	if err != nil {
		return answer{}, err
	}
	defer content.Close()
	_, ending, _ := strings.Cut(contentType, "/")
	return written(), a.serveFile(c, content, id, contentType, disposition("inline", "avatar."+ending))
}

// serveFile writes bytes whole, in ranges, or not at all where the client has
// them. They never change, so their identifier is their entity tag. Whatever
// they claim to be, a browser is not to run them. Bytes that cannot be read are an
// error, if nothing of the answer is out yet; else the connection is broken off,
// as by any error after an answer has begun.
func (a *API) serveFile(c *call, content io.ReadSeeker, id model.BlobID, contentType, disposition string) error {
	h := c.writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", disposition)
	h.Set("Content-Security-Policy", strictPolicy+"; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin") // no page of others shows it, or measures it
	h.Set("ETag", `"`+strings.ReplaceAll(id.String(), "-", "")+`"`)
	// Other units than bytes are ignored, which ServeContent refuses, and in place of
	// several ranges the whole file is served (RFC 9110, section 14.2): each costs the
	// opening of a sealed segment of 64 KiB, and a head has room for thousands.
	if asked := c.request.Header["Range"]; len(asked) > 1 || len(asked) == 1 && !oneRange(asked[0]) {
		c.request.Header.Del("Range")
	}
	if asked := c.request.Header.Get("Range"); strings.HasPrefix(asked, "bytes=-") && strings.Trim(asked[len("bytes=-"):],
		"0 ") == "" {
		// The last 0 bytes are none, which ServeContent takes for a range.
		c.request.Header.Set("Range", "bytes=none")
	}
	w := fileWriter{responseWriter: &c.writer}
	from := fileSource{ReadSeeker: content}
	http.ServeContent(&w, c.request, "", time.Time{}, &from)
	switch {
	case w.held == http.StatusPreconditionFailed:
		a.writeError(c, w.held, model.Invalidf(codePreconditionFailed, "If-Match", "The file is another one."))
	case w.held == http.StatusRequestedRangeNotSatisfiable:
		h["Cache-Control"] = noStore // which ServeContent takes away
		if h.Get("Content-Range") == "" {
			size, err := content.Seek(0, io.SeekEnd)
			if err != nil {
				return err
			}
			h.Set("Content-Range", fmt.Sprintf("bytes */%d", size))
		}
		a.writeError(c, w.held, model.Invalidf(codeRangeInvalid, "Range", "The file does not have this range."))
	case from.fault != nil:
		h["Cache-Control"] = noStore
		h.Del("Content-Range")
		return from.fault
	default:
		w.release()
	}
	return nil
}

// oneRange reports whether a Range header asks for bytes, and for one range of them.
func oneRange(header string) bool {
	return strings.HasPrefix(header, "bytes=") && !strings.Contains(header, ",")
}

// fileSource keeps what went wrong with reading, which ServeContent does not tell.
type fileSource struct {
	io.ReadSeeker
	fault error
}

func (s *fileSource) Read(p []byte) (int, error) {
	n, err := s.ReadSeeker.Read(p)
	if err != nil && err != io.EOF {
		s.fault = err
	}
	return n, err
}

// fileWriter holds the head of an answer back until there are bytes for it: so the
// first ones can fail to come with an answer of their own, and the plain text with
// which net/http refuses a range is replaced.
type fileWriter struct {
	*responseWriter
	held int // the status of the head that is held back
}

// WriteHeader holds the head back.
func (w *fileWriter) WriteHeader(status int) {
	if w.held == 0 {
		w.held = status
	}
}

// Write writes the head, if need be, and what follows it; it drops the text of a
// refusal.
func (w *fileWriter) Write(p []byte) (int, error) {
	if w.held == http.StatusRequestedRangeNotSatisfiable {
		return len(p), nil
	}
	w.release()
	return w.responseWriter.Write(p)
}

// filePiece is how many bytes of a file are read at once: no fewer than a segment of a
// sealed one has, which is then opened right into the buffer.
const filePiece = 64 << 10

var fileBuffers = sync.Pool{New: func() any { return new([filePiece]byte) }}

// ReadFrom copies all that r holds.
func (w *fileWriter) ReadFrom(r io.Reader) (int64, error) {
	buffer := fileBuffers.Get().(*[filePiece]byte)
	defer fileBuffers.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{w}, r, buffer[:])
}

// release writes the head.
func (w *fileWriter) release() {
	if w.held != 0 {
		w.responseWriter.WriteHeader(w.held)
	}
}
