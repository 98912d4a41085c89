package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"signet/internal/model"
	"signet/internal/service"
)

// attachmentField streams an attachment into the blob store.
func (a *API) attachmentField() map[string]fileField {
	return map[string]fileField{"attachment": {sink: a.upload, discard: a.discardUpload}}
}

// avatarField takes a picture of up to 2 MiB, or a URL.
func (a *API) avatarField() map[string]fileField {
	return map[string]fileField{"avatar": {sink: a.uploadPicture, discard: a.discardUpload, limit: service.AvatarBytes, orText: true}}
}

func (a *API) upload(ctx context.Context, name, contentType string, r io.Reader) (any, error) {
	return a.service.Upload(ctx, name, contentType, r)
}

// uploadPicture takes a picture whose bytes say that it is one, whatever its part
// claims: it is served again, and must never be anything else.
func (a *API) uploadPicture(ctx context.Context, name, _ string, r io.Reader) (any, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(12)
	if err != nil && err != io.EOF {
		return nil, err
	}
	contentType := service.AvatarType(head)
	if contentType == "" {
		return nil, model.Invalidf("avatar_invalid", "avatar", "An avatar is a PNG, JPEG, GIF or WebP picture.")
	}
	return a.service.UploadAvatar(ctx, name, contentType, buffered)
}

func (a *API) discardUpload(ctx context.Context, stored any) {
	if upload, ok := stored.(*service.Upload); ok && upload != nil {
		a.service.Discard(ctx, upload)
	}
}

// avatar returns the avatar of a call: a file, or a URL, or neither.
func (c *call) avatar() (*service.Upload, *string) {
	if stored, ok := c.file("avatar"); ok {
		return stored.(*service.Upload), nil
	}
	return nil, c.fields.OptionalText("avatar")
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
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": attachment.Name})
	a.serveFile(c, content, attachment.Blob, attachment.ContentType, disposition)
	return written(), nil
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
	a.serveFile(c, content, id, contentType, "inline")
	return written(), nil
}

// serveFile writes bytes whole, in ranges, or not at all where the client has
// them. They never change, so their identifier is their entity tag. Whatever
// they claim to be, a browser is not to run them.
func (a *API) serveFile(c *call, content io.ReadSeeker, id model.BlobID, contentType, disposition string) {
	h := c.writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", disposition)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("ETag", `"`+strings.ReplaceAll(id.String(), "-", "")+`"`)
	w := fileWriter{responseWriter: &c.writer}
	read := &watchedReader{ReadSeeker: content}
	http.ServeContent(&w, c.request, "", time.Time{}, read)
	if read.err != nil {
		// ServeContent says nothing of it, and the client would wait for the rest.
		if ctx := c.request.Context(); ctx.Err() == nil {
			a.logFailure(ctx, c, slog.LevelError, fmt.Errorf("read file %s: %w", id, read.err))
		}
		panic(http.ErrAbortHandler)
	}
	if w.unsatisfiable {
		h["Cache-Control"] = noStore // which ServeContent takes away
		a.writeError(c, http.StatusRequestedRangeNotSatisfiable,
			model.Invalidf(codeRangeInvalid, "Range", "The file does not have this range."))
	}
}

// watchedReader keeps the error of a read.
type watchedReader struct {
	io.ReadSeeker
	err error
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	if err != nil && err != io.EOF { // EOF is compared as io.Copy does
		r.err = err
	}
	return n, err
}

// fileWriter holds back the plain text with which net/http refuses a range.
type fileWriter struct {
	*responseWriter
	unsatisfiable bool
}

// WriteHeader passes every status on but 416.
func (w *fileWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.unsatisfiable = true
		return
	}
	w.responseWriter.WriteHeader(status)
}

// Write drops the text of a refusal.
func (w *fileWriter) Write(p []byte) (int, error) {
	if w.unsatisfiable {
		return len(p), nil
	}
	return w.responseWriter.Write(p)
}
