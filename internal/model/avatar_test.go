package model

import "testing"

// What a browser could run is no avatar, whatever its sender calls it.
func TestAvatarsAreNoPages(t *testing.T) {
	for head, want := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif",
		"RIFF\x00\x00\x00\x00WEBP": "image/webp", "RIFF\x00\x00\x00\x00WAVE": "", "": "", "RIFF": "",
		"<svg xmlns='http://www.w3.org/2000/svg'>": "", "<?xml version='1.0'?><svg>": "", "<html>": "", "%PDF-1.7": "",
	} {
		if got := AvatarType([]byte(head)); got != want {
			t.Errorf("%q is taken for %q, want %q", head, got, want)
		}
	}
}
