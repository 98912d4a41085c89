package cli

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// Where nothing is pushed, that is an answer. Other refusals are failures.
func TestPushShow_says_where_nothing_is_pushed(t *testing.T) {
	s := newStub(t)
	off := refused(404, "not_found", "The associated lookup was not found.")
	for _, tt := range []struct {
		args   string
		answer func(http.ResponseWriter)
		code   int
		stdout string
	}{
		{"push show", off, exitDone, "on  false\n"},
		{"push show --json", off, exitDone, `{"on":false}` + "\n"},
		{"push show", refused(401, "unauthenticated", "The credentials are wrong."), exitCredentials, ""},
	} {
		s.answers["GET /v2/push"] = tt.answer
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), strings.Fields(tt.args), s.env(), &stdout, &stderr); code != tt.code ||
			stdout.String() != tt.stdout {
			t.Errorf("%s: got exit code %d, %q (%s), want %d and %q", tt.args, code, stdout.String(), stderr.String(),
				tt.code, tt.stdout)
		}
	}
}
