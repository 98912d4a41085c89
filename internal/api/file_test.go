package api

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"signet/internal/api/input"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// testSink keeps nothing of files, and counts what became of them.
type testSink struct {
	kept, discarded int
	fault           error
}

func (s *testSink) keep(_ context.Context, f input.File) (*content.Upload, error) {
	if _, err := io.Copy(io.Discard, f); err != nil || s.fault != nil {
		return nil, errors.Join(err, s.fault)
	}
	s.kept++
	return new(content.Upload), nil
}

func (s *testSink) discard(ctx context.Context, _ *content.Upload) {
	if ctx.Err() == nil {
		s.discarded++
	}
}

// startFiles runs a server whose one endpoint takes an attachment.
func startFiles(t *testing.T, sink *testSink) *harness {
	return start(t, nil, route{
		method: "POST", pattern: "/v2/message",
		files: map[string]fileField{"attachment": {Keep: sink.keep, Discard: sink.discard}},
		handler: func(_ context.Context, c *call) (answer, error) {
			recipient := c.body.RequiredText("recipient")
			if err := c.err(); err != nil {
				return answer{}, err
			}
			switch recipient {
			case "nobody":
				return answer{}, model.Missing()
			case "unavailable":
				return answer{}, store.ErrUnavailable
			case "panic":
				panic("in the endpoint")
			}
			return noContent(), nil
		},
	})
}

// mustSendFile sends a file and, unless it is empty, a recipient.
func (h *harness) mustSendFile(recipient string) answered {
	h.t.Helper()
	const part = "--b\r\nContent-Disposition: form-data; name="
	body := part + "attachment; filename=a.png\r\n\r\nx\r\n"
	if recipient != "" {
		body += part + "recipient\r\n\r\n" + recipient + "\r\n"
	}
	return h.mustSend(request{
		method: "POST", path: "/v2/message", body: strings.NewReader(body + "--b--"),
		headers: []string{"Content-Type: multipart/form-data; boundary=b"},
	})
}

func TestAFileIsDiscardedWhenTheRequestComesToNothing(t *testing.T) {
	for _, c := range []struct {
		what, recipient string
		status          int
		discarded       bool
	}{
		{"sent", "bob", 204, false},
		{"fault of a field", "", 400, true},
		{"target not found", "nobody", 404, true},
		// What a lost store or a panic leaves behind may have happened.
		{"store away", "unavailable", 503, false},
		{"panic", "panic", 500, false},
	} {
		var sink testSink
		if got := startFiles(t, &sink).mustSendFile(c.recipient); got.StatusCode != c.status {
			t.Errorf("%s: got %d %s", c.what, got.StatusCode, got.body)
		}
		if sink.kept != 1 || (sink.discarded == 1) != c.discarded {
			t.Errorf("%s: kept %d, discarded %d", c.what, sink.kept, sink.discarded)
		}
	}
}

func TestAFileThatCannotBeKept(t *testing.T) {
	for _, c := range []struct {
		fault       error
		status      int
		code, field string
	}{
		{errors.New("bad sector"), 500, codeInternal, ""},
		{store.ErrUnavailable, 503, codeUnavailable, ""},
		{model.Invalidf("avatar_invalid", "avatar", "No picture."), 400, "avatar_invalid", "avatar"},
	} {
		h := startFiles(t, &testSink{fault: c.fault})
		h.wantError(h.mustSendFile("bob"), c.status, c.code, c.field)
		if logged := strings.Contains(h.log.String(), "store the file"); logged != (c.status >= 500) {
			t.Errorf("%v: the log is %s", c.fault, h.log)
		}
	}
}

// A body that ends early is the client's doing, and of no interest to the log.
func TestABodyThatEndsEarlyIsNoErrorOfTheServer(t *testing.T) {
	h := start(t, nil, route{method: "POST", pattern: "/v2/x", handler: nothing})
	got := h.mustDial("POST /v2/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic " +
		"YWxpY2U6c2VjcmV0Om9mOmFsaWNl\r\n" +
		"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, input.CodeBodyIncomplete) {
		t.Errorf("got %q", got)
	}
	if log := h.log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("the log is %s", log)
	}
}
