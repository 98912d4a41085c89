package access

import (
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"signet/internal/model"
)

// Email returns the form under which an e-mail address is stored and compared: case folded,
// its letters composed, and an international domain in its own letters.
func Email(text string) string {
	text = formerEmail(text)
	local, domain, ok := strings.Cut(text, "@")
	if !ok {
		return text
	}
	if local = composed(local); !international(domain) {
		return local + "@" + domain
	}
	if shown, err := idna.Lookup.ToUnicode(domain); err == nil {
		domain = shown
	}
	return local + "@" + composed(domain)
}

// composed folds the case of a text and composes its letters, each because of the other.
func composed(text string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(text))) }

// international reports whether a domain has a name of other letters than ASCII's.
func international(domain string) bool {
	return strings.Contains(domain, "xn--") || strings.ContainsFunc(domain, func(r rune) bool { return r > 127 })
}

// formerEmail is an e-mail address as it was stored before domains had one form.
func formerEmail(text string) string { return model.FoldEmail(norm.NFC.String(text)) }

// emailSpellings are the forms in which an e-mail address may be stored.
func emailSpellings(text string) []model.Address {
	today := Email(text)
	out := []model.Address{{Kind: model.EmailAddress, Value: today}}
	if former := formerEmail(text); former != today {
		out = []model.Address{{Kind: model.EmailAddress, Value: former}, out[0]}
	}
	local, domain, _ := strings.Cut(today, "@")
	if !international(domain) {
		return out
	}
	if plain, err := idna.Lookup.ToASCII(domain); err == nil && local+"@"+plain != out[0].Value {
		out = append(out, model.Address{Kind: model.EmailAddress, Value: local + "@" + plain})
	}
	return out
}
