package model

import (
	"strings"
	"testing"
)

// plainNumber takes digits after a plus, as they are.
func plainNumber(s string) (string, bool) {
	return s, strings.HasPrefix(s, "+") && len(s) > 7
}

func TestAddressIsTriedInOrder(t *testing.T) {
	token := "01890a5d-ac96-774b-bcce-b302099a8057"
	id, _ := ParseEntityID(token)
	for _, test := range []struct {
		text string
		want Address
	}{
		{token, Address{Kind: TokenAddress, Token: id}},
		{strings.ToUpper(token), Address{Kind: TokenAddress, Token: id}},
		{" Bob@Example.COM ", Address{Kind: EmailAddress, Value: "bob@example.com"}},
		{"+15555550100", Address{Kind: PhoneAddress, Value: "+15555550100"}},
		{"12", Address{Kind: UsernameAddress, Value: "12"}},
		{"Bob.Brown", Address{Kind: UsernameAddress, Value: "bob.brown"}},
		{"", Address{Kind: UsernameAddress}},
	} {
		if got := ParseAddress(test.text, plainNumber); got != test.want {
			t.Errorf("ParseAddress(%q) = %+v, want %+v", test.text, got, test.want)
		}
	}
}

func TestUsernameHasALetterAndNoOtherMeaning(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "bob.brown-2_x": true, strings.Repeat("a", 64): true,
		"": false, "12": false, "1.2": false, "me": false, "ME": false, "bob brown": false, "b@b": false, "bøb": false,
		strings.Repeat("a", 65): false, "01890a5d-ac96-774b-bcce-b302099a8057": false,
	} {
		if got := ValidUsername(name); got != want {
			t.Errorf("ValidUsername(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestEmailHasTwoSides(t *testing.T) {
	for address, want := range map[string]bool{
		"bob@example.com": true, "doc+test@example.com": true, "b@b": true,
		"": false, "@": false, "bob@": false, "@example.com": false, "a@b@c": false, "bob @example.com": false,
		"bob@example..com": false, "bob@.com": false, "bob@com.": false, strings.Repeat("a", 65) + "@example.com": false,
		"jürgen@example.com": true, "用户@example.com": true, "संपर्क@example.com": true,
		"bob\x00@example.com": false, "bob\u200b@example.com": false, "bob@exam\u00adple.com": false,
		"\u202ebob@example.com": false, "bob\ufeff@example.com": false,
		"bob\u3164@example.com": false, "bob\u00a0@example.com": false, "bob\u2028@example.com": false,
		"bob\u0085@example.com": false, "bob\ufe0f@example.com": false,
		"bob\U000e0041@example.com": false, "bob\ue000@example.com": false, "bob\ufffd@example.com": false,
		"bob\u034f@example.com": false,
	} {
		if got := ValidEmail(address); got != want {
			t.Errorf("ValidEmail(%q) = %v, want %v", address, got, want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"", "me", "bob", "bob@example.com", "+1 (555) 555-0100", "555.0100",
		"01890a5d-ac96-774b-bcce-b302099a8057", "a@", "\x00", "İ@x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := ParseAddress(text, plainNumber)
		if (a.Kind == TokenAddress) == a.Token.IsZero() && text != "00000000-0000-0000-0000-000000000000" &&
			strings.TrimSpace(text) != "00000000-0000-0000-0000-000000000000" {
			t.Fatalf("ParseAddress(%q) = %+v", text, a)
		}
		if a.Kind == EmailAddress && !strings.Contains(a.Value, "@") {
			t.Fatalf("ParseAddress(%q) = %+v: an e-mail without @", text, a)
		}
		if a.Kind == TokenAddress {
			if again := ParseAddress(a.Token.String(), plainNumber); again != a {
				t.Fatalf("ParseAddress(%q) = %+v, and of its token %+v", text, a, again)
			}
		}
	})
}
