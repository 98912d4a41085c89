package access

import (
	"strings"
	"testing"

	"signet/internal/model"
)

func TestInternationalDomainsHaveOneForm(t *testing.T) {
	for text, want := range map[string]string{
		"Anna@Example.COM":             "anna@example.com",
		"anna@bücher.example":          "anna@bücher.example",
		"anna@BÜCHER.example":          "anna@bücher.example",
		"anna@bu\u0308cher.example":    "anna@bücher.example",
		"anna@xn--bcher-kva.example":   "anna@bücher.example",
		"Anna@XN--BCHER-KVA.example":   "anna@bücher.example",
		"jürgen@xn--bcher-kva.example": "jürgen@bücher.example",
		"anna@例え。テスト":                  "anna@例え.テスト",
		"anna@faß.example":             "anna@faß.example",
		"anna@xn--fa-hia.example":      "anna@faß.example",
		"anna@host_name":               "anna@host_name",
		"no address":                   "no address",
	} {
		if got := Email(text); got != want {
			t.Errorf("Email(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzEmail(f *testing.F) {
	for _, seed := range []string{"", "a@b", "a@BÜCHER.example", "İ@xn--bcher-kva.example", "a@例え。テスト", "a@b@ü",
		"\u0323İ@ü", "a@\u00df\u1e9e.x", "ΑΣ@ΑΣ.gr"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Email(text)
		if !model.ValidEmail(once) {
			return
		}
		if twice := Email(once); twice != once {
			t.Fatalf("Email(%q) = %q, and of this %q", text, once, twice)
		}
		if spelled := emailSpellings(once); spelled[0].Value != once && !strings.Contains(once, "xn--") {
			t.Fatalf("%q is looked for as %v first", once, spelled)
		}
	})
}
