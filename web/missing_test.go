package web

import (
	"net/http"
	"testing"
	"testing/fstest"
)

// What a browser sends that goes to an address, by HTTPS and on the same machine; by plain
// HTTP the second line is missing.
var (
	goes  = http.Header{"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"}, "Sec-Fetch-Mode": {"navigate"}}
	plain = http.Header{"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"}}
)

func TestAPersonAtAWrongAddressGetsAPageAndAProgramTheInterfacesAnswer(t *testing.T) {
	files := fstest.MapFS{"index.html": {Data: []byte("page")}, "missing-en.html": {Data: []byte("missing")}}
	for _, test := range []struct {
		method, address string
		header          http.Header
		status          int
	}{
		{"GET", "/nope", goes, 404},
		{"HEAD", "/nope", goes, 404},
		{"GET", "/nope", plain, 404},
		{"GET", "/nope/", goes, 404},
		{"GET", "/consol", goes, 404},
		{"GET", "/vacation", goes, 404},
		{"GET", "/index.html", goes, 404},
		{"GET", "/missing-en.html", goes, 404},
		{"GET", "/", goes, 200},
		{"GET", "/c/018f", goes, 200},

		{"GET", "/nope", nil, 418},
		{"GET", "/nope", http.Header{"Accept": {"*/*"}}, 418},
		{"GET", "/nope", http.Header{"Accept": {"application/json"}}, 418},
		{"GET", "/nope", http.Header{"Accept": {"text/html;q=0, */*"}}, 418},
		{"GET", "/nope", http.Header{"Accept": goes["Accept"], "Sec-Fetch-Mode": {"cors"}}, 418},
		{"POST", "/nope", goes, 418},
		{"GET", "/v2/nope", goes, 418}, // some programs say that they take HTML
		{"GET", "/v5/login", goes, 418},
		{"GET", "/openapi.json", goes, 418},
		{"GET", "/metrics", goes, 418},
		{"GET", "/assets/nope.js", goes, 418},
	} {
		answer, content := mustAsk(t, files, test.method, test.address, test.header)
		if answer.StatusCode != test.status {
			t.Errorf("%s %s %v: %d, want %d", test.method, test.address, test.header, answer.StatusCode, test.status)
		}
		if test.status != 404 {
			continue
		}
		if want := "missing"; test.method == "GET" && content != want {
			t.Errorf("%s shows %q, want %q", test.address, content, want)
		}
		for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache",
			"Vary": "Accept, Accept-Language, Sec-Fetch-Mode", "Content-Security-Policy": policy} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", test.address, name, got, want)
			}
		}
	}
}

func TestAWrongAddressIsToldInTheLanguageOfTheBrowser(t *testing.T) {
	files := fstest.MapFS{"index.html": {}}
	for _, language := range languages {
		files["missing-"+language+".html"] = &fstest.MapFile{Data: []byte(language)}
	}
	for accept, want := range map[string]string{
		"":                            "en",
		"de":                          "de",
		"de-AT,de;q=0.9,en;q=0.8":     "de",
		"FR-ch, en;q=0.5":             "fr",
		"en;q=0.3,fr;q=0.7,de;q=0.5":  "fr",
		"nl,it;q=0.9":                 "en",
		"nl,de;q=0.1":                 "de",
		"de;q=0,fr;q=x":               "en",
		"deutsch":                     "en",
		"*":                           "en",
		"fr;q=0.5, de;q=0.5, en;q=.5": "en",
	} {
		header := http.Header{"Accept": goes["Accept"], "Accept-Language": {accept}}
		if _, got := mustAsk(t, files, "GET", "/nope", header); got != want {
			t.Errorf("a browser that prefers %q gets %q, want %q", accept, got, want)
		}
	}
}
