package webtest

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// signInByLink does what the console does with the link of a first start.
func signInByLink(t *testing.T, link string, headers ...string) (status int) {
	t.Helper()
	base, secret, _ := strings.Cut(link, "/console#first=")
	r, err := http.NewRequestWithContext(t.Context(), "POST", base+"/v2/session",
		strings.NewReader(`{"first_start": "`+secret+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	return answer.StatusCode
}

// TestTheFirstStartPrintsALink that opens once, from this machine.
func TestTheFirstStartPrintsALink(t *testing.T) {
	s := mustServe(t)
	if _, err := os.Stat(filepath.Join(moduleRoot, "web", "dist", "console.html")); err != nil {
		// Built without a console, it has nowhere to lead to.
		if said := s.Stop(); strings.Contains(said, "#first=") {
			t.Errorf("without a console it prints\n%s", said)
		}
		return
	}
	link := s.FirstLink(t)
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
		if got := signInByLink(t, link, header, "198.51.100.7"); got != http.StatusForbidden {
			t.Errorf("through a proxy that sets %s it is answered with %d, want 403", header, got)
		}
	}
	if got := signInByLink(t, link); got != http.StatusNoContent {
		t.Errorf("the link is answered with %d, want 204", got)
	}
	if got := signInByLink(t, link); got != http.StatusUnauthorized {
		t.Errorf("used a second time it is answered with %d, want 401", got)
	}
}

// TestNoLinkForPagesElsewhere: nor is there one where there are no pages.
func TestNoLinkForPagesElsewhere(t *testing.T) {
	for _, setting := range []string{"--base-url=https://messages.example.org", "--web.pages=false"} {
		if said := mustServe(t, setting).Stop(); strings.Contains(said, "#first=") {
			t.Errorf("with %s it prints\n%s", setting, said)
		}
	}
}
