package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"testing"
	"testing/fstest"
)

func TestABrowserGetsTheCodingThatItPrefers(t *testing.T) {
	all := []string{"br", "gzip", "identity"}
	for _, test := range []struct {
		accept string
		there  []string
		want   string
	}{
		{"", all, "identity"},
		{"gzip, deflate, br, zstd", all, "br"},
		{"gzip, deflate", all, "gzip"},
		{"gzip, deflate, br", []string{"gzip", "identity"}, "gzip"},
		{"gzip, deflate, br", []string{"identity"}, "identity"},
		{"br;q=0.5, gzip", all, "gzip"},
		{"br;q=0.5, gzip;q=0.5", all, "br"},
		{"BR;Q=0.9 , gzip ; q=0.8", all, "br"},
		{"x-gzip", all, "gzip"},
		{"br;q=0, gzip;q=0", all, "identity"},
		{"*", all, "br"},
		{"*;q=0.1, br;q=0", all, "gzip"},
		{"*;q=0", all, "identity"},
		{"*;q=0, gzip", all, "gzip"},
		{"identity", all, "identity"},
		{"identity;q=0.5, gzip;q=0.9", all, "gzip"},
		{"identity, gzip;q=0.9", all, "identity"},
		{"identity, gzip", all, "gzip"},
		{"identity;q=0, gzip;q=0.1", all, "gzip"},
		{"identity;q=0", all, "identity"}, // there is nothing that it takes
		{"deflate, zstd", all, "identity"},
		{"gzip;q=NaN", all, "identity"},
		{"gzip;q=2, br;q=-1", all, "identity"},
		{"gzip;level=9", all, "identity"},
		{",, ;q=1,", all, "identity"},
	} {
		files := fstest.MapFS{"assets/a.js": {Data: []byte("identity")}}
		for _, coding := range test.there[:len(test.there)-1] {
			files[coding+"/assets/a.js"] = &fstest.MapFile{Data: []byte(coding)}
		}
		for _, method := range []string{"GET", "HEAD"} {
			answer, content := mustServe(t, files, method, test.accept)
			coding := answer.Header.Get("Content-Encoding")
			if coding == "" {
				coding = "identity"
			}
			if coding != test.want || method == "GET" && content != test.want {
				t.Errorf("%s with %q of %v: %q in %s, want %s", method, test.accept, test.there, content, coding, test.want)
			}
			if got := answer.ContentLength; got != int64(len(test.want)) {
				t.Errorf("%s with %q: Content-Length %d, want %d", method, test.accept, got, len(test.want))
			}
			if got := answer.Header.Get("Content-Type"); got != "text/javascript; charset=utf-8" {
				t.Errorf("%s with %q has the type %q", method, test.accept, got)
			}
			wantVary := ""
			if len(test.there) > 1 {
				wantVary = "Accept-Encoding" // also as it is: caches keep both
			}
			if got := answer.Header.Get("Vary"); got != wantVary {
				t.Errorf("%s with %q of %v has Vary %q, want %q", method, test.accept, test.there, got, wantVary)
			}
		}
	}
}

func mustServe(t *testing.T, files fstest.MapFS, method, accept string) (*http.Response, string) {
	t.Helper()
	files["index.html"] = &fstest.MapFile{}
	header := http.Header{"Range": {"bytes=0-1"}} // of what is small nobody needs a part
	if accept != "" {
		header.Set("Accept-Encoding", accept)
	}
	return mustAsk(t, files, method, "/assets/a.js", header)
}

func TestCompressedFilesHaveNoAddressOfTheirOwn(t *testing.T) {
	files := fstest.MapFS{
		"index.html": {}, "br/index.html": {}, "gzip/assets/a.js": {}, "assets/a.js": {},
	}
	for _, address := range []string{"/br/index.html", "/gzip/assets/a.js", "/assets/../br/index.html", "/br", "/gzip/"} {
		if answer, _ := mustAsk(t, files, "GET", address, nil); answer.StatusCode != http.StatusTeapot {
			t.Errorf("%s was answered with %d, as if it were a page", address, answer.StatusCode)
		}
	}
}

// A repeated header counts as one with commas.
func TestPreferencesMayStandInSeveralLines(t *testing.T) {
	files := fstest.MapFS{"index.html": {}, "assets/a.js": {}, "br/assets/a.js": {}, "gzip/assets/a.js": {}}
	answer, _ := mustAsk(t, files, "GET", "/assets/a.js", http.Header{"Accept-Encoding": {"br;q=0.1", "gzip"}})
	if got := answer.Header.Get("Content-Encoding"); got != "gzip" {
		t.Errorf("two lines gave %q, want gzip", got)
	}
}

// The build keeps a file either as it is or in gzip. A program that takes no coding gets it as it was.
func TestAFileThatIsKeptCompressedIsServedAsItWas(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte("identity")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"gzip/assets/a.js": {Data: zipped.Bytes()}, "br/assets/a.js": {Data: []byte("br")}}
	for accept, want := range map[string]string{"": "identity", "gzip;q=0": "identity", "gzip": zipped.String(),
		"br": "br"} {
		answer, content := mustServe(t, files, "GET", accept)
		if answer.StatusCode != http.StatusOK || content != want || answer.ContentLength != int64(len(want)) {
			t.Errorf("with %q: status %d, %d bytes %q, want %q", accept, answer.StatusCode, answer.ContentLength, content, want)
		}
		if got := answer.Header.Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("with %q it has Vary %q, want Accept-Encoding", accept, got)
		}
	}
}
