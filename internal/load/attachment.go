package load

import (
	"bytes"
	"context"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
)

// attaching sends a message with a file and fetches the file, as its recipient.
type attaching struct {
	ids        requestIDs
	payload    int
	on         *stage
	letters    []*request
	recipients []*person
	header     string // in which the message's token is
}

func (s *attaching) prepare(ctx context.Context, on *stage, p *Plan) error {
	people, err := on.hire(ctx, 2*p.Connections)
	if err != nil {
		return err
	}
	s.ids.prepare(on, p)
	s.on, s.payload, s.header = on, p.Payload, on.header("Message-Id")
	file := make([]byte, p.Payload)
	random := rand.NewChaCha8([32]byte{}) // what can be compressed would be a favour
	_, _ = random.Read(file)
	for i := range p.Connections {
		sender, recipient := people[2*i], people[2*i+1]
		body, contentType, err := multipartLetter(recipient.token, file)
		if err != nil {
			return err
		}
		r := newRequest(sender, http.MethodPost, on.url("message", ""), "").withHeader("Content-Type", contentType)
		s.letters = append(s.letters, r.withBody(body))
		s.recipients = append(s.recipients, recipient)
	}
	return nil
}

func multipartLetter(recipient string, file []byte) (body []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("recipient", recipient); err != nil {
		return nil, "", err
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="attachment"; filename="scan.bin"`},
		"Content-Type":        {"application/octet-stream"},
	})
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(file); err != nil {
		return nil, "", err
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

func (s *attaching) operate(ctx context.Context, c *connection, worker int) error {
	head, err := c.call(ctx, s.ids.put(s.letters[worker]))
	if err != nil {
		return err
	}
	message := head.Get(s.header)
	if message == "" {
		return unexpected("%s: no header %s", s.letters[worker], s.header)
	}
	fetch := newRequest(s.recipients[worker], http.MethodGet, s.on.url("message/"+url.PathEscape(message)+"/attachment/1", ""), "")
	if _, err := c.call(ctx, fetch); err != nil {
		return err
	}
	if n := c.body.Len(); n != s.payload {
		return unexpected("%s: %d bytes, want %d", fetch, n, s.payload)
	}
	return nil
}
