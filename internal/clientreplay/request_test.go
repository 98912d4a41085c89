package clientreplay

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"signet/internal/app/apptest"
)

// boundary is that of the recorded multipart bodies.
const boundary = "--------------------------735323031399963166993862"

// file is the attachment of the recorded multipart bodies.
const file = "\x89PNG\r\n\x1a\n\x00\x01\x02\xff\xfe"

// dummyCredentials are what the recordings have in a query: base64 of KEY:SECRET.
const dummyCredentials = "S0VZOlNFQ1JFVA%3D%3D"

// recordedID are the ids that the recordings name without marks.
var recordedID = regexp.MustCompile(`\b(?:m-in|m-out|fwd)-\d+\b`)

// placeholders are what stands for a token in the path of a recorded request.
var placeholders = regexp.MustCompile(`<[a-z]+>|\bm-(?:in|out)-\d+|\bfwd-\d+`)

// recordedEvent are those of events. Which event is meant is decided anew: the
// ones that came and are not acknowledged.
var recordedEvent = regexp.MustCompile(`\bev-\d+\b`)

// request makes a recorded request a real one.
func (s *story) request(r *row) apptest.Request {
	s.t.Helper()
	if r.header("Request-ID") != "" {
		s.names.Set("uuid", uuid.NewString())
	}
	out := apptest.Request{Method: r.method, Target: s.fill(r.target)}
	for _, h := range r.headers {
		switch {
		case h.name == "Auth" && h.value == "Basic":
			out.Header = append(out.Header, [2]string{"Authorization", "Basic " + s.fill("<credentials of me>")})
		case h.name == "Auth" && h.value == "XMPP-Simple":
			out.Header = append(out.Header,
				[2]string{"Authorization", "XMPP-Simple " + s.fill("<base64 of "+s.passwordLogin()+">")})
		case h.name == "CT" && h.value == "json":
			out.Header = append(out.Header, [2]string{"Content-Type", "application/json"})
		case h.name == "CT":
			out.Header = append(out.Header, [2]string{"Content-Type", h.value + "; boundary=" + boundary})
		default:
			out.Header = append(out.Header, [2]string{h.name, s.fill(h.value)})
		}
	}
	if fields, ok := strings.CutPrefix(r.body, "multipart: "); ok {
		out.Body = s.multipart(fields)
	} else {
		out.Body = s.fill(r.body)
	}
	return out
}

func (s *story) passwordLogin() string { return "product:" + s.me.Name + "@example.com:" + s.password }

// fill puts real values in the place of those of the recording.
func (s *story) fill(text string) string {
	s.t.Helper()
	text = recordedID.ReplaceAllString(text, "<$0>")
	text = recordedEvent.ReplaceAllStringFunc(text, func(string) string { return s.nextUnacknowledged() })
	if strings.Contains(text, dummyCredentials) {
		credentials, err := s.names.Fill("<credentials of me>")
		if err != nil {
			s.t.Fatal(err)
		}
		text = strings.ReplaceAll(text, dummyCredentials, url.QueryEscape(credentials))
	}
	filled, err := s.names.Fill(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return filled
}

// multipart writes the fields that a recording lists, as the client's library
// does.
func (s *story) multipart(fields string) string {
	s.t.Helper()
	values := map[string]string{
		"recipient": "<bob>", "body": "with a file", "sender_organization": "<org>", "recipient_organization": "<org>",
		"priority": "0", "ttl": "60",
	}
	var b strings.Builder
	for name := range strings.SplitSeq(fields, ", ") {
		b.WriteString("--" + boundary + "\r\n")
		if name == "attachment(file a.png)" {
			b.WriteString("Content-Disposition: form-data; name=\"attachment\"; filename=\"a.png\"\r\nContent-Type: " +
				"image/png\r\n\r\n" + file + "\r\n")
			continue
		}
		value, known := values[name]
		if !known {
			s.t.Fatalf("the recording has a part %q", name)
		}
		b.WriteString("Content-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + s.fill(value) + "\r\n")
	}
	return b.String() + "--" + boundary + "--\r\n"
}

// withBody is a request with another body.
func withBody(r apptest.Request, body string) apptest.Request {
	r.Body = body
	return r
}
