package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AddressKind tells the ways of naming an entity apart.
type AddressKind int

// The kinds, in the order in which an address is tried (contract, section 2).
// Their numbers are stored.
const (
	TokenAddress    AddressKind = 0
	EmailAddress    AddressKind = 1
	PhoneAddress    AddressKind = 2
	UsernameAddress AddressKind = 3
)

// String names the kind as the request field that holds it.
func (k AddressKind) String() string {
	switch k {
	case EmailAddress:
		return "email"
	case PhoneAddress:
		return "phone"
	case UsernameAddress:
		return "username"
	default:
		return "token"
	}
}

// Address is what a caller wrote to name a user or a group, in the one form
// under which it is stored and compared.
type Address struct {
	Kind  AddressKind
	Token EntityID // of a TokenAddress
	Value string   // of the other kinds, normalised
}

// ParseAddress reads an address. The number parser turns a phone number into E.164,
// or reports that it is none. A text that fits no kind becomes a username that cannot
// exist, so that the lookup finds nothing.
func ParseAddress(s string, number func(string) (string, bool)) Address {
	s = strings.TrimSpace(s)
	if id, ok := ParseEntityID(s); ok {
		return Address{Kind: TokenAddress, Token: id}
	}
	if strings.Contains(s, "@") {
		return Address{Kind: EmailAddress, Value: FoldEmail(s)}
	}
	if PhoneDigits(s) != "" {
		if e164, ok := number(s); ok {
			return Address{Kind: PhoneAddress, Value: e164}
		}
	}
	return Address{Kind: UsernameAddress, Value: FoldUsername(s)}
}

// FoldEmail returns the form under which an e-mail address is stored and compared.
func FoldEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// FoldUsername returns the form under which a username is compared.
func FoldUsername(s string) string { return strings.ToLower(s) }

// ValidEmail reports whether s is an address of one @ with something on both
// sides, no blanks, control characters or anything else that is not to be seen (two
// addresses would look alike), and at most 254 bytes (RFC 5321).
func ValidEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || domain == "" || len(local) > 64 || len(s) > 254 || strings.Contains(domain, "@") {
		return false
	}
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsGraphic(r) || invisible(r) || strings.ContainsRune(`<>(),;:\"[]`, r) {
			return false
		}
	}
	return !strings.HasPrefix(domain, ".") && !strings.HasSuffix(domain, ".") && !strings.Contains(domain, "..")
}

// ValidUsername reports whether s is 1 to 64 of letters, digits, `.`, `_`, `-`,
// at least one of them a letter, and neither `me` nor shaped like a UUID.
func ValidUsername(s string) bool {
	if len(s) < 1 || len(s) > 64 || strings.EqualFold(s, "me") {
		return false
	}
	if _, uuid := ParseEntityID(s); uuid {
		return false
	}
	letter := false
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			letter = true
		case '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return letter
}
