package model

import (
	"strings"
	"testing"
)

func TestIssuersAreURLsWithoutMore(t *testing.T) {
	for text, want := range map[string]bool{
		"https://login.example.com":                   true,
		"https://login.example.com/":                  true,
		"https://login.microsoftonline.com/4711/v2.0": true,
		"http://127.0.0.1:8081/realms/ward":           true,
		"":                                            false,
		"login.example.com":                           false,
		"ftp://login.example.com":                     false,
		"https://user@login.example.com":              false,
		"https://login.example.com?x=1":               false,
		"https://login.example.com?":                  false,
		"https://login.example.com#x":                 false,
		"https:login.example.com":                     false,
		"https://login.example.com/" + strings.Repeat("x", MaxIssuer): false,
		"https://login.example.com/\x00":                              false,
	} {
		if got := ValidIssuer(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// What a browser could take for another host is no path of the server's own.
func TestReturnIsAPathOfOurs(t *testing.T) {
	for text, want := range map[string]bool{
		"/": true, "/console": true, "/console#/people?x=1": true, "/?a=b": true, "/a%20b": true,
		"": false, "console": false, "//evil.example.com": false, "///evil.example.com": false,
		`/\evil.example.com`: false, `\/evil.example.com`: false, "https://evil.example.com": false,
		"/\t/evil.example.com": false, "/\n/evil.example.com": false, " /x": false, "/ x": false,
		"javascript:alert(1)": false, "/ü": false, "/" + strings.Repeat("x", 1024): false,
	} {
		if got := ValidReturn(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// FuzzReturn: whatever is taken begins with one slash, and has nothing that makes it another host.
func FuzzReturn(f *testing.F) {
	for _, seed := range []string{"/", "//x", `/\x`, "/console#/a", "/%2f%2fx", "/\t/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ValidReturn(text) && (!strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") ||
			strings.ContainsAny(text, "\\\t\r\n ")) {
			t.Errorf("%q is taken", text)
		}
	})
}
