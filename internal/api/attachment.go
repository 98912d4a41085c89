package api

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"signet/internal/api/guard"
	"signet/internal/api/input"
	"signet/internal/api/output"
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
	site := guard.SiteOf(u)
	if site != guard.SiteOf(&url.URL{Host: c.request.Host}) && (own == nil || site != guard.SiteOf(own)) {
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
	return written(), a.serveFile(c, content, blobTag(attachment.Blob), attachment.ContentType,
		output.Disposition("attachment", attachment.Name))
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
	return written(), a.serveFile(c, content, blobTag(id), contentType, output.Disposition("inline", "avatar."+ending))
}

// blobTag is the tag of stored bytes: their identifier, for they never change.
func blobTag(id model.BlobID) string { return strings.ReplaceAll(id.String(), "-", "") }

// serveFile answers with a file, whose tag names these very bytes.
func (a *API) serveFile(c *call, content io.ReadSeeker, tag, contentType, disposition string) error {
	refused, err := output.ServeFile(&c.writer, c.request, output.File{
		Content: content, Tag: tag, Type: contentType, Disposition: disposition,
	})
	switch refused {
	case http.StatusPreconditionFailed:
		a.writeError(c, refused, model.Invalidf(codePreconditionFailed, "If-Match", "The file is another one."))
	case http.StatusRequestedRangeNotSatisfiable:
		a.writeError(c, refused, model.Invalidf(codeRangeInvalid, "Range", "The file does not have this range."))
	}
	return err
}
