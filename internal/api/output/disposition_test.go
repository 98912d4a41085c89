package output

import (
	"mime"
	"regexp"
	"testing"
)

func TestDisposition(t *testing.T) {
	for name, want := range map[string]string{
		"plain.pdf":     `attachment; filename="plain.pdf"`,
		"a b;c=d.txt":   `attachment; filename="a b;c=d.txt"`,
		"Übersicht.pdf": `attachment; filename="_bersicht.pdf"; filename*=UTF-8''%C3%9Cbersicht.pdf`,
		"日本 1.txt":      `attachment; filename="__ 1.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%201.txt`,
		"a%20b.txt":     `attachment; filename="a_20b.txt"; filename*=UTF-8''a%2520b.txt`,
		`so "it" is\`:   `attachment; filename="so _it_ is_"; filename*=UTF-8''so%20%22it%22%20is%5C`,
		"it's (1)*.txt": `attachment; filename="it's (1)*.txt"`,
		"\U0001f3e5":    `attachment; filename="_"; filename*=UTF-8''%F0%9F%8F%A5`,
	} {
		if got := Disposition("attachment", name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// FuzzDisposition: the name comes back whole, and beside it there is one that everything reads.
func FuzzDisposition(f *testing.F) {
	for _, name := range []string{"a.txt", "Übersicht.pdf", "a%20b", `"\`, "*'\t", "\r\nSet-Cookie: x=y"} {
		f.Add(name)
	}
	plain := regexp.MustCompile(`^attachment; filename="[ !#$&-\[\]-~]*"` +
		`(; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_|~%` + "`" + `-]*)?$`)
	f.Fuzz(func(t *testing.T, name string) {
		got := Disposition("attachment", name)
		kind, params, err := mime.ParseMediaType(got)
		if err != nil || kind != "attachment" || params["filename"] != name {
			t.Errorf("%q: got %s, which is read as %q %v", name, got, params["filename"], err)
		}
		if !plain.MatchString(got) {
			t.Errorf("%q: got %s", name, got)
		}
	})
}
