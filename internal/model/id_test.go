package model

import (
	"strings"
	"testing"
)

// FuzzParseID reads tokens as a call names them in its path, in the header or field that
// says for which organization it is, and in the one that says where a key acts.
func FuzzParseID(f *testing.F) {
	for _, seed := range []string{"", "019e0000-0000-7000-8000-000000000001", "019E0000-0000-7000-8000-00000000000A",
		"019e0000000070008000000000000001", "{019e0000-0000-7000-8000-00000000001}", "019e0000-0000-7000-8000-0000000-0001",
		"abcdefghijklmnopqrstuvwX", "abcdefghijklmnopqrstuvw/", "abcdefghijklmnopqrstuvw\x00", "abcdefghijklmnopqrstuvé"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if id, ok := ParseAccountID(text); ok && id.String() != strings.ToLower(text) || !ok && !id.IsZero() {
			t.Errorf("ParseAccountID(%q) = %s, %v", text, id, ok)
		}
		id, ok := ParseOrganizationID(text)
		if ok && string(id) != text || !ok && id != "" {
			t.Errorf("ParseOrganizationID(%q) = %q, %v", text, id, ok)
		}
		if ok && strings.Trim(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("ParseOrganizationID(%q) takes what no token has", text)
		}
	})
}
